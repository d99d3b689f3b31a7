//! Git repositories for tests.

use std::path::Path;

/// The date of every commit.
const DATE: &str = "2026-01-01T00:00:00Z";

/// Returns the output of git with these arguments in a folder. Every commit has the same author and
/// date, so that archives of a tree, and their checksums, are the same in each run.
///
/// # Panics
/// When git fails.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let own = [
        "-c",
        "user.name=Somebody",
        "-c",
        "user.email=somebody@example.org",
    ];
    let run = rocpkg_programs::command("git")
        .arg("-C")
        .arg(folder)
        .args(own)
        .args(arguments)
        .env("GIT_AUTHOR_DATE", DATE)
        .env("GIT_COMMITTER_DATE", DATE)
        .output();
    let run = run.expect("git can be run");
    assert!(
        run.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).expect("git prints text")
}

/// Commits all files of a folder. The first call makes the folder a repository.
pub fn commit(folder: &Path) {
    if !folder.join(".git").exists() {
        git(folder, &["init", "--quiet"]);
    }
    git(folder, &["add", "--all"]);
    git(
        folder,
        &[
            "commit",
            "--quiet",
            "--message",
            "as it is",
            "--allow-empty",
        ],
    );
}
