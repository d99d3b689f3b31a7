//! What lies where a file is written, where it has a say in what is written.

use crate::outcome::Stop;
use rocpkg::StackTree;
use rocpkg::render::read_text;
use std::fs;
use std::path::Path;

/// The text of a file; none where there is none, or what is there is no plain file: that the writer refuses, and reading it
/// could wait for ever.
///
/// # Errors
/// When it can't be read or is no text.
pub(crate) fn text(place: &Path) -> Result<Option<String>, Stop> {
    if !fs::symlink_metadata(place).is_ok_and(|m| m.is_file()) {
        return Ok(None);
    }
    Ok(read_text(place)?)
}

/// Files that count go on from those that lie in their places.
///
/// # Errors
/// As [`text`]: what can't be read would begin to count anew.
pub(crate) fn go_on(tree: &mut StackTree, out: &Path) -> Result<(), Stop> {
    for (path, backend) in &tree.continued {
        let Some(present) = text(&out.join(path))? else { continue };
        let rendered = tree.files.get(path).and_then(|b| std::str::from_utf8(b).ok());
        if let Some(counted) = rendered.map(|rendered| backend.continued(rendered, &present)) {
            tree.files.replace(path.as_str(), counted).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}
