//! The commands of a PKGBUILD's functions, with the known values of their arguments, and the folder
//! in which each command runs.

use super::values::{Element, Event, Values, events};
use rocpkg_syntax::words::split;
use rocpkg_syntax::{Call, Script, Set};

/// The path that stands for the folder of the PKGBUILD (`$startdir`) in paths of steps.
pub(super) const STARTDIR: &str = "//startdir";
/// The path that stands for `$srcdir` in paths of steps.
pub(super) const SRCDIR: &str = "//startdir/src";
/// The path that stands for `$pkgdir` in paths of steps.
const PKGDIR: &str = "//startdir/pkg";

/// A command of a function, or an array that a function sets, since such arrays contain arguments
/// for commands.
#[derive(Debug)]
pub(super) struct Step<'a> {
    /// The name of the command. It is empty for an array, and if only bash can compute the name.
    pub(super) name: &'a str,
    /// Set if the step is an array and no command.
    pub(super) is_array: bool,
    /// The arguments of the command. Redirections are at the end: `<` or `>`, then the file.
    pub(super) words: Vec<Element>,
    /// The folder in which the command runs; `None` if it is not certain.
    pub(super) folder: Option<String>,
    /// Set if the command is under a condition.
    pub(super) is_conditional: bool,
}

/// Returns true for functions that makepkg calls in the folder `$srcdir`.
pub(super) fn is_called(name: &str) -> bool {
    matches!(name, "prepare" | "build" | "check" | "package" | "pkgver")
        || name.starts_with("package_")
}

/// Returns the commands of all functions of the PKGBUILD, and the arrays that they set. `margin`
/// are the values at the end of the global scope, and `base` is the value of `pkgbase`.
pub(super) fn all<'a>(
    text: &str,
    script: &'a Script,
    margin: &Values,
    base: Option<&str>,
) -> Vec<Step<'a>> {
    let mut out = Vec::new();
    for (i, function) in script.functions.iter().enumerate() {
        let mut values = margin.in_function(script, i);
        for (name, path) in [
            ("startdir", STARTDIR),
            ("srcdir", SRCDIR),
            ("pkgdir", PKGDIR),
        ] {
            values.set(name, path);
        }
        if let Some(base) = base {
            values.set("pkgbase", base);
        }
        if let Some(part) = function.name.strip_prefix("package_") {
            values.set("pkgname", part);
        }
        let folder = is_called(&function.name).then(|| SRCDIR.to_owned());
        let mut place = WorkingFolder {
            folder,
            before: Vec::new(),
        };
        for event in events(script, Some(i)) {
            match &event {
                Event::Set(set) => out.extend(array(text, set, &values, &place)),
                Event::Call(call) => {
                    let step = step(text, call, &values, &place);
                    place.follow(&step, script);
                    out.push(step);
                }
                Event::Unset(_) => {}
            }
            values.take(text, script, &event);
        }
    }
    out
}

fn step<'a>(text: &str, call: &'a Call, values: &Values, place: &WorkingFolder) -> Step<'a> {
    let mut words = Vec::new();
    for word in &call.words {
        let at = word.at.clone();
        words.extend(
            values
                .word(word)
                .unwrap_or_else(|| vec![Element { text: None, at }]),
        );
    }
    let mut rest = call.at.end;
    while let Some((sign, name, end)) = redirect(text, rest) {
        let all = split(text, name, end);
        let Some(word) = all.first() else { break };
        let at = word.at.clone();
        rest = at.end;
        words.push(Element {
            text: Some(sign.to_owned()),
            at: at.clone(),
        });
        words.extend(
            values
                .word(word)
                .unwrap_or_else(|| vec![Element { text: None, at }]),
        );
    }
    Step {
        name: &call.name,
        is_array: false,
        words,
        folder: place.folder.clone(),
        is_conditional: call.scope.is_conditional,
    }
}

/// Returns the redirection behind a command, from the byte `at` on: its sign `<` or `>`, and the
/// range of bytes with its file. Returns `None` if no redirection follows.
fn redirect(text: &str, at: usize) -> Option<(&'static str, usize, usize)> {
    let rest = text.get(at..)?;
    let line = rest.split('\n').next()?;
    let bare = line.trim_start();
    let bare = bare.strip_prefix(['1', '2', '&']).unwrap_or(bare);
    let sign = if bare.starts_with('<') && !bare.starts_with("<<") && !bare.starts_with("<(") {
        "<"
    } else if bare.starts_with('>') && !bare.starts_with(">&") {
        ">"
    } else {
        return None;
    };
    let name = bare.trim_start_matches(['>', '<', '|']);
    Some((sign, at + line.len() - name.len(), at + line.len()))
}

/// Returns an array that a function sets as a step. Returns `None` if the value is no array.
fn array<'a>(text: &str, set: &'a Set, values: &Values, place: &WorkingFolder) -> Option<Step<'a>> {
    let value = &text[set.value_at.clone()];
    if !value.starts_with('(') {
        return None;
    }
    let mut words = Vec::new();
    for word in split(text, set.value_at.start + 1, set.value_at.end - 1) {
        let at = word.at.clone();
        words.extend(
            values
                .word(&word)
                .unwrap_or_else(|| vec![Element { text: None, at }]),
        );
    }
    Some(Step {
        name: "",
        is_array: true,
        words,
        folder: place.folder.clone(),
        is_conditional: set.scope.is_conditional,
    })
}

/// The folder in which the next command of a function runs.
struct WorkingFolder {
    folder: Option<String>,
    before: Vec<Option<String>>,
}

impl WorkingFolder {
    fn follow(&mut self, step: &Step, script: &Script) {
        match step.name {
            "cd" | "pushd" => {
                if step.name == "pushd" {
                    self.before.push(self.folder.clone());
                }
                let target = step.target().and_then(|word| word.text.clone());
                let path = target.and_then(|path| step.path(&path));
                self.folder = path.filter(|_| !step.is_conditional);
            }
            "popd" => {
                let before = self.before.pop().flatten();
                self.folder = before.filter(|_| !step.is_conditional);
            }
            "eval" | "source" | "." => self.folder = None,
            name if script.defines(name) => self.folder = None,
            _ => {}
        }
    }
}

impl Step<'_> {
    /// Returns the argument of `cd` or `pushd` that is the folder. Returns `None` for a call
    /// without a folder, or for `cd -`.
    pub(super) fn target(&self) -> Option<&Element> {
        let is_option = |word: &&Element| {
            word.text
                .as_deref()
                .is_some_and(|text| text.starts_with('-'))
        };
        let first = self.words.iter().find(|word| !is_option(word))?;
        let is_sign = first
            .text
            .as_deref()
            .is_some_and(|text| matches!(text, "<" | ">" | ""));
        (!is_sign
            && !self
                .words
                .iter()
                .any(|word| word.text.as_deref() == Some("-")))
        .then_some(first)
    }

    /// Returns the path from the root of a file that the command reads. `file` is the argument and
    /// `path` its value. `patch -d FOLDER` enters the folder before it opens the file of `-i`. The
    /// shell opens the file of `<` before the command runs. Returns `None` if the folder is not
    /// certain.
    pub(super) fn path_of_file(&self, file: &Element, path: &str) -> Option<String> {
        let text = |word: &Element| word.text.clone().unwrap_or_default();
        let mut pairs = self.words.iter().zip(self.words.iter().skip(1));
        let is_redirect =
            |(sign, word): (&Element, &Element)| text(sign) == "<" && word.at == file.at;
        if self.name != "patch" || pairs.any(is_redirect) || path.starts_with('/') {
            return self.path(path);
        }
        let mut pairs = self.words.iter().zip(self.words.iter().skip(1));
        let named = pairs.find(|(option, _)| matches!(text(option).as_str(), "-d" | "--directory"));
        let enters = |word: &Element| {
            word.text.as_deref().is_none_or(|text| {
                (text.starts_with("-d") && text.len() > 2) || text.starts_with("--directory=")
            })
        };
        match named {
            Some((_, folder)) => self.path(&format!("{}/{path}", folder.text.as_deref()?)),
            None if self.words.iter().any(enters) => None,
            None => self.path(path),
        }
    }

    /// Returns `path`, as the command uses it, from the root and without `.` and `..`; `None` if
    /// the folder of the command is not certain.
    pub(super) fn path(&self, path: &str) -> Option<String> {
        let whole = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("{}/{path}", self.folder.as_deref()?)
        };
        let mut parts = Vec::new();
        for part in whole.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        let root = if parts.first() == Some(&&STARTDIR[2..]) && whole.starts_with("//") {
            "//"
        } else {
            "/"
        };
        Some(format!("{root}{}", parts.join("/")))
    }
}

/// Returns a path relative to `$srcdir`; `None` for a path that is not below it.
pub(super) fn in_sources(path: &str) -> Option<&str> {
    path.strip_prefix(SRCDIR)?.strip_prefix('/')
}
