//! Lists the names of variables that steps and environments set, and checks them.

use crate::argument::{environment, variables};
use crate::dialect::Dialect;
use crate::lower::lower;
use indexmap::IndexMap;
use rocpkg_model::{
    Action, EnvironmentVariable, Finding, Findings, Node, OneOrMany, Span, Step, Text,
};
use rocpkg_render::bash::{Stmt, Word, is_identifier};
use rocpkg_resolve::Planned;
use std::collections::BTreeSet;

/// Variables of the environment by name, each with its values and their conditions.
pub type Variables = IndexMap<String, OneOrMany<EnvironmentVariable>>;

/// A variable that a step sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The variable's name.
    pub name: &'a str,
    /// The place of the step in the profile.
    pub span: Span,
    /// Set if later steps may refer to the variable. Otherwise it is set for one command only.
    pub declared: bool,
}

/// Returns the names of the variables that the steps of `all` declare. Later steps may refer to
/// them. `all` has one list of steps for each phase.
pub fn declared<'a>(all: impl IntoIterator<Item = &'a Vec<Step>>) -> BTreeSet<String> {
    all.into_iter()
        .flat_map(|l| names(l))
        .filter(|n| n.declared)
        .map(|n| n.name.to_owned())
        .collect()
}

/// Returns the names of the variables that steps declare, and then those of the environment, each
/// with its place. `steps` has one list of steps for each phase.
pub fn assigned<'a>(
    steps: impl IntoIterator<Item = &'a Vec<Step>>,
    environment: impl IntoIterator<Item = &'a Variables>,
) -> Vec<(&'a str, Span)> {
    let declared = steps
        .into_iter()
        .flat_map(|l| names(l))
        .filter(|n| n.declared)
        .map(|n| (n.name, n.span));
    let first = |(name, values): (&'a String, &'a OneOrMany<EnvironmentVariable>)| {
        Some((name.as_str(), values.0.first()?.value.span))
    };
    declared
        .chain(environment.into_iter().flatten().filter_map(first))
        .collect()
}

/// Returns the finding about the variable `name`, which the packaging tool reserves. `whose` is the
/// finding's label, such as `ypkg sets it`.
pub fn taken(name: &str, span: Span, whose: &str) -> Finding {
    Finding::error(
        "E0418",
        span,
        format!("a package can't set the variable `{name}`"),
    )
    .label(whose)
}

/// Returns every variable that the steps set, also inside loops and groups.
pub fn names(steps: &[Step]) -> Vec<Name<'_>> {
    let mut out = Vec::new();
    for step in steps {
        let mut add = |name, declared| {
            out.push(Name {
                name,
                span: step.span,
                declared,
            });
        };
        match &step.action {
            Action::Local(map) => map.keys().for_each(|n| add(n, true)),
            Action::Export(map) => map.keys().for_each(|n| add(n, true)),
            Action::RunWith(r) => r.environment.keys().for_each(|n| add(n, false)),
            Action::Each(e) => {
                add(&e.variable.value, true);
                out.extend(names(&e.steps));
            }
            Action::Inside(i) => out.extend(names(&i.steps)),
            Action::Group(inner) => out.extend(names(inner)),
            _ => {}
        }
    }
    out
}

/// Variables that bash sets by itself. An assignment to them fails or has no lasting effect.
const BASHS: &str = "\
_ BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND BASH_LINENO BASH_REMATCH BASH_SOURCE \
BASH_SUBSHELL BASH_VERSINFO BASH_VERSION DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO PIPESTATUS PPID \
RANDOM SECONDS SHELLOPTS SRANDOM UID";

/// Returns true if bash sets the variable by itself, so that an assignment has no lasting effect.
pub fn is_of_bash(name: &str) -> bool {
    BASHS.split_whitespace().any(|own| own == name)
}

/// Reports a name that can't be the name of a bash variable.
pub fn check_name(name: &str, span: Span, findings: &mut Findings) {
    let label = if is_of_bash(name) {
        "bash sets it by itself"
    } else if !is_identifier(name) {
        "expected letters, digits and `_`, not starting with a digit"
    } else {
        return;
    };
    let message = format!("`{}` can't be the name of a variable", name.escape_debug());
    findings.push(Finding::error("E0419", span, message).label(label));
}

/// Returns the statements that set the environment of a script, and reports invalid names of
/// variables. It is for dialects that check names nowhere else.
pub fn named_environment<D: Dialect>(d: &mut D, map: &Variables) -> Vec<Stmt> {
    for (name, first) in map
        .iter()
        .filter_map(|(name, values)| Some((name, values.0.first()?)))
    {
        check_name(name, first.value.span, d.outputs().findings);
    }
    environment(d, map)
}

/// Returns the variables that are set for one command, and reports invalid names.
pub fn named_variables<D: Dialect>(d: &mut D, map: &IndexMap<String, Text>) -> Vec<(String, Word)> {
    map.iter()
        .for_each(|(name, text)| check_name(name, text.span, d.outputs().findings));
    variables(d, map)
}

/// Returns the statements for steps, and reports invalid names of the variables that they set.
pub fn named_steps<D: Dialect>(d: &mut D, steps: &[Step]) -> Vec<Stmt> {
    for name in names(steps) {
        check_name(name.name, name.span, d.outputs().findings);
    }
    lower(d, steps)
}

/// Reports phases of the package that a recipe does not have. `known` are the phases of a recipe.
/// The keys of `phases` and `environment`, and the phases of flag edits, must be among them. Flag
/// edits may also use the names `other`, such as `compile` where a recipe has `build`. The finding
/// has the code `code`, and its message is `what` and the name: "a package.yml has no step `x`".
pub fn check_steps(
    p: &Planned,
    code: &'static str,
    what: &str,
    known: &[&str],
    other: &[&str],
    findings: &mut Findings,
) {
    let sections = ["phases", "environment"]
        .into_iter()
        .filter_map(|section| p.node.get(section));
    let keys = sections
        .flat_map(Node::entries)
        .map(|(key, _)| (key.name.as_str(), key.span));
    let edits = p
        .package
        .flags
        .iter()
        .filter_map(|e| e.phase.as_ref())
        .map(|f| (f.value.as_str(), f.span));
    let edits = edits.filter(|(name, _)| !other.contains(name));
    for (name, span) in keys.chain(edits).filter(|(name, _)| !known.contains(name)) {
        findings.push(
            Finding::error(code, span, format!("{what} `{name}`"))
                .label(format!("expected one of: {}", known.join(", ")))
                .nearest(
                    name,
                    known.iter().chain(other).copied().filter(|k| *k != name),
                ),
        );
    }
}
