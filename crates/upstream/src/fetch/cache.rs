//! The folder for what is fetched.

use crate::failure::Failure;
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folder for what is fetched. One run at a time uses it: repositories in it are switched
/// between rules.
pub(crate) struct Cache {
    folder: PathBuf,
    /// It is removed at the end.
    _own: Option<TempDir>,
    _lock: File,
}

impl Cache {
    /// The folder that a user names, or one that is removed at the end.
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

    /// Where the file of an address is kept.
    pub(crate) fn file(&self, url: &str) -> PathBuf {
        self.folder.join("files").join(name(url))
    }

    /// Where the objects of a repository are kept.
    pub(crate) fn repository(&self, url: &str) -> PathBuf {
        self.folder.join("git").join(name(url))
    }

    /// An empty folder.
    pub(crate) fn empty(&self) -> PathBuf {
        self.folder.join("empty")
    }

    /// A folder for what is needed once.
    pub(crate) fn folder(&self) -> Result<TempDir, Failure> {
        tempfile::tempdir_in(&self.folder).map_err(Failure::file(&self.folder))
    }

    /// A file without a name, for what is needed once.
    pub(crate) fn scratch(&self) -> Result<File, Failure> {
        tempfile::tempfile_in(&self.folder).map_err(Failure::file(&self.folder))
    }
}

/// A name that no two addresses share, and that people can read.
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
