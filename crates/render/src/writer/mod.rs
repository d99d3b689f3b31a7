//! From memory to disk: all or nothing, and nothing made by hand is lost.
//!
//! In a tree of our own, a run takes the lock of its folder, looks at what is there, and writes the
//! manifest with what each file of ours is and becomes. Then it stages every file beside its place,
//! moves the staged files, removes what is to go, and writes the manifest anew. Wherever it is
//! killed, each file of ours is one that the manifest names, and the next run goes on from there.
//! In a checkout nothing is remembered: what is written was made from what lies there.

mod check;
mod difference;
mod disk;
mod error;
mod manifest;

use crate::tree::FileTree;
pub use check::check;
pub use difference::{Difference, DifferenceKind};
use difference::{by_hand, difference};
pub use disk::{Before, git_id, read, read_text};
use disk::{Disk, Lock, NEW_MODE, Old, Stage, check_folders, compare, io_at};
pub use error::WriteError;
pub use manifest::{MANIFEST, Manifest};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How to write.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// The folder is a checkout: what is written goes on from what lies there, and nothing is
    /// remembered of it.
    pub checkout: bool,
    /// Remove files of ours that are no longer rendered.
    pub prune: bool,
    /// The folders and files that this run speaks of; everything when empty.
    pub scope: Vec<String>,
    /// Files that hold what was found in them and more, so that replacing them loses nothing.
    pub merged: BTreeSet<String>,
    /// Files that are not rendered and belong here all the same: they are neither written nor
    /// removed.
    pub present: BTreeSet<String>,
    /// Files that are moved into place after all others: recipes. A run that is killed before
    /// leaves each recipe as it was, and the next run starts from it again.
    pub last: BTreeSet<String>,
}

impl WriteOptions {
    /// The manifest of an output; an empty one of a checkout.
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

    /// True for a file that may be replaced whatever is there.
    fn takes(&self, path: &str) -> bool {
        self.checkout || self.merged.contains(path)
    }
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files written.
    pub written: Vec<String>,
    /// How many were right already.
    pub unchanged: usize,
    /// Those of them that are not ours: no manifest names them, and they are not made ours without
    /// being asked.
    pub unowned: Vec<String>,
    /// Files of ours that are no longer rendered and still there.
    pub stale: Vec<String>,
    /// Files removed.
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
}

/// What a run has to do.
struct Plan<'t> {
    report: Report,
    due: Vec<Due<'t>>,
    removals: Vec<(String, PathBuf)>,
    /// The manifest as it will be.
    manifest: Manifest,
}

impl<'t> Plan<'t> {
    /// Compares a tree with what is there. A conflict that options do not settle is an error.
    fn new(
        tree: &'t FileTree,
        out: &Path,
        options: &WriteOptions,
        ours: &Manifest,
    ) -> Result<Self, WriteError> {
        let mut report = Report::default();
        let (mut due, mut removals, mut conflicts) = (Vec::new(), Vec::new(), Vec::new());
        let mut manifest = Manifest {
            unfinished: false,
            ..ours.clone()
        };
        let mut folders = BTreeSet::new();
        for (path, bytes) in tree {
            let path = path.as_str();
            let target = out.join(path);
            check_folders(out, path, &mut folders)?;
            let mut mode = NEW_MODE;
            match compare(&target, bytes)? {
                Old::Same => {
                    report.unchanged += 1;
                    if ours.has(path) || options.merged.contains(path) {
                        manifest.note(path, git_id(bytes));
                    } else if !options.checkout {
                        // Somebody made the same file, or the manifest is gone. Were it ours from
                        // now on, it could be pruned.
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
                    // What it was when it was ours stays known.
                    continue;
                }
                // People may have made a script of ours one that can be run.
                Old::Other(found) => mode = found.mode,
                Old::Absent => {}
            }
            manifest.note(path, git_id(bytes));
            due.push(Due {
                path,
                target,
                bytes,
                mode,
            });
        }
        for path in gone(tree, options, ours) {
            let target = out.join(path);
            match left(out, path, &mut folders)? {
                Old::Absent => {
                    manifest.files.remove(path);
                }
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

/// Files of ours that this rendering speaks of and does not hold.
fn gone<'m>(tree: &FileTree, options: &WriteOptions, ours: &'m Manifest) -> Vec<&'m str> {
    let ours = ours.files.keys().map(String::as_str);
    ours.filter(|p| {
        tree.get(p).is_none() && in_scope(p, &options.scope) && !options.present.contains(*p)
    })
    .collect()
}

/// Writes a tree under `out`.
///
/// # Errors
/// All conflicts at once, another run that holds the lock, or the first thing that the system
/// refuses. Everything is staged before the first file is replaced, so a conflict, a full disk or a
/// folder that can't be made leaves all files as they were; only a rename that fails half-way
/// leaves some new and some old, each of them whole, and the next run knows both as ours.
pub fn write(tree: &FileTree, out: &Path, options: &WriteOptions) -> Result<Report, WriteError> {
    write_through(&|_, _| Ok(()), tree, out, options)
}

/// The same as [`write`](fn@write), asking before each change of the folder: for tests of what
/// happens when a run is killed.
///
/// # Errors
/// As there.
pub fn write_through(
    before: Before,
    tree: &FileTree,
    out: &Path,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let disk = Disk(before);
    let place = out.join(MANIFEST);
    // Nothing is touched where nothing is to be done, or where something is in the way.
    let known = options.manifest(out)?;
    if !known.unfinished {
        let plan = Plan::new(tree, out, options, &known)?;
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
    let plan = Plan::new(tree, out, options, &ours)?;
    if plan.is_idle(&ours, options) {
        return Ok(plan.report);
    }
    if !options.checkout {
        ours.joined(&plan.manifest).write(disk)?;
    }
    made.move_all()?;
    let mut stage = Stage::new(disk);
    for d in &plan.due {
        // A run that was killed may have left it.
        disk.clear(&d.target)?;
        stage.put(&d.target, d.bytes, d.mode, false)?;
    }
    stage.move_all()?;
    let mut report = plan.report;
    report.written = plan.due.iter().map(|d| d.path.to_owned()).collect();
    report.written.sort_unstable();
    for (path, target) in plan.removals {
        disk.remove_file(&target).map_err(io_at(&target))?;
        // An empty folder of a removed package goes too; one that is not empty stays.
        disk.remove_empty(out, &target);
        report.removed.push(path);
    }
    if !options.checkout {
        plan.manifest.write(disk)?;
    }
    Ok(report)
}

/// What is left of a file of ours that is no longer rendered: nothing where something else than a
/// folder is on the way to it.
fn left(out: &Path, path: &str, folders: &mut BTreeSet<PathBuf>) -> Result<Old, WriteError> {
    match check_folders(out, path, folders) {
        Err(WriteError::NoFolder { .. }) => Ok(Old::Absent),
        checked => checked.and_then(|()| compare(&out.join(path), b"")),
    }
}
