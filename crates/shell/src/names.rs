//! The names that steps give to variables.

use rocpkg_model::{Action, Span, Step};

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
