//! The few operations by which the writer changes a folder, and what it reads there.

use super::error::WriteError;
use crate::rendered::hex;
use sha1::{Digest, Sha1};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Asked before each change of a folder, by what is done and where. An error ends the run there: so
/// a test can kill it.
pub type Before<'a> = &'a dyn Fn(&'static str, &Path) -> io::Result<()>;

/// What changes a folder.
#[derive(Clone, Copy)]
pub(super) struct Disk<'a>(pub(super) Before<'a>);

impl Disk<'_> {
    fn make_folder(self, path: &Path) -> io::Result<()> {
        (self.0)("make a folder", path)?;
        fs::create_dir(path)
    }

    /// Makes a new file with these permission bits. `sync`: it outlives a power cut from then on.
    fn create(self, path: &Path, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
        (self.0)("create", path)?;
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        set_mode(&file, mode)?;
        // Each file would cost as much as all the rest of a run together, so only the manifest is
        // waited for.
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

    /// Makes a folder and those above it; the ones that were made are noted, the highest first.
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

    /// Removes the folders above a file that are empty, up to `out`.
    pub(super) fn remove_empty(self, out: &Path, file: &Path) {
        let mut at = file.parent();
        while let Some(folder) = at.filter(|f| *f != out && f.starts_with(out)) {
            match self.remove_folder(folder) {
                Ok(()) => {}
                // A run that ended early may have removed, or not yet made, the lower ones.
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(_) => return,
            }
            at = folder.parent();
        }
    }

    /// Removes the staged file of a run that ended.
    pub(super) fn clear(self, target: &Path) -> Result<(), WriteError> {
        let place = staging(target);
        if fs::symlink_metadata(&place).is_ok_and(|m| m.is_file()) {
            self.remove_file(&place).map_err(io_at(&place))?;
        }
        Ok(())
    }
}

/// Sets the permission bits; what people commit is readable by all, whatever their umask says.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    match file.set_permissions(fs::Permissions::from_mode(mode)) {
        // A file system that has no such bits: the file is ours, so nothing else forbids it.
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

/// The id that git gives to a file's content (gitformat-pack, gitglossary: blob object).
pub fn git_id(bytes: &[u8]) -> String {
    hex(&Sha1::new_with_prefix(format!("blob {}\0", bytes.len()))
        .chain_update(bytes)
        .finalize())
}

/// What stands at a place: nothing, or a plain file. Anything else is refused before it is opened.
fn plain_file(path: &Path) -> Result<Option<fs::Metadata>, WriteError> {
    match fs::symlink_metadata(path) {
        // Nothing can be where no path leads.
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

/// The bytes of a plain file; none where there is nothing.
///
/// # Errors
/// When something else than a plain file is there, or the system refuses to read it.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    plain_file(path)?
        .map(|_| fs::read(path).map_err(io_at(path)))
        .transpose()
}

/// The text of a plain file; none where there is nothing.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>, WriteError> {
    let text = |bytes| {
        String::from_utf8(bytes).map_err(|e| WriteError::NoText {
            path: path.to_owned(),
            source: e.utf8_error(),
        })
    };
    read(path)?.map(text).transpose()
}

/// What a thing is that is not what is due.
pub(super) fn kind(meta: &fs::Metadata) -> &'static str {
    if meta.is_dir() {
        "a folder"
    } else if meta.is_file() {
        "a file"
    } else {
        "a pipe, a socket or a device"
    }
}

/// A folder between `out` and the file that is a link could lead anywhere; one that stays in the
/// repository of `out` is fine. `seen` holds those that are folders.
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
            // Where nothing is, nothing is below it.
            Err(_) => return Ok(()),
        }
        seen.insert(at.clone());
    }
    Ok(())
}

/// True for a link to a folder of the repository that `out` lies in, or of `out` itself where that
/// is in none.
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

/// A file of the output folder beside what would be written there.
pub(super) enum Old {
    Absent,
    /// It holds the same bytes.
    Same,
    /// It holds something else.
    Other(Other),
}

/// A file that holds something else than what would be written.
pub(super) struct Other {
    pub(super) bytes: Vec<u8>,
    pub(super) sum: String,
    pub(super) mode: u32,
}

/// Compares a file with what would be written there.
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

/// Where a file is staged: beside its place, under a name that follows from it, so that a later run
/// finds it.
pub(super) fn staging(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".rocpkg-{}", &git_id(name.as_bytes())[..16]))
}

/// Files that stand beside their places already. What has not been moved when this is dropped goes
/// again.
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

    /// Makes a folder, which goes again where nothing comes into it.
    pub(super) fn folder(&mut self, folder: &Path) -> Result<(), WriteError> {
        self.disk.make_folders(folder, &mut self.made)
    }

    /// Stages one file. No handle stays open, however many there are.
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
            // What is there already is nobody's of this run.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(io_at(&place)(e)),
            Err(e) => {
                let _ = self.disk.remove_file(&place);
                Err(io_at(target)(e))
            }
        }
    }

    /// Moves all files that were staged into their places, in order.
    pub(super) fn move_all(&mut self) -> Result<(), WriteError> {
        for (place, target) in &self.files[self.moved..] {
            self.disk.rename(place, target).map_err(io_at(target))?;
            self.moved += 1;
        }
        // Each of the folders holds something now.
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

/// How long a run waits for another one, which takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long it sleeps before it looks again.
const PAUSE: Duration = Duration::from_millis(5);

/// The lock on an output folder, which one run at a time holds. The system takes it back when the
/// process ends, in whatever way.
pub(super) struct Lock(#[expect(dead_code, reason = "the lock is this handle's")] File);

impl Lock {
    /// Takes the lock of a folder that is there; another run is waited for a while: distributions
    /// may be rendered side by side.
    pub(super) fn take(out: &Path) -> Result<Self, WriteError> {
        let folder = File::open(out).map_err(io_at(out))?;
        let start = Instant::now();
        loop {
            match folder.try_lock() {
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(WriteError::Busy(out.to_owned())),
                // A file system that knows no such locks: one run at a time is then the user's
                // care.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self(folder)),
            }
        }
    }
}
