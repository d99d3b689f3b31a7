//! Writes rendered files to the disk: all of them or none, and without losing manual edits.
//!
//! In an output folder with a manifest, a run takes these steps:
//!
//! - It takes the lock of the folder and compares the existing files.
//! - It writes a manifest that lists the old and the new content of each of rocpkg's files.
//! - It stages every file outside of what people commit, and moves the staged files into place.
//! - It removes files that are no longer rendered.
//! - It writes the final manifest.
//!
//! If a run is killed at any point, the manifest lists the content of each file, and the next run
//! continues from there. In a checkout no manifest is written, because files are rendered from the
//! existing recipes.

mod check;
mod difference;
mod disk;
mod error;
mod manifest;
mod staging;

use crate::tree::FileTree;
pub use check::check;
pub use difference::{Difference, DifferenceKind};
use difference::{by_hand, difference};
pub use disk::{Before, git_id, read, read_text};
use disk::{Disk, Lock, NEW_MODE, Old, Stage, check_folders, compare, io_at};
pub use error::WriteError;
pub use manifest::{MANIFEST, Manifest};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The options of the writer.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Set if the folder is a checkout. Files are then rendered from the existing ones, and no
    /// manifest is written.
    pub checkout: bool,
    /// Set if files that rocpkg wrote and no longer renders are to be removed.
    pub prune: bool,
    /// The folders and files from which this run may remove files that are no longer rendered. If
    /// the list is empty, it may remove them anywhere.
    pub scope: Vec<String>,
    /// Rendered files that contain everything that the existing file contains, so that replacing
    /// the existing file loses nothing.
    pub merged: BTreeSet<String>,
    /// Files that belong to the output but are not rendered, such as patches that the user put
    /// beside the recipes. They are neither written nor removed.
    pub present: BTreeSet<String>,
    /// Files to remove, whoever wrote them: patches that no recipe of their folder applies any
    /// more.
    pub removed: BTreeSet<String>,
    /// Files that are moved into place after all others: recipes. If a run is killed before that,
    /// each recipe is unchanged, and the next run starts from it again.
    pub last: BTreeSet<String>,
    /// The contents of existing files when they were read, by path: git's ids of them, or none for
    /// a path without a file. If one of these files is different now and would be replaced or
    /// removed, nothing is written.
    pub read: BTreeMap<String, Option<String>>,
}

impl WriteOptions {
    /// Returns the manifest of an output folder. In a checkout it is empty.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn manifest(&self, out: &Path) -> Result<Manifest, WriteError> {
        if self.checkout {
            Ok(Manifest::default())
        } else {
            Manifest::read(&out.join(MANIFEST))
        }
    }

    /// Returns true if a file may be replaced whatever it contains.
    fn takes(&self, path: &str) -> bool {
        self.checkout || self.merged.contains(path)
    }

    /// Returns true if the file at `path` was read, and its content was another one than that with
    /// git's id `id`.
    fn is_changed(&self, path: &str, id: Option<&str>) -> bool {
        self.read
            .get(path)
            .is_some_and(|known| known.as_deref() != id)
    }
}

/// The files that the writer wrote, removed or left as they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The files that were written.
    pub written: Vec<String>,
    /// The number of files that were up to date.
    pub unchanged: usize,
    /// The up-to-date files that the manifest does not list. They are added to it only if they are
    /// in [`WriteOptions::merged`].
    pub unowned: Vec<String>,
    /// The files that rocpkg wrote, no longer renders, and did not remove.
    pub stale: Vec<String>,
    /// The files that were removed.
    pub removed: Vec<String>,
}

fn in_scope(path: &str, scope: &[String]) -> bool {
    scope.is_empty()
        || scope.iter().any(|s| {
            path == s
                || path
                    .strip_prefix(s.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        })
}

/// A file that is to be written.
struct Due<'t> {
    path: &'t str,
    target: PathBuf,
    bytes: &'t [u8],
    mode: u32,
    /// Git's id of the existing content; none if the file is new.
    old: Option<String>,
}

impl Due<'_> {
    /// Returns an error if the existing file changed since it was compared.
    fn check(&self) -> Result<(), WriteError> {
        let now = match compare(&self.target, self.bytes)? {
            Old::Same => return Ok(()),
            Old::Absent => None,
            Old::Other(found) => Some(found.sum),
        };
        if now == self.old {
            Ok(())
        } else {
            Err(WriteError::Changed(vec![self.path.to_owned()]))
        }
    }
}

/// The changes that a run has to make.
struct WritePlan<'t> {
    report: Report,
    due: Vec<Due<'t>>,
    removals: Vec<(String, PathBuf)>,
    manifest: Manifest,
}

impl<'t> WritePlan<'t> {
    /// Compares `tree` with the existing files below `out`. `ours` is the manifest. If `options`
    /// don't allow to replace or remove a file that rocpkg did not write, or that was edited since,
    /// the result is an error with all of these conflicts.
    fn new(
        tree: &'t FileTree,
        out: &Path,
        options: &WriteOptions,
        ours: &Manifest,
    ) -> Result<Self, WriteError> {
        let mut report = Report::default();
        let (mut due, mut removals, mut conflicts) = (Vec::new(), Vec::new(), Vec::new());
        let mut changed = Vec::new();
        let mut manifest = Manifest {
            unfinished: false,
            ..ours.clone()
        };
        let mut folders = BTreeSet::new();
        for (path, bytes) in tree {
            let path = path.as_str();
            let target = out.join(path);
            check_folders(out, path, &mut folders)?;
            let (mut mode, mut old) = (NEW_MODE, None);
            match compare(&target, bytes)? {
                Old::Same => {
                    report.unchanged += 1;
                    if ours.has(path) || options.merged.contains(path) {
                        manifest.note(path, git_id(bytes));
                    } else if !options.checkout {
                        // Somebody made the same file, or the manifest is gone. If the manifest
                        // listed the file from now on, the file could be pruned.
                        report.unowned.push(path.to_owned());
                    }
                    continue;
                }
                Old::Other(found) if !options.takes(path) && !ours.is_ours(path, &found) => {
                    conflicts.push(difference(
                        path,
                        by_hand(ours.has(path)),
                        &found.bytes,
                        bytes,
                    ));
                    // The ids in the manifest are kept.
                    continue;
                }
                // The mode is kept, because people may have made a script executable.
                Old::Other(found) => (mode, old) = (found.mode, Some(found.sum)),
                Old::Absent => {}
            }
            if options.is_changed(path, old.as_deref()) {
                changed.push(path.to_owned());
                continue;
            }
            manifest.note(path, git_id(bytes));
            due.push(Due {
                path,
                target,
                bytes,
                mode,
                old,
            });
        }
        for path in gone(tree, options, ours) {
            let target = out.join(path);
            match left(out, path, &mut folders)? {
                Old::Absent => {
                    manifest.files.remove(path);
                }
                Old::Other(found)
                    if options.removed.contains(path)
                        && options.is_changed(path, Some(&found.sum)) =>
                {
                    changed.push(path.to_owned());
                }
                _ if options.removed.contains(path) => removals.push((path.to_owned(), target)),
                _ if !options.prune => report.stale.push(path.to_owned()),
                Old::Other(found) if !ours.is_ours(path, &found) => {
                    conflicts.push(difference(
                        path,
                        DifferenceKind::StaleEdited,
                        &found.bytes,
                        b"",
                    ));
                }
                _ => {
                    manifest.files.remove(path);
                    removals.push((path.to_owned(), target));
                }
            }
        }
        due.sort_by_key(|due: &Due| options.last.contains(due.path));
        conflicts.sort_by(|a, b| a.path.cmp(&b.path));
        if !changed.is_empty() {
            return Err(WriteError::Changed(changed));
        }
        if !conflicts.is_empty() {
            return Err(WriteError::Conflicts(conflicts));
        }
        Ok(Self {
            report,
            due,
            removals,
            manifest,
        })
    }

    fn is_idle(&self, written: &Manifest, options: &WriteOptions) -> bool {
        let is_noted = options.checkout || self.manifest == *written;
        self.due.is_empty() && self.removals.is_empty() && is_noted
    }
}

/// Returns the files of the manifest `ours` that are in the scope of `options` and no longer
/// rendered, and the files that `options` remove.
fn gone<'m>(tree: &FileTree, options: &'m WriteOptions, ours: &'m Manifest) -> Vec<&'m str> {
    let ours = ours.files.keys().map(String::as_str);
    let stale = ours.filter(|p| {
        tree.get(p).is_none() && in_scope(p, &options.scope) && !options.present.contains(*p)
    });
    let removed = options.removed.iter().map(String::as_str);
    let all: BTreeSet<&str> = stale.chain(removed).collect();
    all.into_iter().collect()
}

/// Writes the files of `tree` below the folder `out`.
///
/// # Errors
/// All conflicts together, another run that holds the lock, or the first operation that the system
/// refuses. Everything is staged before the first file is replaced. So a conflict, a full disk or a
/// folder that can't be made leaves all files unchanged. Only a rename that fails half-way leaves
/// some new and some old files. Each of these files is complete, and the next run recognizes them.
/// The same holds for a file that another program changes while files are moved: it stays.
pub fn write(tree: &FileTree, out: &Path, options: &WriteOptions) -> Result<Report, WriteError> {
    write_through(&|_, _| Ok(()), tree, out, options)
}

/// Writes a tree like [`write`](fn@write), and calls `before` before each change of the folder. It
/// is for tests of killed runs.
///
/// # Errors
/// The same as those of [`write`](fn@write), and errors of `before`.
pub fn write_through(
    before: Before,
    tree: &FileTree,
    out: &Path,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let disk = Disk(before);
    let place = out.join(MANIFEST);
    // Nothing is changed if no change is due, or if there is a conflict.
    let known = options.manifest(out)?;
    if !known.unfinished {
        let plan = WritePlan::new(tree, out, options, &known)?;
        if plan.is_idle(&known, options) {
            return Ok(plan.report);
        }
    }
    let mut made = Stage::new(disk);
    made.folder(out)?;
    let _lock = Lock::take(out)?;
    let ours = if options.checkout {
        known
    } else {
        Manifest::recover(disk, out, &place)?
    };
    let plan = WritePlan::new(tree, out, options, &ours)?;
    if plan.is_idle(&ours, options) {
        return Ok(plan.report);
    }
    if !options.checkout {
        ours.joined(&plan.manifest).write(disk)?;
    }
    made.move_all(|_| Ok(()))?;
    let mut stage = Stage::new(disk);
    for d in &plan.due {
        // A killed run may have left a staged file.
        disk.clear(&d.target)?;
        stage.put(&d.target, d.bytes, d.mode, false)?;
    }
    stage.move_all(|at| plan.due[at].check())?;
    let mut report = plan.report;
    report.written = plan.due.iter().map(|d| d.path.to_owned()).collect();
    report.written.sort_unstable();
    for (path, target) in plan.removals {
        disk.remove_file(&target).map_err(io_at(&target))?;
        // An empty folder of a removed package is removed too.
        disk.remove_empty(out, &target);
        report.removed.push(path);
    }
    if !options.checkout {
        plan.manifest.write(disk)?;
    }
    Ok(report)
}

/// Compares the file at `path`, which is no longer rendered, with an empty file. The file counts as
/// absent if something else than a folder is on its path. `folders` caches the folders that were
/// checked.
fn left(out: &Path, path: &str, folders: &mut BTreeSet<PathBuf>) -> Result<Old, WriteError> {
    match check_folders(out, path, folders) {
        Err(WriteError::NoFolder { .. }) => Ok(Old::Absent),
        checked => checked.and_then(|()| compare(&out.join(path), b"")),
    }
}
