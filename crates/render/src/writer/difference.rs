//! What is there beside what is rendered, and how it differs.

use super::disk::{MAX_READ, Old, compare, plain_file, read};
use super::known::{Known, is_ours};
use super::{WriteError, WriteOptions, check_folders, gone, left};
use crate::tree::FileTree;
use DifferenceKind as Kind;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

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
    fn is_by_hand(self) -> bool {
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
    /// True when a run with these options leaves the file as it is.
    pub fn is_kept(&self, options: &WriteOptions) -> bool {
        options.keep && !options.force && self.kind.is_by_hand()
    }
}

/// What `write` would change, without writing.
///
/// # Errors
/// When a file can't be read.
pub fn check(tree: &FileTree, out: &Path, options: &WriteOptions) -> Result<Vec<Difference>, WriteError> {
    let manifest = Known::read(out)?.healed;
    let mut folders = BTreeSet::new();
    let mut all = Vec::new();
    for (path, bytes) in tree.iter() {
        let path = path.as_str();
        check_folders(out, path, &mut folders)?;
        let kind = match compare(&out.join(path), bytes)? {
            Old::Same => continue,
            Old::Absent => Kind::Missing,
            Old::Other { .. } if options.merged.contains(path) => Kind::OutOfDate,
            Old::Other { .. } if !manifest.contains_key(path) => Kind::Foreign,
            Old::Other { sum, empty, .. } if is_ours(&manifest, path, &sum, empty) => Kind::OutOfDate,
            Old::Other { .. } => Kind::Edited,
        };
        all.push(difference(path, kind, &shown(&out.join(path))?, bytes));
    }
    for path in gone(tree, options, &manifest) {
        let kind = match left(out, path, &mut folders)? {
            Old::Absent => continue,
            Old::Other { sum, .. } if !is_ours(&manifest, path, &sum, false) => Kind::StaleEdited,
            _ => Kind::Stale,
        };
        all.push(difference(path, kind, &shown(&out.join(path))?, b""));
    }
    Ok(all)
}

/// A file for a diff; of one that nobody would read, its size.
fn shown(path: &Path) -> Result<Vec<u8>, WriteError> {
    match plain_file(path)? {
        Some(meta) if meta.len() > MAX_READ => Ok(format!("({} bytes)\n", meta.len()).into_bytes()),
        _ => Ok(read(path)?.unwrap_or_default()),
    }
}

/// So many lines of two files are compared: it takes their square where the files have nothing in common.
const MOST_COMPARED: usize = 5_000;

fn difference(path: &str, kind: Kind, old: &[u8], new: &[u8]) -> Difference {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let (before, after) = (old.lines().count(), new.lines().count());
    if before + after > MOST_COMPARED {
        let diff = format!(
            "--- a/{path}\n+++ b/{path}\n({before} lines there, {after} rendered: too many to compare)\n"
        );
        return Difference { path: path.to_owned(), kind, diff };
    }
    let diff = similar::TextDiff::from_lines(old.as_ref(), new.as_ref());
    let text = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string();
    Difference { path: path.to_owned(), kind, diff: text }
}
