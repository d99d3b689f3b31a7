//! The names that steps give to variables.

use rocpkg_model::{Action, Finding, Findings, Span, Step};
use rocpkg_render::bash::is_identifier;

/// A name that a step gives to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The name.
    pub name: &'a str,
    /// Where the step stands.
    pub span: Span,
    /// Later steps may speak of it; else it is set for one command.
    pub declared: bool,
}

/// The names of variables that the steps declare, for the steps behind them to speak of.
pub fn declared(steps: &[Step]) -> impl Iterator<Item = &str> {
    names(steps).into_iter().filter(|n| n.declared).map(|n| n.name)
}

/// Every name that the steps give to a variable.
pub fn names(steps: &[Step]) -> Vec<Name<'_>> {
    let mut out = Vec::new();
    for step in steps {
        let mut add = |name, declared| out.push(Name { name, span: step.span, declared });
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
        out.extend(names(&step.otherwise));
    }
    out
}

/// Reports a name that bash can't give to a variable.
pub fn check_name(name: &str, span: Span, findings: &mut Findings) {
    if !is_identifier(name) {
        findings.push(
            Finding::error(
                "E0419",
                span,
                format!("`{}` can't be the name of a variable", name.escape_debug()),
            )
            .label("expected letters, digits and `_`, not starting with a digit"),
        );
    }
}

/// The patches that steps apply, by file.
pub fn patched<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<String> {
    let mut out = Vec::new();
    for step in steps {
        match &step.action {
            Action::Patch(file) => out.extend(file.as_literal()),
            Action::Inside(i) => out.extend(patched(&i.steps)),
            Action::Group(inner) => out.extend(patched(inner)),
            Action::Each(e) => out.extend(patched(&e.steps)),
            _ => {}
        }
        out.extend(patched(&step.otherwise));
    }
    out
}
