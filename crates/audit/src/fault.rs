//! What can be wrong with a built file, and where.

use serde::{Serialize, Serializer};
use std::fmt::{Display, Formatter, Result};

/// Where something stands in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The member of a static library, or the binary whose code a kpack holds.
    pub member: Option<String>,
    /// The ELF section.
    pub section: Option<&'static str>,
    /// The byte in the section, the member or the file: of the bundle, where there is one.
    pub offset: u64,
    /// The number of the bundle's entry, from 0.
    pub entry: Option<usize>,
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for part in self.member.as_deref().into_iter().chain(self.section) {
            write!(f, "{part}, ")?;
        }
        write!(f, "byte {}", self.offset)?;
        self.entry.map_or(Ok(()), |entry| write!(f, ", entry {entry}"))
    }
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{place}: {wrong}")]
pub struct Fault {
    /// Where.
    pub place: Place,
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
    /// Two entries of a bundle have the same ID.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// Something ends behind the end of what it stands in.
    #[error("cut short: it needs {needs} bytes, and there are {has}")]
    #[allow(missing_docs, reason = "the message says it")]
    Cut { needs: u64, has: u64 },
    /// What should be a code object is neither ELF, bitcode nor SPIR-V.
    #[error("no code object stands there")]
    NoCode,
    /// A bundle's entry, or a kernel library's name, and its code differ.
    #[error("said to be for {stated}, its code is for {code}")]
    #[allow(missing_docs, reason = "the message says it")]
    Disagrees { stated: String, code: String },
    /// Something is not as its format has it.
    #[error("not as its format has it: {0}")]
    Malformed(String),
    /// What is known, and not read here.
    #[error("not read: {0}")]
    Unread(String),
    /// It can't be unpacked.
    #[error("can't be unpacked: {0}")]
    Unpack(String),
    /// What is unpacked is larger, of which one byte is counted, or smaller than its header says.
    #[error("unpacks to {size} bytes, its header says {declared}")]
    #[allow(missing_docs, reason = "the message says it")]
    Size { declared: u64, size: u64 },
    /// What is unpacked has another sum.
    #[error("unpacks to other bytes than were packed: the sums differ")]
    Hash,
}

impl Wrong {
    pub(crate) fn malformed(what: impl Display) -> Self {
        Self::Malformed(what.to_string())
    }

    pub(crate) fn unread(what: impl Display) -> Self {
        Self::Unread(what.to_string())
    }

    pub(crate) fn unpack(what: impl Display) -> Self {
        Self::Unpack(what.to_string())
    }
}

impl Serialize for Wrong {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
