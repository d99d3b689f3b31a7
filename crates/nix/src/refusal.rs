//! When the expressions of a package refuse to be built, and what they leave out for that reason: `meta.broken` is worked
//! out on the tree that is printed, for one target at a time.

use crate::expr::{BindingKind, NixExpr, Operator, Part, Pattern};
use std::collections::BTreeMap;

/// The argument by which a scope is narrowed.
pub(crate) const NARROWED: &str = "localGpuTargets";

/// Names that stand for each other deeper than this are no longer followed.
const DEEPEST: usize = 32;

/// The expressions of each package by its attribute; that of the package itself last.
pub(crate) type Files<'a> = BTreeMap<String, Vec<&'a NixExpr>>;

/// What names stand for, the innermost last.
type Names<'a> = Vec<(&'a str, &'a NixExpr)>;

/// A value, as far as lists of targets and what is said of them need it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Bool(bool),
    List(Vec<String>),
}

/// Those of the targets for which a package is broken when a scope is narrowed to one of them.
pub(crate) fn refuses(files: &Files, attribute: &str, targets: &[String]) -> Vec<String> {
    let refused = |target: &&String| {
        let asked = std::slice::from_ref(*target);
        let scope = Scope { files, attribute, asked };
        let broken = scope.found(&["meta", "broken"]).and_then(|(e, names)| scope.value(e, &names, 0));
        broken == Some(Value::Bool(true))
    };
    targets.iter().filter(refused).cloned().collect()
}

/// The attributes that a package takes only by an argument that is off where they are broken.
pub(crate) fn drops(files: &Files, attribute: &str) -> Vec<String> {
    let mut out = Vec::new();
    let own = files.get(attribute).map_or(&[][..], Vec::as_slice);
    for file in own {
        let NixExpr::Lambda(Pattern::Set(arguments), body) = file else { continue };
        for argument in arguments {
            let mut unbroken = Vec::new();
            argument.default.iter().for_each(|d| asked_unbroken(d, &mut unbroken));
            out.extend(unbroken.into_iter().filter(|dep| !used(body, dep, &argument.name)));
        }
    }
    out.sort();
    out.dedup();
    out
}

/// The attributes of which an expression that holds says `!NAME.meta.broken`.
fn asked_unbroken(expr: &NixExpr, out: &mut Vec<String>) {
    match expr {
        NixExpr::Binary(Operator::And, a, b) => {
            asked_unbroken(a, out);
            asked_unbroken(b, out);
        }
        NixExpr::Not(inner) => {
            if let NixExpr::Select(base, path, None) = &**inner
                && let NixExpr::Name(name) = &**base
                && path == &["meta", "broken"]
            {
                out.push(name.clone());
            }
        }
        _ => {}
    }
}

/// Whether a condition can't hold when this name is false.
fn rests_on(cond: &NixExpr, name: &str) -> bool {
    match cond {
        NixExpr::Name(n) => n == name,
        NixExpr::Binary(Operator::And, a, b) => rests_on(a, name) || rests_on(b, name),
        _ => false,
    }
}

/// Whether an expression uses a name anywhere but where a condition rests on `guard`.
fn used(expr: &NixExpr, name: &str, guard: &str) -> bool {
    let deeper = |e: &NixExpr| used(e, name, guard);
    let parts = |parts: &[Part]| parts.iter().any(|p| matches!(p, Part::Value(v) if deeper(v)));
    match expr {
        NixExpr::Name(n) => n == name,
        NixExpr::Text(t) => t.open.iter().any(|n| n == name),
        NixExpr::Str(all) | NixExpr::Lines(all) => parts(all),
        NixExpr::Select(base, _, default) => deeper(base) || default.as_deref().is_some_and(deeper),
        NixExpr::List(items) => items.iter().any(|i| deeper(&i.value)),
        NixExpr::Set(_, bindings) | NixExpr::Let(bindings, _) => {
            let own = bindings.iter().any(|b| match &b.kind {
                BindingKind::Value(_, value) => deeper(value),
                BindingKind::Inherit(Some(from), _) => deeper(from),
                BindingKind::Inherit(None, names) => names.iter().any(|n| n == name),
                BindingKind::Nothing => false,
            });
            own || matches!(expr, NixExpr::Let(_, body) if deeper(body))
        }
        NixExpr::Apply(f, a) => {
            if let NixExpr::Apply(g, cond) = &**f
                && (**g == NixExpr::path("lib.optionals") || **g == NixExpr::path("lib.optionalString"))
                && rests_on(cond, guard)
            {
                return false;
            }
            deeper(f) || deeper(a)
        }
        NixExpr::If(cond, yes, no) => (!rests_on(cond, guard) && deeper(yes)) || deeper(cond) || deeper(no),
        NixExpr::Binary(_, a, b) | NixExpr::With(a, b) => deeper(a) || deeper(b),
        NixExpr::Lambda(_, e) | NixExpr::Not(e) => deeper(e),
        NixExpr::Null | NixExpr::Bool(_) | NixExpr::Int(_) | NixExpr::Path(_) => false,
    }
}

/// One package in a scope that is narrowed.
struct Scope<'a, 'f> {
    files: &'f Files<'a>,
    attribute: &'f str,
    asked: &'f [String],
}

impl<'a> Scope<'a, '_> {
    /// What an attribute of the derivation is bound to, by the file that speaks last.
    fn found(&self, path: &[&str]) -> Option<(&'a NixExpr, Names<'a>)> {
        let files = self.files.get(self.attribute)?;
        files.iter().rev().find_map(|file| bound(file, path, &mut Vec::new()))
    }

    fn value(&self, expr: &'a NixExpr, names: &Names<'a>, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let deeper = |e: &'a NixExpr| self.value(e, names, depth + 1);
        match expr {
            NixExpr::Bool(b) => Some(Value::Bool(*b)),
            NixExpr::Name(n) => deeper(names.iter().rev().find(|(name, _)| name == n)?.1),
            NixExpr::List(items) => {
                let text = |e: &NixExpr| match e {
                    NixExpr::Str(parts) => match parts.as_slice() {
                        [Part::Text(t)] => Some(t.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                items.iter().map(|i| text(&i.value)).collect::<Option<_>>().map(Value::List)
            }
            NixExpr::Not(e) => match deeper(e)? {
                Value::Bool(b) => Some(Value::Bool(!b)),
                Value::List(_) => None,
            },
            NixExpr::Select(base, path, _) => self.selected(base, path, depth),
            NixExpr::Apply(f, last) => {
                let NixExpr::Apply(function, first) = &**f else { return None };
                let (Value::List(first), Value::List(last)) = (deeper(first)?, deeper(last)?) else {
                    return None;
                };
                let keep = if **function == NixExpr::path("lib.intersectLists") {
                    true
                } else if **function == NixExpr::path("lib.subtractLists") {
                    false
                } else {
                    return None;
                };
                Some(Value::List(last.into_iter().filter(|t| first.contains(t) == keep).collect()))
            }
            NixExpr::Binary(operator, a, b) => {
                let (a, b) = (deeper(a), deeper(b));
                match operator {
                    Operator::Equal => Some(Value::Bool(a? == b?)),
                    Operator::Differs => Some(Value::Bool(a? != b?)),
                    Operator::And | Operator::Or => {
                        // One side may decide where the other can't be told.
                        let decides = Some(Value::Bool(*operator == Operator::Or));
                        if a == decides || b == decides { decides } else { a.and(b) }
                    }
                    Operator::Greater | Operator::Update | Operator::Plus | Operator::Concat => None,
                }
            }
            _ => None,
        }
    }

    /// The scope's list, or what the package or its base tell.
    fn selected(&self, base: &'a NixExpr, path: &[String], depth: usize) -> Option<Value> {
        let NixExpr::Name(of) = base else { return None };
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let told = match (of.as_str(), path.as_slice()) {
            (package, [attribute]) if *attribute == NARROWED && self.files.contains_key(package) => {
                return Some(Value::List(self.asked.to_vec()));
            }
            ("finalAttrs", ["passthru", name]) => *name,
            (package, [name]) if package == crate::lower::base_attribute(self.attribute) => *name,
            _ => return None,
        };
        let (expr, names) = self.found(&["passthru", told])?;
        self.value(expr, &names, depth + 1)
    }
}

/// What a path of attributes is bound to in the derivation that a file makes, and what names mean there.
fn bound<'a>(expr: &'a NixExpr, path: &[&str], names: &mut Names<'a>) -> Option<(&'a NixExpr, Names<'a>)> {
    match expr {
        NixExpr::Lambda(pattern, body) => {
            if let Pattern::Set(arguments) = pattern {
                names.extend(arguments.iter().filter_map(|a| Some((a.name.as_str(), a.default.as_ref()?))));
            }
            bound(body, path, names)
        }
        NixExpr::Let(bindings, body) => {
            for b in bindings {
                if let BindingKind::Value(name, value) = &b.kind
                    && let [name] = name.as_slice()
                {
                    names.push((name, value));
                }
            }
            bound(body, path, names)
        }
        NixExpr::Apply(_, argument) => bound(argument, path, names),
        NixExpr::Binary(Operator::Update, a, b) => bound(b, path, names).or_else(|| bound(a, path, names)),
        NixExpr::Set(_, bindings) => bindings.iter().find_map(|b| match &b.kind {
            BindingKind::Value(name, value) => {
                let rest = name.iter().enumerate().all(|(i, n)| path.get(i) == Some(&n.as_str()));
                match path.get(name.len()..).filter(|_| rest)? {
                    [] => Some((value, names.clone())),
                    more => bound(value, more, names),
                }
            }
            BindingKind::Inherit(None, inherited) => {
                let [name] = path else { return None };
                let known = names.iter().rev().find(|(n, _)| n == name)?.1;
                inherited.iter().any(|n| n == name).then(|| (known, names.clone()))
            }
            BindingKind::Inherit(Some(_), _) | BindingKind::Nothing => None,
        }),
        _ => None,
    }
}
