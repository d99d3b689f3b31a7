//! The reasons why something could not be fetched, or its checksum not computed.

use std::path::{Path, PathBuf};

/// The reason why something could not be fetched, or its checksum not computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The address is on a host that the model does not name.
    #[error("{url}: not fetched, because {host} is not a host of the model")]
    Host {
        /// The requested address.
        url: String,
        /// The host in the address.
        host: String,
    },
    /// The protocol of the address is not https, so others could change the data on the way.
    #[error("{url}: not fetched, because it is not https")]
    Insecure {
        /// The requested address.
        url: String,
    },
    /// The server redirects to an address that must not be requested.
    #[error("{url}: not fetched, because the server redirects to {to}")]
    Redirected {
        /// The requested address.
        url: String,
        /// The address that the server redirects to.
        to: String,
    },
    /// The file, tag, commit or folder does not exist.
    #[error("{url}: {what}")]
    Missing {
        /// The requested address.
        url: String,
        /// The message, which names the missing file, tag, commit or folder.
        what: String,
    },
    /// The network, the server or git failed. Several attempts were made if that may help.
    #[error("{url}: {why}")]
    Network {
        /// The requested address.
        url: String,
        /// The message of the network, the server or git.
        why: String,
    },
    /// The file is larger than the limit.
    #[error("{url}: not fetched, because it has more than {limit}, the most for one file")]
    Large {
        /// The requested address.
        url: String,
        /// The limit, such as `16 GiB`.
        limit: String,
    },
    /// The time in which all files of a run are fetched is over.
    #[error(
        "{url}: not fetched, because the {limit} are over in which a run may fetch; if the cache is kept, another run fetches the rest"
    )]
    Late {
        /// The requested address.
        url: String,
        /// The limit, such as `12 hours`.
        limit: String,
    },
    /// No rule gives the checksum. The text is the reason.
    #[error("{0}")]
    Unknown(String),
    /// A program can't be run, or is a different program of the same name. The text is the reason.
    #[error("{0}")]
    Program(String),
    /// A file of the cache can't be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
}

impl Failure {
    /// Returns a function that makes a failure from an I/O error of the file at `path`.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
