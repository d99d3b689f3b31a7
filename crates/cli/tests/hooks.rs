//! Tests of `rocpkg bump --commit` with hooks, with edits that git hides, and in sparse checkouts.

use crate::automation::checkout;
use crate::checkout::overlay;
use crate::commit::{BUMP, rocpkg, subjects};
use rocpkg_test_support::{commit, git, write_file};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// Makes a program the hook of a repository that runs before each commit.
fn pre_commit(repository: &Path, script: &str) {
    let hook = repository.join(".git/hooks/pre-commit");
    write_file(&hook, format!("#!/bin/sh\nset -e\n{script}\n"));
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns a checkout of two packages whose bumps are done, in a repository with a commit.
fn committed() -> TempDir {
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    commit(dir.path());
    dir
}

/// Formats the new ebuilds of a commit, and adds them.
const FORMATS: &str = "for file in $(git diff --cached --name-only -- '*.ebuild'); do \
    echo '# formatted' >> \"$file\"; git add \"$file\"; done";

/// Adds a file at the root of the repository.
const ADDS: &str = "cd \"$(git rev-parse --show-toplevel)\"; echo x >> log; git add log";

#[test]
fn what_a_hook_changes_is_in_the_commit_and_in_the_index() {
    for (script, in_head) in [
        (FORMATS, "dev-util/hipcc/hipcc-7.2.4.ebuild"),
        (ADDS, "log"),
    ] {
        let dir = committed();
        let root = dir.path();
        let before = git(root, &["rev-parse", "HEAD"]);
        write_file(root.join("notes"), "mine\n");
        git(root, &["add", "notes"]);
        pre_commit(root, script);
        let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
        assert_eq!(status, 0, "{script}: {said}");
        assert_eq!(subjects(root, before.trim()).len(), 2, "{script}: {said}");
        // HEAD, the index and the files agree, and what somebody staged is still staged.
        assert_eq!(git(root, &["status", "--short"]), "A  notes\n", "{script}");
        let text = git(root, &["show", &format!("HEAD:{in_head}")]);
        assert_eq!(text, fs::read_to_string(root.join(in_head)).unwrap());
        let is_changed = text.ends_with("# formatted\n") || text == "x\nx\n";
        assert!(is_changed, "{script}: {text}");
    }
}

#[test]
fn a_hook_in_a_repository_around_the_checkout_is_no_different() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path();
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    fs::remove_dir_all(dir.path().join(".git")).unwrap();
    let inner = root.join("overlay");
    fs::rename(dir.path(), &inner).unwrap();
    git(root, &["init", "--quiet"]);
    commit(root);
    pre_commit(root, ADDS);
    let (status, said) = rocpkg(&inner, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 0, "{said}");
    assert_eq!(git(root, &["status", "--short"]), "");
    assert_eq!(git(root, &["show", "HEAD:log"]), "x\nx\n");
}

#[test]
fn a_hook_that_adds_everything_leaves_no_commit_empty() {
    let dir = committed();
    let root = dir.path();
    let before = git(root, &["rev-parse", "HEAD"]);
    pre_commit(root, "git add --all");
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 0, "{said}");
    assert_eq!(
        subjects(root, before.trim()),
        ["sci-libs/hipBLAS-common: add 7.2.4"]
    );
    assert!(!said.contains("committed: dev-util"), "{said}");
    assert_eq!(git(root, &["status", "--short"]), "");
}

#[test]
fn a_refused_commit_leaves_head_and_index_as_they_were() {
    for script in [
        format!("{ADDS}; ! git diff --cached --name-only | grep -q hipcc"),
        format!("{ADDS}; test \"$(wc -l < log)\" = 1"),
        format!("{FORMATS}; exit 1"),
    ] {
        let dir = committed();
        let root = dir.path();
        let before = git(root, &["rev-parse", "HEAD"]);
        write_file(root.join("notes"), "mine\n");
        git(root, &["add", "notes"]);
        pre_commit(root, &script);
        let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
        assert_eq!(status, 2, "{script}: {said}");
        assert_eq!(git(root, &["rev-parse", "HEAD"]), before, "{script}");
        let staged = git(root, &["diff", "--cached", "--name-only"]);
        assert_eq!(staged, "notes\n", "{script}");
        assert!(root.join("dev-util/hipcc/hipcc-7.2.4.ebuild").is_file());
    }
}

#[test]
fn edits_that_git_hides_are_neither_changed_nor_committed() {
    for flag in ["assume-unchanged", "skip-worktree"] {
        let set = format!("--{flag}");
        // A file that the bump would change.
        let dir = checkout("arch", &["hipblas-common", "rocm-cmake"], "7.2.0");
        let root = dir.path();
        commit(root);
        let recipe = "rocm-cmake/PKGBUILD";
        git(root, &["update-index", &set, recipe]);
        let mine = fs::read_to_string(root.join(recipe)).unwrap() + "# mine\n";
        write_file(root.join(recipe), &mine);
        let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
        assert_eq!(status, 2, "{said}");
        let hint = format!(
            "git hides edits of {recipe}, which has the flag {flag}: `git update-index --no-{flag} {recipe}` removes it"
        );
        assert!(said.contains(&hint), "{said}");
        assert_eq!(fs::read_to_string(root.join(recipe)).unwrap(), mine);
        assert_eq!(git(root, &["status", "--short"]), "");
        // The printed command makes another run possible.
        git(root, &["update-index", &format!("--no-{flag}"), recipe]);
        git(root, &["checkout", "--quiet", "--", recipe]);
        let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
        assert_eq!(status, 0, "{said}");
        // A file that the bump copies.
        let dir = committed();
        let root = dir.path();
        let base = "dev-util/hipcc/hipcc-7.2.0.ebuild";
        git(root, &["update-index", &set, base]);
        let before = git(root, &["rev-parse", "HEAD"]);
        let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
        assert_eq!(status, 1, "{said}");
        assert!(said.contains(&format!("has the flag {flag}")), "{said}");
        assert_eq!(
            subjects(root, before.trim()),
            ["sci-libs/hipBLAS-common: add 7.2.4"]
        );
    }
}

#[test]
fn packages_outside_of_a_sparse_checkout_are_named() {
    let dir = committed();
    let root = dir.path();
    let text = fs::read_to_string(root.join("rocpkg.toml")).unwrap();
    let text = text.replace("packages = [", "# packages = [");
    write_file(root.join("rocpkg.toml"), &text);
    commit(root);
    git(
        root,
        &["sparse-checkout", "set", "dev-util", "metadata", "profiles"],
    );
    assert!(!root.join("sci-libs/hipBLAS-common").exists());
    let line = "not in the sparse checkout: hipBLAS-common (`git sparse-checkout add sci-libs/hipBLAS-common`)";
    for more in [&["--dry-run"][..], &["--commit"]] {
        let (status, said) = rocpkg(root, &[&BUMP[..], more].concat());
        assert!(said.contains(&format!("{line}\n")), "{status}: {said}");
    }
    let (status, said) = rocpkg(root, &[&BUMP[..], &["hipblas-common"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(said.contains(line), "{said}");
    assert_eq!(git(root, &["status", "--short"]), "");
}
