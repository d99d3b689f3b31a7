//! The operations by which the writer reads and changes a folder.

use super::error::WriteError;
use super::staging::staging;
use crate::rendered::hex;
use sha1::{Digest, Sha1};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A function that is called before each change of a folder, with the kind of the change and its
/// path. An error ends the run at that point, so that tests can simulate a killed run.
pub type Before<'a> = &'a dyn Fn(&'static str, &Path) -> io::Result<()>;

/// The operations that change a folder. The function in it is called before each change.
#[derive(Clone, Copy)]
pub(super) struct Disk<'a>(pub(super) Before<'a>);

impl Disk<'_> {
    fn make_folder(self, path: &Path) -> io::Result<()> {
        (self.0)("make a folder", path)?;
        fs::create_dir(path)
    }

    /// Makes a new file with the permission bits `mode`. With `sync`, the file is flushed to the
    /// disk, so that it outlives a power cut.
    fn create(self, path: &Path, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
        (self.0)("create", path)?;
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        set_mode(&file, mode)?;
        // Flushing each file would take as long as the rest of a run, so only the manifest is
        // flushed.
        if sync { file.sync_all() } else { Ok(()) }
    }

    fn rename(self, from: &Path, to: &Path) -> io::Result<()> {
        (self.0)("rename", to)?;
        fs::rename(from, to)
    }

    pub(super) fn remove_file(self, path: &Path) -> io::Result<()> {
        (self.0)("remove", path)?;
        fs::remove_file(path)
    }

    fn remove_folder(self, path: &Path) -> io::Result<()> {
        (self.0)("remove a folder", path)?;
        fs::remove_dir(path)
    }

    /// Makes a folder and its parents. The folders that did not exist are added to `made`, the
    /// highest first.
    pub(super) fn make_folders(
        self,
        folder: &Path,
        made: &mut Vec<PathBuf>,
    ) -> Result<(), WriteError> {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Ok(());
        }
        if let Some(above) = folder.parent() {
            self.make_folders(above, made)?;
        }
        match self.make_folder(folder) {
            Ok(()) => made.push(folder.to_owned()),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            Err(e) => return Err(io_at(folder)(e)),
        }
        Ok(())
    }

    /// Removes the empty folders above a file, up to `out`.
    pub(super) fn remove_empty(self, out: &Path, file: &Path) {
        let mut at = file.parent();
        while let Some(folder) = at.filter(|f| *f != out && f.starts_with(out)) {
            match self.remove_folder(folder) {
                Ok(()) => {}
                // A run that ended early may have removed the lower folders, or not made them yet.
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(_) => return,
            }
            at = folder.parent();
        }
    }

    /// Removes the staged file that a killed run left for `target`, if it exists.
    pub(super) fn clear(self, target: &Path) -> Result<(), WriteError> {
        let place = staging(target);
        if fs::symlink_metadata(&place).is_ok_and(|m| m.is_file()) {
            self.remove_file(&place).map_err(io_at(&place))?;
        }
        Ok(())
    }
}

/// Sets the permission bits. Files that people commit are readable by all, whatever the umask is.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    match file.set_permissions(fs::Permissions::from_mode(mode)) {
        // The file system may have no permission bits. The file is new, so nothing else forbids it.
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

/// The permission bits of a new file.
pub(super) const NEW_MODE: u32 = 0o644;

pub(super) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> WriteError + '_ {
    move |source| WriteError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Returns the id that git gives to a file's content (gitformat-pack, gitglossary: blob object).
pub fn git_id(bytes: &[u8]) -> String {
    hex(&Sha1::new_with_prefix(format!("blob {}\0", bytes.len()))
        .chain_update(bytes)
        .finalize())
}

/// Returns the metadata of a plain file, or `None` if nothing exists at the path. Anything else is
/// refused before it is opened.
fn plain_file(path: &Path) -> Result<Option<fs::Metadata>, WriteError> {
    match fs::symlink_metadata(path) {
        // If the path leads through a plain file, nothing exists there.
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(e) => Err(io_at(path)(e)),
        Ok(m) if m.is_symlink() => Err(WriteError::Link(path.to_owned())),
        Ok(m) if m.is_file() => Ok(Some(m)),
        Ok(m) => Err(WriteError::NoFile {
            path: path.to_owned(),
            what: kind(&m),
        }),
    }
}

/// Returns the bytes of a plain file, or `None` if nothing exists at the path.
///
/// # Errors
/// When the path is not a plain file, or the system refuses to read it.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    plain_file(path)?
        .map(|_| fs::read(path).map_err(io_at(path)))
        .transpose()
}

/// Returns the text of a plain file, or `None` if nothing exists at the path.
///
/// # Errors
/// Like [`read`], and when the text is not UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>, WriteError> {
    let text = |bytes| {
        String::from_utf8(bytes).map_err(|e| WriteError::NoText {
            path: path.to_owned(),
            source: e.utf8_error(),
        })
    };
    read(path)?.map(text).transpose()
}

/// Returns a name for the kind of an unexpected file, for messages.
pub(super) fn kind(meta: &fs::Metadata) -> &'static str {
    if meta.is_dir() {
        "a folder"
    } else if meta.is_file() {
        "a file"
    } else {
        "a pipe, a socket or a device"
    }
}

/// Checks the folders between `out` and the file at `path`. A link is refused, because it could
/// lead anywhere, unless it stays in the repository of `out`. `seen` caches the folders that
/// passed.
pub(super) fn check_folders(
    out: &Path,
    path: &str,
    seen: &mut BTreeSet<PathBuf>,
) -> Result<(), WriteError> {
    let mut at = out.to_owned();
    let Some((folder, _)) = path.rsplit_once('/') else {
        return Ok(());
    };
    for part in folder.split('/') {
        at.push(part);
        if seen.contains(&at) {
            continue;
        }
        match fs::symlink_metadata(&at) {
            Ok(m) if m.is_symlink() && !stays_inside(out, &at) => return Err(WriteError::Link(at)),
            Ok(m) if !m.is_dir() && !at.is_dir() => {
                return Err(WriteError::NoFolder {
                    path: at,
                    what: kind(&m),
                });
            }
            Ok(_) => {}
            // A path that does not exist has nothing below it.
            Err(_) => return Ok(()),
        }
        seen.insert(at.clone());
    }
    Ok(())
}

/// Returns true if `link` leads to a folder of the repository that contains `out`. If `out` is in
/// no repository, the link must lead into `out`.
fn stays_inside(out: &Path, link: &Path) -> bool {
    let (Ok(out), Ok(target)) = (out.canonicalize(), link.canonicalize()) else {
        return false;
    };
    let top = out
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(&out);
    target.is_dir() && target.starts_with(top) && !target.starts_with(top.join(".git"))
}

/// The existing file at a path, compared with the file to be written.
pub(super) enum Old {
    Absent,
    /// The file has the same bytes.
    Same,
    /// The file has other bytes.
    Other(Other),
}

/// An existing file with other bytes than the file to be written.
pub(super) struct Other {
    pub(super) bytes: Vec<u8>,
    pub(super) sum: String,
    pub(super) mode: u32,
}

/// Compares the file at `path` with the bytes to be written.
pub(super) fn compare(path: &Path, bytes: &[u8]) -> Result<Old, WriteError> {
    let Some(meta) = plain_file(path)? else {
        return Ok(Old::Absent);
    };
    let old = fs::read(path).map_err(io_at(path))?;
    if old == bytes {
        return Ok(Old::Same);
    }
    Ok(Old::Other(Other {
        sum: git_id(&old),
        bytes: old,
        mode: meta.permissions().mode() & 0o777,
    }))
}

/// Files that were written to their staging paths, and are moved into place together. Those that
/// were not moved are removed on drop.
pub(super) struct Stage<'d> {
    disk: Disk<'d>,
    files: Vec<(PathBuf, PathBuf)>,
    moved: usize,
    made: Vec<PathBuf>,
}

impl<'d> Stage<'d> {
    pub(super) fn new(disk: Disk<'d>) -> Self {
        Self {
            disk,
            files: Vec::new(),
            moved: 0,
            made: Vec::new(),
        }
    }

    /// Makes a folder and its parents. The new folders are removed on drop if no file was moved
    /// into place.
    pub(super) fn folder(&mut self, folder: &Path) -> Result<(), WriteError> {
        self.disk.make_folders(folder, &mut self.made)
    }

    /// Writes one file to the staging path of `target`. No handle stays open, however many files are staged.
    pub(super) fn put(
        &mut self,
        target: &Path,
        bytes: &[u8],
        mode: u32,
        sync: bool,
    ) -> Result<(), WriteError> {
        self.folder(target.parent().unwrap_or(Path::new(".")))?;
        let place = staging(target);
        match self.disk.create(&place, bytes, mode, sync) {
            Ok(()) => {
                self.files.push((place, target.to_owned()));
                Ok(())
            }
            // A file that exists already was not made by this run.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(io_at(&place)(e)),
            Err(e) => {
                let _ = self.disk.remove_file(&place);
                Err(io_at(target)(e))
            }
        }
    }

    /// Moves all staged files to their targets, in order. `check` is called directly before each
    /// move, with the number of the file. After an error, the other files stay as they are.
    pub(super) fn move_all(
        &mut self,
        check: impl Fn(usize) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        for (at, (place, target)) in self.files.iter().enumerate() {
            check(at)?;
            self.disk.rename(place, target).map_err(io_at(target))?;
            self.moved += 1;
        }
        // Each of the new folders contains a file now.
        self.made.clear();
        Ok(())
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        for (place, _) in &self.files[self.moved..] {
            let _ = self.disk.remove_file(place);
        }
        for folder in self.made.iter().rev() {
            let _ = self.disk.remove_folder(folder);
        }
    }
}

/// The time for which a run waits for another run, which usually takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(3);

/// The pause between two attempts to take the lock.
const PAUSE: Duration = Duration::from_millis(5);

/// The lock on an output folder, which one run at a time holds. The system releases it when the
/// process ends in any way.
pub(super) struct Lock(#[expect(dead_code, reason = "the lock is this handle's")] File);

impl Lock {
    /// Takes the lock of an existing folder. It waits for another run as long as [`PATIENCE`],
    /// because distributions may be rendered in parallel.
    pub(super) fn take(out: &Path) -> Result<Self, WriteError> {
        let folder = File::open(out).map_err(io_at(out))?;
        let start = Instant::now();
        loop {
            match folder.try_lock() {
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(WriteError::Busy(out.to_owned())),
                // On a file system without such locks, the user has to avoid parallel runs.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self(folder)),
            }
        }
    }
}
