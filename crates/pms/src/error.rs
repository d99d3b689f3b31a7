//! The one error of every parser here: what is wrong, and where.

use std::fmt;

/// A text that is not in the language, with the place where it leaves it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// Byte offset of the offending text from the start of what was parsed.
    pub offset: usize,
    /// Length of the offending text in bytes; 0 where something is missing rather than wrong.
    pub len: usize,
    /// What was expected or what is not allowed, in words.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.message, self.offset)
    }
}

impl std::error::Error for SyntaxError {}

impl SyntaxError {
    pub(crate) fn new(offset: usize, len: usize, message: impl fmt::Display) -> Self {
        Self {
            offset,
            len,
            message: message.to_string(),
        }
    }

    /// The same error seen from an outer text in which the parsed one begins at `by`.
    pub(crate) fn shift(mut self, by: usize) -> Self {
        self.offset += by;
        self
    }
}

/// A piece of input as a message may repeat it: quoted, escaped and short, however long the input
/// is.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 60;
        let mut chars = self.0.chars();
        let head: String = chars.by_ref().take(SHOWN).collect();
        let rest = if chars.next().is_some() { "…" } else { "" };
        write!(f, "`{}{rest}`", head.escape_debug())
    }
}
