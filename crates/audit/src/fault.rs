//! What can be wrong with a built file, and where.

use serde::Serialize;
use std::fmt;

/// Where something stands in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The member of a static library, or the binary whose code a kpack holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The ELF section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'static str>,
    /// The byte in the section, the member or the file: of the bundle, where there is one.
    pub offset: u64,
    /// The number of the bundle's entry, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    #[serde(flatten)]
    pub wrong: Wrong,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "fault", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Wrong {
    /// An offload bundle or its section holds nothing for a device.
    #[error("holds no code for a device")]
    Empty,
    /// A file of a kernel library has no bytes.
    #[error("an empty file")]
    NoBytes,
    /// Two entries of a bundle have the same ID.
    #[error("`{id}` is there twice")]
    Twice {
        /// The ID.
        id: String,
    },
    /// Something ends behind the end of what it stands in.
    #[error("cut short: it needs {needs} bytes, and there are {has}")]
    Cut {
        /// Where it would end.
        needs: u64,
        /// How much there is.
        has: u64,
    },
    /// An entry of a bundle stands where its header or another entry does.
    #[error("overlaps what stands before it")]
    Overlap,
    /// An entry for a device is neither ELF, bitcode nor SPIR-V.
    #[error("no code object stands there")]
    NoCode,
    /// The flags of an ELF file name no known processor.
    #[error("{flags:#x} names no known processor")]
    Processor {
        /// `e_flags`.
        flags: u32,
    },
    /// A bundle's entry and its code object differ.
    #[error("the entry says {stated}, its code {code}")]
    Disagrees {
        /// The target ID in the entry's.
        stated: String,
        /// The target ID in the code.
        code: String,
    },
    /// A file's name and its code object differ.
    #[error("the name says {name}, the code {code}")]
    Misnamed {
        /// The processor in the name.
        name: String,
        /// The target ID in the code.
        code: String,
    },
    /// A header that is not as its format has it.
    #[error("not as its format has it: {what}")]
    Malformed {
        /// What, in words.
        what: String,
    },
    /// A known format of which no reader is here.
    #[error("not read: {what}")]
    Unread {
        /// Why.
        what: String,
    },
    /// What is unpacked is larger or smaller than was said.
    #[error("unpacks to {size} bytes, its header says {declared}")]
    Size {
        /// What the header says.
        declared: u64,
        /// What came out, one byte more at most.
        size: u64,
    },
    /// What is unpacked has another sum.
    #[error("unpacks to other bytes than were packed: the sums differ")]
    Hash,
    /// It can't be unpacked.
    #[error("can't be unpacked: {what}")]
    Unpack {
        /// Why.
        what: String,
    },
    /// It says of itself that it is too large.
    #[error("would unpack to {declared} bytes; no more than {most} are")]
    Large {
        /// What the header says.
        declared: u64,
        /// The limit.
        most: u64,
    },
    /// The system refuses.
    #[error("can't be read: {what}")]
    Io {
        /// What it says.
        what: String,
    },
    /// More than are listed.
    #[error("too many code objects or faults to list them")]
    Many,
}

impl Wrong {
    pub(crate) fn malformed(what: impl fmt::Display) -> Self {
        Self::Malformed { what: what.to_string() }
    }

    pub(crate) fn unpack(what: impl fmt::Display) -> Self {
        Self::Unpack { what: what.to_string() }
    }

    pub(crate) fn io(what: impl fmt::Display) -> Self {
        Self::Io { what: what.to_string() }
    }
}
