//! CMake projects: which of them a step means, and how their arguments are written.

use crate::argument::value;
use crate::dialect::Dialect;
use indexmap::IndexMap;
use rocpkg_model::{Argument, ArgumentValue, Finding, Findings, OneOrMany, Project, Spanned, When};
use rocpkg_render::bash::Word;

/// An argument of CMake with the comment above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its name, such as `CMAKE_CXX_COMPILER` or `-G`.
    pub name: String,
    /// The word, or two that stay on one line.
    pub word: Word,
    /// The comment.
    pub comment: Option<String>,
}

impl Given {
    /// An argument without a comment.
    pub fn new(name: &str, word: Word) -> Self {
        Self { name: name.to_owned(), word, comment: None }
    }
}

/// The projects that `standard: NAME` means: one, or `all`; an unknown name is a finding. A package without any has one of habit.
pub fn chosen<'a>(
    projects: &'a IndexMap<String, Project>,
    name: &Spanned<String>,
    holds: &dyn Fn(Option<&When>) -> bool,
    findings: &mut Findings,
) -> Vec<(&'a str, Option<&'a Project>)> {
    if projects.is_empty() && matches!(name.value.as_str(), "all" | "main") {
        return vec![("main", None)];
    }
    let all = projects.iter().filter(|(_, p)| holds(p.when.as_ref()));
    if name.value == "all" {
        return all.map(|(n, p)| (n.as_str(), Some(p))).collect();
    }
    if !projects.contains_key(&name.value) {
        findings.push(
            Finding::error("E0413", name.span, format!("unknown CMake project `{}`", name.value))
                .label("expected a project under `cmake`, or `all`")
                .nearest(&name.value, projects.keys().map(String::as_str)),
        );
    }
    all.filter(|(n, _)| **n == name.value).map(|(n, p)| (n.as_str(), Some(p))).collect()
}

/// The arguments of a habit with those that a project writes: one of the same name takes the place of the habit's.
pub fn arguments<D: Dialect>(
    d: &mut D,
    mut habit: Vec<Given>,
    written: &IndexMap<String, OneOrMany<Argument>>,
    holds: &dyn Fn(Option<&When>) -> bool,
) -> Vec<Given> {
    for (key, values) in written {
        for value in values.0.iter().filter(|v| holds(v.when.as_ref())) {
            let one = argument(d, key, value);
            match habit.iter_mut().find(|h| h.name == *key) {
                Some(place) => *place = one,
                None => habit.push(one),
            }
        }
    }
    habit
}

/// True when one of the arguments that hold speaks of `${targets}`.
pub fn names_targets(
    written: &IndexMap<String, OneOrMany<Argument>>,
    holds: &dyn Fn(Option<&When>) -> bool,
) -> bool {
    let values = written.values().flat_map(|values| &values.0).filter(|v| holds(v.when.as_ref()));
    values
        .map(|v| &v.value)
        .any(|v| matches!(v, ArgumentValue::Text(t) if t.references().any(|r| r == "targets")))
}

fn argument<D: Dialect>(d: &mut D, key: &str, a: &Argument) -> Given {
    let value = value(d, a);
    if !is_name(key) {
        d.report(
            Finding::error("E0414", a.span, format!("`{key}` can't be a CMake argument"))
                .label("expected letters, digits, `_`, `-` or `+`"),
        );
    }
    let word = match value {
        None => Word::lit(key),
        Some(v) if key.starts_with('-') && is_name(key) => option(&format!("{key} "), v),
        Some(v) => define(key, v),
    };
    Given { name: key.to_owned(), word, comment: a.comment.clone() }
}

fn is_name(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-+".contains(&b))
}

/// An option and its value, which stay two words on one line. `head` is checked, so it may stand unquoted.
pub fn option(head: &str, value: Word) -> Word {
    Word::pattern(head).then(value)
}

/// `-DNAME="value"`, quoted behind the sign of equality.
pub fn define(name: &str, value: Word) -> Word {
    let head = format!("-D{name}=");
    if value.as_literal() == Some("") || !is_name(name) {
        Word::lit(head).then(value)
    } else {
        Word::pattern(head).then(value)
    }
}
