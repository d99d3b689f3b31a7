//! The faults of built files, and their places.

use serde::{Serialize, Serializer};
use std::fmt::Display;

/// A fault of a built file, and its place in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{place}{}{wrong}", if .place.is_empty() { "" } else { ": " })]
pub struct Fault {
    /// The member, the section, the byte and the bundle's entry, as far as they exist, separated by
    /// commas. Empty for the file as a whole.
    pub place: String,
    /// The kind of the fault.
    pub wrong: Wrong,
}

/// The kind of a fault. In JSON, it is its message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// A bundle, its section or a kernel library contains no code for a device.
    #[error("contains no device code")]
    Empty,
    /// Data ends behind the end of the file or part that contains it. The first number is the
    /// needed size in bytes, the second the existing size.
    #[error("truncated: expected {0} bytes, found {1}")]
    Cut(u64, u64),
    /// A bundle's entry, or the name of a kernel library's file, states another target than its
    /// code has. The first target ID is the stated one, the second is the code's.
    #[error("labelled as {0}, but its code is for {1}")]
    Disagrees(String, String),
    /// Data violates its format, or can't be unpacked.
    #[error("damaged: {0}")]
    Damaged(String),
    /// The format is known, but the crate does not read it.
    #[error("not read: {0}")]
    Unread(String),
}

impl Wrong {
    pub(crate) fn damaged(what: impl Display) -> Self {
        Self::Damaged(what.to_string())
    }

    pub(crate) fn unread(what: impl Display) -> Self {
        Self::Unread(what.to_string())
    }

    /// Returns the fault of data that should be a code object and is none.
    pub(crate) fn no_code() -> Self {
        Self::damaged("expected a code object")
    }
}

impl Serialize for Wrong {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns the place `what` inside `place`: `.hip_fatbin` and `byte 0` -> `.hip_fatbin, byte 0`.
pub(crate) fn within(place: &str, what: impl Display) -> String {
    if place.is_empty() {
        what.to_string()
    } else {
        format!("{place}, {what}")
    }
}
