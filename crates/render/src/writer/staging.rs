//! The paths at which files are staged, before they are moved into place. A killed run leaves its
//! staged files there, so the paths are outside of what people commit.

use super::disk::git_id;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Returns the path at which the new content of `target` is staged. It is computed from the path of
/// the target, so that a later run finds the file.
///
/// In a git repository, the path is in the folder of git: `.git/rocpkg-0123456789abcdef`. Without a
/// repository, or if the folder of git is on another file system, the path is beside the target.
pub(super) fn staging(target: &Path) -> PathBuf {
    let in_git = absolute(target).and_then(|target| {
        let name = target.to_string_lossy().into_owned();
        Some(git_folder(&target)?.join(format!("rocpkg-{}", id(&name))))
    });
    in_git.unwrap_or_else(|| {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        target.with_file_name(format!(".rocpkg-{}", id(&name)))
    })
}

fn id(name: &str) -> String {
    git_id(name.as_bytes()).split_off(24)
}

/// Returns a path with its links resolved, as far as its folders exist.
fn absolute(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut folders = path.ancestors().skip(1);
    let (folder, real) = folders.find_map(|f| Some((f, f.canonicalize().ok()?)))?;
    Some(real.join(path.strip_prefix(folder).ok()?))
}

/// Returns the folder of git of the repository that contains `target`, such as `.git` or
/// `.git/worktrees/NAME` (gitrepository-layout). Returns None if a file can't be moved from there to
/// the target's folder.
fn git_folder(target: &Path) -> Option<PathBuf> {
    let mut folders = target.ancestors().skip(1).filter(|f| f.is_dir());
    let beside = folders.next()?;
    let mut tops = target.ancestors().skip(1).map(|f| f.join(".git"));
    let found = tops.find(|git| git.exists())?;
    let git = if found.is_dir() {
        found
    } else {
        // The folder of a worktree or of a submodule has a file that names the folder of git.
        let text = fs::read_to_string(&found).ok()?;
        let path = text.lines().next()?.strip_prefix("gitdir: ")?;
        found.with_file_name(path)
    };
    let device = |folder: &Path| fs::metadata(folder).map(|m| m.dev()).ok();
    let is_near = git.join("HEAD").is_file() && device(&git) == device(beside);
    is_near.then_some(git)
}
