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
    // An option's default may need inputs, and other options, itself.
    let mut read = 0;
    while let Some(name) = open.get(read) {
        let option = options.iter().find(|o| o.name == *name);
        let mut more = option.and_then(|o| o.default.as_ref()).map(open_names).unwrap_or_default();
        more.retain(|name| !open.contains(name));
        open.extend(more);
        read += 1;
    }
    let (used, mut inputs): (Vec<String>, Vec<String>) =
        open.into_iter().partition(|name| options.iter().any(|o| o.name == *name));
    let rank =
        |n: &String| FUNCTIONS.split_whitespace().take(LEADING).position(|f| f == n).unwrap_or(LEADING);
    inputs.sort_by_key(rank);
    let inputs = inputs.into_iter().map(|name| Argument { name, default: None, comment: None });
    let options = options.iter().filter(|o| used.contains(&o.name)).cloned();
    let arguments = inputs.chain(options).collect();
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
    use crate::expr::{Binding, named};

    #[test]
    fn bound_names_are_not_asked_for() {
        let body = NixExpr::Let(
            vec![Binding::new("a", named("clr.x"))],
            Box::new(NixExpr::list([named("a"), named("b.c"), named("lib.d"), named("toString")])),
        );
        assert_eq!(open_names(&body), ["clr", "b", "lib"]);
    }

    #[test]
    fn unused_options_are_left_out() {
        let options = [
            Argument { name: "used".into(), default: Some(named("late.x")), comment: None },
            Argument { name: "unused".into(), default: Some(NixExpr::Bool(false)), comment: None },
        ];
        let NixExpr::Lambda(Pattern::Set(arguments), _) = function(named("used"), &options) else {
            panic!("a function")
        };
        let names: Vec<&str> = arguments.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["late", "used"]);
    }
}
