//! A tree of rendered files in memory.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

/// A path inside the output folder: relative, with forward slashes, without `..`, in printable
/// ASCII.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelPath(String);

/// The reason why a path or a file can't be in a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A path that is not a plain relative path.
    #[error("`{0}` is not a plain relative path")]
    Path(String),
    /// Two files with the same path.
    #[error("two files would be written to `{0}`")]
    Twice(String),
}

impl AsRef<std::path::Path> for RelPath {
    fn as_ref(&self) -> &std::path::Path {
        self.0.as_ref()
    }
}

impl RelPath {
    /// Returns `path` as a path of a tree, if it is a plain relative path.
    ///
    /// # Errors
    /// When it is absolute, contains an empty segment, `.`, `..`, or a character other than
    /// letters, digits and `-_.+@=`.
    pub fn new(path: impl Into<String>) -> Result<Self, TreeError> {
        let path = path.into();
        let fine = path.split('/').all(|s| {
            !s.is_empty()
                && s != "."
                && s != ".."
                && s.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.+@=".contains(&b))
        });
        if fine {
            Ok(Self(path))
        } else {
            Err(TreeError::Path(path))
        }
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Allows a lookup of a path by its text.
impl Borrow<str> for RelPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Files by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTree {
    files: BTreeMap<RelPath, Vec<u8>>,
}

/// The files of a tree, each with its path.
type Files<'t> = std::iter::Map<
    std::collections::btree_map::Iter<'t, RelPath, Vec<u8>>,
    fn((&'t RelPath, &'t Vec<u8>)) -> (&'t RelPath, &'t [u8]),
>;

impl<'t> IntoIterator for &'t FileTree {
    type Item = (&'t RelPath, &'t [u8]);
    type IntoIter = Files<'t>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FileTree {
    /// Adds a file.
    ///
    /// # Errors
    /// When the path is not a plain relative path (see [`RelPath::new`]), or the tree has a file at
    /// the path.
    pub fn insert(
        &mut self,
        path: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<(), TreeError> {
        let path = RelPath::new(path)?;
        if self.files.contains_key(&path) {
            return Err(TreeError::Twice(path.0));
        }
        self.files.insert(path, bytes.into());
        Ok(())
    }

    /// Adds a file, or replaces the existing file at the path.
    ///
    /// # Errors
    /// When the path is not a plain relative path; see [`RelPath::new`].
    pub fn replace(
        &mut self,
        path: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<(), TreeError> {
        self.files.insert(RelPath::new(path)?, bytes.into());
        Ok(())
    }

    /// Removes a file. Returns true if it existed.
    pub fn remove(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    /// Returns the content of the file at a path; none if the tree has no such file.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Returns all files, ordered by path.
    pub fn iter(&self) -> Files<'_> {
        self.files.iter().map(|(p, b)| (p, b.as_slice()))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns true if the tree has no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}
