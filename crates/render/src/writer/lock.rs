//! One run at a time writes to a folder.

use super::disk::{Disk, io_at, plain_file};
use super::{LOCK, WriteError};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a run waits for another one, which takes a fraction of a second: distributions may be rendered side by side.
const PATIENCE: Duration = Duration::from_secs(3);

/// The lock on an output folder: a file in it, which holds the number of the process and goes with the lock.
pub(super) struct Lock<'d> {
    disk: &'d dyn Disk,
    path: PathBuf,
    /// The lock is this handle's; the system takes it back when the process ends, in whatever way.
    _file: File,
}

impl<'d> Lock<'d> {
    /// Takes the lock, or says who keeps it.
    pub(super) fn take(disk: &'d dyn Disk, out: &Path) -> Result<Self, WriteError> {
        let path = out.join(LOCK);
        let start = Instant::now();
        loop {
            plain_file(&path)?;
            let mut file = disk.open_lock(&path).map_err(io_at(&path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    sleep(Duration::from_millis(5));
                    continue;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(WriteError::Busy { out: out.to_owned(), holder: holder(&file, &path) });
                }
                // A file system that knows no locks: one run at a time is then the user's care.
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(io_at(&path)(e)),
            }
            // The run before may have removed the file since it was opened: the next one would not meet this lock.
            if !is_at(&file, &path) {
                continue;
            }
            if let Content::Other(what) = content(&file, &path)? {
                return Err(WriteError::NoFile { path, what });
            }
            // The number is for people; where there is no room for it, the lock holds all the same. That of a run that was killed
            // is written over in its place: were it removed first, nothing would tell that a run did not come to its end.
            let written = file.set_len(0).and_then(|()| file.rewind());
            let _ = written.and_then(|()| writeln!(file, "{}", std::process::id()));
            return Ok(Self { disk, path, _file: file });
        }
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = self.disk.remove_file(&self.path);
    }
}

/// What a lock's file holds.
enum Content {
    Nothing,
    /// The number of a process.
    Process(u32),
    /// What no run wrote.
    Other(&'static str),
}

fn content(file: &File, path: &Path) -> Result<Content, WriteError> {
    let meta = file.metadata().map_err(io_at(path))?;
    if has_other_names(&meta) {
        return Ok(Content::Other("a file that has other names too, and not rocpkg's lock,"));
    }
    let mut bytes = Vec::new();
    file.take(33).read_to_end(&mut bytes).map_err(io_at(path))?;
    if bytes.is_empty() {
        return Ok(Content::Nothing);
    }
    let number = std::str::from_utf8(&bytes).ok().filter(|text| text.len() <= 32);
    Ok(match number.and_then(|text| text.trim_end().parse().ok()) {
        Some(id) => Content::Process(id),
        None => Content::Other("a file that is not rocpkg's lock"),
    })
}

/// Who holds a lock, when that stands in its file already.
fn holder(file: &File, path: &Path) -> Option<u32> {
    match content(file, path) {
        Ok(Content::Process(id)) => Some(id),
        _ => None,
    }
}

#[cfg(unix)]
fn has_other_names(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(meta) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
