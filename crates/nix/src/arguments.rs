//! Which arguments a file takes: exactly the names that its body leaves open.

use crate::expr::{Argument, BindingKind, NixExpr, Pattern};
use crate::names::FUNCTIONS;
use crate::text::open_names;

/// Wraps a body into the function that a file holds.
///
/// `options` are arguments with defaults; those that nothing uses are left out, so no argument is dead.
/// Functions of nixpkgs come first, then inputs in the order of `nativeBuildInputs` and its like, then others in order of use, then the
/// options.
pub(crate) fn function(body: NixExpr, options: &[Argument]) -> NixExpr {
    let (mut open, all) = (Vec::new(), open_names(&body));
    build_inputs(&body, &mut open);
    open.retain(|name| all.contains(name));
    let others: Vec<String> = all.into_iter().filter(|name| !open.contains(name)).collect();
    open.extend(others);
    let mut used: Vec<&Argument> = Vec::new();
    // An option's default may need inputs, and other options, itself.
    loop {
        let before = used.len();
        for o in options {
            if open.contains(&o.name) && !used.iter().any(|u| u.name == o.name) {
                used.push(o);
                for n in o.default.iter().flat_map(open_names) {
                    if !open.contains(&n) {
                        open.push(n);
                    }
                }
            }
        }
        if used.len() == before {
            break;
        }
    }
    let rank = |n: &String| {
        FUNCTIONS.split_whitespace().position(|f| f == n).filter(|p| *p < LEADING).unwrap_or(LEADING)
    };
    let mut inputs: Vec<String> =
        open.into_iter().filter(|n| !options.iter().any(|o| o.name == *n)).collect();
    inputs.sort_by_key(rank);
    let mut arguments: Vec<Argument> =
        inputs.into_iter().map(|name| Argument { name, default: None, comment: None }).collect();
    arguments.extend(options.iter().filter(|o| used.iter().any(|u| u.name == o.name)).cloned());
    NixExpr::Lambda(Pattern::Set(arguments), Box::new(body))
}

/// The names in the lists of inputs of a derivation.
fn build_inputs(body: &NixExpr, out: &mut Vec<String>) {
    match body {
        NixExpr::Let(_, body) | NixExpr::Lambda(_, body) | NixExpr::Apply(_, body) => build_inputs(body, out),
        NixExpr::Set(bindings) => {
            for binding in bindings {
                if let BindingKind::Value(path, list) = &binding.kind
                    && path.last().is_some_and(|name| name.ends_with("Inputs"))
                {
                    let names = open_names(list);
                    out.extend(names.into_iter().filter(|name| !out.contains(name)).collect::<Vec<_>>());
                }
            }
        }
        _ => {}
    }
}

/// So many of the functions stand before all inputs.
const LEADING: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Binding;

    #[test]
    fn bound_names_are_not_asked_for() {
        let body = NixExpr::Let(
            vec![Binding::new("a", NixExpr::path("clr.x"))],
            Box::new(NixExpr::list([
                NixExpr::path("a"),
                NixExpr::path("b.c"),
                NixExpr::path("lib.d"),
                NixExpr::Name("toString".into()),
            ])),
        );
        assert_eq!(open_names(&body), ["clr", "b", "lib"]);
    }

    #[test]
    fn unused_options_are_left_out() {
        let options = [
            Argument { name: "used".into(), default: Some(NixExpr::path("late.x")), comment: None },
            Argument { name: "unused".into(), default: Some(NixExpr::Bool(false)), comment: None },
        ];
        let NixExpr::Lambda(Pattern::Set(arguments), _) = function(NixExpr::path("used"), &options) else {
            panic!("a function")
        };
        let names: Vec<&str> = arguments.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["late", "used"]);
    }
}
