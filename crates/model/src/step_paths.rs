//! Checks the paths of typed steps. Reports paths that a program would read as an option, paths
//! that name no file, and paths that lead out of a folder that is written to.
//!
//! The function [`paths`] classifies each path of an action: read or written, a file or a folder.
//! The words of a command are not checked.

use crate::finding::{Finding, Findings};
use crate::step::Action;
use crate::text::Text;

/// A path of a step, and its use.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    text: &'a Text,
    /// Set if the path is written to, or if later steps write below it.
    written: bool,
    /// Set if the path is a word of a command, so that a leading `-` would make it an option.
    word: bool,
    /// Set if the path must be relative to a given folder, and so must not begin with `/`.
    below: bool,
    /// Set if the path must be that of a file, and so must not end in `/`.
    file: bool,
}

impl<'a> Path<'a> {
    pub(crate) fn read(text: &'a Text) -> Self {
        Self {
            text,
            written: false,
            word: true,
            below: false,
            file: false,
        }
    }

    pub(crate) fn written(text: &'a Text) -> Self {
        Self {
            written: true,
            ..Self::read(text)
        }
    }

    /// Marks the path as that of a file, which must not end in `/`.
    fn one(self) -> Self {
        Self { file: true, ..self }
    }

    /// Marks the path as relative to a given folder. It must not begin with `/`.
    pub(crate) fn below(self) -> Self {
        Self {
            below: true,
            ..self
        }
    }

    /// Marks the path as a part of a longer word, such as `>FILE` or `DIR/FILE`. A leading `-` is
    /// then allowed.
    pub(crate) fn behind(self) -> Self {
        Self {
            word: false,
            ..self
        }
    }
}

/// Returns `texts` as paths of files that are read.
fn read(texts: &[Text]) -> Vec<Path<'_>> {
    texts.iter().map(Path::read).collect()
}

/// Returns `texts` as paths of files that are written to.
fn written(texts: &[Text]) -> Vec<Path<'_>> {
    texts.iter().map(Path::written).collect()
}

/// Returns the paths of an action with their uses, without those of the steps inside it. A path
/// that is read may contain `..`, since the folders of sources are beside one another. The text of
/// a symbolic link may contain `..` too.
fn paths(action: &Action) -> Vec<Path<'_>> {
    match action {
        Action::RunWith(r) => r
            .output
            .iter()
            .map(|t| Path::written(t).behind().one())
            .collect(),
        Action::Replace(r) => written(&r.files.0),
        Action::Sed(s) => written(&s.files.0),
        Action::Patch(file) => vec![Path::read(file)],
        Action::Licence(l) => {
            let name = l.name.iter().map(|n| Path::written(n).behind().one());
            [Path::read(&l.file)].into_iter().chain(name).collect()
        }
        Action::Move(m) => [written(&m.from.0), vec![Path::written(&m.to)]].concat(),
        Action::Copy(c) | Action::InstallFile(c) | Action::Symlink(c) => {
            [read(&c.from.0), vec![Path::written(&c.to)]].concat()
        }
        Action::Remove(texts) | Action::MakeFolder(texts) => written(texts),
        Action::ConfigFile(c) => vec![Path::written(&c.path).one()],
        Action::Wheel(folder) | Action::Enter(folder) => vec![Path::written(folder)],
        Action::Inside(i) => vec![Path::written(&i.folder)],
        Action::Standard(_)
        | Action::Run(_)
        | Action::CherryPick(_)
        | Action::Export(_)
        | Action::Local(_)
        | Action::Each(_)
        | Action::Group(_)
        | Action::Raw(_) => Vec::new(),
    }
}

/// Reports faults of the paths of an action, without those of the steps inside it.
pub(crate) fn check(action: &Action, findings: &mut Findings) {
    if let Action::InstallFile(install) = action
        && install.from.0.len() > 1
        && !install.to.to_string().ends_with('/')
    {
        let message = format!("several files are installed as `{}`", install.to);
        let finding = Finding::error("E0563", install.to.span, message);
        findings.push(finding.label("expected a folder: a path that ends in `/`"));
    }
    for path in paths(action) {
        findings.push_some(fault(&path));
    }
}

/// Returns the finding about a faulty path, or `None` if the path has no fault.
pub(crate) fn fault(path: &Path<'_>) -> Option<Finding> {
    let shown = path.text.to_string();
    let said = |message: String, label: &str| {
        Some(Finding::error("E0563", path.text.span, message).label(label))
    };
    if shown.is_empty() {
        return said(
            "the path is empty".to_owned(),
            "expected the name of a file or folder",
        );
    }
    if path.word && shown.starts_with('-') {
        let found = said(
            format!("`{shown}` is read as an option, not as a file"),
            "expected a path that does not begin with `-`",
        );
        return found.map(|f| f.hint(format!("write `./{shown}`")));
    }
    if path.file && shown.ends_with('/') {
        return said(
            format!("`{shown}` is a folder, not a file"),
            "expected the path of a file",
        );
    }
    let leads_up = path.written && shown.split('/').any(|part| part == "..");
    let absolute = path.below && shown.starts_with('/');
    let label = if path.below {
        "expected a path without `..` that does not begin with `/`"
    } else {
        "expected a path without `..`: the file could be written outside the folder"
    };
    if leads_up || absolute {
        said(format!("the path `{shown}` leads out of its folder"), label)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn told(text: &str, path: impl Fn(&Text) -> Path<'_>) -> bool {
        fault(&path(&Text::parse(text, Span::default()).unwrap())).is_some()
    }

    #[test]
    fn a_path_that_is_written_to_stays_where_it_is() {
        for text in ["..", "../x", "${pkgdir}/../x", "a/.."] {
            assert!(told(text, |t| Path::written(t)), "{text}");
            assert!(!told(text, |t| Path::read(t)), "{text}");
        }
        for text in [
            "a..b",
            "...",
            "..a",
            "${x}..",
            ".git*",
            "{1..3}",
            ".{git,svn}",
        ] {
            assert!(!told(text, |t| Path::written(t)), "{text}");
        }
    }

    #[test]
    fn an_option_is_no_path() {
        assert!(
            told("-t/etc", |t| Path::read(t))
                && told("-", |t| Path::read(t))
                && told("", |t| Path::read(t))
        );
        assert!(!told("-x", |t| Path::written(t).behind()) && !told("${x}-y", |t| Path::read(t)));
    }
}
