//! Compares the existing files with the rendered ones.

use super::difference::{Difference, DifferenceKind as Kind, by_hand, difference};
use super::disk::{Old, Other, check_folders, compare};
use super::error::WriteError;
use super::{WriteOptions, gone, left};
use crate::tree::FileTree;
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the differences between the rendered files and the existing ones, without writing.
/// [`write`](fn@super::write) settles some of them, and refuses those that
/// [`DifferenceKind::is_by_hand`](super::DifferenceKind::is_by_hand) is true for.
///
/// # Errors
/// When a file can't be read.
pub fn check(
    tree: &FileTree,
    out: &Path,
    options: &WriteOptions,
) -> Result<Vec<Difference>, WriteError> {
    let manifest = options.manifest(out)?;
    let mut folders = BTreeSet::new();
    let mut all = Vec::new();
    for (path, bytes) in tree {
        let path = path.as_str();
        check_folders(out, path, &mut folders)?;
        match compare(&out.join(path), bytes)? {
            Old::Same => {}
            Old::Absent => all.push(difference(path, Kind::Missing, b"", bytes)),
            Old::Other(found) => {
                let ours = options.takes(path) || manifest.is_ours(path, &found);
                let kind = if ours {
                    Kind::OutOfDate
                } else {
                    by_hand(manifest.has(path))
                };
                all.push(difference(path, kind, &found.bytes, bytes));
            }
        }
    }
    for path in gone(tree, options, &manifest) {
        let (kind, old) = match left(out, path, &mut folders)? {
            Old::Absent => continue,
            Old::Other(found)
                if !manifest.is_ours(path, &found) && !options.removed.contains(path) =>
            {
                (Kind::StaleEdited, found.bytes)
            }
            Old::Other(Other { bytes, .. }) => (Kind::Stale, bytes),
            Old::Same => (Kind::Stale, Vec::new()),
        };
        all.push(difference(path, kind, &old, b""));
    }
    Ok(all)
}
