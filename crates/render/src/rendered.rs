//! The output of a backend.

use crate::tree::{FileTree, TreeError};
#[cfg(feature = "write")]
use blake2::Blake2b512;
use rocpkg_model::Span;
#[cfg(feature = "write")]
use sha2::{Digest, Sha256, Sha512};
use std::collections::BTreeMap;

/// A file that a recipe names and the user supplies: a local patch, a configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Companion {
    /// The file's path in the distribution's tree.
    pub path: String,
    /// The id of the package that names the file. It is empty for a file of the whole tree.
    pub package: String,
    /// The checksum of its content, if the recipe states one.
    pub sum: Option<Sum>,
    /// The address at which the distribution keeps the file. It is `None` for a user's own file.
    pub address: Option<String>,
}

/// A checksum that a recipe states, in lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sum {
    /// SHA-256
    Sha256(String),
    /// SHA-512
    Sha512(String),
    /// `BLAKE2b` of 512 bits
    Blake2b(String),
}

impl Sum {
    /// Returns the digits.
    pub fn digits(&self) -> &str {
        match self {
            Self::Sha256(digits) | Self::Sha512(digits) | Self::Blake2b(digits) => digits,
        }
    }

    /// Computes the checksum of some bytes, by the same algorithm.
    #[cfg(feature = "write")]
    #[must_use]
    pub fn of(&self, bytes: &[u8]) -> Self {
        match self {
            Self::Sha256(_) => Self::Sha256(hex(&Sha256::digest(bytes))),
            Self::Sha512(_) => Self::Sha512(hex(&Sha512::digest(bytes))),
            Self::Blake2b(_) => Self::Blake2b(hex(&Blake2b512::digest(bytes))),
        }
    }
}

/// Returns bytes as hexadecimal digits.
#[cfg(feature = "write")]
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

/// A file with a line for each archive of a folder. Tools of the distribution and recipes of other
/// versions use the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The file's path.
    pub path: String,
    /// The id of the package that the file is rendered for.
    pub package: String,
    /// The archives by name, each with its line, or `None` if a part of the line is not known.
    pub lines: BTreeMap<String, Option<String>>,
}

impl Listing {
    /// Returns the text, which consists of the known lines. Returns `None` if no line is known.
    pub fn text(&self) -> Option<String> {
        let text: String = self
            .lines
            .values()
            .flatten()
            .map(|line| format!("{line}\n"))
            .collect();
        (!text.is_empty()).then_some(text)
    }
}

/// A file whose checksums a recipe states: a file that it fetches, or a file beside it. The entries
/// of one recipe are in its order. If a recipe must state a checksum for each source and one is not
/// known, it contains a value that no file has as its checksum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// The file that states the checksums.
    pub path: String,
    /// The id of the package.
    pub package: String,
    /// The subject of the checksums: a source, by its name in the tables of checksums, or a patch.
    pub of: String,
    /// The version that is fetched.
    pub version: String,
    /// The name in a file that lists checksums by name.
    pub name: String,
    /// The address that the file is fetched from.
    pub address: String,
    /// The kinds of checksums that are stated, in the words of the tables.
    pub kinds: &'static [&'static str],
    /// Set if the model contains the checksums.
    pub known: bool,
    /// The place at which the model names the source.
    pub span: Span,
}

/// The files of one distribution.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The files. Paths are relative to the distribution's folder.
    pub tree: FileTree,
    /// The id of the package that each file belongs to. Files of the whole tree have no entry.
    pub owners: BTreeMap<String, String>,
    /// Files that the user supplies.
    pub companions: Vec<Companion>,
    /// Lists of archives, also those that are not in `tree` because too little is known.
    pub listings: Vec<Listing>,
    /// The files whose checksums recipes state.
    pub pinned: Vec<Pinned>,
    /// The facts of the model that recipes leave out, each with the ids of their packages.
    pub left_out: BTreeMap<String, Vec<String>>,
}

impl Rendered {
    /// Adds a file of a package, or of the whole tree.
    ///
    /// # Errors
    /// When the path is not plain or already taken.
    pub fn insert(
        &mut self,
        package: Option<&str>,
        path: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<(), TreeError> {
        self.tree.insert(path, bytes)?;
        if let Some(id) = package {
            self.owners.insert(path.to_owned(), id.to_owned());
        }
        Ok(())
    }

    /// Adds files whose checksums a file of a package states.
    pub fn pin(&mut self, package: &str, path: &str, pinned: impl IntoIterator<Item = Pinned>) {
        let placed = pinned.into_iter().map(|u| Pinned {
            path: path.into(),
            package: package.into(),
            ..u
        });
        self.pinned.extend(placed);
    }

    /// Returns the files whose checksums are not known.
    pub fn unknown_sums(&self) -> impl Iterator<Item = &Pinned> {
        self.pinned.iter().filter(|p| !p.known)
    }
}
