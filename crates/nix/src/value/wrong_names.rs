//! Finds invalid names in a typed expression, before it is printed.

use crate::value::expr::{
    Argument, Binding, BindingKind, Item, NixExpr, Part, Pattern, is_identifier,
};

/// Returns those names of variables and arguments in an expression that are not valid in Nix, in
/// their order.
pub(crate) fn wrong_names(expr: &NixExpr) -> Vec<String> {
    let mut out = Vec::new();
    walk(expr, &mut out);
    out
}

fn walk(expr: &NixExpr, out: &mut Vec<String>) {
    match expr {
        NixExpr::Null
        | NixExpr::Bool(_)
        | NixExpr::Int(_)
        | NixExpr::Path(_)
        | NixExpr::Text(_) => {}
        NixExpr::Name(text) => name(text, out),
        NixExpr::Str(parts) | NixExpr::Lines(parts) => {
            for part in parts {
                if let Part::Value(value) = part {
                    walk(value, out);
                }
            }
        }
        NixExpr::Select(base, _, default) => {
            walk(base, out);
            if let Some(default) = default {
                walk(default, out);
            }
        }
        NixExpr::List(items) => {
            for Item { value, .. } in items {
                walk(value, out);
            }
        }
        NixExpr::Set(bindings) => {
            for own in bindings {
                binding(own, out);
            }
        }
        NixExpr::Let(bindings, body) => {
            for own in bindings {
                binding(own, out);
            }
            walk(body, out);
        }
        NixExpr::Apply(one, other) | NixExpr::Binary(_, one, other) => {
            walk(one, out);
            walk(other, out);
        }
        NixExpr::Lambda(pattern, body) => {
            match pattern {
                Pattern::Name(text) => name(text, out),
                Pattern::Set(arguments) => {
                    for Argument {
                        name: own, default, ..
                    } in arguments
                    {
                        name(own, out);
                        if let Some(default) = default {
                            walk(default, out);
                        }
                    }
                }
            }
            walk(body, out);
        }
        NixExpr::Not(inner) => walk(inner, out),
    }
}

fn binding(binding: &Binding, out: &mut Vec<String>) {
    match &binding.kind {
        BindingKind::Value(_, value) => walk(value, out),
        BindingKind::Inherit(Some(from), _) => walk(from, out),
        BindingKind::Inherit(None, _) | BindingKind::Nothing => {}
    }
}

fn name(text: &str, out: &mut Vec<String>) {
    if !is_identifier(text) {
        out.push(text.to_owned());
    }
}
