//! Looks up the meanings of names inside a scope's set, which a `let` or a function around the set
//! may bind.

use super::bound::{Bound, bound};
use rnix::ast::{AttrSet, Expr, LetIn, Param};
use rnix::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken};
use rowan::ast::AstNode;
use std::collections::BTreeMap;

/// The largest number of aliases that are followed one after the other (`a = b; b = c;`), so that a
/// cycle ends.
const MOST_ALIASES: usize = 16;

/// The meaning of a name that is bound between the file's arguments and the set.
#[derive(Clone, Debug)]
enum Meaning {
    /// The scope itself: `self`.
    Scope,
    /// An alias of another name or of its attribute. The node is the value (`a = x;`). For
    /// `inherit (x) a;` the node is `x`, and the text is the attribute `a`.
    Alias(SyntaxNode, Option<String>),
    /// The same meaning as further out: `inherit a;`.
    Outside,
    Other,
}

/// The names that are bound around a set, one map for each `let` or function, the innermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<BTreeMap<String, Meaning>>);

impl Names {
    /// Collects the names that are bound around `set`. `own` is the name of the whole scope inside
    /// the function that makes it.
    pub(super) fn around(set: &AttrSet, own: &str) -> Self {
        let mut levels = vec![BTreeMap::new()];
        if set.rec_token().is_some() {
            levels[0] = bound(set)
                .into_iter()
                .map(|b| (b.name, Meaning::Other))
                .collect();
        }
        let mut has_own = false;
        let above = set.syntax().ancestors().skip(1);
        // The arguments of the file keep their names.
        let inside = above.take_while(|n| {
            n.parent()
                .is_some_and(|p| p.kind() != SyntaxKind::NODE_ROOT)
        });
        for node in inside {
            if let Some(scope) = LetIn::cast(node.clone()) {
                levels.push(
                    bound(&scope)
                        .into_iter()
                        .map(|b| (b.name.clone(), meaning(&b)))
                        .collect(),
                );
            }
            let Some(lambda) = rnix::ast::Lambda::cast(node) else {
                continue;
            };
            let param = lambda.param();
            let names = param
                .iter()
                .flat_map(|p| p.syntax().descendants().filter_map(rnix::ast::Ident::cast));
            let all = names.map(|name| {
                let name = name.syntax().text().to_string();
                let is_own = !has_own && name == own && matches!(param, Some(Param::IdentParam(_)));
                has_own |= is_own;
                (
                    name,
                    if is_own {
                        Meaning::Scope
                    } else {
                        Meaning::Other
                    },
                )
            });
            levels.push(all.collect());
        }
        Self(levels)
    }

    /// Returns the words of an expression, with names replaced by their meanings: `s.clr` ->
    /// `self`, `.`, `clr`, if `s` is the name of the scope. Two expressions of the same meaning
    /// have the same words, even in different files.
    pub(super) fn words(&self, node: &SyntaxNode) -> Vec<String> {
        self.words_at(node, 0, 0)
    }

    /// Returns the meaning of a name as words. An argument of the file is its own meaning. A name
    /// that is bound to any other value becomes `let` and the name.
    pub(super) fn name(&self, name: &str) -> Vec<String> {
        self.resolve(name, 0, 0)
    }

    fn words_at(&self, node: &SyntaxNode, level: usize, depth: usize) -> Vec<String> {
        let tokens = node
            .descendants_with_tokens()
            .filter_map(NodeOrToken::into_token);
        let mut out: Vec<String> = Vec::new();
        for token in tokens.filter(|t| !t.kind().is_trivia()) {
            if is_name(&token) {
                out.extend(self.resolve(token.text(), level, depth));
            } else if token.text() == "." && out.last().is_some_and(|w| w == "pkgs") {
                // `pkgs` contains the file's arguments, so `pkgs.name` equals `name`.
                out.pop();
            } else {
                out.push(token.text().to_owned());
            }
        }
        out
    }

    fn resolve(&self, name: &str, from: usize, depth: usize) -> Vec<String> {
        for (level, names) in self.0.iter().enumerate().skip(from) {
            match names.get(name) {
                Some(Meaning::Scope) => return vec!["self".into()],
                Some(Meaning::Alias(value, attribute)) if depth < MOST_ALIASES => {
                    let mut words = self.words_at(value, level, depth + 1);
                    words.extend(attribute.iter().flat_map(|a| [".".to_owned(), a.clone()]));
                    return words;
                }
                Some(Meaning::Alias(..) | Meaning::Other) => {
                    return vec!["let".into(), name.into()];
                }
                Some(Meaning::Outside) | None => {}
            }
        }
        vec![name.to_owned()]
    }
}

/// Returns the meaning that a binding of a `let` gives to the name that it binds.
fn meaning(bound: &Bound) -> Meaning {
    match (&bound.value, &bound.from, &bound.inherited) {
        (Some(value @ (Expr::Ident(_) | Expr::Select(_))), ..) => {
            Meaning::Alias(value.syntax().clone(), None)
        }
        (_, Some(from), _) => Meaning::Alias(from.clone(), Some(bound.name.clone())),
        (.., Some(_)) => Meaning::Outside,
        _ => Meaning::Other,
    }
}

/// Returns true if a token is a name that stands for a value, and not the name of an attribute or
/// of an argument.
pub(super) fn is_name(token: &SyntaxToken) -> bool {
    use SyntaxKind as K;
    let ident = token.parent().filter(|p| p.kind() == K::NODE_IDENT);
    let around = ident.and_then(|i| i.parent()).map(|p| p.kind());
    let binds = [
        K::NODE_ATTRPATH,
        K::NODE_PAT_ENTRY,
        K::NODE_PAT_BIND,
        K::NODE_IDENT_PARAM,
        K::NODE_INHERIT,
    ];
    around.is_some_and(|kind| !binds.contains(&kind))
}
