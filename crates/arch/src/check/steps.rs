//! The commands of a PKGBUILD's functions, with the known values of their arguments, and the folder
//! in which each command runs.

use super::values::{Element, Values};
use rocpkg_bash::evaluate::{self, Variable, path};
use rocpkg_syntax::Script;

/// The path that stands for the folder of the PKGBUILD (`$startdir`) in paths of steps.
pub(super) const STARTDIR: &str = "/$startdir";
/// The path that stands for `$srcdir` in paths of steps.
pub(super) const SRCDIR: &str = "/$startdir/src";
/// The path that stands for `$pkgdir` in paths of steps.
const PKGDIR: &str = "/$startdir/pkg";

#[derive(Debug)]
pub(super) struct PathStep {
    /// The name of the command. It is empty if only bash can compute the name.
    pub(super) name: String,
    /// The arguments of the command. Redirections are at the end: `<` or `>`, then the file.
    pub(super) words: Vec<Element>,
    /// The folder in which the command runs; `None` if it is not certain.
    folder: Option<String>,
    /// The folder that `cd` or `pushd` enters.
    pub(super) target: Option<Element>,
    /// Set if the command is under a condition.
    pub(super) is_conditional: bool,
}

impl From<evaluate::Step> for PathStep {
    fn from(step: evaluate::Step) -> Self {
        Self {
            words: step.words.iter().map(Element::from).collect(),
            target: step.target().map(Element::from),
            name: step.name,
            folder: step.folder,
            is_conditional: step.is_conditional,
        }
    }
}

/// Returns true for functions that makepkg calls in the folder `$srcdir`.
pub(super) fn is_called(name: &str) -> bool {
    matches!(name, "prepare" | "build" | "check" | "package" | "pkgver")
        || name.starts_with("package_")
}

/// Returns the commands of each function of the PKGBUILD. `margin` are the values at the end of the
/// global scope, and `base` is the value of `pkgbase`.
pub(super) fn all(
    script: &Script,
    margin: &Values,
    base: Option<&str>,
) -> Vec<Vec<evaluate::Step>> {
    let mut out = Vec::new();
    for (i, function) in script.functions.iter().enumerate() {
        let mut run = margin.run_in_function(script, i);
        for (name, path) in [
            ("startdir", STARTDIR),
            ("srcdir", SRCDIR),
            ("pkgdir", PKGDIR),
        ] {
            run.set(name, Variable::Text(path.into()));
        }
        if let Some(base) = base {
            run.set("pkgbase", Variable::Text(base.into()));
        }
        if let Some(part) = function.name.strip_prefix("package_") {
            run.set("pkgname", Variable::Text(part.into()));
        }
        let folder = is_called(&function.name).then(|| SRCDIR.to_owned());
        out.push(run.steps_of(&function.name, folder));
    }
    out
}

impl PathStep {
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
    pub(super) fn path(&self, of: &str) -> Option<String> {
        path(self.folder.as_deref(), of)
    }
}

/// Returns a path relative to `$srcdir`; `None` for a path that is not below it.
pub(super) fn in_sources(path: &str) -> Option<&str> {
    path.strip_prefix(SRCDIR)?.strip_prefix('/')
}
