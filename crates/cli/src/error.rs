//! The reasons why a command does nothing.

use rocpkg::render::{TemplateError, TreeError, WriteError};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The reason why a command does nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The library refuses.
    #[error(transparent)]
    Library(#[from] rocpkg::Error),
    /// The command line, the settings or a file ask for something that can't be done: one line for
    /// each reason. Lines that belong to the one above begin with blanks.
    #[error("{0}")]
    Usage(String),
    /// A file or folder is not what a command needs.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The fault, in words.
        reason: String,
    },
    /// Upstream's files can't be fetched or read.
    #[error(transparent)]
    Upstream(#[from] rocpkg::upstream::Failure),
    /// A tree of upstream's sources can't be read.
    #[error(transparent)]
    Sources(#[from] rocpkg::upstream::tree::TreeError),
    /// No source of any package is at hand to try a recipe on.
    #[error("no source of a package is at hand: {0}")]
    NoSources(&'static str),
}

impl Error {
    /// Returns the error of a file or folder, with the reason in words.
    pub(crate) fn file(path: &Path, reason: impl Display) -> Self {
        Self::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

/// Makes errors of the library out of those that it passes on.
macro_rules! of_the_library {
    ($($name:ty)*) => {
        $(impl From<$name> for Error {
            fn from(error: $name) -> Self {
                Self::Library(error.into())
            }
        })*
    };
}

of_the_library! { TemplateError TreeError WriteError }
