//! What can be wrong with a built file, and where.

use serde::{Serialize, Serializer};
use std::fmt::Display;

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{place}{}{wrong}", if .place.is_empty() { "" } else { ": " })]
pub struct Fault {
    /// The member, the section, the byte and the bundle's entry, as far as there are such.
    pub place: String,
    /// What.
    pub wrong: Wrong,
}

/// What is wrong; in JSON, its words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// A bundle, its section or a kernel library has nothing for a device.
    #[error("holds no code for a device")]
    Empty,
    /// Something ends behind the end of what it stands in.
    #[error("cut short: it needs {0} bytes, and there are {1}")]
    Cut(u64, u64),
    /// A bundle's entry, or a kernel library's name, and its code differ: the target IDs of both.
    #[error("said to be for {0}, its code is for {1}")]
    Disagrees(String, String),
    /// Something is not as its format has it, or can't be unpacked.
    #[error("damaged: {0}")]
    Damaged(String),
    /// What is known, and not read here.
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

    /// What is there should be a code object.
    pub(crate) fn no_code() -> Self {
        Self::damaged("no code object stands there")
    }
}

impl Serialize for Wrong {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A place within another one.
pub(crate) fn within(place: &str, what: impl Display) -> String {
    if place.is_empty() {
        what.to_string()
    } else {
        format!("{place}, {what}")
    }
}
