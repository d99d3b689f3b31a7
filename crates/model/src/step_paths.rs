//! The paths of typed steps: what a program would read as an option, what names no file, and what
//! leads out of a folder that is written to.
//!
//! What a step does with each of its paths stands once, in [`paths`]. A command's own words are
//! free.

use crate::finding::{Finding, Findings};
use crate::step::Action;
use crate::text::Text;

/// A path of a step, and what is done with it.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    text: &'a Text,
    /// It is written to, or what follows is written below it.
    written: bool,
    /// It is a word of a command, so that a sign may make an option of it.
    word: bool,
    /// It is one below a folder, and never absolute.
    below: bool,
    /// It is a file's, and never that of a folder.
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

    /// The same of one file.
    fn one(self) -> Self {
        Self { file: true, ..self }
    }

    /// The same below a folder.
    pub(crate) fn below(self) -> Self {
        Self {
            below: true,
            ..self
        }
    }

    /// The same behind another text, or behind a sign of the shell's.
    pub(crate) fn behind(self) -> Self {
        Self {
            word: false,
            ..self
        }
    }
}

/// Files that are read.
fn read(texts: &[Text]) -> Vec<Path<'_>> {
    texts.iter().map(Path::read).collect()
}

/// Files that are written to.
fn written(texts: &[Text]) -> Vec<Path<'_>> {
    texts.iter().map(Path::written).collect()
}

/// The paths of an action, those of the steps inside it apart. A path that is read may lead
/// anywhere: sources lie beside one another; and so may the text of a link.
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

/// Reports what is wrong with the paths of a step, those of the steps inside it apart.
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

/// What is wrong with a path.
pub(crate) fn fault(path: &Path<'_>) -> Option<Finding> {
    let shown = path.text.to_string();
    let said = |message: String, label: &str| {
        Some(Finding::error("E0563", path.text.span, message).label(label))
    };
    if shown.is_empty() {
        return said(
            "an empty path names nothing".to_owned(),
            "expected the name of a file or folder",
        );
    }
    if path.word && shown.starts_with('-') {
        let found = said(
            format!("`{shown}` is read as an option, and names no file"),
            "expected a path that does not begin with `-`",
        );
        return found.map(|f| f.hint(format!("write `./{shown}`")));
    }
    if path.file && shown.ends_with('/') {
        return said(
            format!("`{shown}` is a folder, and names no file"),
            "expected the path of a file",
        );
    }
    let leads_up = path.written && shown.split('/').any(|part| part == "..");
    let absolute = path.below && shown.starts_with('/');
    let label = if path.below {
        "expected a path without `..` that does not begin with `/`"
    } else {
        "expected a path without `..`: what is written there could lie outside"
    };
    if leads_up || absolute {
        said(format!("the path `{shown}` leads outside"), label)
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
