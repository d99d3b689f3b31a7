//! From memory to disk: all or nothing, and nothing made by hand is lost.

use crate::rendered::hex;
use crate::tree::{FileTree, RelPath};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The manifest's name, beside the output.
pub const MANIFEST: &str = ".rocpkg-manifest";
const HEADER: &str = "# rocpkg manifest 1: files written by rocpkg, and what they were";

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
    /// A folder on the way is a link that leads out.
    #[error("{}: a link on the way leads out of the output folder", .0.display())]
    Link(PathBuf),
}

/// How a file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The file.
    pub path: String,
    /// `missing`; `out of date` for a file as rocpkg wrote it, `edited by hand` for one changed since, `not written by rocpkg`;
    /// `stale` for one of ours that is no longer rendered.
    pub kind: &'static str,
    /// A unified diff from what is there to what would be written.
    pub diff: String,
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> WriteError + '_ {
    move |source| WriteError::Io { path: path.to_owned(), source }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    match fs::symlink_metadata(path) {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(io_at(path)(e)),
        Ok(m) if m.is_symlink() => Err(WriteError::Link(path.to_owned())),
        Ok(_) => fs::read(path).map(Some).map_err(io_at(path)),
    }
}

fn read_manifest(out: &Path) -> Result<BTreeMap<String, String>, WriteError> {
    let Some(bytes) = read(&out.join(MANIFEST))? else { return Ok(BTreeMap::new()) };
    Ok(String::from_utf8_lossy(&bytes)
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once("  "))
        // The manifest lies in the user's folder and may hold anything: a path that leads out is nobody's.
        .filter(|(_, path)| RelPath::new(*path).is_ok())
        .map(|(sum, path)| (path.to_owned(), sum.to_owned()))
        .collect())
}

/// The files under `out` that rocpkg wrote, by the manifest beside them.
///
/// # Errors
/// When the manifest can't be read.
pub fn written(out: &Path) -> Result<BTreeSet<String>, WriteError> {
    Ok(read_manifest(out)?.into_keys().collect())
}

fn in_scope(path: &str, scope: &[String]) -> bool {
    scope.is_empty()
        || scope
            .iter()
            .any(|s| path == s || path.strip_prefix(s.as_str()).is_some_and(|rest| rest.starts_with('/')))
}

/// Writes a tree under `out`.
///
/// # Errors
/// All conflicts at once, or the first thing that the system refuses. Everything is staged before the first file is
/// replaced, so a conflict, a full disk or a folder that can't be made leaves all files as they were; only a rename
/// that fails half-way leaves some new and some old, each of them whole.
pub fn write(tree: &FileTree, out: &Path, options: &WriteOptions) -> Result<Report, WriteError> {
    let mut manifest = read_manifest(out)?;
    let mut report = Report::default();
    let mut conflicts = Vec::new();
    let mut due = Vec::new();
    for (path, bytes) in tree.iter() {
        let target = out.join(path.as_str());
        check_links(out, path.as_str())?;
        let sum = digest(bytes);
        match read(&target)? {
            Some(old) if old == bytes => {
                report.unchanged += 1;
            }
            Some(old)
                if !options.force
                    && !options.merged.contains(path.as_str())
                    && manifest.get(path.as_str()) != Some(&digest(&old)) =>
            {
                conflicts.push(path.to_string());
                // What it was when it was ours stays known.
                continue;
            }
            _ => due.push((path.to_string(), target, bytes)),
        }
        manifest.insert(path.to_string(), sum);
    }
    let rendered: BTreeSet<&str> = tree.iter().map(|(p, _)| p.as_str()).collect();
    let gone: Vec<String> = manifest
        .keys()
        .filter(|p| {
            !rendered.contains(p.as_str()) && in_scope(p, &options.scope) && !options.present.contains(*p)
        })
        .cloned()
        .collect();
    let mut removals = Vec::new();
    for path in gone {
        let target = out.join(&path);
        check_links(out, &path)?;
        match read(&target)? {
            None => {
                manifest.remove(&path);
            }
            Some(old) if options.prune && (options.force || manifest.get(&path) == Some(&digest(&old))) => {
                removals.push((path, target));
            }
            Some(_) if options.prune => conflicts.push(path),
            Some(_) => report.stale.push(path),
        }
    }
    conflicts.sort();
    if options.keep {
        report.kept = conflicts;
    } else if !conflicts.is_empty() {
        return Err(WriteError::Conflicts(conflicts));
    }
    for (path, _) in &removals {
        manifest.remove(path);
    }
    // Everything is staged beside its place before the first file is replaced, so a full disk leaves the old tree.
    let mut staged = Vec::new();
    for (path, target, bytes) in due {
        staged.push((stage(&target, bytes)?, target));
        report.written.push(path);
    }
    let mut text = format!("{HEADER}\n");
    for (path, sum) in &manifest {
        text.push_str(&format!("{sum}  {path}\n"));
    }
    let place = out.join(MANIFEST);
    if read(&place)?.as_deref() != Some(text.as_bytes()) {
        staged.push((stage(&place, text.as_bytes())?, place));
    }
    // The manifest comes last of the staged files: until then the old one still tells what is ours.
    for (file, target) in staged {
        file.persist(&target).map_err(|e| WriteError::Io { path: target.clone(), source: e.error })?;
    }
    for (path, target) in removals {
        fs::remove_file(&target).map_err(io_at(&target))?;
        // An empty folder of a removed package goes too; one that is not empty stays.
        if let Some(folder) = target.parent() {
            let _ = fs::remove_dir(folder);
        }
        report.removed.push(path);
    }
    Ok(report)
}

/// Writes new files under `out` and keeps no manifest of them: they are the user's from then on.
///
/// # Errors
/// All files that are there already, or the first thing that the system refuses; nothing is written then.
pub fn create(tree: &FileTree, out: &Path) -> Result<(), WriteError> {
    let mut conflicts = Vec::new();
    for (path, _) in tree.iter() {
        check_links(out, path.as_str())?;
        if read(&out.join(path.as_str()))?.is_some() {
            conflicts.push(path.to_string());
        }
    }
    if !conflicts.is_empty() {
        return Err(WriteError::Exists(conflicts));
    }
    let mut staged = Vec::new();
    for (path, bytes) in tree.iter() {
        let target = out.join(path.as_str());
        staged.push((stage(&target, bytes)?, target));
    }
    for (file, target) in staged {
        file.persist_noclobber(&target)
            .map_err(|e| WriteError::Io { path: target.clone(), source: e.error })?;
    }
    Ok(())
}

fn stage(target: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, WriteError> {
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(io_at(folder))?;
    let mut file = tempfile::Builder::new().prefix(".rocpkg-").tempfile_in(folder).map_err(io_at(folder))?;
    file.write_all(bytes).map_err(io_at(target))?;
    set_mode(file.path()).map_err(io_at(target))?;
    Ok(file)
}

/// A temporary file is private; what people commit is readable by all.
#[cfg(unix)]
fn set_mode(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_mode(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A folder between `out` and the file that is a link could lead anywhere.
fn check_links(out: &Path, path: &str) -> Result<(), WriteError> {
    let mut at = out.to_owned();
    for part in path.split('/') {
        if fs::symlink_metadata(&at).is_ok_and(|m| m.is_symlink()) && at != out {
            return Err(WriteError::Link(at));
        }
        at.push(part);
    }
    Ok(())
}

/// What `write` would change, without writing.
///
/// # Errors
/// When a file can't be read.
pub fn check(tree: &FileTree, out: &Path, options: &WriteOptions) -> Result<Vec<Difference>, WriteError> {
    let manifest = read_manifest(out)?;
    let mut all = Vec::new();
    for (path, bytes) in tree.iter() {
        check_links(out, path.as_str())?;
        let old = read(&out.join(path.as_str()))?;
        if old.as_deref() == Some(bytes) {
            continue;
        }
        let kind = match (&old, manifest.get(path.as_str())) {
            (None, _) => "missing",
            (Some(_), None) => "not written by rocpkg",
            (Some(old), Some(was)) if digest(old) == *was => "out of date",
            (Some(_), Some(_)) if options.merged.contains(path.as_str()) => "out of date",
            (Some(_), Some(_)) => "edited by hand",
        };
        all.push(difference(path.as_str(), kind, &old.unwrap_or_default(), bytes));
    }
    let rendered: BTreeSet<&str> = tree.iter().map(|(p, _)| p.as_str()).collect();
    let gone = manifest.keys().filter(|p| !rendered.contains(p.as_str()) && in_scope(p, &options.scope));
    for path in gone.filter(|p| !options.present.contains(*p)) {
        check_links(out, path)?;
        if let Some(old) = read(&out.join(path))? {
            all.push(difference(path, "stale", &old, b""));
        }
    }
    Ok(all)
}

fn difference(path: &str, kind: &'static str, old: &[u8], new: &[u8]) -> Difference {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = similar::TextDiff::from_lines(old.as_ref(), new.as_ref());
    let text = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string();
    Difference { path: path.to_owned(), kind, diff: text }
}
