use std::{
    fs,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{
    copy::copy_tree,
    tools::{is_root, outcome, run, system_tool},
};

/// The user and group "nobody": makepkg refuses root.
const NOBODY: u32 = 65534;

/// What `makepkg --printsrcinfo` prints for a folder with a PKGBUILD, or its complaint: its lints run as well.
///
/// # Errors
/// What makepkg printed, when it fails or has anything to say.
pub fn printsrcinfo(folder: &Path) -> Result<String, String> {
    let scratch = TempDir::with_prefix("rocpkg-arch-").expect("a scratch folder can be made");
    copy_tree(folder, scratch.path());
    give_away(scratch.path());
    let mut command = unprivileged(&system_tool("makepkg"));
    command.arg("--printsrcinfo").current_dir(scratch.path()).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8");
    for variable in ["HOME", "BUILDDIR", "PKGDEST", "SRCDEST", "SRCPKGDEST"] {
        command.env(variable, scratch.path());
    }
    let output = run(&mut command);
    let text = outcome(&output)?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    if complaints.trim().is_empty() { Ok(text) } else { Err(complaints.into_owned()) }
}

/// A program that runs as "nobody" where the tests run as root.
pub fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new(system_tool("setpriv"));
    command
        .args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()])
        .arg(program);
    command
}

/// The folders of a tree that hold a PKGBUILD, sorted.
pub fn pkgbases(tree: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(tree).unwrap_or_else(|e| panic!("{}: {e}", tree.display()));
    let mut found: Vec<_> = entries
        .map(|entry| entry.unwrap_or_else(|e| panic!("{}: {e}", tree.display())).path())
        .filter(|path| path.join("PKGBUILD").is_file())
        .collect();
    found.sort();
    found
}

/// Hands a folder and all below it to who runs programs unprivileged.
///
/// # Panics
/// When the system refuses it.
pub fn give_away(path: &Path) {
    if !is_root() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())) {
            give_away(&entry.unwrap_or_else(|e| panic!("{}: {e}", path.display())).path());
        }
    }
}
