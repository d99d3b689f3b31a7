//! Rendered files in memory.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

/// A path inside the output folder: relative, forward slashes, no `..`, printable ASCII.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RelPath(String);

/// A path or a tree that can't be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Not a plain relative path.
    #[error("`{0}` is not a plain relative path")]
    Path(String),
    /// Two files at one place.
    #[error("two files would be written to `{0}`")]
    Twice(String),
}

impl RelPath {
    /// Checks a path.
    ///
    /// # Errors
    /// When it is absolute, holds an empty segment, `.`, `..`, or a character outside letters, digits and `-_.+@=`.
    pub fn new(path: impl Into<String>) -> Result<Self, TreeError> {
        let path = path.into();
        let fine = path.split('/').all(|s| {
            !s.is_empty()
                && s != "."
                && s != ".."
                && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.+@=".contains(&b))
        });
        if fine { Ok(Self(path)) } else { Err(TreeError::Path(path)) }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RelPath {
    type Error = TreeError;

    fn try_from(path: String) -> Result<Self, TreeError> {
        Self::new(path)
    }
}

/// Paths are looked up by their text.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileTree {
    #[serde(with = "texts")]
    files: BTreeMap<RelPath, Vec<u8>>,
}

/// Files that are kept elsewhere are texts.
mod texts {
    use super::RelPath;
    use serde::ser::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::collections::BTreeMap;
    use std::str::from_utf8;

    pub(super) fn serialize<S: Serializer>(
        files: &BTreeMap<RelPath, Vec<u8>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let texts: Result<BTreeMap<&RelPath, &str>, _> =
            files.iter().map(|(path, bytes)| Ok((path, from_utf8(bytes)?))).collect();
        to.collect_map(texts.map_err(|e: std::str::Utf8Error| S::Error::custom(e))?)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<RelPath, Vec<u8>>, D::Error> {
        let texts = BTreeMap::<RelPath, String>::deserialize(from)?;
        Ok(texts.into_iter().map(|(path, text)| (path, text.into_bytes())).collect())
    }
}

impl FileTree {
    /// Adds a file.
    ///
    /// # Errors
    /// When the path is not plain or already taken.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<(), TreeError> {
        let path = RelPath::new(path)?;
        if self.files.contains_key(&path) {
            return Err(TreeError::Twice(path.0));
        }
        self.files.insert(path, bytes.into());
        Ok(())
    }

    /// Puts a file in the place of the one that may be there.
    ///
    /// # Errors
    /// When the path is not plain.
    pub fn replace(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<(), TreeError> {
        self.files.insert(RelPath::new(path)?, bytes.into());
        Ok(())
    }

    /// Takes a file out; true when it was there.
    pub fn remove(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// All files by path.
    pub fn iter(&self) -> impl Iterator<Item = (&RelPath, &[u8])> {
        self.files.iter().map(|(p, b)| (p, b.as_slice()))
    }

    /// How many files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Takes all files of `other` under a folder.
    ///
    /// # Errors
    /// When two files meet at one place.
    pub fn graft(&mut self, folder: &str, other: FileTree) -> Result<(), TreeError> {
        for (path, bytes) in other.files {
            self.insert(format!("{folder}/{path}"), bytes)?;
        }
        Ok(())
    }
}
