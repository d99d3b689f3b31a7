//! One run at a time writes to a folder.

use super::disk::{Disk, io_at, plain_file};
use super::{LOCK, WriteError};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
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
                    return Err(WriteError::Busy { out: out.to_owned(), holder: holder(&mut file) });
                }
                // A file system that knows no locks: one run at a time is then the user's care.
                Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(io_at(&path)(e)),
            }
            // The run before may have removed the file since it was opened: the next one would not meet this lock.
            if is_at(&file, &path) {
                // The number is for people; where there is no room for it, the lock holds all the same.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                return Ok(Self { disk, path, _file: file });
            }
        }
    }
}

impl Drop for Lock<'_> {
    fn drop(&mut self) {
        let _ = self.disk.remove_file(&self.path);
    }
}

/// Who holds a lock, when that stands in its file already.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
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
