//! Files beside a recipe that the recipe uses, such as patches.

use crate::glob::fits;
use std::ops::Range;
use std::path::Path;

/// A file beside a recipe that the recipe uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFile {
    /// The path relative to the recipe's folder, such as `files/hip-7.2-cmake.patch`. `*` stands
    /// for unknown text.
    pub path: String,
    /// The bytes of the recipe that name the file.
    pub at: Range<usize>,
}

impl LocalFile {
    /// Returns true if `path`, relative to the recipe's folder, is that of the file. If the recipe
    /// uses a whole folder, returns true for each file in that folder.
    pub fn is(&self, path: &str) -> bool {
        fits(&self.path, path) || fits(&format!("{}/*", self.path.trim_end_matches('/')), path)
    }

    /// Returns true if the path contains no unknown text.
    pub fn is_known(&self) -> bool {
        !self.path.contains(['*', '?', '[', '$'])
    }

    /// Returns true if the file is a patch, by its ending.
    pub fn is_patch(&self) -> bool {
        let end = Path::new(&self.path).extension();
        end.is_some_and(|end| end == "patch" || end == "diff")
    }

    /// Returns the name of the file without its folder.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}
