//! Texts that a reader refuses, each with the byte and the reason.

use std::fmt;

/// The most bytes of a recipe. The largest ebuild of `::gentoo`, of all packages, has 60 kB.
pub const MOST_BYTES: usize = 1 << 20;

/// The most levels of nested brackets, blocks and expressions.
///
/// Readers are recursive, so a deeper text would overflow the stack and end the process.
pub const MOST_LEVELS: usize = 200;

/// A text that can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The first byte that could not be read.
    pub at: usize,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a text can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The language has no such syntax.
    Syntax,
    /// Lines end with a carriage return, which bash reads as a part of the last word.
    CarriageReturn,
    /// More than [`MOST_LEVELS`] levels are nested.
    TooDeep,
    /// The text has more than [`MOST_BYTES`] bytes.
    TooLong,
}

impl Unreadable {
    /// Returns the error for a text whose syntax can't be read at the byte `at`.
    pub fn syntax(at: usize) -> Self {
        let reason = Reason::Syntax;
        Self { at, reason }
    }

    /// Returns the line and column of the first byte that could not be read, counted from 1. `text`
    /// is the text that was read.
    pub fn place(&self, text: &str) -> (usize, usize) {
        crate::outline::place(text, self.at)
    }

    /// Returns the error of reading `text` with its cause, if the cause is the carriage returns at
    /// the ends of lines.
    #[must_use]
    pub fn in_text(self, text: &str) -> Self {
        match text.find("\r\n") {
            Some(at) if self.reason == Reason::Syntax => Self {
                at,
                reason: Reason::CarriageReturn,
            },
            _ => self,
        }
    }

    pub(crate) fn too_deep(at: usize) -> Self {
        let reason = Reason::TooDeep;
        Self { at, reason }
    }

    /// Returns an error if a text is too long to be a recipe.
    pub(crate) fn if_too_long(text: &str) -> Result<(), Self> {
        if text.len() <= MOST_BYTES {
            return Ok(());
        }
        let reason = Reason::TooLong;
        Err(Self { at: 0, reason })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => write!(f, "the syntax can't be read"),
            Self::CarriageReturn => write!(f, "lines end in CR LF, and bash expects LF alone"),
            Self::TooDeep => write!(f, "more than {MOST_LEVELS} levels are nested"),
            Self::TooLong => write!(f, "the file has more than {MOST_BYTES} bytes"),
        }
    }
}

/// Prints the reason. [`Unreadable::place`] is its line and column.
impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl std::error::Error for Unreadable {}
