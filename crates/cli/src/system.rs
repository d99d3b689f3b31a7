//! Calls of git, and files of the user that are written as a whole or not at all.

use crate::error::Error;
use rocpkg::internal::render::{Difference, FileTree, WriteOptions, check, write};
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Writes a file as a whole or not at all, and replaces an existing one.
///
/// # Errors
/// When the path names no file, or the file can't be written.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Error> {
    let (tree, folder, options) = alone(file, text)?;
    write(&tree, folder, &options).map_err(|e| Error::file(file, e))?;
    Ok(())
}

/// Returns the difference between a file and a new text of the file.
///
/// # Errors
/// When the path names no file, or the file can't be read.
pub(crate) fn difference(file: &Path, text: &str) -> Result<Difference, Error> {
    let (tree, folder, options) = alone(file, text)?;
    let all = check(&tree, folder, &options).map_err(|e| Error::file(file, e))?;
    let change = all.into_iter().next();
    change.ok_or_else(|| Error::file(file, "the text is the same"))
}

/// Returns a tree that contains one file, the folder of the file, and the options of writing it.
fn alone<'f>(file: &'f Path, text: &str) -> Result<(FileTree, &'f Path, WriteOptions), Error> {
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
    Ok((tree, folder.unwrap_or(Path::new(".")), options))
}

/// Starts a pager that reads its standard input. As in git, a shell reads the command if it has
/// other characters than those of words, and pagers get git's options unless the user set others.
pub(crate) fn pager(command: &str) -> io::Result<Child> {
    let is_word = command
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"/._-+".contains(&b));
    #[expect(
        clippy::disallowed_methods,
        reason = "the user's settings name the pager"
    )]
    let mut pager = Command::new(if is_word { command } else { "sh" });
    if !is_word {
        pager.args(["-c", command]);
    }
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            pager.env(name, value);
        }
    }
    pager.stdin(Stdio::piped()).spawn()
}

/// Runs git in a folder, and returns its standard output.
pub(crate) fn git<A: AsRef<str>>(folder: &Path, arguments: &[A]) -> Result<String, Error> {
    #[expect(
        clippy::disallowed_methods,
        reason = "git alone knows its settings, and makes its commits"
    )]
    let mut command = Command::new("git");
    command.current_dir(folder);
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
