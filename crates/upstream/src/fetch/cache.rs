//! The folder in which fetched files and repositories are kept.

use crate::failure::Failure;
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folder in which fetched files and repositories are kept. Only one run of rocpkg can use it
/// at a time, since different checksums need different git settings in its repositories.
pub(crate) struct Cache {
    folder: PathBuf,
    /// The temporary folder, if the user named no folder. It is removed when the cache is dropped.
    _own: Option<TempDir>,
    _lock: File,
}

impl Cache {
    /// Opens the folder `named`, which the user named, or makes a new folder that is removed at the
    /// end if `named` is `None`.
    pub(crate) fn open(named: Option<&Path>) -> Result<Self, Failure> {
        let (folder, own) = if let Some(folder) = named {
            (
                std::path::absolute(folder).map_err(Failure::file(folder))?,
                None,
            )
        } else {
            let own = tempfile::tempdir().map_err(Failure::file(Path::new("")))?;
            (own.path().to_owned(), Some(own))
        };
        for part in ["files", "git", "empty"] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(Failure::file(&path))?;
        }
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(Failure::file(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                folder,
                _own: own,
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => {
                let source = io::Error::other("another run uses this cache");
                Err(Failure::File { path, source })
            }
            Err(TryLockError::Error(source)) => Err(Failure::File { path, source }),
        }
    }

    /// Returns the path at which the file from an address is kept. The file may not exist yet.
    pub(crate) fn file(&self, url: &str) -> PathBuf {
        self.folder.join("files").join(name(url))
    }

    /// Returns the path at which the objects of a repository are kept.
    pub(crate) fn repository(&self, url: &str) -> PathBuf {
        self.folder.join("git").join(name(url))
    }

    /// Returns the path of a folder that is always empty. It serves as the home and working folder
    /// of git.
    pub(crate) fn empty(&self) -> PathBuf {
        self.folder.join("empty")
    }

    pub(crate) fn folder(&self) -> Result<TempDir, Failure> {
        tempfile::tempdir_in(&self.folder).map_err(Failure::file(&self.folder))
    }

    /// Creates a temporary file without a name.
    pub(crate) fn scratch(&self) -> Result<File, Failure> {
        tempfile::tempfile_in(&self.folder).map_err(Failure::file(&self.folder))
    }
}

/// Returns a file name for an address. Different addresses have different file names, and people
/// can recognise the address in the file name.
fn name(url: &str) -> String {
    let digest = Sha256::digest(url);
    let digest: String = digest[..8].iter().map(|b| format!("{b:02x}")).collect();
    let shown = url
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let shown: String = shown
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
        .take(80)
        .collect();
    format!("{digest}-{shown}")
}
