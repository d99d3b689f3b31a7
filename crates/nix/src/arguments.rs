//! Which arguments a file takes: exactly the names that its body leaves open.

use crate::expr::{Argument, Binding, BindingKind, Item, NixExpr, Part, Pattern};
use crate::names::{FUNCTIONS, GLOBALS};

/// The names that an expression leaves open, in order of appearance.
pub(crate) fn open_names(expr: &NixExpr) -> Vec<String> {
    let mut found = Vec::new();
    walk(expr, &mut Vec::new(), &mut found);
    found.retain(|n| !GLOBALS.contains(&n.as_str()) && n != "builtins" && n != "import");
    found
}

fn walk(expr: &NixExpr, bound: &mut Vec<String>, found: &mut Vec<String>) {
    match expr {
        NixExpr::Null | NixExpr::Bool(_) | NixExpr::Int(_) | NixExpr::Path(_) => {}
        NixExpr::Str(parts) | NixExpr::Lines(parts) => {
            for p in parts {
                if let Part::Value(v) = p {
                    walk(v, bound, found);
                }
            }
        }
        NixExpr::Name(n) => name(n, bound, found),
        NixExpr::Text(t) => t.open.iter().for_each(|n| name(n, bound, found)),
        NixExpr::Select(base, _, default) => {
            walk(base, bound, found);
            if let Some(d) = default {
                walk(d, bound, found);
            }
        }
        NixExpr::List(items) => items.iter().for_each(|Item { value, .. }| walk(value, bound, found)),
        NixExpr::Set(recursive, bindings) => {
            let depth = bound.len();
            if *recursive {
                bound.extend(bindings.iter().flat_map(bound_names));
            }
            for b in bindings {
                walk_binding(b, bound, found);
            }
            bound.truncate(depth);
        }
        NixExpr::Apply(f, a) => {
            walk(f, bound, found);
            walk(a, bound, found);
        }
        NixExpr::Lambda(pattern, body) => {
            let depth = bound.len();
            match pattern {
                Pattern::Name(n) => bound.push(n.clone()),
                Pattern::Set(arguments) => {
                    bound.extend(arguments.iter().map(|a| a.name.clone()));
                    for d in arguments.iter().filter_map(|a| a.default.as_ref()) {
                        walk(d, bound, found);
                    }
                }
            }
            walk(body, bound, found);
            bound.truncate(depth);
        }
        NixExpr::Let(bindings, body) => {
            let depth = bound.len();
            bound.extend(bindings.iter().flat_map(bound_names));
            for b in bindings {
                walk_binding(b, bound, found);
            }
            walk(body, bound, found);
            bound.truncate(depth);
        }
        NixExpr::If(a, b, c) => [a, b, c].into_iter().for_each(|e| walk(e, bound, found)),
        // What `with` brings is only ever a set of nixpkgs; the backend uses it for licences alone.
        NixExpr::With(scope, _) => walk(scope, bound, found),
        NixExpr::Not(e) => walk(e, bound, found),
        NixExpr::Binary(_, a, b) => {
            walk(a, bound, found);
            walk(b, bound, found);
        }
    }
}

fn walk_binding(b: &Binding, bound: &mut Vec<String>, found: &mut Vec<String>) {
    match &b.kind {
        BindingKind::Value(_, v) => walk(v, bound, found),
        BindingKind::Inherit(Some(from), _) => walk(from, bound, found),
        BindingKind::Inherit(None, names) => names.iter().for_each(|n| name(n, bound, found)),
        BindingKind::Nothing => {}
    }
}

fn bound_names(b: &Binding) -> Vec<String> {
    match &b.kind {
        BindingKind::Value(path, _) => path.first().cloned().into_iter().collect(),
        BindingKind::Inherit(_, names) => names.clone(),
        BindingKind::Nothing => Vec::new(),
    }
}

fn name(n: &str, bound: &[String], found: &mut Vec<String>) {
    if !bound.iter().any(|b| b == n) && !found.iter().any(|f| f == n) {
        found.push(n.to_owned());
    }
}

/// Wraps a body into the function that a file holds.
///
/// `options` are arguments with defaults; those that nothing uses are left out, so no argument is dead.
/// Functions of nixpkgs come first, then inputs in order of use, then the options.
pub(crate) fn function(body: NixExpr, options: &[Argument]) -> NixExpr {
    let mut open = open_names(&body);
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
    let rank = |n: &String| FUNCTIONS.iter().position(|f| f == n).filter(|p| *p < LEADING).unwrap_or(LEADING);
    let mut inputs: Vec<String> =
        open.into_iter().filter(|n| !options.iter().any(|o| o.name == *n)).collect();
    inputs.sort_by_key(rank);
    let mut arguments: Vec<Argument> =
        inputs.into_iter().map(|name| Argument { name, default: None, comment: None }).collect();
    arguments.extend(options.iter().filter(|o| used.iter().any(|u| u.name == o.name)).cloned());
    NixExpr::Lambda(Pattern::Set(arguments), Box::new(body))
}

/// So many of the functions stand before all inputs.
const LEADING: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

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
