//! Commands that write to the machine that builds, instead of below the image or where the sources lie.

use rocpkg_model::{Finding, Findings, Span};
use rocpkg_render::bash::{Command, Quoting, Stmt};

/// The folders that a recipe's variables hold.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    /// Those that become the package, the one that messages name first.
    pub images: &'a [&'a str],
    /// Others that a build may write below, but not above.
    pub own: &'a [&'a str],
    /// Those of the machine, and functions that answer with one.
    pub machine: &'a [&'a str],
}

/// Reports commands of a step that write outside of what is packaged: to an absolute path, to a folder of the machine, or above one
/// of the build's own.
pub fn check_outside(stmts: &[Stmt], span: Span, folders: &Folders<'_>, findings: &mut Findings) {
    let image = folders.images.first().unwrap_or(&"");
    let found: Vec<_> = stmts.iter().flat_map(|s| folders.outside(s)).collect();
    let here = |at: Span| at.file == span.file && span.start <= at.start && at.end <= span.end;
    // A path that is wrong wherever it stands was told when the step was read.
    let told = !found.is_empty() && findings.any(|f| f.code == "E0563" && f.span.is_some_and(here));
    for (program, path) in found.into_iter().filter(|_| !told) {
        let enters = CHANGE_FOLDER.contains(&program.as_str());
        let what = if enters { "goes to" } else { "writes to" };
        let message = format!("`{program}` {what} `{path}`, outside the package");
        let label = format!("expected a path below `${{{image}}}`, or one of the sources");
        findings.push(Finding::error("E0440", span, message).label(label));
    }
}

/// Behind them, relative paths are others.
const CHANGE_FOLDER: &[&str] = &["cd", "pushd"];

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

/// The letters of a program's options that take a value, which may be the next word.
fn valued(program: &str) -> &'static str {
    match program {
        "cp" | "ln" | "mv" => "St",
        "install" => "gmoSt",
        "mkdir" => "m",
        "touch" => "drt",
        "truncate" => "rs",
        _ => "",
    }
}

/// The words of a command without its options.
#[derive(Default)]
struct Operands {
    paths: Vec<String>,
    /// The folder that an option names.
    folder: Option<String>,
    /// `install -d`.
    makes_folders: bool,
}

impl Operands {
    fn of(program: &str, words: &[String]) -> Self {
        let mut out = Self::default();
        let takes_folder = matches!(program, "cp" | "install" | "ln" | "mv");
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                out.paths.extend(words.by_ref().cloned());
            } else if let Some(long) = word.strip_prefix("--") {
                // `substituteInPlace` has its files first.
                if program == "substituteInPlace" {
                    break;
                }
                let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
                // An option may be cut short.
                if takes_folder && !name.is_empty() && "target-directory".starts_with(name) {
                    out.folder = value.map(str::to_owned).or_else(|| words.next().cloned());
                }
            } else if let Some(letters) = word.strip_prefix('-').filter(|l| !l.is_empty()) {
                out.makes_folders |=
                    program == "install" && letters.split('m').next().is_some_and(|l| l.contains('d'));
                let Some(at) = letters.find(|c| valued(program).contains(c)) else { continue };
                let rest = &letters[at + 1..];
                let value = if rest.is_empty() { words.next().cloned() } else { Some(rest.to_owned()) };
                if takes_folder && letters[at..].starts_with('t') {
                    out.folder = value;
                }
            } else {
                out.paths.push(word.clone());
            }
        }
        out
    }

    /// The paths that are written to.
    fn written(self, how: Writes) -> Vec<String> {
        match how {
            Writes::Last if !self.makes_folders => match self.folder {
                Some(folder) => vec![folder],
                // One alone is read, and what is made of it stands here.
                None => self.paths.into_iter().skip(1).next_back().into_iter().collect(),
            },
            _ => self.paths.into_iter().chain(self.folder).collect(),
        }
    }
}

impl Folders<'_> {
    /// The paths outside that a statement writes to, each with the program that does it.
    fn outside(&self, stmt: &Stmt) -> Vec<(String, String)> {
        match stmt {
            Stmt::Command(c) => self.command(c),
            // Free text is read command by command, with what may stand before one; paths in variables are its author's.
            Stmt::Raw(text) => {
                text.print_bare(Quoting::Short).lines().flat_map(|line| self.line(line)).collect()
            }
            Stmt::From(_, inner) | Stmt::For { body: inner, .. } | Stmt::Function { body: inner, .. } => {
                inner.iter().flat_map(|s| self.outside(s)).collect()
            }
            Stmt::If { branches, otherwise } => {
                let bodies = branches.iter().map(|(_, body)| body).chain([otherwise]);
                bodies.flatten().flat_map(|s| self.outside(s)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn command(&self, c: &Command) -> Vec<(String, String)> {
        let words: Vec<String> = c.words.iter().map(|w| bare(&w.print(Quoting::Short))).collect();
        let mut out = self.plain(&words);
        let program = words.first().cloned().unwrap_or_default();
        // What a word of free text is for is not known well enough for these.
        let further = match program.as_str() {
            "sed" => edited(&words[1..]),
            name if CHANGE_FOLDER.contains(&name) => words[1..].to_vec(),
            _ => Vec::new(),
        };
        let output = c.output.iter().map(|file| bare(&file.print(Quoting::Short)));
        let further = further.into_iter().chain(output).filter(|path| self.is_outside(path));
        out.extend(further.map(|path| (program.clone(), path)));
        out.extend(c.pipe.iter().flat_map(|next| self.command(next)));
        out
    }

    fn line(&self, text: &str) -> Vec<(String, String)> {
        // A comment writes nothing.
        let text = text.split_once(" #").map_or(text, |(code, _)| code);
        if text.trim_start().starts_with('#') {
            return Vec::new();
        }
        // `&>` sends output away, every other `&` ends a command.
        let text = text.replace("&>", ">").replace("2>&1", "");
        let mut out = Vec::new();
        for command in text.split([';', '|', '&']) {
            let spaced = command.replace(">>", ">").replace('>', " > ");
            let mut words: Vec<String> = spaced.split_whitespace().map(bare).collect();
            let first = words.iter().position(|w| !BEFORE.contains(&w.as_str()) && !is_assignment(w));
            words.drain(..first.unwrap_or(words.len()));
            while let Some(at) = words.iter().position(|w| w == ">") {
                let file = words.get(at + 1).cloned().unwrap_or_default();
                let program = words[0].clone();
                words.drain(at..(at + 2).min(words.len()));
                if self.is_outside(&file) {
                    out.push((program, file));
                }
            }
            out.extend(self.plain(&words));
        }
        out
    }

    /// What a command of these words writes to.
    fn plain(&self, words: &[String]) -> Vec<(String, String)> {
        let Some((program, rest)) = words.split_first() else { return Vec::new() };
        let Some(how) = writes(program) else { return Vec::new() };
        let outside = |path: &String| if how == Writes::Below { leaves(path) } else { self.is_outside(path) };
        let written = Operands::of(program, rest).written(how);
        written.into_iter().filter(outside).map(|path| (program.clone(), path)).collect()
    }

    /// True for an absolute path, but for devices, and for one that a variable leads out of the build.
    fn is_outside(&self, path: &str) -> bool {
        let unquoted = |text: &str| text.replace(['"', '\''], "");
        let path = path.trim_start_matches(['"', '\'']);
        if path.starts_with('/') {
            return unquoted(path).strip_prefix("/dev/").is_none_or(leaves);
        }
        let Some((name, whole, rest)) = variable(path) else { return false };
        let rest = unquoted(rest);
        let image = self.images.contains(&name);
        // Without a slash between, it is a neighbour of the image.
        let beside = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c));
        self.machine.iter().any(|known| [name, whole].contains(known))
            || image && beside
            || (image || self.own.contains(&name)) && leaves(&rest)
    }
}

/// The variable or function that a word begins with, all that its brackets hold, and what stands behind it.
fn variable(path: &str) -> Option<(&str, &str, &str)> {
    let text = path.strip_prefix('$')?;
    let (inner, rest) = match text.chars().next()? {
        '{' => text[1..].split_once('}')?,
        '(' => text[1..].split_once(')')?,
        _ => text.split_at(text.find(|c: char| !is_of_name(c)).unwrap_or(text.len())),
    };
    let name = &inner[..inner.find(|c: char| !is_of_name(c)).unwrap_or(inner.len())];
    Some((name, inner, rest))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// True for a path that goes above where it begins.
fn leaves(path: &str) -> bool {
    let mut depth = 0_i64;
    path.split('/').any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// The files that sed edits in place, among the words behind it.
fn edited(words: &[String]) -> Vec<String> {
    let (mut in_place, mut scripted) = (false, false);
    let mut files = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" | "-f" => {
                words.next();
                scripted = true;
            }
            // A word of the lowering's own may hold an option and what it is for.
            w if w.starts_with("-e") || w.starts_with("--expression=") => scripted = true,
            w if w.starts_with("-i ") => {
                in_place = true;
                files.push(bare(&w[3..]));
            }
            w if w.starts_with('-') => {
                in_place |= w.starts_with("--in-place") || !w.starts_with("--") && w.contains('i');
            }
            w => files.push(w.to_owned()),
        }
    }
    let script = usize::from(!scripted && !files.is_empty());
    files.drain(..script);
    if in_place { files } else { Vec::new() }
}

/// Words of bash that stand before a command, and programs that run the one behind them.
const BEFORE: &[&str] =
    &["if", "then", "elif", "else", "while", "until", "do", "{", "(", "!", "time", "command", "env", "sudo"];

/// `NAME=value` before a command.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_of_name)
}

/// A word without the quotes around it.
fn bare(word: &str) -> String {
    word.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocpkg_render::bash::Word;

    const FOLDERS: Folders<'_> =
        Folders { images: &["pkgdir"], own: &["srcdir"], machine: &["EPREFIX", "get_llvm_prefix"] };

    fn of(text: &str) -> Vec<String> {
        FOLDERS.outside(&Stmt::Raw(Word::lit(text))).into_iter().map(|(_, path)| path).collect()
    }

    fn of_command(words: &[&str]) -> Vec<String> {
        let words = words.iter().map(|w| Word::lit(*w)).collect();
        FOLDERS.outside(&Stmt::Command(Command::new(words))).into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn what_is_written_counts_and_what_is_read_does_not() {
        assert_eq!(of("install -Dm644 x /etc/foo"), ["/etc/foo"]);
        assert_eq!(of("install -Dm644 -t /etc x y"), ["/etc"]);
        assert_eq!(of("cp '/usr/share/x' \"/opt/y\""), ["/opt/y"]);
        assert_eq!(of("cd x && mkdir -p /opt/a /opt/b"), ["/opt/a", "/opt/b"]);
        assert!(of("install -Dm644 /etc/foo \"$pkgdir/etc/foo\"").is_empty());
        assert!(of("ln -s /opt/rocm/lib/x \"$pkgdir/usr/lib/x\"; ln -s /opt/rocm/lib/y").is_empty());
        assert!(of("grep -q x /etc/passwd; rm -f /dev/null").is_empty());
    }

    #[test]
    fn an_option_may_hold_the_folder() {
        for text in [
            "cp -t/etc x",
            "install -Dm644 -t/etc x",
            "install -vDt /etc x",
            "mv --target=/etc x",
            "cp --target-directory /etc x",
        ] {
            assert_eq!(of(text), ["/etc"], "{text}");
        }
        assert_eq!(of("install -dm755 /etc/a /etc/b"), ["/etc/a", "/etc/b"]);
        assert_eq!(of("mv /etc/a \"$pkgdir/a\""), ["/etc/a"]);
        assert_eq!(of("rm -f -- /etc/a"), ["/etc/a"]);
        assert!(
            of("install -m 644 /etc/a b; install -Dm644 -t \"$pkgdir/d\" /etc/a; cp -S /x a b").is_empty()
        );
    }

    #[test]
    fn folders_above_are_outside() {
        for text in [
            "\"$pkgdir\"/../x",
            "\"$pkgdir/a/../../x\"",
            "${pkgdir}/..",
            "\"$srcdir/../x\"",
            "/dev/../etc",
            "\"$pkgdir\"usr/x",
            "\"${pkgdir}-x\"",
        ] {
            assert_eq!(of(&format!("touch {text}")).len(), 1, "{text}");
        }
        for text in ["\"$pkgdir/a/../x\"", "\"$pkgdir$prefix/x\"", "../x", "\"$other/../x\"", "$srcdir"] {
            assert!(of(&format!("touch {text}")).is_empty(), "{text}");
        }
        assert_eq!(of("cp x \"${EPREFIX}\"/usr/x").len(), 1);
        assert_eq!(of("cp x \"$(get_llvm_prefix)/x\"").len(), 1);
        assert_eq!(of("insinto /usr/../../x"), ["/usr/../../x"]);
        assert!(of("insinto /usr/x; dosym ../x /usr/y").is_empty());
    }

    #[test]
    fn words_that_are_known_tell_more() {
        assert_eq!(of_command(&["cd", "/etc"]), ["/etc"]);
        assert_eq!(of_command(&["sed", "-i", "/a/d", "/etc/x"]), ["/etc/x"]);
        assert_eq!(of_command(&["sed", "-e", "/a/d", "-Ei", "/etc/x", "y"]), ["/etc/x"]);
        assert_eq!(of_command(&["substituteInPlace", "/etc/x", "--replace-fail", "/a", "/b"]), ["/etc/x"]);
        assert!(of_command(&["sed", "-i", "/a/d", "x"]).is_empty());
        assert!(of_command(&["sed", "/a/d", "/etc/x"]).is_empty());
        assert!(of("cd /usr/share && sed -i '/a/d' x").is_empty());
    }

    #[test]
    fn what_stands_before_a_command_hides_nothing() {
        assert_eq!(of("if true; then install -Dm644 x /etc/foo; fi"), ["/etc/foo"]);
        assert_eq!(of("for x in a b; do cp \"$x\" /opt/\ndone"), ["/opt/"]);
        assert_eq!(of("[[ -e x ]] || { mkdir /opt/a; }"), ["/opt/a"]);
        assert_eq!(of("! LC_ALL=C touch /etc/y"), ["/etc/y"]);
        assert_eq!(of("echo a > /etc/foo.conf"), ["/etc/foo.conf"]);
        assert_eq!(of("printf '%s' a >>/etc/foo.conf"), ["/etc/foo.conf"]);
        assert_eq!(of("make &> /var/log/x"), ["/var/log/x"]);
        assert!(of("echo a > \"$pkgdir/etc/foo\"; make > /dev/null 2>&1").is_empty());
        assert!(of("# rm -rf /opt\nmake # touch /etc/x").is_empty());
    }
}
