//! The output of a backend: files, with facts about them.

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
    /// The file's path, relative to the distribution's folder.
    pub path: String,
    /// The id of the package whose recipe names the file. It is empty for a file that belongs to no
    /// single package.
    pub package: String,
    /// The ids of the packages that can't be built without a file that belongs to no single
    /// package.
    pub needed_by: Vec<String>,
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

    /// Computes the checksum of `bytes` by the algorithm of `self`.
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

/// A file with a line for each archive of a package, such as Gentoo's `Manifest`. Tools of the
/// distribution and recipes of other versions use the same file.
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
    /// Returns the text of the file, which consists of the known lines. Returns `None` if no line
    /// is known.
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

/// A file whose checksums a recipe states: a file that the recipe fetches, or a file beside the
/// recipe. The entries of one recipe are in the recipe's order. If a recipe must state a checksum
/// for each source and a checksum is not known, the recipe contains a value that no file has as its
/// checksum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// The path of the file that states the checksums: a recipe, or a list such as `Manifest`.
    pub path: String,
    /// The id of the package.
    pub package: String,
    /// The subject of the checksums: a source, by its name in the model's tables of checksums, or a
    /// patch.
    pub of: String,
    /// The version that is fetched.
    pub version: String,
    /// The file's name in lists of checksums by name, such as `Manifest`.
    pub name: String,
    /// The address that the file is fetched from.
    pub address: String,
    /// The kinds of checksums that are stated, by their names in the model's tables of checksums:
    /// `sha512`. Gentoo's `size` is one of them.
    pub kinds: &'static [&'static str],
    /// Set if the model contains the checksums.
    pub known: bool,
    /// The place at which the model names the source.
    pub span: Span,
}

impl Pinned {
    /// The only element of [`Pinned::kinds`] if no checksum is meant, but the version that upstream
    /// gives to the component itself, and that the recipe states.
    pub const VERSION: &str = "version";

    /// Returns true if the component's own version is meant.
    pub fn is_version(&self) -> bool {
        self.kinds == [Self::VERSION]
    }
}

/// The rendered files of one distribution, with facts about them.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The files. Paths are relative to the distribution's folder.
    pub tree: FileTree,
    /// The id of the package that each file belongs to. Files of the whole tree have no entry.
    pub owners: BTreeMap<String, String>,
    /// Files that recipes name and the user supplies.
    pub companions: Vec<Companion>,
    /// Files that list archives. Those of which no line is known are not in `tree`.
    pub listings: Vec<Listing>,
    /// The files whose checksums recipes state.
    pub pinned: Vec<Pinned>,
    /// The facts of the model that recipes leave out, each with the ids of the packages that have
    /// the fact.
    pub left_out: BTreeMap<String, Vec<String>>,
}

impl Rendered {
    /// Adds the file at `path`. `package` is the id of its package, or `None` for a file of the
    /// whole tree.
    ///
    /// # Errors
    /// When the path is not a plain relative path, or the tree has a file at the path.
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

    /// Adds files whose checksums the file at `path`, of the package with the id `package`, states.
    /// The two arguments replace these fields of each element of `pinned`.
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
