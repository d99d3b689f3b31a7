//! Finds the scope in the text of a file: the call of `makeScope`, the set of its packages, and the
//! sets that are merged over it by `//`.

use super::bound::{Bound, BoundCall, bound};
use super::edits::range;
use super::names::Names;
use crate::value::text::parse;
use rnix::ast::{Apply, AttrSet, BinOpKind, Expr, HasEntry, Param};
use rnix::{NodeOrToken, SyntaxKind, SyntaxNode};
use rocpkg_syntax::{Fault, nix};
use rowan::Direction;
use rowan::ast::AstNode;

/// The name of the function that makes a scope.
const MAKER: &str = "makeScope";

/// Returns true if a text calls the function that makes a scope.
pub fn defines_scope(text: &str) -> bool {
    let root = nix::parse(text);
    let mut calls = root.iter().flat_map(SyntaxNode::descendants);
    calls.any(|node| Apply::cast(node).is_some_and(|call| makes_scope(&call)))
}

pub(super) struct Scope {
    /// The name of the whole scope inside the function that makes it, such as `self` or `final`.
    pub(super) own: String,
    pub(super) set: AttrSet,
    /// The bindings of `set`, and of the sets that are merged over it.
    bound: Vec<Bound>,
    /// The meanings of the names that can be used inside `set`.
    pub(super) names: Names,
    /// The arguments of the file, with their names and nodes.
    pub(super) arguments: Vec<(String, SyntaxNode)>,
}

impl Scope {
    /// Finds the scope in the text of a file.
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        let root = parse(text, 0, text.len())?;
        let makers = root
            .descendants()
            .filter_map(Apply::cast)
            .filter(makes_scope);
        let mut place = None;
        for maker in makers {
            let lambda = maker.argument().map(bare);
            if let Some(Expr::Lambda(lambda)) = &lambda
                && let Some(Param::IdentParam(param)) = lambda.param()
                && let [set, ..] = lambda.body().map(sets).unwrap_or_default().as_slice()
            {
                let own = param.syntax().text().to_string();
                let all = lambda.body().map(sets).unwrap_or_default();
                return Ok(Self {
                    names: Names::around(set, &own),
                    own,
                    set: set.clone(),
                    bound: all.iter().flat_map(bound).collect(),
                    arguments: arguments(&root),
                });
            }
            place.get_or_insert_with(|| {
                maker
                    .argument()
                    .map_or(maker.syntax().clone(), |a| a.syntax().clone())
            });
        }
        let expected = format!("expected `lib.{MAKER} newScope (self: {{ … }})`");
        let told = if place.is_some() {
            "the definition of the scope can't be read"
        } else {
            "the file defines no scope"
        };
        let last = root.children().last().unwrap_or(root);
        Err(misread(&place.unwrap_or(last), told.into(), expected))
    }

    /// Returns all bindings of the scope, also those of merged sets.
    pub(super) fn all(&self) -> impl Iterator<Item = &Bound> {
        self.bound.iter()
    }

    /// Returns the bindings of the set itself in their order, without those of merged sets.
    fn main(&self) -> impl Iterator<Item = &Bound> {
        self.all()
            .filter(|b| b.entry.parent().as_ref() == Some(self.set.syntax()))
    }

    /// Returns the value of a binding as words, with names replaced by their meanings. See
    /// [`Names::words`].
    pub(super) fn value(&self, bound: &Bound) -> Vec<String> {
        match (&bound.value, &bound.from, &bound.inherited) {
            (Some(value), ..) => self.names.words(value.syntax()),
            (_, Some(from), _) => {
                [self.names.words(from), vec![".".into(), bound.name.clone()]].concat()
            }
            (.., Some(_)) => self.names.name(&bound.name),
            _ => self.names.words(&bound.entry),
        }
    }

    /// Returns the bindings of the set itself that call a file, with their calls. Merged sets are
    /// not searched.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&Bound, BoundCall)> {
        self.main().filter_map(|b| Some((b, b.call()?)))
    }

    /// Returns `calls` in the order in which they are added to this scope. They are sorted by name
    /// if the calls of this scope are.
    pub(super) fn in_order<'a>(
        &self,
        calls: impl Iterator<Item = (&'a Bound, BoundCall)>,
    ) -> Vec<(&'a Bound, BoundCall)> {
        let mut all: Vec<_> = calls.collect();
        if in_order(self.calls().map(|(b, _)| b)) {
            all.sort_by_key(|(b, _)| b.name.to_lowercase());
        }
        all
    }

    /// Returns the entry after which the new binding `name` is put, or `None` for the beginning of
    /// the set. The second value is true if empty lines separate the entries. `ours` is the
    /// rendered scope, whose order of calls is followed.
    pub(super) fn place(&self, name: &str, ours: &Self) -> (Option<SyntaxNode>, bool) {
        let entries: Vec<SyntaxNode> = self.set.entries().map(|e| e.syntax().clone()).collect();
        let at = |bound: &Bound| entries.iter().position(|e| *e == bound.entry);
        let spaced =
            entries.iter().skip(1).filter(|e| is_apart(e)).count() * 2 >= entries.len().max(2);
        let order: Vec<&str> = ours.calls().map(|(b, _)| b.name.as_str()).collect();
        let own = order.iter().position(|n| *n == name).unwrap_or_default();
        let find = |n: &&str| self.main().find(|b| b.name == **n).and_then(at);
        let before = order[..own].iter().rev().find_map(find);
        let near = before.or_else(|| order[own..].iter().find_map(find));
        // If empty lines divide the entries into groups, the names in a group may be sorted. If an
        // empty line follows each entry, all names may be sorted.
        let group = near.map_or(0..0, |near| {
            let first = (0..=near)
                .rev()
                .find(|i| *i == 0 || !spaced && is_apart(&entries[*i]));
            let behind = (near + 1..entries.len()).find(|i| !spaced && is_apart(&entries[*i]));
            first.unwrap_or(0)..behind.unwrap_or(entries.len())
        });
        let beside: Vec<&Bound> = self
            .calls()
            .map(|(b, _)| b)
            .filter(|b| at(b).is_some_and(|i| group.contains(&i)))
            .collect();
        if in_order(beside.iter().copied()) {
            let lower = |b: &&&Bound| b.name.to_lowercase() < name.to_lowercase();
            if let Some(before) = beside.iter().rfind(lower) {
                return (Some(before.entry.clone()), spaced);
            }
            if group.start == 0 {
                return (None, spaced);
            }
        }
        // Entries without an empty line between them are kept together.
        let apart = |from: usize| {
            entries[from + 1..]
                .iter()
                .take_while(|e| spaced && !is_apart(e))
                .count()
                + from
        };
        let position = match (before, near) {
            (Some(before), _) => Some(apart(before)),
            (None, Some(behind)) => behind.checked_sub(1),
            (None, None) => entries.len().checked_sub(1),
        };
        (position.and_then(|p| entries.get(p)).cloned(), spaced)
    }
}

/// Returns true if bindings are sorted by name. Fewer than three bindings don't count as sorted,
/// because their order may be an accident.
fn in_order<'a>(all: impl Iterator<Item = &'a Bound>) -> bool {
    let names: Vec<String> = all.map(|b| b.name.to_lowercase()).collect();
    names.len() > 2 && names.is_sorted()
}

/// Returns an expression without its parentheses.
fn bare(expr: Expr) -> Expr {
    match &expr {
        Expr::Paren(p) => p.expr().map_or(expr, bare),
        _ => expr,
    }
}

/// Returns true if a call has the form `lib.makeScope newScope …`.
fn makes_scope(apply: &Apply) -> bool {
    let Some(Expr::Apply(inner)) = apply.lambda() else {
        return false;
    };
    inner
        .lambda()
        .is_some_and(|f| f.syntax().text().to_string().rsplit('.').next() == Some(MAKER))
}

/// Returns the literal sets that an expression merges: `{ … } // { … }`. Each is merged over those
/// before it.
fn sets(expr: Expr) -> Vec<AttrSet> {
    let inside = match bare(expr) {
        Expr::AttrSet(set) => return vec![set],
        Expr::LetIn(e) => e.body(),
        Expr::With(e) => e.body(),
        Expr::Assert(e) => e.body(),
        Expr::BinOp(e) if e.operator() == Some(BinOpKind::Update) => {
            return [e.lhs(), e.rhs()]
                .into_iter()
                .flatten()
                .flat_map(sets)
                .collect();
        }
        Expr::Apply(e) => {
            let optional = e
                .lambda()
                .is_some_and(|f| f.syntax().text().to_string().contains("optionalAttrs"));
            e.argument().filter(|_| optional)
        }
        _ => None,
    };
    inside.map(sets).unwrap_or_default()
}

/// Returns the arguments of a file that is a function of a set, with their names and nodes. Any
/// other file has none.
fn arguments(root: &SyntaxNode) -> Vec<(String, SyntaxNode)> {
    let Some(Expr::Lambda(lambda)) = root.children().find_map(Expr::cast) else {
        return Vec::new();
    };
    let Some(Param::Pattern(pattern)) = lambda.param() else {
        return Vec::new();
    };
    let named =
        |e: rnix::ast::PatEntry| Some((e.ident()?.syntax().text().to_string(), e.syntax().clone()));
    pattern.pat_entries().filter_map(named).collect()
}

/// Makes a fault at a node of the existing file.
pub(super) fn misread(node: &SyntaxNode, message: String, label: String) -> Fault {
    let (start, end) = range(node);
    Fault::new("E0510", start..end, message).label(label)
}

/// Returns true if an empty line precedes the entry.
fn is_apart(entry: &SyntaxNode) -> bool {
    let above = entry.siblings_with_tokens(Direction::Prev).skip(1);
    let tokens = above.map_while(NodeOrToken::into_token);
    let mut blanks = tokens.filter(|t| t.kind() == SyntaxKind::TOKEN_WHITESPACE);
    blanks.any(|t| t.text().matches('\n').count() > 1)
}
