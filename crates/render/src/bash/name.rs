//! Names as bash takes them.

pub use rocpkg_model::is_identifier;
use std::borrow::Cow;

/// The name of a variable as it may stand unquoted: what is none loses the characters that make it
/// so. [`super::check`] reports it, so that nothing is written; that it can't become code rests on
/// nobody's memory.
pub fn identifier(name: &str) -> Cow<'_, str> {
    tame(name, "")
}

/// The words that bash reads as its own where a command begins.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];

/// The name of a function, which bash takes with a few more signs, and without its reserved words.
pub(super) fn function(name: &str) -> Cow<'_, str> {
    if RESERVED.contains(&name) {
        return Cow::Owned(format!("_{name}"));
    }
    tame(name, "-.+@")
}

fn tame<'a>(name: &'a str, more: &str) -> Cow<'a, str> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || more.contains(c);
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    if name.starts_with(begins) && name.chars().all(fine) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(
        std::iter::once('_')
            .chain(name.chars().map(|c| if fine(c) { c } else { '_' }))
            .collect(),
    )
}
