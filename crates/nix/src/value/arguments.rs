//! Computes the arguments of a file: the names that its body uses and does not bind.

use crate::lower::names::FUNCTIONS;
use crate::value::expr::{Argument, Binding, BindingKind, NixExpr, Pattern};
use crate::value::text::open_names;
use indexmap::IndexSet;

/// Returns the function that a file contains: `{ lib, stdenv, … }: body`.
///
/// `options` are arguments with defaults. Those that the body does not use are left out. The order
/// of the arguments is: functions of nixpkgs, inputs in the order of `nativeBuildInputs` and other
/// lists, other names in the order of use, and the options.
pub(crate) fn function(body: NixExpr, options: &[Argument]) -> NixExpr {
    let all = open_names(&body);
    let inputs = build_inputs(&body)
        .into_iter()
        .filter(|name| all.contains(name));
    let mut open: IndexSet<String> = inputs.chain(all.iter().cloned()).collect();
    // An option's default may use inputs and other options.
    let mut read = 0;
    while let Some(name) = open.get_index(read) {
        let option = options.iter().find(|o| o.name == *name);
        open.extend(
            option
                .and_then(|o| o.default.as_ref())
                .map(open_names)
                .unwrap_or_default(),
        );
        read += 1;
    }
    let used = options.iter().filter(|o| open.contains(&o.name)).cloned();
    let mut inputs: Vec<&String> = open
        .iter()
        .filter(|n| !options.iter().any(|o| o.name == **n))
        .collect();
    inputs.sort_by_key(|name| {
        let leading = FUNCTIONS
            .split_whitespace()
            .take(LEADING)
            .position(|f| f == *name);
        // The scope's own function for update scripts comes after nixpkgs' functions.
        leading.unwrap_or(LEADING + usize::from(!name.ends_with("UpdateScript")))
    });
    let inputs = inputs.into_iter().map(|n| Argument {
        name: n.clone(),
        default: None,
        comment: None,
    });
    NixExpr::Lambda(Pattern::Set(inputs.chain(used).collect()), Box::new(body))
}

/// Returns the names in the derivation's lists of inputs, which are the attributes that end with
/// `Inputs`.
fn build_inputs(body: &NixExpr) -> IndexSet<String> {
    let inputs = |binding: &Binding| match &binding.kind {
        BindingKind::Value(path, list)
            if path.last().is_some_and(|name| name.ends_with("Inputs")) =>
        {
            open_names(list)
        }
        _ => IndexSet::new(),
    };
    match body {
        NixExpr::Let(_, body) | NixExpr::Lambda(_, body) | NixExpr::Apply(_, body) => {
            build_inputs(body)
        }
        NixExpr::Set(bindings) => bindings.iter().flat_map(inputs).collect(),
        _ => IndexSet::new(),
    }
}

/// The number of names in [`FUNCTIONS`] that come before all inputs.
const LEADING: usize = 9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::expr::named;

    #[test]
    fn bound_names_are_not_asked_for() {
        let body = NixExpr::Let(
            vec![Binding::new("a", named("clr.x"))],
            Box::new(NixExpr::list([
                named("a"),
                named("b.c"),
                named("lib.d"),
                named("toString"),
            ])),
        );
        assert_eq!(Vec::from_iter(open_names(&body)), ["clr", "b", "lib"]);
    }

    #[test]
    fn unused_options_are_left_out() {
        let options = [
            Argument {
                name: "used".into(),
                default: Some(named("late.x")),
                comment: None,
            },
            Argument {
                name: "unused".into(),
                default: Some(NixExpr::Bool(false)),
                comment: None,
            },
        ];
        let NixExpr::Lambda(Pattern::Set(arguments), _) = function(named("used"), &options) else {
            panic!("a function")
        };
        let names: Vec<&str> = arguments.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["late", "used"]);
    }
}
