//! The few operations by which the writer changes a folder. They stand behind a trait, so that a test can make each of them fail.

use super::WriteError;
use crate::rendered::hex;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// What changes a folder. A run of the writer is a sequence of these calls, and may end before or after each of them.
pub trait Disk {
    /// Makes one folder, whose parent is there.
    ///
    /// # Errors
    /// What the system says.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes a new file with these permission bits. `sync`: it outlives a power cut from then on.
    ///
    /// # Errors
    /// What the system says; also when something is there already.
    fn create(&self, path: &Path, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()>;
    /// Puts a file in the place of another one, or of nothing.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Puts a file where nothing is.
    ///
    /// # Errors
    /// What the system says; also when something is there already.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    ///
    /// # Errors
    /// What the system says; also when it is not empty.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Opens a file for locking, and makes it where it is not there.
    ///
    /// # Errors
    /// What the system says.
    fn open_lock(&self, path: &Path) -> io::Result<File>;
}

/// The real one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Direct;

impl Disk for Direct {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create(&self, path: &Path, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        set_mode(&file, mode)?;
        // Each file would cost as much as all the rest of a run together, so only those that say what is ours are waited for.
        if sync { file.sync_all() } else { Ok(()) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        tempfile::TempPath::try_from_path(from)?.persist_noclobber(to).map_err(|e| e.error)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn open_lock(&self, path: &Path) -> io::Result<File> {
        File::options().read(true).write(true).create(true).truncate(false).open(path)
    }
}

/// Sets the permission bits; what people commit is readable by all, whatever their umask says.
#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match file.set_permissions(fs::Permissions::from_mode(mode)) {
        // A file system that has no such bits: the file is ours, so nothing else forbids it.
        Err(e) if matches!(e.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn mode(meta: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    NEW_MODE
}

/// The permission bits of a new file.
pub(super) const NEW_MODE: u32 = 0o644;

/// The longest file that is read whole, in bytes: to be shown in a diff, or as a manifest.
pub const MAX_READ: u64 = 64 * 1024 * 1024;

pub(super) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> WriteError + '_ {
    move |source| WriteError::Io { path: path.to_owned(), source }
}

/// SHA-256 in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What stands at a place: nothing, or a plain file. Anything else is refused before it is opened: a pipe would wait for ever.
pub(super) fn plain_file(path: &Path) -> Result<Option<fs::Metadata>, WriteError> {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    match fs::symlink_metadata(path) {
        // Nothing can be where no path leads.
        Err(e) if matches!(e.kind(), NotFound | NotADirectory | InvalidFilename) => Ok(None),
        Err(e) => Err(io_at(path)(e)),
        Ok(m) if m.is_symlink() => Err(WriteError::Link(path.to_owned())),
        Ok(m) if m.is_file() => Ok(Some(m)),
        Ok(m) => Err(WriteError::NoFile { path: path.to_owned(), what: kind(&m) }),
    }
}

/// The bytes of a plain file; none where there is nothing.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    plain_file(path)?.map(|_| read_whole(path)).transpose()
}

/// The bytes of a file that is there.
///
/// # Errors
/// When it can't be read, is no plain file, or is too large to be one of ours.
pub fn read_whole(path: &Path) -> Result<Vec<u8>, WriteError> {
    let refused = |what| WriteError::NoFile { path: path.to_owned(), what };
    let meta = fs::metadata(path).map_err(io_at(path))?;
    if !meta.is_file() {
        return Err(refused(kind(&meta)));
    }
    let mut bytes = Vec::new();
    if meta.len() <= MAX_READ {
        // It may grow while it is read.
        let file = File::open(path).map_err(io_at(path))?;
        file.take(MAX_READ + 1).read_to_end(&mut bytes).map_err(io_at(path))?;
        if bytes.len() as u64 <= MAX_READ {
            return Ok(bytes);
        }
    }
    Err(refused("a file of more than 64 MiB"))
}

/// The text of a file that is there.
///
/// # Errors
/// As [`read_whole`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, WriteError> {
    let text = String::from_utf8(read_whole(path)?);
    text.map_err(|e| WriteError::NoText { path: path.to_owned(), source: e.utf8_error() })
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

/// A file of the output folder beside what would be written there.
pub(super) enum Old {
    Absent,
    /// It holds the same bytes.
    Same,
    /// It holds something else: its digest, and its permission bits.
    Other {
        sum: String,
        empty: bool,
        mode: u32,
    },
}

/// Compares a file with what would be written there. However large it is, little of it is held.
pub(super) fn compare(path: &Path, bytes: &[u8]) -> Result<Old, WriteError> {
    let Some(meta) = plain_file(path)? else { return Ok(Old::Absent) };
    let (empty, mode) = (meta.len() == 0, mode(&meta));
    if meta.len() == bytes.len() as u64 {
        let old = fs::read(path).map_err(io_at(path))?;
        return Ok(if old == bytes { Old::Same } else { Old::Other { sum: digest(&old), empty, mode } });
    }
    Ok(Old::Other { sum: sum_of(path)?, empty, mode })
}

fn sum_of(path: &Path) -> Result<String, WriteError> {
    let mut file = File::open(path).map_err(io_at(path))?;
    let mut hash = Sha256::new();
    let mut part = vec![0; 64 * 1024];
    loop {
        match file.read(&mut part).map_err(io_at(path))? {
            0 => return Ok(hex(&hash.finalize())),
            n => hash.update(&part[..n]),
        }
    }
}

/// Where a file is staged: beside its place, under a name that follows from it, so that a later run finds it.
pub(super) fn staging(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".rocpkg-{}", &digest(name.as_bytes())[..16]))
}

/// Makes a folder and those above it; the ones that were made are noted, the highest first.
pub(super) fn make_folders(
    disk: &dyn Disk,
    folder: &Path,
    made: &mut Vec<PathBuf>,
) -> Result<(), WriteError> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_folders(disk, above, made)?;
    }
    match disk.make_folder(folder) {
        Ok(()) => made.push(folder.to_owned()),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        Err(e) => return Err(io_at(folder)(e)),
    }
    Ok(())
}

/// Removes the folders above a file that are empty, up to `out`.
pub(super) fn remove_empty(disk: &dyn Disk, out: &Path, file: &Path) {
    let mut at = file.parent();
    while let Some(folder) = at.filter(|f| *f != out && f.starts_with(out)) {
        match disk.remove_folder(folder) {
            Ok(()) => {}
            // A run that ended early may have removed, or not yet made, the lower ones.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(_) => return,
        }
        at = folder.parent();
    }
}

/// Files that stand beside their places already. What has not been moved when this is dropped goes again.
pub(super) struct Stage<'d> {
    disk: &'d dyn Disk,
    files: Vec<(PathBuf, PathBuf)>,
    moved: usize,
    pub(super) made: Vec<PathBuf>,
}

impl<'d> Stage<'d> {
    pub(super) fn new(disk: &'d dyn Disk) -> Self {
        Self { disk, files: Vec::new(), moved: 0, made: Vec::new() }
    }

    /// Stages one file. No handle stays open, however many there are.
    pub(super) fn put(
        &mut self,
        target: &Path,
        bytes: &[u8],
        mode: u32,
        sync: bool,
    ) -> Result<(), WriteError> {
        make_folders(self.disk, target.parent().unwrap_or(Path::new(".")), &mut self.made)?;
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
    pub(super) fn move_all(&mut self, only_new: bool) -> Result<(), WriteError> {
        for (place, target) in &self.files[self.moved..] {
            let moved =
                if only_new { self.disk.rename_new(place, target) } else { self.disk.rename(place, target) };
            moved.map_err(io_at(target))?;
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
