//! From memory to disk: all or nothing, and nothing made by hand is lost.
//!
//! A run takes the lock of its folder, looks at what is there, writes the journal, stages every file beside its place, moves the
//! staged files, removes what is to go, and moves the manifest last. Before the first move, whatever fails leaves all as it was;
//! after it, and wherever a run is killed, the next run completes what the journal tells of (`known.rs`).

mod difference;
mod disk;
mod known;
mod lock;

use crate::tree::FileTree;
pub use difference::{Difference, DifferenceKind, check};
pub use disk::{Direct, Disk, MAX_READ, digest, read_text, read_whole};
use disk::{NEW_MODE, Old, Stage, compare, io_at, kind, plain_file, remove_empty};
use known::{Known, Manifest, NOT_OURS, is_ours, journal_text, manifest_text};
use lock::Lock;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The manifest's name, beside the output.
pub const MANIFEST: &str = ".rocpkg-manifest";
/// The name of the list of what a run is about to write; there only while it writes.
pub const JOURNAL: &str = ".rocpkg-journal";
/// The name of the file by which runs keep out of each other's way; there only while one writes.
pub const LOCK: &str = ".rocpkg-lock";

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
pub enum WriteError {
    /// Another run is at work.
    #[error("{}: {} writes to this folder; wait until it is done", out.display(), match holder { Some(id) => format!("process {id}"), None => "another rocpkg".to_owned() })]
    Busy {
        /// The output folder.
        out: PathBuf,
        /// The process that holds its lock, when that could be read.
        holder: Option<u32>,
    },
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
    /// Files that are there, where only new ones are written.
    #[error("there already, and not replaced:\n  {}", .0.join("\n  "))]
    Exists(Vec<String>),
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
            Self::Busy { .. } => "E0570",
            Self::NoFile { .. } | Self::NoFolder { .. } | Self::NoText { .. } => "E0571",
            Self::Link(_) => "E0572",
            Self::Conflicts(_) => "E0573",
            Self::Exists(_) => "E0574",
            Self::Io { .. } => "E0577",
        }
    }
}

/// The files under `out` that rocpkg wrote, by the manifest beside them.
///
/// # Errors
/// When the manifest can't be read.
pub fn written(out: &Path) -> Result<BTreeSet<String>, WriteError> {
    Ok(Known::read(out)?.healed.into_keys().collect())
}

/// Of our files under `out` that are asked for, those that are as we wrote them.
///
/// # Errors
/// When the manifest can't be read.
pub fn untouched(out: &Path, asked: impl Fn(&str) -> bool) -> Result<BTreeSet<String>, WriteError> {
    Ok(Known::read(out)?.untouched(out, asked))
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
    sum: String,
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
        let mut manifest = ours.clone();
        let mut folders = BTreeSet::new();
        for (path, bytes) in tree.iter() {
            let path = path.as_str();
            let target = out.join(path);
            check_folders(out, path, &mut folders)?;
            let mut mode = NEW_MODE;
            match compare(&target, bytes)? {
                Old::Same => {
                    report.unchanged += 1;
                    if !ours.contains_key(path) && !options.force {
                        // Somebody made the same file, or the manifest is gone. Were it ours from now on, it could be pruned.
                        if !options.merged.contains(path) {
                            report.unowned.push(path.to_owned());
                        }
                        continue;
                    }
                    manifest.insert(path.to_owned(), digest(bytes));
                    continue;
                }
                Old::Other { sum, empty, .. }
                    if !options.force
                        && !options.merged.contains(path)
                        && !is_ours(ours, path, &sum, empty) =>
                {
                    conflicts.push(path.to_owned());
                    // What it was when it was ours stays known.
                    continue;
                }
                // People may have made a script of ours one that can be run.
                Old::Other { mode: old, .. } => mode = old,
                Old::Absent => {}
            }
            let sum = digest(bytes);
            manifest.insert(path.to_owned(), sum.clone());
            due.push(Due { path, target, bytes, sum, mode });
        }
        for path in gone(tree, options, ours) {
            let target = out.join(path);
            match left(out, path, &mut folders)? {
                Old::Absent => {
                    manifest.remove(path);
                }
                _ if !options.prune => report.stale.push(path.to_owned()),
                Old::Other { sum, .. } if !options.force && !is_ours(ours, path, &sum, false) => {
                    conflicts.push(path.to_owned());
                }
                _ => {
                    manifest.remove(path);
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
    let rendered: BTreeSet<&str> = tree.iter().map(|(p, _)| p.as_str()).collect();
    let gone = ours.keys().map(String::as_str);
    gone.filter(|p| !rendered.contains(p) && in_scope(p, &options.scope) && !options.present.contains(*p))
        .collect()
}

/// Writes a tree under `out`.
///
/// # Errors
/// All conflicts at once, another run that holds the lock, or the first thing that the system refuses. Everything is staged before
/// the first file is replaced, so a conflict, a full disk or a folder that can't be made leaves all files as they were; only a
/// rename that fails half-way leaves some new and some old, each of them whole, and the next run knows both as ours.
pub fn write(tree: &FileTree, out: &Path, options: &WriteOptions) -> Result<Report, WriteError> {
    write_through(&Direct, tree, out, options)
}

/// The same as [`write`](fn@write), by a disk of the caller's: for tests of what happens when it fails.
///
/// # Errors
/// As there.
pub fn write_through(
    disk: &dyn Disk,
    tree: &FileTree,
    out: &Path,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    // Nothing is touched where nothing is to be done, or where something is in the way.
    if !is_unfinished(out)? {
        let known = Known::read(out)?;
        let plan = Plan::new(tree, out, options, &known.written)?;
        if plan.is_idle(&known.written) {
            return Ok(plan.report);
        }
    }
    let mut made = Stage::new(disk);
    disk::make_folders(disk, out, &mut made.made)?;
    let lock = Lock::take(disk, out)?;
    let result = write_locked(disk, tree, out, options);
    drop(lock);
    if result.is_ok() {
        made.made.clear();
    }
    result
}

fn write_locked(
    disk: &dyn Disk,
    tree: &FileTree,
    out: &Path,
    options: &WriteOptions,
) -> Result<Report, WriteError> {
    let ours = Known::recover(disk, out)?;
    let plan = Plan::new(tree, out, options, &ours)?;
    if plan.is_idle(&ours) {
        return Ok(plan.report);
    }
    let journal = Journal::new(disk, out, plan.due.iter().map(|d| (d.path, d.sum.as_str())))?;
    let mut stage = Stage::new(disk);
    for d in &plan.due {
        stage.put(&d.target, d.bytes, d.mode, false)?;
    }
    let (mut last, place) = (Stage::new(disk), out.join(MANIFEST));
    last.put(&place, manifest_text(&plan.manifest).as_bytes(), NEW_MODE, true)?;
    // From here on, the journal goes only when all is done.
    let journal = journal.begun();
    stage.move_all(false)?;
    let mut report = plan.report;
    report.written = plan.due.iter().map(|d| d.path.to_owned()).collect();
    for (path, target) in plan.removals {
        disk.remove_file(&target).map_err(io_at(&target))?;
        // An empty folder of a removed package goes too; one that is not empty stays.
        remove_empty(disk, out, &target);
        report.removed.push(path);
    }
    last.move_all(false)?;
    disk.remove_file(&journal).map_err(io_at(&journal))?;
    Ok(report)
}

/// The journal of a run; it goes again when the run moves nothing.
struct Journal<'d> {
    disk: &'d dyn Disk,
    path: Option<PathBuf>,
}

impl<'d> Journal<'d> {
    fn new<'a>(
        disk: &'d dyn Disk,
        out: &Path,
        due: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, WriteError> {
        let path = out.join(JOURNAL);
        plain_file(&path)?;
        let mut stage = Stage::new(disk);
        stage.put(&path, journal_text(due).as_bytes(), NEW_MODE, true)?;
        stage.move_all(false)?;
        Ok(Self { disk, path: Some(path) })
    }

    /// Where it stands, and now stays.
    fn begun(mut self) -> PathBuf {
        self.path.take().unwrap_or_default()
    }
}

impl Drop for Journal<'_> {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = self.disk.remove_file(path);
        }
    }
}

/// True when a run is at work, or ended before it was done.
fn is_unfinished(out: &Path) -> Result<bool, WriteError> {
    Ok(plain_file(&out.join(LOCK))?.is_some() || plain_file(&out.join(JOURNAL))?.is_some())
}

/// Writes new files under `out` and keeps no manifest of them: they are the user's from then on.
///
/// # Errors
/// All files that are there already and hold something else, or the first thing that the system refuses; nothing is written then.
pub fn create(tree: &FileTree, out: &Path) -> Result<(), WriteError> {
    create_through(&Direct, tree, out)
}

/// The same as [`create`], by a disk of the caller's: for tests of what happens when it fails.
///
/// # Errors
/// As there.
pub fn create_through(disk: &dyn Disk, tree: &FileTree, out: &Path) -> Result<(), WriteError> {
    let mut due = Vec::new();
    let (mut conflicts, mut folders) = (Vec::new(), BTreeSet::new());
    for (path, bytes) in tree.iter() {
        check_folders(out, path.as_str(), &mut folders)?;
        let target = out.join(path.as_str());
        match compare(&target, bytes)? {
            Old::Absent => due.push((path.as_str(), target, bytes)),
            // A run that was killed may have begun.
            Old::Same => {}
            Old::Other { .. } => conflicts.push(path.to_string()),
        }
    }
    if !conflicts.is_empty() {
        return Err(WriteError::Exists(conflicts));
    }
    if due.is_empty() && !is_unfinished(out)? {
        return Ok(());
    }
    let mut made = Stage::new(disk);
    disk::make_folders(disk, out, &mut made.made)?;
    let _lock = Lock::take(disk, out)?;
    Known::recover(disk, out)?;
    let mut stage = Stage::new(disk);
    let journal = Journal::new(disk, out, due.iter().map(|(path, ..)| (*path, NOT_OURS)))?;
    for (_, target, bytes) in &due {
        stage.put(target, bytes, NEW_MODE, false)?;
    }
    let moved = stage.move_all(true);
    // Where one could not be moved, the ones before it stay, and are taken for done by the next run.
    drop(journal);
    if moved.is_ok() {
        made.made.clear();
    }
    moved
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
