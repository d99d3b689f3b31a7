//! Files beside a recipe that the recipe uses: patches above all.

use crate::glob::fits;
use std::ops::Range;
use std::path::Path;

/// A file beside a recipe that the recipe uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFile {
    /// Its path seen from the recipe's folder, such as `files/hip-7.2-cmake.patch`, with `*` for
    /// text that is not known.
    pub path: String,
    /// The bytes of the recipe that name it.
    pub at: Range<usize>,
}

impl LocalFile {
    /// Returns true for a file by its path, and for a file in a folder that the recipe uses.
    pub fn is(&self, path: &str) -> bool {
        fits(&self.path, path) || fits(&format!("{}/*", self.path.trim_end_matches('/')), path)
    }

    /// Returns true if the whole path is known.
    pub fn is_known(&self) -> bool {
        !self.path.contains(['*', '?', '[', '$'])
    }

    /// Returns true for a patch.
    pub fn is_patch(&self) -> bool {
        let end = Path::new(&self.path).extension();
        end.is_some_and(|end| end == "patch" || end == "diff")
    }

    /// Returns the name of the file without its folder.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}
