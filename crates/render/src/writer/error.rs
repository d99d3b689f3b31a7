//! The errors of the writer.

use super::difference::Difference;
use std::io;
use std::path::PathBuf;

/// The reason why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Another run holds the lock.
    #[error("{}: another rocpkg writes to this folder; wait until it is done", .0.display())]
    Busy(PathBuf),
    /// Files that were read, and that another program changed, made or removed since.
    #[error("not overwritten, because changed on disk since they were read; run the command again:\n  {}", .0.join("\n  "))]
    Changed(Vec<String>),
    /// The path of a file is not a plain file.
    #[error("{}: expected a plain file, found {what}", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// The kind of the existing file, such as `a folder`.
        what: &'static str,
    },
    /// The path of a folder is not a folder.
    #[error("{}: expected a folder, found {what}", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
        /// The kind of the existing file.
        what: &'static str,
    },
    /// A file that is read as text is not UTF-8.
    #[error("{}: the file is not UTF-8 text: {source}", path.display())]
    NoText {
        /// The path.
        path: PathBuf,
        /// The first byte that is not UTF-8.
        source: std::str::Utf8Error,
    },
    /// The path of a file is a link, or leads through one.
    #[error("{}: the path is or contains a symbolic link, which could lead out of the folder", .0.display())]
    Link(PathBuf),
    /// Files that would be replaced or removed, and that were edited by hand or not written by
    /// rocpkg.
    #[error("not overwritten, because edited by hand or not written by rocpkg:\n  {}", .0.iter().map(Difference::headline).collect::<Vec<_>>().join("\n  "))]
    Conflicts(Vec<Difference>),
    /// The system refused an operation.
    #[error("{}: {}", path.display(), in_words(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Returns a message for an error of the system. Frequent errors have messages of our own.
fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "expected a folder, found a file".to_owned()
        }
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

impl WriteError {
    /// Returns the stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy(_) | Self::Changed(_) => "E0570",
            Self::NoFile { .. } | Self::NoFolder { .. } | Self::NoText { .. } => "E0571",
            Self::Link(_) => "E0572",
            Self::Conflicts(_) => "E0573",
            Self::Io { .. } => "E0577",
        }
    }
}
