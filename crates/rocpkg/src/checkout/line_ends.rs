//! Line ends of the files in a checkout. Each file is read with LF, and written with the line ends
//! that it had.

use crate::error::Error;
use crate::tree::Tree;
use rocpkg_render::{WriteError, WriteOptions, read};
use std::collections::BTreeSet;
use std::path::Path;

/// Reads a text of a checkout, with LF at the end of each line. Returns None if the file does not
/// exist.
///
/// # Errors
/// When the file can't be read or is not UTF-8.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, WriteError> {
    let text = rocpkg_render::read_text(path)?;
    Ok(text.map(|text| if is_crlf(&text) { with_lf(&text) } else { text }))
}

/// Returns true if every line of a text ends with CR and LF.
pub(super) fn is_crlf(text: &str) -> bool {
    text.contains("\r\n") && !text.replace("\r\n", "").contains('\n')
}

/// Returns a text with LF at the end of each line.
pub(super) fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Returns a text with CR and LF at the end of each line.
pub(super) fn with_crlf(text: &str) -> String {
    with_lf(text).replace('\n', "\r\n")
}

/// Gives a file of the tree CR and LF at the end of each line if the file that it replaces has
/// them. `made_from_crlf` contains the paths of recipes of new versions that are made from a file
/// with CR and LF.
///
/// # Errors
/// When a file can't be read.
pub(super) fn restore(
    tree: &mut Tree,
    out: &Path,
    made_from_crlf: &BTreeSet<String>,
    options: &WriteOptions,
) -> Result<(), Error> {
    let all = tree.files.iter().map(|(path, _)| path.as_str().to_owned());
    let is_edited = |path: &String| options.checkout || options.merged.contains(path);
    for path in all.filter(is_edited).collect::<Vec<_>>() {
        let has_returns = |bytes: Vec<u8>| String::from_utf8(bytes).is_ok_and(|t| is_crlf(&t));
        let is_crlf =
            made_from_crlf.contains(&path) || read(&out.join(&path))?.is_some_and(has_returns);
        if let Some(text) = tree.text(&path).filter(|_| is_crlf) {
            let text = with_crlf(text);
            tree.files.replace(path, text)?;
        }
    }
    Ok(())
}
