//! Finds files by their extension.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Adds the files below `folder` that have the extension `ending` to `files`, unsorted.
///
/// # Errors
/// A folder that can't be read.
pub(crate) fn find(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            find(&path, ending, files)?;
        } else if path.extension().is_some_and(|e| e == ending) {
            files.push(path);
        }
    }
    Ok(())
}
