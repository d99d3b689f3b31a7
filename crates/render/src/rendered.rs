//! What a backend hands back.

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
    /// Where it belongs in the distribution's tree.
    pub path: String,
    /// The id of the package that names it; empty for one of the whole tree.
    pub package: String,
    /// What its content must sum up to, where the recipe says so.
    pub sum: Option<Sum>,
    /// Where the distribution keeps it; none for a user's own.
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
    /// The digits.
    pub fn digits(&self) -> &str {
        match self {
            Self::Sha256(digits) | Self::Sha512(digits) | Self::Blake2b(digits) => digits,
        }
    }

    /// The same kind of sum of some bytes.
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

/// Bytes in hexadecimal digits.
#[cfg(feature = "write")]
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02x}");
        out
    })
}

/// A file with a line for each archive of a folder, which tools of the distribution and other
/// versions' recipes share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Where it stands.
    pub path: String,
    /// The id of the package that it is rendered for.
    pub package: String,
    /// The archives by name, each with its line where all of it is known.
    pub lines: BTreeMap<String, Option<String>>,
}

impl Listing {
    /// The text: the lines that are known. None when there is no line.
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

/// Something that a recipe states checksums of: what it fetches, or a file beside it. A file's own
/// stand in its order; where they are not known and it states one for each source, something that
/// no file sums up to stands in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// The file that is to state it.
    pub path: String,
    /// The id of the package.
    pub package: String,
    /// What it is of: a source by its name in the tables of checksums, or a patch.
    pub of: String,
    /// The version it is fetched at.
    pub version: String,
    /// The name that the file gives it, where it lists its sums by name.
    pub name: String,
    /// Where it is fetched from.
    pub address: String,
    /// The kinds of checksums that are stated, in the words of the tables.
    pub kinds: &'static [&'static str],
    /// Whether the model knows them.
    pub known: bool,
    /// Where the model names the source.
    pub span: Span,
}

/// The files of one distribution.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The files; paths are relative to the distribution's folder.
    pub tree: FileTree,
    /// The package that each file belongs to; absent for files of the whole tree.
    pub owners: BTreeMap<String, String>,
    /// Files that the user supplies.
    pub companions: Vec<Companion>,
    /// Lists of archives, whether they are in `tree` or too little is known.
    pub listings: Vec<Listing>,
    /// What recipes state checksums of.
    pub pinned: Vec<Pinned>,
    /// What the model says of packages and their recipes leave out, with the packages' ids.
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

    /// Adds what a file of a package states checksums of.
    pub fn pin(&mut self, package: &str, path: &str, pinned: impl IntoIterator<Item = Pinned>) {
        let placed = pinned.into_iter().map(|u| Pinned {
            path: path.into(),
            package: package.into(),
            ..u
        });
        self.pinned.extend(placed);
    }

    /// What nobody knows the checksums of.
    pub fn unknown_sums(&self) -> impl Iterator<Item = &Pinned> {
        self.pinned.iter().filter(|p| !p.known)
    }
}
