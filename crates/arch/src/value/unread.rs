//! The fault of a text that is no valid bash.

use rocpkg_syntax::{Fault, Reason, Unreadable};

/// Returns the fault of a text that can't be parsed.
pub(crate) fn unread(text: &str, unreadable: &Unreadable) -> Fault {
    let start = text.floor_char_boundary(unreadable.at);
    let end = text.ceil_char_boundary((start + 1).min(text.len()));
    let message = format!("rocpkg can't read the PKGBUILD: {}", unreadable.reason);
    let fault = Fault::new("E0821", start..end, message);
    match unreadable.reason {
        Reason::Syntax => fault.label("expected valid bash"),
        _ => fault,
    }
}
