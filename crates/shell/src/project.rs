//! Lowers the CMake projects of a package: selects those that a `standard` step applies to, and
//! makes their arguments and the goals of their builds, such as `make all docs`.

use crate::argument::value;
use crate::dialect::Dialect;
use crate::references::Vocabulary;
use crate::targets::{self, Targets};
use indexmap::IndexMap;
use rocpkg_model::{Argument, Cond, Finding, OneOrMany, Project, Spanned};
use rocpkg_render::bash::Word;
use rocpkg_resolve::TEST;

/// A CMake argument of a recipe, with the comment above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CmakeArgument {
    /// The argument's name, such as `CMAKE_CXX_COMPILER` or `-G`.
    pub name: String,
    /// The argument as one word, or as two words that stay on one line.
    pub word: Word,
    /// The comment above the argument.
    pub comment: Option<String>,
}

impl CmakeArgument {
    /// Makes an argument without a comment. `name` is its name, `word` its whole text.
    pub fn new(name: &str, word: Word) -> Self {
        Self {
            name: name.to_owned(),
            word,
            comment: None,
        }
    }

    /// Makes an option and its value, such as `-G Ninja`. They stay two words on one line. The
    /// caller must check `name` before, because it is written without quotes.
    pub fn option(name: &str, value: Word) -> Self {
        Self::new(name, Word::pattern(format!("{name} ")).then(value))
    }

    /// Makes `-DNAME="value"`. The quotes begin after the equals sign. If the name is not a plain
    /// word or the value is empty, they contain the whole argument: `"-DNAME="`.
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

/// Returns the CMake projects that the step `standard: NAME` applies to: one project, or all for
/// `all`. An unknown name is reported by the plan, and yields no project. A package without a
/// `cmake` section has the default project `main`, with `None` as its value. If the conditions in
/// the section leave no project, the result is empty.
pub fn chosen<'a, D: Dialect>(
    d: &mut D,
    projects: &'a IndexMap<String, Project>,
    name: &Spanned<String>,
) -> Vec<(&'a str, Option<&'a Project>)> {
    let all = name.value == "all";
    if projects.is_empty() && (all || name.value == "main") {
        let stated = d.inputs().planned.node.get("cmake").is_some();
        return if stated {
            Vec::new()
        } else {
            vec![("main", None)]
        };
    }
    let meant = projects.iter().filter(|(n, _)| all || **n == name.value);
    let holding = meant.filter(|(_, p)| d.inputs().planned.settles(p.when.as_ref()));
    holding.map(|(n, p)| (n.as_str(), Some(p))).collect()
}

/// Returns true if a project is built for tests only, because its condition (`when`) names the
/// feature of tests.
pub fn is_for_tests(project: &Project) -> bool {
    let test = Cond::Feature(TEST.to_owned());
    project.when.as_ref().is_some_and(|when| match &when.cond {
        Cond::All(conds) => conds.contains(&test),
        cond => *cond == test,
    })
}

/// Returns true if the step `standard: NAME` installs the project `project`. `name` is the step's
/// NAME. For `all`, a project for tests only is not installed, unless it is the first.
pub fn is_installed(projects: &IndexMap<String, Project>, project: &str, name: &str) -> bool {
    let further = projects.get_index_of(project).is_some_and(|at| at > 0);
    match name {
        "all" => !further || !projects.get(project).is_some_and(is_for_tests),
        one => one == project,
    }
}

/// Returns the arguments of the CMake project `name`. The list begins with the distribution's usual
/// arguments, `habit`. An argument of the project replaces the usual argument of the same name.
/// `variables` are upstream's variables for GPU targets, such as `AMDGPU_TARGETS`. At the end of
/// the list, each of them gets the list of targets. A variable that the project sets or removes is
/// excepted. If an argument of the project refers to the list by `${targets}`, no variable is
/// added.
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
            if !v.inputs().planned.settles(value.when.as_ref()) {
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
        let (variables, p) = (variables.iter(), v.inputs().planned);
        let asked =
            |v: &&Spanned<String>| !written.contains_key(&v.value) && !p.withholds(name, &v.value);
        for variable in variables.filter(asked).collect::<Vec<_>>() {
            targets::pass(v, &variable.value, list.clone());
            habit.push(CmakeArgument::define(&variable.value, word.clone()));
        }
    }
    habit
}

/// Returns the goals of each build command of a project: `[[a], [b, c]]` for `make a` and
/// `make b c`. If the project names no goals, the result is one command without goals.
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
