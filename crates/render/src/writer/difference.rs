//! Differences between existing files and rendered files.

use DifferenceKind as Kind;
use std::fmt;

/// The kind of a difference between an existing file and the rendered one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The file does not exist.
    Missing,
    /// rocpkg wrote the file in another run, and it is unchanged since.
    OutOfDate,
    /// The file was changed since rocpkg wrote it.
    Edited,
    /// The file was not written by rocpkg.
    Foreign,
    /// rocpkg wrote the file, and it is no longer rendered.
    Stale,
    /// rocpkg wrote the file, it is no longer rendered, and it was changed since.
    StaleEdited,
    /// The file is removed, since no recipe uses it any more.
    Unused,
}

impl DifferenceKind {
    /// Returns true if the file contains manual edits or was written by somebody else.
    pub fn is_by_hand(self) -> bool {
        matches!(self, Self::Edited | Self::Foreign | Self::StaleEdited)
    }

    /// Returns true if the file is no longer rendered, so that a run can only remove it.
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
            Self::Unused => "no longer used",
        })
    }
}

/// A difference between an existing file and the rendered one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The file's path.
    pub path: String,
    /// The kind of the difference.
    pub kind: DifferenceKind,
    /// A unified diff from the existing file to the rendered one. For a copy of another file, the
    /// diff is from that file, in the form of git.
    pub diff: String,
}

impl Difference {
    /// Returns the difference for the file `path`, which does not exist yet. Its content `new` is a
    /// changed copy of the file `base` with the content `old`.
    pub fn copy(path: &str, base: &str, old: &[u8], new: &[u8]) -> Self {
        let changes = diff([base, path], old, new);
        Self {
            path: path.to_owned(),
            kind: Kind::Missing,
            diff: format!(
                "diff --git a/{base} b/{path}\ncopy from {base}\ncopy to {path}\n{changes}"
            ),
        }
    }

    /// Returns the path and the kind of the difference.
    pub fn headline(&self) -> String {
        format!("{} ({})", self.path, self.kind)
    }
}

/// The largest number of lines of both files together that are compared. The time is quadratic if
/// the files have nothing in common.
const MOST_COMPARED: usize = 5_000;

/// Returns the kind of a file whose content rocpkg did not write. `ours` is true if the manifest
/// lists the file.
pub(super) fn by_hand(ours: bool) -> Kind {
    if ours { Kind::Edited } else { Kind::Foreign }
}

pub(super) fn difference(path: &str, kind: Kind, old: &[u8], new: &[u8]) -> Difference {
    Difference {
        path: path.to_owned(),
        kind,
        diff: diff([path, path], old, new),
    }
}

/// Returns a unified diff from the file `old` to the file `new`, whose paths are `paths`.
fn diff(paths: [&str; 2], old: &[u8], new: &[u8]) -> String {
    let [from, to] = paths;
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let (before, after) = (old.lines().count(), new.lines().count());
    if before + after > MOST_COMPARED {
        return format!(
            "--- a/{from}\n+++ b/{to}\n({before} existing lines, {after} rendered lines: too many to compare)\n"
        );
    }
    let diff = similar::TextDiff::from_lines(old.as_ref(), new.as_ref());
    diff.unified_diff()
        .header(&format!("a/{from}"), &format!("b/{to}"))
        .to_string()
}
