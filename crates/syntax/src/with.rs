//! Names under `with`: the set that each of them is in, so that `with lib.licenses; [ mit ]` and
//! `[ lib.licenses.mit ]` are the same.

use rnix::{SyntaxKind as S, SyntaxNode, SyntaxToken};
use std::collections::BTreeSet;

/// Names that Nix defines everywhere, and that no set of nixpkgs has.
const WORDS: [&str; 4] = ["builtins", "false", "null", "true"];

/// The resolution of names under `with` to the sets that they are in.
pub(crate) struct With {
    /// The names that the expression binds somewhere. In Nix, `with` does not shadow them, so they
    /// are in no set.
    bound: BTreeSet<String>,
}

impl With {
    /// Reads the names that arguments, `let` and recursive sets bind. Returns none if an expression
    /// has no `with`.
    pub(crate) fn read(root: &SyntaxNode) -> Option<Self> {
        root.descendants().find(|n| n.kind() == S::NODE_WITH)?;
        let names = root.descendants().flat_map(|node| match node.kind() {
            S::NODE_PAT_ENTRY | S::NODE_PAT_BIND | S::NODE_IDENT_PARAM => {
                node.first_child().into_iter().collect()
            }
            S::NODE_INHERIT => node.children().collect(),
            S::NODE_ATTRPATH_VALUE if node.parent().is_some_and(|set| is_scope(&set)) => {
                let path = node.first_child();
                path.and_then(|path| path.first_child())
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        });
        let bound = names.map(|name| name.text().to_string()).collect();
        Some(Self { bound })
    }

    /// Returns true if a token is part of the `with SET;` of an expression inside `node`.
    pub(crate) fn is_head(token: &SyntaxToken, node: &SyntaxNode) -> bool {
        let is_inside = |n: &SyntaxNode| node.text_range().contains_range(n.text_range());
        let above = token.parent_ancestors().take_while(is_inside);
        let mut withs = above.filter(|n| n.kind() == S::NODE_WITH);
        withs.any(|with| {
            let body = with.last_child();
            body.is_some_and(|body| token.text_range().end() <= body.text_range().start())
        })
    }

    /// Returns the set that a name is in: `lib.licenses` for `mit` in `with lib.licenses; mit`.
    /// Returns none for a token that is no such name.
    ///
    /// Of several sets, the innermost one is returned. Only an evaluation by Nix could show that
    /// this set has the name.
    pub(crate) fn set_of(&self, token: &SyntaxToken) -> Option<SyntaxNode> {
        let name = token.parent().filter(|n| n.kind() == S::NODE_IDENT)?;
        let is_name = matches!(
            name.parent()?.kind(),
            S::NODE_ATTRPATH
                | S::NODE_PAT_ENTRY
                | S::NODE_PAT_BIND
                | S::NODE_IDENT_PARAM
                | S::NODE_INHERIT
        );
        if is_name || self.bound.contains(token.text()) || WORDS.contains(&token.text()) {
            return None;
        }
        let mut withs = name.ancestors().filter(|n| n.kind() == S::NODE_WITH);
        let set = withs.find_map(|with| {
            let (set, body) = (with.first_child()?, with.last_child()?);
            let is_below = body.text_range().contains_range(name.text_range());
            is_below.then_some(set)
        })?;
        matches!(set.kind(), S::NODE_IDENT | S::NODE_SELECT).then_some(set)
    }
}

/// Returns true for `let` and `rec { }`, whose names are bound inside of them.
fn is_scope(node: &SyntaxNode) -> bool {
    let is_rec = || {
        let mut tokens = node.children_with_tokens();
        tokens.any(|token| token.kind() == S::TOKEN_REC)
    };
    matches!(node.kind(), S::NODE_LET_IN | S::NODE_LEGACY_LET) || is_rec()
}
