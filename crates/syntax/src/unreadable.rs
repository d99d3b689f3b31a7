//! Texts that a reader refuses, each with the byte and the reason.

use std::fmt;

/// The most bytes of a recipe. The largest ebuild of `::gentoo`, of all packages, has 60 kB.
pub const MOST_BYTES: usize = 1 << 20;

/// The most levels of brackets, blocks and expressions inside each other.
///
/// Readers call themselves for each level, so a deeper text would end the process instead of the
/// reading.
pub const MOST_LEVELS: usize = 200;

/// A text that can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The first byte that is not read.
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
    /// More than [`MOST_LEVELS`] levels are inside each other.
    TooDeep,
    /// The text has more than [`MOST_BYTES`] bytes.
    TooLong,
}

impl Unreadable {
    /// Refuses a text at a byte that the language does not have there.
    pub fn syntax(at: usize) -> Self {
        let reason = Reason::Syntax;
        Self { at, reason }
    }

    pub(crate) fn too_deep(at: usize) -> Self {
        let reason = Reason::TooDeep;
        Self { at, reason }
    }

    /// Refuses a text that is too long to be a recipe.
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
            Self::TooDeep => write!(f, "more than {MOST_LEVELS} levels are inside each other"),
            Self::TooLong => write!(f, "the file has more than {MOST_BYTES} bytes"),
        }
    }
}

/// Prints the reason; the byte is [`Unreadable::at`].
impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl std::error::Error for Unreadable {}
