//! CMake projects: which of them a step means, how their arguments are written, and what their
//! builds are called with.

use crate::argument::value;
use crate::dialect::Dialect;
use crate::references::Vocabulary;
use crate::targets::{self, Targets};
use indexmap::IndexMap;
use rocpkg_model::{Argument, Cond, Finding, OneOrMany, Project, Spanned};
use rocpkg_render::bash::Word;
use rocpkg_resolve::TEST;

/// An argument of CMake with the comment above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CmakeArgument {
    /// Its name, such as `CMAKE_CXX_COMPILER` or `-G`.
    pub name: String,
    /// The word, or two that stay on one line.
    pub word: Word,
    /// The comment.
    pub comment: Option<String>,
}

impl CmakeArgument {
    /// An argument as it stands, without a comment.
    pub fn new(name: &str, word: Word) -> Self {
        Self {
            name: name.to_owned(),
            word,
            comment: None,
        }
    }

    /// An option and its value, which stay two words on one line. The name is checked, so it may
    /// stand unquoted.
    pub fn option(name: &str, value: Word) -> Self {
        Self::new(name, Word::pattern(format!("{name} ")).then(value))
    }

    /// `-DNAME="value"`, quoted behind the sign of equality.
    pub fn define(name: &str, value: Word) -> Self {
        let head = format!("-D{name}=");
        let is_plain = is_name(name) && value.as_literal() != Some("");
        Self::new(
            name,
            if is_plain {
                Word::pattern(head)
            } else {
                Word::lit(head)
            }
            .then(value),
        )
    }
}

/// The projects that `standard: NAME` means: one, or `all`; the plan tells of an unknown name. A
/// package that speaks of none has one of habit; where conditions left none of those that it speaks
/// of, there is none.
pub fn chosen<'a, D: Dialect>(
    d: &mut D,
    projects: &'a IndexMap<String, Project>,
    name: &Spanned<String>,
) -> Vec<(&'a str, Option<&'a Project>)> {
    let all = name.value == "all";
    if projects.is_empty() && (all || name.value == "main") {
        let stated = d.planned().node.get("cmake").is_some();
        return if stated {
            Vec::new()
        } else {
            vec![("main", None)]
        };
    }
    let meant = projects.iter().filter(|(n, _)| all || **n == name.value);
    let holding = meant.filter(|(_, p)| d.planned().settles(p.when.as_ref()));
    holding.map(|(n, p)| (n.as_str(), Some(p))).collect()
}

/// True for a project that is there for tests alone, as its condition says.
pub fn is_for_tests(project: &Project) -> bool {
    let test = Cond::Feature(TEST.to_owned());
    project.when.as_ref().is_some_and(|when| match &when.cond {
        Cond::All(conds) => conds.contains(&test),
        cond => *cond == test,
    })
}

/// True where `standard: NAME` installs a project: where all are meant, nothing of a further one
/// that is there for tests.
pub fn is_installed(projects: &IndexMap<String, Project>, project: &str, name: &str) -> bool {
    let further = projects.get_index_of(project).is_some_and(|at| at > 0);
    match name {
        "all" => !further || !projects.get(project).is_some_and(is_for_tests),
        one => one == project,
    }
}

/// The arguments of a project: those of a habit, of which one that the project writes takes the
/// place, then the list of GPU targets by each of some variables, unless an argument speaks of it.
pub fn arguments<V: Vocabulary>(
    v: &mut V,
    mut habit: Vec<CmakeArgument>,
    (name, project): (&str, Option<&Project>),
    variables: &[Spanned<String>],
) -> Vec<CmakeArgument> {
    let none = IndexMap::new();
    let written = project.map_or(&none, |p| &p.arguments);
    let mut names_targets = false;
    for (key, values) in written {
        for value in &values.0 {
            if !v.planned().settles(value.when.as_ref()) {
                continue;
            }
            names_targets |= targets::speaks_of(&value.value);
            let one = argument(v, key, value);
            match habit.iter_mut().find(|h| h.name == *key) {
                Some(place) => *place = one,
                None => habit.push(one),
            }
        }
    }
    if let Some(Targets { word, list }) = v.targets().filter(|_| !names_targets) {
        let (variables, p) = (variables.iter(), v.planned());
        let asked =
            |v: &&Spanned<String>| !written.contains_key(&v.value) && !p.withholds(name, &v.value);
        for variable in variables.filter(asked).collect::<Vec<_>>() {
            targets::pass(v, &variable.value, list.clone());
            habit.push(CmakeArgument::define(&variable.value, word.clone()));
        }
    }
    habit
}

/// The goals of each call that builds a project: one call without any where none are named.
pub fn goals(project: Option<&Project>) -> Vec<Vec<Word>> {
    let named = project.map(|p| p.goals.as_slice()).unwrap_or_default();
    let words =
        |goals: &OneOrMany<Spanned<String>>| goals.0.iter().map(|g| Word::lit(&*g.value)).collect();
    if named.is_empty() {
        vec![Vec::new()]
    } else {
        named.iter().map(words).collect()
    }
}

fn argument<D: Dialect>(d: &mut D, key: &str, a: &Argument) -> CmakeArgument {
    let value = value(d, a);
    if !is_name(key) {
        d.report(
            Finding::error(
                "E0414",
                a.span,
                format!("`{key}` can't be a CMake argument"),
            )
            .label("expected letters, digits, `_`, `-` or `+`"),
        );
    }
    if let Some(word) = &value {
        targets::pass_argument(d, key, &a.value, word);
    }
    let given = match value {
        None => CmakeArgument::new(key, Word::lit(key)),
        Some(v) if key.starts_with('-') && is_name(key) => CmakeArgument::option(key, v),
        Some(v) => CmakeArgument::define(key, v),
    };
    CmakeArgument {
        comment: a.comment.clone(),
        ..given
    }
}

fn is_name(key: &str) -> bool {
    !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-+".contains(&b))
}
