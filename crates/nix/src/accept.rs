//! Checks of the text that was rendered: it parses, and the official formatter leaves it alone.

use crate::expr::{NixExpr, Pattern};
use rnix::SyntaxKind;

/// The deepest nesting that the formatter is asked to lay out: it goes down by calling itself, on a stack of 64 MiB. A package
/// of some thousand conditions has less; a template could hold anything.
const MAX_DEPTH: usize = 10_000;

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
    parsed.errors().first().map_or_else(|| Ok(parsed.syntax()), |e| Err(e.to_string()))
}

/// Parses a file and formats it once more.
///
/// # Errors
/// What is wrong with it.
pub fn check(text: &str) -> Result<(), String> {
    let mut depth = 0;
    for event in parse(text)?.preorder() {
        depth = if matches!(event, rnix::WalkEvent::Enter(_)) { depth + 1 } else { depth - 1 };
        if depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
        }
    }
    let again = nixfmt_rs::format(text).map_err(|e| nixfmt_rs::format_error(text, None, &e))?;
    if again != text {
        return Err("the formatter changes its own output".into());
    }
    Ok(())
}

/// How many interpolations a file holds, as its reader sees them.
///
/// A string of the model that reached a file unquoted would add one.
pub fn interpolations(text: &str) -> usize {
    rnix::Root::parse(text).syntax().descendants().filter(|n| n.kind() == SyntaxKind::NODE_INTERPOL).count()
}
