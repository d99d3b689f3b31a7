//! Why something could not be fetched or summed.

use std::path::{Path, PathBuf};

/// Why something could not be fetched or summed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The address is on a host that the model does not name.
    #[error("{url}: not fetched, as {host} is no host that the model names")]
    Host {
        /// The address.
        url: String,
        /// Its host.
        host: String,
    },
    /// The address asks for a protocol that anybody on the way can change.
    #[error("{url}: not fetched, as only https is")]
    Insecure {
        /// The address.
        url: String,
    },
    /// The server sends on to an address that is not asked.
    #[error("{url}: not fetched, as the server sends on to {to}")]
    Redirected {
        /// The address.
        url: String,
        /// Where it leads.
        to: String,
    },
    /// There is no such file, tag, commit or folder.
    #[error("{url}: {what}")]
    Missing {
        /// The address.
        url: String,
        /// What is not there.
        what: String,
    },
    /// The network, the server or git failed, after several attempts where that may help.
    #[error("{url}: {why}")]
    Network {
        /// The address.
        url: String,
        /// What was said.
        why: String,
    },
    /// No rule gives the checksum from what can be fetched.
    #[error("{0}")]
    Unknown(String),
    /// A program that is needed can't be run, or is another one.
    #[error("{0}")]
    Program(String),
    /// A file of the cache can't be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Failure {
    /// Says of a file what went wrong with it.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
