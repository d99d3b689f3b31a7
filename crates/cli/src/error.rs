//! The errors of commands.

use rocpkg::internal::render::{TemplateError, TreeError, WriteError};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The reason why a command stops without a result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// An error of the library `rocpkg`.
    #[error(transparent)]
    Library(#[from] rocpkg::Error),
    /// The command line, the settings or a file request something that can't be done. The text has
    /// one line for each reason. A line that continues the one above it begins with blanks.
    #[error("{0}")]
    Usage(String),
    /// A file or folder can't be used by the command.
    #[error("{}: {reason}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        reason: String,
    },
    /// Existing recipes are newer than the release of a bump.
    #[error("{}", .recipes.join("\n"))]
    OlderRelease {
        /// A line about each of these recipes.
        recipes: Vec<String>,
        /// The action to take instead, as a sentence.
        hint: String,
    },
    /// No source of any package is available, so no recipe can be tried. The text is a hint.
    #[error("no sources of any package found: {0}")]
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

/// Implements the conversion from the errors that the library's own error contains.
macro_rules! of_the_library {
    ($($name:ty)*) => {
        $(impl From<$name> for Error {
            fn from(error: $name) -> Self {
                Self::Library(error.into())
            }
        })*
    };
}

of_the_library! {
    TemplateError TreeError WriteError rocpkg::internal::upstream::Failure rocpkg::internal::upstream::tree::TreeError
}
