//! Names of variables and functions in bash.

pub use rocpkg_model::is_identifier;
use std::borrow::Cow;

/// Returns the name of a variable, in a form that is safe without quotes: `a b` → `_a_b`. In a text
/// that is not a name, `_` replaces each character that a name can't contain, and is put before the
/// first. [`super::check`] reports such texts, so they are never written. The replacement keeps
/// them from becoming code even if no check is called.
pub fn identifier(name: &str) -> Cow<'_, str> {
    tame(name, "")
}

/// The reserved words that bash recognizes at the beginning of a command.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];

/// Returns true for a word that bash reads as a keyword where a command begins.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Returns the name of a function, in a form that is safe without quotes; see [`identifier`].
/// Compared with variables, `-.+@` are allowed too, and reserved words are not.
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
