//! The paths of typed steps: what a program would read as an option, what names no file, and what leads out of a folder that is
//! written to.
//!
//! What a step does with each of its paths stands once, in [`paths`]. A command's own words are free.

use crate::finding::{Finding, Findings};
use crate::package::Package;
use crate::source::Span;
use crate::step::{Action, Step};
use crate::text::{Piece, Text};
use std::collections::BTreeMap;

/// What stands for a reference, and for a sign that is none of the shell's: no character of a profile.
const OTHER: char = '\u{fffc}';

/// The signs that the shell expands to other words.
const PATTERNS: &str = "{},*?[]!^";

/// So many words are made of the braces of one.
const MOST_WORDS: usize = 64;

/// A path of a step, and what is done with it.
#[derive(Clone, Copy)]
struct Path<'a> {
    text: &'a Text,
    /// It is written to, or what follows is written below it.
    written: bool,
    /// It is a word of a command, so that a sign may make an option of it.
    word: bool,
    /// Patterns in it are the shell's.
    patterns: bool,
    /// It is one below a folder, and never absolute.
    below: bool,
    /// It is a file's, and never that of a folder.
    file: bool,
}

impl<'a> Path<'a> {
    fn read(text: &'a Text) -> Self {
        Self { text, written: false, word: true, patterns: false, below: false, file: false }
    }

    fn written(text: &'a Text) -> Self {
        Self { written: true, ..Self::read(text) }
    }

    /// The same, where patterns are the shell's.
    fn files(self) -> Self {
        Self { patterns: true, ..self }
    }

    /// The same of one file.
    fn one(self) -> Self {
        Self { file: true, ..self }
    }

    /// The same behind another text, or behind a sign of the shell's.
    fn behind(self) -> Self {
        Self { word: false, ..self }
    }
}

/// Files that are read.
fn read(texts: &[Text]) -> Vec<Path<'_>> {
    texts.iter().map(|t| Path::read(t).files()).collect()
}

/// Files that are written to.
fn written(texts: &[Text]) -> Vec<Path<'_>> {
    texts.iter().map(|t| Path::written(t).files()).collect()
}

/// The paths of an action, those of the steps inside it apart. A path that is read may lead anywhere: sources lie beside one
/// another; and so may the text of a link.
fn paths(action: &Action) -> Vec<Path<'_>> {
    match action {
        Action::RunWith(r) => r.output.iter().map(|t| Path::written(t).behind().one()).collect(),
        Action::Replace(r) => written(&r.files.0),
        Action::Sed(s) => written(&s.files.0),
        Action::Patch(file) => vec![Path::read(file)],
        Action::Submodule(m) => {
            let path = Path { below: true, ..Path::written(&m.path).behind() };
            [path].into_iter().chain(m.inside.iter().map(Path::written)).collect()
        }
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

/// Reports what is wrong with the paths that a package names beside its steps, and with those of its steps by what variables hold.
pub fn check_paths(package: &Package, findings: &mut Findings) {
    let below = |text| Path { below: true, ..Path::written(text).files() };
    let patches = package.patches.iter().filter_map(|p| p.inside.as_ref()).map(Path::written);
    let projects = package.cmake.values().filter_map(|p| p.build.as_ref()).map(|b| Path::written(b).behind());
    let tests = package.tests.iter().filter_map(|t| t.folder.as_ref()).map(Path::read);
    let programs = package
        .programs
        .values()
        .flat_map(|p| p.folder.iter().chain(&p.files).chain(&p.leftovers))
        .map(below);
    let recipe = package.pkgbuild.as_ref();
    let parts = recipe.iter().flat_map(|b| b.packages.values()).flat_map(|part| &part.backup);
    let kept = recipe.iter().flat_map(|b| &b.backup).chain(parts).map(|file| Path::written(file).behind());
    let whole = package.ebuild.iter().flat_map(|e| &e.no_strip).map(Path::written);
    for path in patches.chain(projects).chain(tests).chain(programs).chain(kept).chain(whole) {
        if let Some(fault) = fault(&path, path.text) {
            findings.push(fault.finding(path.text.span));
        }
    }
    let parts = recipe.iter().flat_map(|b| b.packages.values()).map(|part| &part.steps);
    let functions = package.ebuild.iter().flat_map(|e| e.functions.values());
    let known = values(package);
    for steps in package.phases.values().chain(parts).chain(functions) {
        check_values(steps, &mut known.clone(), findings);
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
        if let Some(fault) = fault(&path, path.text) {
            findings.push(fault.finding(path.text.span));
        }
    }
}

/// What variables of a package hold, and whether the shell expands a value before the variable holds it.
type Values<'a> = BTreeMap<&'a str, Vec<(&'a Text, bool)>>;

/// What the variables of the recipe hold wherever they are named.
fn values(package: &Package) -> Values<'_> {
    let ebuild = package.ebuild.iter().flat_map(|e| &e.variables);
    let pkgbuild = package.pkgbuild.iter().flat_map(|b| &b.variables);
    let many = ebuild.map(|(name, values)| (name.as_str(), values.0.iter().map(|v| (v, false)).collect()));
    many.chain(pkgbuild.map(|(name, value)| (name.as_str(), vec![(value, false)]))).collect()
}

/// Reports values of variables that make another path of what names the variable. Each path by itself was looked at when its step
/// was read.
fn check_values<'a>(steps: &'a [Step], known: &mut Values<'a>, findings: &mut Findings) {
    for step in steps {
        for path in paths(&step.action).iter().filter(|p| fault(p, p.text).is_none()) {
            for (name, values) in path.text.references().filter_map(|name| known.get_key_value(name)) {
                for (value, expanded) in values {
                    let mut filled =
                        words(value, *expanded).into_iter().map(|word| filled(path.text, name, &word));
                    if let Some(fault) = filled.find_map(|text| fault(path, &text)) {
                        findings.push(fault.finding(value.span));
                    }
                }
            }
        }
        match &step.action {
            Action::Local(map) => {
                for (name, values) in map {
                    known.entry(name).or_default().extend(values.0.iter().map(|v| (v, false)));
                }
            }
            Action::Inside(i) => check_values(&i.steps, known, findings),
            Action::Group(steps) => check_values(steps, known, findings),
            Action::Each(e) => {
                let items = e.items.iter().map(|item| (item, true)).collect();
                let before = known.insert(&e.variable.value, items);
                check_values(&e.steps, known, findings);
                match before {
                    Some(values) => known.insert(&e.variable.value, values),
                    None => known.remove(e.variable.value.as_str()),
                };
            }
            _ => {}
        }
        check_values(&step.otherwise, known, findings);
    }
}

/// The text with a value in place of a reference.
fn filled(text: &Text, reference: &str, value: &str) -> Text {
    let value = Piece::Literal(value.to_owned());
    let pieces =
        text.pieces.iter().map(|p| if *p == Piece::Reference(reference.to_owned()) { &value } else { p });
    Text::joined(pieces)
}

/// What is wrong with a path.
struct Fault {
    message: String,
    label: &'static str,
    hint: Option<String>,
}

impl Fault {
    fn finding(self, span: Span) -> Finding {
        let finding = Finding::error("E0563", span, self.message).label(self.label);
        self.hint.into_iter().fold(finding, Finding::hint)
    }
}

/// What is wrong with the path that a text is.
fn fault(path: &Path<'_>, text: &Text) -> Option<Fault> {
    let shown = text.to_string();
    let words = words(text, path.patterns);
    if shown.is_empty() {
        let message = "an empty path names nothing".to_owned();
        return Some(Fault { message, label: "expected the name of a file or folder", hint: None });
    }
    if path.word && words.iter().any(|w| w.starts_with('-')) {
        return Some(Fault {
            message: format!("`{shown}` is read as an option, and names no file"),
            label: "expected a path that does not begin with `-`",
            hint: Some(format!("write `./{shown}`")),
        });
    }
    if path.file && words.iter().any(|w| w.ends_with('/')) {
        return Some(Fault {
            message: format!("`{shown}` is a folder, and names no file"),
            label: "expected the path of a file",
            hint: None,
        });
    }
    let leads_up = path.written && words.iter().any(|w| w.split('/').any(is_above));
    let absolute = path.below && words.iter().any(|w| w.starts_with('/'));
    (leads_up || absolute).then(|| Fault {
        message: format!("the path `{shown}` leads outside"),
        label: if path.below {
            "expected a path without `..` that does not begin with `/`"
        } else {
            "expected a path without `..`: what is written there could lie outside"
        },
        hint: None,
    })
}

/// True for a part of a path that names the folder above, or that is a pattern which may. The first dot of a name is matched by a dot
/// alone.
fn is_above(part: &str) -> bool {
    let part = part.replace(['{', '}'], "");
    part.strip_prefix('.').is_some_and(may_be_dot)
}

/// True for a pattern that may match a dot alone.
fn may_be_dot(pattern: &str) -> bool {
    let empty = |rest: &str| rest.chars().all(|c| c == '*');
    match pattern.chars().next() {
        Some('*') => empty(pattern) || may_be_dot(&pattern[1..]),
        Some('.' | '?') => empty(&pattern[1..]),
        Some('[') => {
            let Some((has_dot, rest)) = set(&pattern[1..]) else { return true };
            has_dot && empty(rest)
        }
        _ => false,
    }
}

/// Whether a set of characters, behind its first bracket, holds a dot, and what follows the set; none where it has no end, or has
/// ranges, classes or references in it: such may hold any, and end elsewhere.
fn set(text: &str) -> Option<(bool, &str)> {
    let (negated, inner) = match text.strip_prefix(['!', '^']) {
        Some(inner) => (true, inner),
        None => (false, text),
    };
    // A bracket at the front is one of the characters.
    let end = inner.char_indices().skip(1).find(|(_, c)| *c == ']')?.0;
    let held = &inner[..end];
    let ranges = ["a-z", "A-Z", "0-9"].iter().fold(held.to_owned(), |rest, range| rest.replace(range, ""));
    let plain = ranges.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    plain.then_some((held.contains('.') != negated, &inner[end + 1..]))
}

/// The words that a shell makes of a text by its braces, with a sign for each reference. Where patterns are not the shell's,
/// `${glob:…}` and `${*}` alone are.
fn words(text: &Text, patterns: bool) -> Vec<String> {
    let mut whole = String::new();
    for piece in &text.pieces {
        match piece {
            Piece::Literal(literal) if patterns => whole.push_str(literal),
            Piece::Literal(literal) => {
                whole.extend(literal.chars().map(|c| if PATTERNS.contains(c) { OTHER } else { c }));
            }
            Piece::Reference(name) => match name.strip_prefix("glob:") {
                Some(glob) => whole.push_str(glob),
                None if name == "*" => whole.push('*'),
                None => whole.push(OTHER),
            },
        }
    }
    let mut out = Vec::new();
    expand(&whole, &mut out);
    out
}

/// Takes braces apart, the innermost first. Where there are too many of them, their parts count as parts of the path.
fn expand(text: &str, out: &mut Vec<String>) {
    if out.len() >= MOST_WORDS {
        out.extend([text.replace(['{', '}', ','], "/")]);
        return;
    }
    let list = text.match_indices('}').find_map(|(close, _)| {
        let open = text[..close].rfind('{')?;
        text[open..close].contains(',').then_some((open, close))
    });
    match list {
        Some((open, close)) => {
            for part in text[open + 1..close].split(',') {
                expand(&[&text[..open], part, &text[close + 1..]].concat(), out);
            }
        }
        None => out.push(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, path: impl Fn(&Text) -> Path<'_>) -> Option<String> {
        let text = Text::parse(text, Span::default()).unwrap();
        fault(&path(&text), &text).map(|f| f.message)
    }

    #[test]
    fn a_path_that_is_written_to_stays_where_it_is() {
        for text in [
            "..",
            "../x",
            "${pkgdir}/../x",
            "a/..",
            "{a,..}/x",
            "a/{b/..,c}",
            "{.,a}.",
            "${out}/.*",
            ".?/x",
            "${glob:../*}",
            "${glob:.[!a]*}",
            ".[.]",
            ".[!a]*",
            ".[!a-z]*",
            ".[^!.]",
            ".[!${x}.]*",
            ".[!,--/]*",
            ".[![:alnum:]]",
            ".[].]",
            ".[*",
            "a/.**/b",
        ] {
            assert!(told(text, |t| Path::written(t).files()).is_some(), "{text}");
            assert_eq!(told(text, |t| Path::read(t).files()), None, "{text}");
        }
        for text in [
            "a..b",
            "...",
            "..a",
            "${x}..",
            ".git*",
            "*",
            "a.*",
            "{1..3}",
            "{a,b}",
            ".{git,svn}",
            "${x}/.hidden/*",
            "${pkgdir}/.[!.]*",
            "${glob:.[!.]*}",
            ".[^.]*/x",
            ".??*",
            "..?*",
            ".[a-z_]*x",
            ".[ab]*",
            ".[A-Za-z0-9_]*",
        ] {
            assert_eq!(told(text, |t| Path::written(t).files()), None, "{text}");
        }
        // In quotes, braces are themselves.
        assert_eq!(told("{a,..}", |t| Path::written(t)), None);
        assert!(told("${glob:../*}/x", |t| Path::written(t)).is_some());
    }

    #[test]
    fn an_option_is_no_path() {
        for text in ["-t/etc", "-", "{a,-rf}", "${glob:-*}"] {
            assert!(told(text, |t| Path::read(t).files()).is_some(), "{text}");
        }
        assert_eq!(told("-x", |t| Path::written(t).behind()), None);
        assert_eq!(told("${x}-y", |t| Path::read(t)), None);
        assert!(told("", |t| Path::read(t)).is_some());
    }

    #[test]
    fn many_braces_are_not_all_taken_apart() {
        let text = "{a,b}".repeat(40) + "/{..,x}";
        assert!(told(&text, |t| Path::written(t).files()).is_some());
    }
}
