//! Tests of `rocpkg bump --commit` and `--report`: one commit for each package, and nothing that is
//! not the bump's own.

use crate::checkout::{commit, git, overlay};
use rocpkg_test_support::write_file;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Runs `rocpkg` in a folder as a user that git knows, and returns its exit status and its output.
fn rocpkg(root: &Path, args: &[&str]) -> (i32, String) {
    let out = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .envs([
            ("GIT_AUTHOR_NAME", "Somebody"),
            ("GIT_AUTHOR_EMAIL", "somebody@example.org"),
            ("GIT_COMMITTER_NAME", "Somebody"),
            ("GIT_COMMITTER_EMAIL", "somebody@example.org"),
        ])
        .current_dir(root)
        .output()
        .unwrap();
    (
        out.status.code().unwrap(),
        String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned(),
    )
}

fn subjects(root: &Path, since: &str) -> Vec<String> {
    let log = git(root, &["log", "--format=%s", &format!("{since}..HEAD")]);
    log.lines().rev().map(str::to_owned).collect()
}

/// The bump's arguments; rocBLAS needs patches that nobody supplies here.
const BUMP: [&str; 2] = ["bump", "7.2.4"];

#[test]
fn each_package_that_is_done_is_a_commit_and_the_others_stay() {
    let dir = overlay(&["hipblas-common", "hipcc", "rocblas"], "7.2.0");
    let root = dir.path();
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    // What somebody staged meanwhile is not taken along.
    write_file(root.join("notes"), "mine\n");
    git(root, &["add", "notes"]);
    let report = ["--commit", "--report", "../report.md"];
    let (status, said) = rocpkg(root, &[&BUMP[..], &report].concat());
    assert_eq!(status, 1, "{said}");
    let made = subjects(root, before.trim());
    assert_eq!(
        made,
        [
            "sci-libs/hipBLAS-common: add 7.2.4",
            "dev-util/hipcc: add 7.2.4"
        ],
        "{said}"
    );
    assert!(
        said.contains("committed: dev-util/hipcc: add 7.2.4\n"),
        "{said}"
    );
    let files = git(root, &["show", "--name-only", "--format=", "HEAD"]);
    assert!(
        files
            .lines()
            .all(|path| path.starts_with("dev-util/hipcc/")),
        "{files}"
    );
    let status = git(root, &["status", "--short"]);
    assert!(status.starts_with("A  notes\n"), "{status}");
    assert!(
        status
            .lines()
            .skip(1)
            .all(|line| line.contains("sci-libs/rocBLAS/")),
        "{status}"
    );
    let report = root.parent().unwrap().join("report.md");
    let text = fs::read_to_string(&report).unwrap();
    fs::remove_file(&report).unwrap();
    assert!(
        text.starts_with("# ROCm 7.2.4\n\n2 of 3 packages are done.\n"),
        "{text}"
    );
    assert!(text.contains("| rocBLAS | 7.2.4 | "), "{text}");
    // With `all`, the rest follows, and the exit status still says that something is left.
    git(root, &["stash", "--include-untracked", "--quiet"]);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit=all"]].concat());
    assert_eq!(status, 1, "{said}");
    assert_eq!(
        subjects(root, before.trim()).pop().unwrap(),
        "sci-libs/rocBLAS: add 7.2.4"
    );
    assert_eq!(git(root, &["status", "--short"]), "");
}

#[test]
fn uncommitted_changes_are_not_written_over() {
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    // Somebody began the Manifest by hand.
    let path = "dev-util/hipcc/Manifest";
    write_file(root.join(path), "DIST mine.tar.gz 1 BLAKE2B 0 SHA512 0\n");
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains(&format!("uncommitted changes would be changed: {path}")),
        "{said}"
    );
    assert_eq!(git(root, &["status", "--short"]), format!("?? {path}\n"));
    // A package that is not touched does not matter.
    let (status, said) = rocpkg(root, &[&BUMP[..], &["hipblas-common", "--commit"]].concat());
    assert_eq!(status, 0, "{said}");
    assert_eq!(
        git(root, &["status", "--short"]),
        "?? dev-util/hipcc/Manifest\n"
    );
}

#[test]
fn a_commit_that_can_not_be_signed_leaves_none_behind() {
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    git(root, &["config", "commit.gpgsign", "true"]);
    git(root, &["config", "gpg.program", "false"]);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("git commit failed"), "{said}");
    assert_eq!(git(root, &["rev-parse", "HEAD"]), before);
    assert!(git(root, &["diff", "--cached", "--name-only"]).is_empty());
    assert!(root.join("dev-util/hipcc/hipcc-7.2.4.ebuild").is_file());
}

#[test]
fn commits_need_a_checkout_under_git() {
    let dir = overlay(&["hipcc"], "7.2.0");
    fs::remove_dir_all(dir.path().join(".git")).unwrap();
    let (status, said) = rocpkg(dir.path(), &[&BUMP[..], &["--commit"]].concat());
    assert!(
        status == 2 && said.contains("git rev-parse failed"),
        "{said}"
    );
    assert!(
        !dir.path()
            .join("dev-util/hipcc/hipcc-7.2.4.ebuild")
            .exists()
    );
    let other = tempfile::tempdir().unwrap();
    let (status, said) = rocpkg(other.path(), &[&BUMP[..], &["--commit"]].concat());
    assert!(status == 2, "{said}");
}

#[test]
fn changes_of_others_are_never_committed() {
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    // A commit that a hook refuses leaves the files; the next run says so.
    let hook = root.join(".git/hooks/pre-commit");
    write_file(&hook, "#!/bin/sh\nexit 1\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 2, "{said}");
    fs::remove_file(&hook).unwrap();
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("not committed, because they had changes before this run: "),
        "{said}"
    );
    git(root, &["stash", "--include-untracked", "--quiet"]);
    // During a merge, nothing is written.
    let head = git(root, &["rev-parse", "HEAD"]);
    write_file(root.join(".git/MERGE_HEAD"), &head);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert!(status == 2 && said.contains("MERGE_HEAD"), "{said}");
    fs::remove_file(root.join(".git/MERGE_HEAD")).unwrap();
    assert_eq!(git(root, &["status", "--short"]), "");
    // A report replaces no recipe.
    let recipe = "dev-util/hipcc/hipcc-7.2.0.ebuild";
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--report", recipe]].concat());
    assert!(status == 2 && said.contains("ends in .md"), "{said}");
    assert_eq!(git(root, &["status", "--short"]), "");
}
