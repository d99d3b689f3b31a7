//! Calls of git, and files of the user that are written as a whole or not at all.

use crate::error::Error;
use rocpkg::render::{FileTree, WriteOptions, write};
use std::fmt::Display;
use std::path::Path;
use std::process::Command;

/// Writes a file as a whole or not at all, and replaces an existing one.
///
/// # Errors
/// When the path names no file, or the file can't be written.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Error> {
    let wrong = |e: &dyn Display| Error::file(file, e);
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| wrong(&"expected the path of a file"))?;
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut tree = FileTree::default();
    tree.insert(name, text.as_bytes()).map_err(|e| wrong(&e))?;
    let options = WriteOptions {
        checkout: true,
        ..WriteOptions::default()
    };
    write(&tree, folder.unwrap_or(Path::new(".")), &options).map_err(|e| wrong(&e))?;
    Ok(())
}

/// Runs git in a folder, and returns its standard output.
pub(crate) fn git<A: AsRef<str>>(folder: &Path, arguments: &[A]) -> Result<String, Error> {
    #[expect(
        clippy::disallowed_methods,
        reason = "git alone knows its settings, and makes its commits"
    )]
    let mut command = Command::new("git");
    // Paths are names, and no patterns.
    command
        .env("GIT_LITERAL_PATHSPECS", "1")
        .current_dir(folder);
    command.args(arguments.iter().map(AsRef::as_ref));
    let out = command
        .output()
        .map_err(|e| Error::Usage(format!("git can't be run: {e}")))?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&out.stderr)
        .trim()
        .replace('\n', "; ");
    let what = arguments.first().map_or("", AsRef::as_ref);
    Err(Error::file(folder, format!("git {what} failed: {said}")))
}
