//! Checks of the text that was rendered: it parses, and the official formatter leaves it alone.

use crate::expr::{NixExpr, Pattern};
use rnix::SyntaxKind;
use rnix::ast::{AttrSet, Expr, HasEntry, LetIn};
use rowan::ast::AstNode;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// The expression as a file in the official style (RFC 166), or what is wrong with it.
///
/// # Errors
/// The text that can't be read and why; only a fault of this crate can cause it.
pub fn format(expr: &NixExpr) -> Result<String, String> {
    let text = match expr {
        // The arguments stand apart from what they are for.
        NixExpr::Lambda(pattern @ Pattern::Set(_), body) => {
            let head = NixExpr::Lambda(pattern.clone(), Box::new(NixExpr::Null)).to_string();
            format!("{}\n\n{body}\n", head.trim_end_matches(" null"))
        }
        other => format!("{other}\n"),
    };
    nixfmt_rs::format(&text).map_err(|e| format!("{}\n{text}", nixfmt_rs::format_error(&text, None, &e)))
}

/// Parses a file.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse(text: &str) -> Result<rnix::SyntaxNode, String> {
    let parsed = rnix::Root::parse(text);
    let fault = parsed.errors().first().map(ToString::to_string);
    let fault = fault.or_else(|| Some(format!("`{}` is bound twice", bound_twice(&parsed.syntax())?)));
    fault.map_or_else(|| Ok(parsed.syntax()), Err)
}

/// The first attribute that a set or a `let` binds twice, which Nix refuses and this parser does not. Sets that are written out may
/// be bound in parts.
fn bound_twice(root: &rnix::SyntaxNode) -> Option<String> {
    let entries = |node: rnix::SyntaxNode| match node.kind() {
        SyntaxKind::NODE_ATTR_SET => AttrSet::cast(node).map(|set| bindings(&set)),
        SyntaxKind::NODE_LET_IN => LetIn::cast(node).map(|scope| bindings(&scope)),
        _ => None,
    };
    root.descendants().filter_map(entries).find_map(|all| {
        let mut seen: BTreeMap<Vec<String>, bool> = BTreeMap::new();
        all.into_iter().find_map(|(path, is_set)| {
            // What ends first must be a set that the other one goes on in.
            let mut above = (1..path.len()).filter_map(|n| seen.get(&path[..n]));
            let below = seen.range((Excluded(path.clone()), Unbounded)).next();
            let clash = above.any(|is_set| !is_set)
                || !is_set && below.is_some_and(|(other, _)| other.starts_with(&path))
                || seen.get(&path).is_some_and(|other| !(is_set && *other));
            let name = path.join(".");
            seen.insert(path, is_set);
            clash.then_some(name)
        })
    })
}

/// What is bound, each by its path and whether it is a set that is written out. A path that is worked out is left out.
fn bindings(scope: &impl HasEntry) -> Vec<(Vec<String>, bool)> {
    let plain = |attr: &rnix::SyntaxNode| Some(attr.text().to_string()).filter(|name| !name.contains("${"));
    let names = scope.inherits().flat_map(|i| i.attrs().collect::<Vec<_>>());
    let inherited = names.filter_map(|a| Some((vec![plain(a.syntax())?], false)));
    let bound = scope.attrpath_values().filter_map(|b| {
        let path: Option<Vec<String>> = b.attrpath()?.attrs().map(|a| plain(a.syntax())).collect();
        Some((path?, matches!(b.value(), Some(Expr::AttrSet(_)))))
    });
    inherited.chain(bound).collect()
}

/// Parses a file and formats it once more.
///
/// # Errors
/// What is wrong with it.
pub fn check(text: &str) -> Result<(), String> {
    parse(text)?;
    let again = nixfmt_rs::format(text).map_err(|e| nixfmt_rs::format_error(text, None, &e))?;
    if again != text {
        return Err("the formatter changes its own output".into());
    }
    Ok(())
}
