//! The error type of all parsers of this crate.

use std::fmt;

/// The error that a text does not follow the syntax, with the place of the first fault.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// The byte offset of the offending text in the parsed text.
    pub offset: usize,
    /// The length of the offending text in bytes. It is 0 if something is missing.
    pub len: usize,
    /// The message: the expected text, or the text that is not allowed.
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

    /// Returns the same error with the offset in a longer text, which contains the parsed text from
    /// byte `by` on.
    pub(crate) fn shift(mut self, by: usize) -> Self {
        self.offset += by;
        self
    }
}

/// A piece of input for a message: quoted, escaped, and cut to a fixed length.
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
