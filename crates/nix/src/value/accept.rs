//! Formats an expression as a file, and checks rendered text: it must parse, and the official
//! formatter must leave it unchanged.

use crate::value::expr::{NixExpr, Pattern};
use rocpkg_syntax::nix;

/// Returns the expression as a file in the official style (RFC 166).
///
/// # Errors
/// The reason why the printed expression can't be read, and its text. Only a fault of this crate
/// can cause this error.
pub fn format(expr: &NixExpr) -> Result<String, String> {
    let text = match expr {
        // An empty line separates the arguments from the body.
        NixExpr::Lambda(pattern @ Pattern::Set(_), body) => {
            let head = NixExpr::Lambda(pattern.clone(), Box::new(NixExpr::Null)).to_string();
            format!("{}\n\n{body}\n", head.trim_end_matches(" null"))
        }
        other => format!("{other}\n"),
    };
    // The formatter recurses at each level of a text, and this check limits the levels.
    parse(&text).map_err(|reason| format!("{reason}\n{text}"))?;
    nixfmt_rs::format(&text)
        .map_err(|e| format!("{}\n{text}", nixfmt_rs::format_error(&text, None, &e)))
}

/// Checks that Nix can read the text of a file.
///
/// # Errors
/// The reason why the file can't be read.
pub(crate) fn parse(text: &str) -> Result<(), String> {
    let parsed = nix::parse(text);
    parsed
        .map(drop)
        .map_err(|e| format!("{} (byte {})", e.reason, e.at))
}

/// Checks that Nix can read the text of a file, and that the official formatter leaves it
/// unchanged.
///
/// # Errors
/// The reason why the file can't be read, or is not in the official style.
pub fn check_style(text: &str) -> Result<(), String> {
    parse(text)?;
    let again = nixfmt_rs::format(text).map_err(|e| nixfmt_rs::format_error(text, None, &e))?;
    if again != text {
        return Err("the formatter changes its own output".into());
    }
    Ok(())
}
