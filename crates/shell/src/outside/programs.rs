//! Which of a command's words are paths that it writes to.

use super::text::unquoted;
use super::{bare, is_assignment};

/// What a command does with the paths among its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    /// It writes to the last one, or into the folder after `-t`.
    Last,
    /// It changes each of them.
    Each,
    /// Each of them is a path below the image, whatever it begins with.
    Below,
}

/// The programs that write to paths they are given; all others may read any path.
fn writes(program: &str) -> Option<Writes> {
    match program {
        "cp" | "install" | "ln" => Some(Writes::Last),
        "chmod" | "chown" | "mkdir" | "mv" | "rm" | "rmdir" | "substituteInPlace" | "tee" | "touch"
        | "truncate" => Some(Writes::Each),
        "docinto" | "dodir" | "exeinto" | "insinto" | "into" | "keepdir" => Some(Writes::Below),
        _ => None,
    }
}

/// The letters of a program's options that take a value, which may be the next word, and its long options that do.
fn valued(program: &str) -> (&'static str, &'static [&'static str]) {
    match program {
        "chmod" => ("", &["reference"]),
        "chown" => ("", &["from", "reference"]),
        "cmake" => ("", &["prefix"]),
        "cp" | "ln" | "mv" => ("St", &["suffix", "target-directory"]),
        "install" => ("gmoSt", &["group", "mode", "owner", "strip-program", "suffix", "target-directory"]),
        "mkdir" => ("m", &["mode"]),
        "patch" => (
            "BDFVYdgiopxrz",
            &["directory", "fuzz", "input", "output", "prefix", "reject-file", "strip", "suffix"],
        ),
        "sed" => ("efl", &["expression", "file", "line-length"]),
        "tar" => ("CTXbf", &["directory", "exclude", "file", "files-from", "transform"]),
        "touch" => ("drt", &["date", "reference", "time"]),
        "truncate" => ("rs", &["reference", "size"]),
        _ => ("", &[]),
    }
}

/// Programs that run the command behind them, and the letters of their options that take a value.
const RUNNERS: &[(&str, &str)] = &[
    ("builtin", ""),
    ("command", ""),
    ("edo", ""),
    ("env", "CSu"),
    ("exec", "a"),
    ("nice", "n"),
    ("nohup", ""),
    ("nonfatal", ""),
    ("sudo", "CghpuU"),
    ("time", "fo"),
    ("xargs", "EILPadns"),
];

/// A command taken apart: what is set for it, the program, the words behind it.
pub(super) struct Call<'a> {
    set: Vec<&'a String>,
    /// The program's name, without the folder that it lies in.
    pub(super) program: String,
    words: &'a [String],
}

impl<'a> Call<'a> {
    /// Reads words without the quotes around them; what runs another program is passed over.
    pub(super) fn of(words: &'a [String]) -> Self {
        let mut call = Self { set: Vec::new(), program: ">".into(), words };
        while let Some((first, rest)) = call.words.split_first() {
            call.words = rest;
            if is_assignment(first) {
                call.set.push(first);
                continue;
            }
            call.program = named(first);
            let Some((_, valued)) = RUNNERS.iter().find(|(name, _)| *name == call.program) else { break };
            while let Some((option, rest)) = call.words.split_first().filter(|(o, _)| o.starts_with('-')) {
                call.words = rest;
                // It tells what the command would be.
                if call.program == "command" && option.contains(['v', 'V']) {
                    call.words = &[];
                }
                if !option.starts_with("--") && option.ends_with(|c| valued.contains(c)) {
                    call.words = call.words.get(1..).unwrap_or_default();
                }
            }
        }
        call
    }

    /// True if its paths lie below the image.
    pub(super) fn is_below(&self) -> bool {
        writes(&self.program) == Some(Writes::Below)
    }

    /// The paths that it writes to; with a `DESTDIR`, a prefix lies below that.
    pub(super) fn written(&self, destdir: bool) -> Vec<String> {
        let program = self.program.as_str();
        let mut out = self.destinations();
        out.extend(match program {
            "cmake" if destdir || self.set.iter().any(|s| s.starts_with("DESTDIR=")) => Vec::new(),
            "cmake" => installed(self.words).into_iter().collect(),
            "patch" => patched(self.words),
            "sed" => edited(self.words),
            "tar" | "bsdtar" => packed(self.words),
            _ => match writes(program) {
                Some(how) => Operands::of(program, self.words).written(program, how),
                None => Vec::new(),
            },
        });
        out
    }

    /// The `DESTDIR` of what installs; an empty one leaves it to the prefix.
    fn destinations(&self) -> Vec<String> {
        let own: &[String] = match self.program.as_str() {
            "emake" | "gmake" | "make" => self.words,
            "cmake" | "meson" | "ninja" => &[],
            _ => return Vec::new(),
        };
        let words = self.set.iter().copied().chain(own);
        words.filter_map(|w| w.strip_prefix("DESTDIR=")).map(bare).collect()
    }
}

/// The name of a program that may be given by its path.
fn named(word: &str) -> String {
    let word = unquoted(word);
    match word.rsplit_once('/') {
        Some((folder, name)) if folder.ends_with("/bin") || folder.ends_with("/sbin") => name.to_owned(),
        _ => word,
    }
}

/// The words of a command without its options.
#[derive(Default)]
struct Operands {
    paths: Vec<String>,
    /// Short and long options in their order, with the values that they take.
    options: Vec<(String, Option<String>)>,
}

impl Operands {
    fn of(program: &str, words: &[String]) -> Self {
        let mut out = Self::default();
        let (short, long) = valued(program);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                out.paths.extend(words.by_ref().cloned());
            } else if let Some(option) = word.strip_prefix("--") {
                // `substituteInPlace` has its files first.
                if program == "substituteInPlace" {
                    break;
                }
                let (name, value) = option.split_once('=').map_or((option, None), |(n, v)| (n, Some(v)));
                // An option may be cut short.
                let full = long.iter().find(|full| !name.is_empty() && full.starts_with(name));
                let value = value.map(bare).or_else(|| full.and_then(|_| words.next().cloned()));
                out.options.push((full.map_or(name, |f| *f).to_owned(), value));
            } else if let Some(letters) = word.strip_prefix('-').filter(|l| !l.is_empty()) {
                for (at, letter) in letters.char_indices() {
                    let rest = &letters[at + letter.len_utf8()..];
                    // What stands behind sed's `-i` is the name of a copy, but for a word of the lowering's own.
                    let copies = program == "sed" && letter == 'i';
                    let takes = short.contains(letter);
                    let value = match (takes, rest) {
                        (true, "") => words.next().cloned(),
                        (true, _) => Some(bare(rest)),
                        (false, _) => None,
                    };
                    out.options.push((letter.to_string(), value));
                    if copies {
                        out.paths.extend(rest.strip_prefix(' ').map(bare));
                    }
                    if takes || copies {
                        break;
                    }
                }
            } else {
                out.paths.push(word.clone());
            }
        }
        out
    }

    fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }

    /// The values of options.
    fn values(&self, names: &[&str]) -> Vec<String> {
        let of = self.options.iter().filter(|(name, _)| names.contains(&name.as_str()));
        of.filter_map(|(_, value)| value.clone()).collect()
    }

    /// The paths that are written to.
    fn written(self, program: &str, how: Writes) -> Vec<String> {
        let takes_folder = matches!(program, "cp" | "install" | "ln" | "mv");
        let folder = self.values(if takes_folder { &["t", "target-directory"] } else { &[] }).pop();
        let makes_folders = program == "install" && self.has(&["d", "directory"]);
        match how {
            Writes::Last if !makes_folders => match folder {
                Some(folder) => vec![folder],
                // One alone is read, and what is made of it stands here.
                None => self.paths.into_iter().skip(1).next_back().into_iter().collect(),
            },
            _ => self.paths.into_iter().chain(folder).collect(),
        }
    }
}

/// The folder that `cmake --install` is told to install to.
fn installed(words: &[String]) -> Option<String> {
    let installs = words.iter().any(|w| w == "--install");
    installs.then(|| Operands::of("cmake", words).values(&["prefix"]).pop()).flatten()
}

/// The files that patch changes, or the folder in which it does.
fn patched(words: &[String]) -> Vec<String> {
    let read = Operands::of("patch", words);
    let mut out = read.values(&["d", "directory"]);
    let output = read.values(&["o", "output"]).pop();
    out.extend(output.or_else(|| read.paths.first().cloned()));
    if read.has(&["dry-run"]) { Vec::new() } else { out }
}

/// The files that sed edits in place.
fn edited(words: &[String]) -> Vec<String> {
    let mut read = Operands::of("sed", words);
    let scripted = read.has(&["e", "f", "expression", "file"]);
    let script = usize::from(!scripted && !read.paths.is_empty());
    read.paths.drain(..script);
    if read.has(&["i", "in-place"]) { read.paths } else { Vec::new() }
}

/// The folder that tar unpacks into, or the archive that it writes.
fn packed(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    // Its first word holds letters of options, with or without a sign before them.
    if let Some(first) = words.first_mut().filter(|w| !w.starts_with('-')) {
        first.insert(0, '-');
    }
    let read = Operands::of("tar", &words);
    let names: &[&str] = if read.has(&["x", "extract", "get"]) {
        &["C", "directory"]
    } else if read.has(&["c", "create", "r", "append", "u", "update"]) {
        &["f", "file"]
    } else {
        &[]
    };
    read.values(names).pop().into_iter().collect()
}
