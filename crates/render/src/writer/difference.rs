//! How a file differs from what is rendered.

use DifferenceKind as Kind;
use std::fmt;

/// In what way a file is not what is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It is not there.
    Missing,
    /// It is as rocpkg wrote it, of another rendering.
    OutOfDate,
    /// It was changed since rocpkg wrote it.
    Edited,
    /// Somebody else wrote it.
    Foreign,
    /// One of ours that is no longer rendered.
    Stale,
    /// The same, and it was changed since rocpkg wrote it.
    StaleEdited,
}

impl DifferenceKind {
    /// True for what holds somebody's own work.
    pub fn is_by_hand(self) -> bool {
        matches!(self, Self::Edited | Self::Foreign | Self::StaleEdited)
    }

    /// True for what only removing would mend.
    pub fn is_stale(self) -> bool {
        matches!(self, Self::Stale | Self::StaleEdited)
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::OutOfDate => "out of date",
            Self::Edited => "edited by hand",
            Self::Foreign => "not written by rocpkg",
            Self::Stale => "stale",
            Self::StaleEdited => "stale and edited by hand",
        })
    }
}

/// How a file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The file.
    pub path: String,
    /// In what way.
    pub kind: DifferenceKind,
    /// A unified diff from what is there to what would be written.
    pub diff: String,
}

impl Difference {
    /// The file, and in what way it differs.
    pub fn headline(&self) -> String {
        format!("{} ({})", self.path, self.kind)
    }
}

/// So many lines of two files are compared: it takes their square where the files have nothing in
/// common.
const MOST_COMPARED: usize = 5_000;

/// What somebody made of a file that is ours, or is not.
pub(super) fn by_hand(ours: bool) -> Kind {
    if ours { Kind::Edited } else { Kind::Foreign }
}

pub(super) fn difference(path: &str, kind: Kind, old: &[u8], new: &[u8]) -> Difference {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let (before, after) = (old.lines().count(), new.lines().count());
    if before + after > MOST_COMPARED {
        let diff = format!(
            "--- a/{path}\n+++ b/{path}\n({before} lines there, {after} rendered: too many to compare)\n"
        );
        return Difference {
            path: path.to_owned(),
            kind,
            diff,
        };
    }
    let diff = similar::TextDiff::from_lines(old.as_ref(), new.as_ref());
    let text = diff
        .unified_diff()
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string();
    Difference {
        path: path.to_owned(),
        kind,
        diff: text,
    }
}
