//! Why nothing is written.

use super::difference::Difference;
use std::io;
use std::path::PathBuf;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// Another run is at work.
    #[error("{}: another rocpkg writes to this folder; wait until it is done", .0.display())]
    Busy(PathBuf),
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
    #[error("not overwritten, since changed by hand or not written by rocpkg:\n  {}", .0.iter().map(Difference::headline).collect::<Vec<_>>().join("\n  "))]
    Conflicts(Vec<Difference>),
    /// The system said no.
    #[error("{}: {}", path.display(), in_words(source))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What the system said, in words of our own where it is often met.
fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "a file stands where a folder is due".to_owned()
        }
        io::ErrorKind::PermissionDenied => "the system does not allow it".to_owned(),
        _ => error.to_string(),
    }
}

impl WriteError {
    /// Its stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy(_) => "E0570",
            Self::NoFile { .. } | Self::NoFolder { .. } | Self::NoText { .. } => "E0571",
            Self::Link(_) => "E0572",
            Self::Conflicts(_) => "E0573",
            Self::Io { .. } => "E0577",
        }
    }
}
