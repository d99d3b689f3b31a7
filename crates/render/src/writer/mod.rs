//! From memory to disk: all or nothing, and nothing made by hand is lost.
//!
//! A run takes the lock of its folder, looks at what is there, and writes the manifest with what each file of ours is and becomes.
//! Then it stages every file beside its place, moves the staged files, removes what is to go, and writes the manifest anew. Wherever
//! it is killed, each file of ours is one that the manifest names, and the next run goes on from there.

mod difference;
mod disk;
mod manifest;

use crate::tree::FileTree;
pub use difference::{Difference, DifferenceKind, check};
pub use disk::{Before, read};
use disk::{Disk, Lock, NEW_MODE, Old, Stage, compare, digest, io_at, kind};
use manifest::Manifest;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The manifest's name, beside the output.
pub const MANIFEST: &str = ".rocpkg-manifest";

/// How to write.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Replace files that were changed by hand or are not ours.
    pub force: bool,
    /// Leave such files as they are, and write the others.
    pub keep: bool,
    /// Remove files of ours that are no longer rendered.
    pub prune: bool,
    /// The folders and files that this run speaks of; everything when empty.
    pub scope: Vec<String>,
    /// Files that hold what was found in them and more, so that replacing them loses nothing.
    pub merged: BTreeSet<String>,
    /// Files that are not rendered and belong here all the same: they are neither written nor removed.
    pub present: BTreeSet<String>,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files written.
    pub written: Vec<String>,
    /// How many were right already.
    pub unchanged: usize,
    /// Those of them that are not ours: no manifest names them, and they are not made ours without being asked.
    pub unowned: Vec<String>,
    /// Files of ours that are no longer rendered and still there.
    pub stale: Vec<String>,
    /// Files removed.
    pub removed: Vec<String>,
    /// Files changed by hand or not ours that were left as they are.
    pub kept: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Another run is at work.
    #[error("{}: another rocpkg writes to this folder; wait until it is done", .0.display())]
    Busy(PathBuf),
    /// There is something that is no plain file, where one is due.
    #[error("{}: {what} stands where a plain file is due", path.display())]
    NoFile {
        /// Where.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// There is something else where a folder is due.
    #[error("{}: {what} stands where a folder is due", path.display())]
    NoFolder {
        /// Where.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// A file that is read as text is none.
    #[error("{}: no text, since {source}", path.display())]
    NoText {
        /// Which.
        path: PathBuf,
        /// The first byte that can't be read.
        source: std::str::Utf8Error,
    },
    /// A link stands where a file is due, or on the way to it.
    #[error("{}: a link stands where a file is due, or on the way to it, and could lead out of the folder", .0.display())]
    Link(PathBuf),
    /// Files that were changed by hand or are not ours.
    #[error("not overwritten, since changed by hand or not written by rocpkg (--force replaces them, --keep leaves them and writes the others):\n  {}", .0.join("\n  "))]
    Conflicts(Vec<String>),
    /// The system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl WriteError {
    /// Its stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy(_) => "E0570",
            Self::NoFile { .. } | Self::NoFolder { .. } | Self::NoText { .. } => "E0571",
            Self::Link(_) => "E0572",
            Self::Conflicts(_) => "E0573",
            Self::Io { .. } => "E0577",
        }
    }
}

/// The text of a plain file; none where there is nothing.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>, WriteError> {
    let text = |bytes| {
        String::from_utf8(bytes)
            .map_err(|e| WriteError::NoText { path: path.to_owned(), source: e.utf8_error() })
    };
    read(path)?.map(text).transpose()
}

/// The files under `out` that rocpkg wrote, by the manifest beside them.
///
/// # Errors
/// When the manifest can't be read.
pub fn written(out: &Path) -> Result<BTreeSet<String>, WriteError> {
    Ok(Manifest::read(out)?.files.into_keys().collect())
}

/// Of our files under `out` that are asked for, those that are as we wrote them.
///
/// # Errors
/// When the manifest can't be read.
pub fn untouched(out: &Path, asked: impl Fn(&str) -> bool) -> Result<BTreeSet<String>, WriteError> {
    Ok(Manifest::read(out)?.untouched(out, asked))
}

fn in_scope(path: &str, scope: &[String]) -> bool {
    scope.is_empty()
        || scope
            .iter()
            .any(|s| path == s || path.strip_prefix(s.as_str()).is_some_and(|rest| rest.starts_with('/')))
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
        let mut manifest = Manifest { unfinished: false, ..ours.clone() };
        let mut folders = BTreeSet::new();
        for (path, bytes) in tree.iter() {
            let path = path.as_str();
            let target = out.join(path);
            check_folders(out, path, &mut folders)?;
            let mut mode = NEW_MODE;
            match compare(&target, bytes)? {
                Old::Same => {
                    report.unchanged += 1;
                    if !ours.has(path) && !options.force {
                        // Somebody made the same file, or the manifest is gone. Were it ours from now on, it could be pruned.
                        if !options.merged.contains(path) {
                            report.unowned.push(path.to_owned());
                        }
                        continue;
                    }
                    manifest.files.insert(path.to_owned(), [digest(bytes)].into());
                    continue;
                }
                Old::Other(found)
                    if !options.force && !options.merged.contains(path) && !ours.is_ours(path, &found) =>
                {
                    conflicts.push(path.to_owned());
                    // What it was when it was ours stays known.
                    continue;
                }
                // People may have made a script of ours one that can be run.
                Old::Other(found) => mode = found.mode,
                Old::Absent => {}
            }
            manifest.files.insert(path.to_owned(), [digest(bytes)].into());
            due.push(Due { path, target, bytes, mode });
        }
        for path in gone(tree, options, ours) {
            let target = out.join(path);
            match left(out, path, &mut folders)? {
                Old::Absent => {
                    manifest.files.remove(path);
                }
                _ if !options.prune => report.stale.push(path.to_owned()),
                Old::Other(found) if !options.force && !ours.is_ours(path, &found) => {
                    conflicts.push(path.to_owned());
                }
                _ => {
                    manifest.files.remove(path);
                    removals.push((path.to_owned(), target));
                }
            }
        }
        conflicts.sort();
        if options.keep {
            report.kept = conflicts;
        } else if !conflicts.is_empty() {
            return Err(WriteError::Conflicts(conflicts));
        }
        Ok(Self { report, due, removals, manifest })
    }

    fn is_idle(&self, written: &Manifest) -> bool {
        self.due.is_empty() && self.removals.is_empty() && self.manifest == *written
    }
}

/// Files of ours that this rendering speaks of and does not hold.
fn gone<'m>(tree: &FileTree, options: &WriteOptions, ours: &'m Manifest) -> Vec<&'m str> {
    let ours = ours.files.keys().map(String::as_str);
    ours.filter(|p| tree.get(p).is_none() && in_scope(p, &options.scope) && !options.present.contains(*p))
        .collect()
}

/// Writes a tree under `out`.
///
/// # Errors
/// All conflicts at once, another run that holds the lock, or the first thing that the system refuses. Everything is staged before
/// the first file is replaced, so a conflict, a full disk or a folder that can't be made leaves all files as they were; only a
/// rename that fails half-way leaves some new and some old, each of them whole, and the next run knows both as ours.
pub fn write(tree: &FileTree, out: &Path, options: &WriteOptions) -> Result<Report, WriteError> {
    write_through(&|_, _| Ok(()), tree, out, options)
}

/// The same as [`write`](fn@write), asking before each change of the folder: for tests of what happens when a run is killed.
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
    // Nothing is touched where nothing is to be done, or where something is in the way.
    let known = Manifest::read(out)?;
    if !known.unfinished {
        let plan = Plan::new(tree, out, options, &known)?;
        if plan.is_idle(&known) {
            return Ok(plan.report);
        }
    }
    let mut made = Stage::new(disk);
    made.folder(out)?;
    let _lock = Lock::take(out)?;
    let ours = Manifest::recover(disk, out)?;
    let plan = Plan::new(tree, out, options, &ours)?;
    if plan.is_idle(&ours) {
        return Ok(plan.report);
    }
    ours.joined(&plan.manifest).write(disk, out)?;
    made.move_all()?;
    let mut stage = Stage::new(disk);
    for d in &plan.due {
        stage.put(&d.target, d.bytes, d.mode, false)?;
    }
    stage.move_all()?;
    let mut report = plan.report;
    report.written = plan.due.iter().map(|d| d.path.to_owned()).collect();
    for (path, target) in plan.removals {
        disk.remove_file(&target).map_err(io_at(&target))?;
        // An empty folder of a removed package goes too; one that is not empty stays.
        disk.remove_empty(out, &target);
        report.removed.push(path);
    }
    plan.manifest.write(disk, out)?;
    Ok(report)
}

/// A folder between `out` and the file that is a link could lead anywhere. `seen` holds those that are folders.
fn check_folders(out: &Path, path: &str, seen: &mut BTreeSet<PathBuf>) -> Result<(), WriteError> {
    let mut at = out.to_owned();
    let Some((folder, _)) = path.rsplit_once('/') else { return Ok(()) };
    for part in folder.split('/') {
        at.push(part);
        if seen.contains(&at) {
            continue;
        }
        match std::fs::symlink_metadata(&at) {
            Ok(m) if m.is_symlink() => return Err(WriteError::Link(at)),
            Ok(m) if !m.is_dir() => return Err(WriteError::NoFolder { path: at, what: kind(&m) }),
            Ok(_) => {}
            // Where nothing is, nothing is below it.
            Err(_) => return Ok(()),
        }
        seen.insert(at.clone());
    }
    Ok(())
}

/// What is left of a file of ours that is no longer rendered: nothing where something else than a folder is on the way to it.
fn left(out: &Path, path: &str, folders: &mut BTreeSet<PathBuf>) -> Result<Old, WriteError> {
    match check_folders(out, path, folders) {
        Err(WriteError::NoFolder { .. }) => Ok(Old::Absent),
        checked => checked.and_then(|()| compare(&out.join(path), b"")),
    }
}
