//! What the names around a scope's set stand for.

use super::bound::{Bound, bound};
use rnix::ast::{AttrSet, Expr, LetIn, Param};
use rnix::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken};
use rowan::ast::AstNode;
use std::collections::BTreeMap;

/// How many names that stand for names are followed.
const MOST_ALIASES: usize = 16;

/// What a name stands for that is bound between the file's arguments and the set.
#[derive(Clone, Debug)]
enum Meaning {
    /// The scope itself.
    Scope,
    /// Another name, or what is selected from one: the value, and the attribute that is inherited
    /// from it.
    Alias(SyntaxNode, Option<String>),
    /// The name that it is outside.
    Outside,
    /// Anything else.
    Other,
}

/// The names around a set, innermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<BTreeMap<String, Meaning>>);

impl Names {
    /// The names around a set; `own` is what the function that makes the scope calls it.
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
        // The arguments of the file are what they are called.
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

    /// An expression by its words, names replaced by what they stand for: two of one meaning in two
    /// files are alike.
    pub(super) fn words(&self, node: &SyntaxNode) -> Vec<String> {
        self.words_at(node, 0, 0)
    }

    /// What a name stands for, by its words; the name alone where it is the file's argument.
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
                // The file's arguments come from there.
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

/// What a binding of a `let` makes of its name.
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

/// True for a word that stands for a value, and is not the name of an attribute or of an argument.
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
