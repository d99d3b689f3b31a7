//! What expressions pass to upstream's build as GPU targets, read off the [`NixExpr`]s that are printed.
//!
//! The few forms in which a list of targets is written are followed through bindings, defaults of arguments and other
//! packages' `passthru`; of anything else the answer is that it can't be read.

use crate::accept;
use crate::expr::{Argument, Binding, BindingKind, NixExpr, Operator, Part, Pattern};
use crate::lower::{Lowered, attribute};
use crate::refusal::{Files, NARROWED, drops, refuses};
use rocpkg_resolve::{Asked, Builds, Chooser, Given, Nothing, Plan, Planned, Recipes};
use std::collections::BTreeMap;

/// Names that stand for each other deeper than this are no longer followed.
const DEEPEST: usize = 16;

/// What the expressions of a plan pass on, each with the id of its package. Packages without device code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, &'a Lowered)>) -> Recipes {
    let all: Vec<(&str, &Lowered)> = all.into_iter().collect();
    let files: Files = all
        .iter()
        .filter_map(|(id, l)| Some((attribute(plan.get(id)?), l.files.iter().map(|f| &f.expr).collect())))
        .collect();
    let ids = plan.packages.iter().map(|p| (attribute(p), p.id.as_str())).collect();
    let (default, offered) = plan.distro_targets(&plan.version);
    let reader = Reader { files, ids, choice: [default, offered].concat() };
    let holder = reader.files.values().flatten().any(|e| arguments(e).iter().any(|a| a.name == NARROWED));
    let mut out =
        Recipes { chooser: if holder { Chooser::Scope } else { Chooser::Packager }, ..Recipes::default() };
    for (id, lowered) in all {
        if let Some(p) = plan.get(id).filter(|p| p.targets.is_some()) {
            out.builds.insert(id.to_owned(), reader.package(p, lowered));
        }
    }
    out
}

/// A list as a function of the choice: what it holds when nobody chooses, and what of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    unasked: Given,
    asked: Asked,
}

impl List {
    fn fixed(unasked: Given) -> Self {
        Self { unasked, asked: Asked::Ignored }
    }

    fn unread(expr: &NixExpr) -> Self {
        let text = accept::format(expr).unwrap_or_else(|e| e);
        Self::fixed(Given::Unread(text.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// Only those of it that are in `names`.
    fn within(self, names: &[String]) -> Self {
        let keep = |l: Vec<String>| l.into_iter().filter(|n| names.contains(n)).collect::<Vec<_>>();
        let unasked = match self.unasked {
            Given::List(list) => Given::List(keep(list)),
            other => other,
        };
        let asked = match self.asked {
            Asked::Passed { within, nothing } => {
                Asked::Passed { within: Some(within.map_or_else(|| names.to_vec(), keep)), nothing }
            }
            Asked::Ignored => Asked::Ignored,
        };
        Self { unasked, asked }
    }

    /// This, passed only where `asked` is not empty; what is left of the choice may be empty all the same.
    fn passed_with(self, asked: &Self) -> Self {
        if self == *asked {
            return self.or_else(&Nothing::Upstream);
        }
        let none = asked.unasked == Given::List(Vec::new());
        Self { unasked: if none { Given::Upstream } else { self.unasked }, asked: self.asked }
    }

    /// This, and `instead` where it is empty.
    fn or_else(self, instead: &Nothing) -> Self {
        let unasked = match (self.unasked, instead) {
            (Given::List(list), Nothing::Upstream) if list.is_empty() => Given::Upstream,
            (Given::List(list), Nothing::Instead(names)) if list.is_empty() => Given::List(names.clone()),
            (other, _) => other,
        };
        let asked = match self.asked {
            Asked::Passed { within, .. } => Asked::Passed { within, nothing: instead.clone() },
            Asked::Ignored => Asked::Ignored,
        };
        Self { unasked, asked }
    }
}

/// What names stand for: arguments with their defaults and bindings of `let`, the innermost last.
type Names<'a> = Vec<(&'a str, &'a NixExpr)>;

/// What a name stands for, the innermost first.
fn look<'n, 'a>(name: &str, names: &'n Names<'a>) -> Option<&'n &'a NixExpr> {
    names.iter().rev().find(|(n, _)| *n == name).map(|(_, e)| e)
}

/// The list that a condition says is not empty: `x != [ ]`, or a name for that.
fn is_some<'a>(cond: &'a NixExpr, names: &Names<'a>, depth: usize) -> Option<&'a NixExpr> {
    match cond {
        NixExpr::Binary(Operator::Differs, list, none) if **none == NixExpr::list([]) => Some(list),
        NixExpr::Name(n) if depth <= DEEPEST => is_some(look(n, names)?, names, depth + 1),
        _ => None,
    }
}

/// The arguments of a file.
fn arguments(file: &NixExpr) -> &[Argument] {
    if let NixExpr::Lambda(Pattern::Set(arguments), _) = file { arguments } else { &[] }
}

/// The whole set of packages, since one may read another's list.
struct Reader<'a> {
    /// The expressions by attribute.
    files: Files<'a>,
    /// The ids of packages by attribute.
    ids: BTreeMap<String, &'a str>,
    /// The targets that a scope can be narrowed to.
    choice: Vec<String>,
}

impl<'a> Reader<'a> {
    fn package(&self, p: &Planned, lowered: &'a Lowered) -> Builds {
        let mut passed: Vec<(String, List)> = Vec::new();
        for file in &lowered.files {
            self.flags(&file.expr, &mut Vec::new(), None, &|name| p.reads(name), &mut passed);
        }
        let variables = passed.iter().map(|(v, _)| v.clone()).collect();
        let list = match Given::alike(passed) {
            Err(unread) => List::fixed(unread),
            Ok(list) => list.unwrap_or_else(|| List::fixed(Given::Upstream)),
        };
        let attribute = attribute(p);
        let dropped = drops(&self.files, &attribute);
        Builds {
            unasked: list.unasked,
            asked: list.asked,
            variables,
            refuses: refuses(&self.files, &attribute, &self.choice),
            drops: dropped.iter().filter_map(|a| self.ids.get(a)).map(|id| (*id).to_owned()).collect(),
            ..Builds::default()
        }
    }

    /// Every `lib.cmakeFeature "NAME" value` of a variable that upstream reads, under the condition of the list it stands in.
    ///
    /// One condition is understood. Under two of them the whole expression stands in its place, which nobody can read.
    fn flags(
        &self,
        expr: &'a NixExpr,
        names: &mut Names<'a>,
        when: Option<&'a NixExpr>,
        known: &dyn Fn(&str) -> bool,
        out: &mut Vec<(String, List)>,
    ) {
        if let Some((name, value)) = feature(expr).filter(|(name, _)| known(name)) {
            let mut list = self.list(value, names, 0);
            if let Some(of) = when {
                list = match is_some(of, names, 0) {
                    Some(asked) => list.passed_with(&self.list(asked, names, 0)),
                    None => List::unread(of),
                };
            }
            out.push((name.to_owned(), list));
            return;
        }
        let depth = names.len();
        match expr {
            NixExpr::Lambda(pattern, body) => {
                if let Pattern::Set(arguments) = pattern {
                    names.extend(
                        arguments.iter().filter_map(|a| Some((a.name.as_str(), a.default.as_ref()?))),
                    );
                }
                self.flags(body, names, when, known, out);
            }
            NixExpr::Let(bindings, body) => {
                names.extend(bindings.iter().filter_map(bound));
                self.flags(body, names, when, known, out);
            }
            NixExpr::Apply(f, a) => match &**f {
                NixExpr::Apply(g, cond) if **g == NixExpr::path("lib.optionals") => {
                    self.flags(a, names, Some(when.map_or(cond, |_| expr)), known, out);
                }
                _ => {
                    self.flags(f, names, when, known, out);
                    self.flags(a, names, when, known, out);
                }
            },
            NixExpr::Set(_, bindings) => {
                for b in bindings {
                    // What others are told is no flag of this build.
                    if let BindingKind::Value(path, value) = &b.kind
                        && path.first().is_none_or(|p| p != "passthru" && p != "meta")
                    {
                        self.flags(value, names, when, known, out);
                    }
                }
            }
            NixExpr::List(items) => items.iter().for_each(|i| self.flags(&i.value, names, when, known, out)),
            NixExpr::Binary(_, a, b) | NixExpr::With(a, b) => {
                self.flags(a, names, when, known, out);
                self.flags(b, names, when, known, out);
            }
            NixExpr::If(cond, a, b) => {
                self.flags(a, names, Some(when.map_or(cond, |_| expr)), known, out);
                // That a list is empty is no condition that is followed.
                self.flags(b, names, Some(expr), known, out);
            }
            _ => {}
        }
        names.truncate(depth);
    }

    /// What a list of targets, or the joined text of one, holds.
    fn list(&self, expr: &'a NixExpr, names: &Names<'a>, depth: usize) -> List {
        if depth > DEEPEST {
            return List::unread(expr);
        }
        let deeper = |e: &'a NixExpr| self.list(e, names, depth + 1);
        match expr {
            NixExpr::Name(n) => match look(n, names) {
                Some(e) => deeper(e),
                // Given by nobody but the one who narrows the scope.
                None => List::unread(expr),
            },
            NixExpr::Select(base, path, default) => {
                self.selected(expr, base, path, default.as_deref(), names, depth)
            }
            NixExpr::List(items) => {
                let all: Option<Vec<String>> = items.iter().map(|i| text(&i.value)).collect();
                all.map_or_else(|| List::unread(expr), |l| List::fixed(Given::List(l)))
            }
            NixExpr::Str(_) | NixExpr::Lines(_) => match text(expr) {
                Some(t) => List::fixed(Given::List(rocpkg_shell::listed(&t))),
                None => List::unread(expr),
            },
            NixExpr::Apply(f, last) => match &**f {
                NixExpr::Apply(g, first) if **g == NixExpr::path("lib.concatStringsSep") => {
                    let _ = first;
                    deeper(last)
                }
                NixExpr::Apply(g, first) if **g == NixExpr::path("lib.intersectLists") => {
                    match deeper(last) {
                        List { unasked: Given::List(limit), asked: Asked::Ignored } => {
                            deeper(first).within(&limit)
                        }
                        _ => List::unread(expr),
                    }
                }
                NixExpr::Apply(g, unwanted) if **g == NixExpr::path("lib.subtractLists") => {
                    match deeper(unwanted) {
                        List { unasked: Given::List(unwanted), asked: Asked::Ignored } => {
                            let kept: Vec<String> =
                                self.choice.iter().filter(|t| !unwanted.contains(t)).cloned().collect();
                            deeper(last).within(&kept)
                        }
                        _ => List::unread(expr),
                    }
                }
                _ => List::unread(expr),
            },
            NixExpr::If(cond, yes, no) => match (is_some(cond, names, depth), deeper(no)) {
                (Some(_), List { unasked: Given::List(instead), asked: Asked::Ignored }) => {
                    deeper(yes).or_else(&Nothing::Instead(instead))
                }
                _ => List::unread(expr),
            },
            _ => List::unread(expr),
        }
    }

    /// `clr.localGpuTargets or …`, or a list that another package exports.
    fn selected(
        &self,
        expr: &'a NixExpr,
        base: &'a NixExpr,
        path: &[String],
        default: Option<&'a NixExpr>,
        names: &Names<'a>,
        depth: usize,
    ) -> List {
        let (NixExpr::Name(package), [attribute]) = (base, path) else { return List::unread(expr) };
        let Some(files) = self.files.get(package) else { return List::unread(expr) };
        if let (NARROWED, Some(default)) = (attribute.as_str(), default)
            && files.iter().any(|f| arguments(f).iter().any(|a| a.name == NARROWED))
        {
            let unasked = self.list(default, names, depth + 1).unasked;
            return List { unasked, asked: Asked::Passed { within: None, nothing: Nothing::Empty } };
        }
        let told = files.iter().find_map(|f| self.told(f, attribute, &mut Vec::new(), depth + 1));
        told.unwrap_or_else(|| List::unread(expr))
    }

    /// The list that a package exports in its `passthru` under a name.
    fn told(&self, expr: &'a NixExpr, attribute: &str, names: &mut Names<'a>, depth: usize) -> Option<List> {
        match expr {
            NixExpr::Lambda(pattern, body) => {
                if let Pattern::Set(arguments) = pattern {
                    names.extend(
                        arguments.iter().filter_map(|a| Some((a.name.as_str(), a.default.as_ref()?))),
                    );
                }
                self.told(body, attribute, names, depth)
            }
            NixExpr::Let(bindings, body) => {
                names.extend(bindings.iter().filter_map(bound));
                self.told(body, attribute, names, depth)
            }
            NixExpr::Apply(_, a) => self.told(a, attribute, names, depth),
            NixExpr::Set(_, bindings) => bindings.iter().find_map(|b| match &b.kind {
                BindingKind::Value(path, value) if path == &["passthru"] => {
                    self.exported(value, attribute, names, depth)
                }
                BindingKind::Value(path, value) if path == &["passthru", attribute] => {
                    Some(self.list(value, names, depth))
                }
                _ => None,
            }),
            _ => None,
        }
    }

    fn exported(
        &self,
        passthru: &'a NixExpr,
        attribute: &str,
        names: &Names<'a>,
        depth: usize,
    ) -> Option<List> {
        match passthru {
            NixExpr::Binary(Operator::Update, a, b) => self
                .exported(b, attribute, names, depth)
                .or_else(|| self.exported(a, attribute, names, depth)),
            NixExpr::Set(_, bindings) => bindings.iter().find_map(|b| match &b.kind {
                BindingKind::Value(path, value) if path == &[attribute] => {
                    Some(self.list(value, names, depth))
                }
                BindingKind::Inherit(None, inherited) if inherited.iter().any(|n| n == attribute) => {
                    look(attribute, names).map(|e| self.list(e, names, depth))
                }
                _ => None,
            }),
            _ => None,
        }
    }
}

fn bound(b: &Binding) -> Option<(&str, &NixExpr)> {
    match &b.kind {
        BindingKind::Value(path, value) => match path.as_slice() {
            [name] => Some((name, value)),
            _ => None,
        },
        _ => None,
    }
}

/// A string without expressions in it.
fn text(expr: &NixExpr) -> Option<String> {
    let (NixExpr::Str(parts) | NixExpr::Lines(parts)) = expr else { return None };
    parts.iter().map(|p| if let Part::Text(t) = p { Some(t.as_str()) } else { None }).collect()
}

/// The name and the value of `lib.cmakeFeature "NAME" value`.
fn feature(expr: &NixExpr) -> Option<(&str, &NixExpr)> {
    let NixExpr::Apply(f, value) = expr else { return None };
    let NixExpr::Apply(g, name) = &**f else { return None };
    let NixExpr::Str(parts) = &**name else { return None };
    match parts.as_slice() {
        [Part::Text(name)] if **g == NixExpr::path("lib.cmakeFeature") => Some((name, value)),
        _ => None,
    }
}
