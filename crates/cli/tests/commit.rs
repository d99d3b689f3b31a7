//! Tests of `rocpkg bump --commit` and `--report`: one commit for each package, and nothing that is
//! not the bump's own.

use crate::automation::checkout;
use crate::checkout::overlay;
use rocpkg_test_support::{commit, git, write_file};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// The variables by which git knows who commits.
pub(crate) const SOMEBODY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "Somebody"),
    ("GIT_AUTHOR_EMAIL", "somebody@example.org"),
    ("GIT_COMMITTER_NAME", "Somebody"),
    ("GIT_COMMITTER_EMAIL", "somebody@example.org"),
];

/// Runs `rocpkg` in a folder as a user that git knows, and returns its exit status and its output.
pub(crate) fn rocpkg(root: &Path, args: &[&str]) -> (i32, String) {
    let out = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .envs(SOMEBODY)
        .current_dir(root)
        .output()
        .unwrap();
    (
        out.status.code().unwrap(),
        String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned(),
    )
}

pub(crate) fn subjects(root: &Path, since: &str) -> Vec<String> {
    let log = git(root, &["log", "--format=%s", &format!("{since}..HEAD")]);
    log.lines().rev().map(str::to_owned).collect()
}

/// The bump's arguments; rocBLAS needs patches that nobody supplies here.
pub(crate) const BUMP: [&str; 2] = ["bump", "7.2.4"];

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
        text.starts_with("# ROCm 7.2.4\n\n2 of 3 recipes are done, 1 with something left.\n"),
        "{text}"
    );
    assert!(text.contains("| rocBLAS | 7.2.4 | "), "{text}");
    assert!(
        text.contains("no language model and no person took part"),
        "{text}"
    );
    assert!(text.contains("\n## What users notice\n"), "{text}");
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
    for what in [
        "2 of 2 recipes are done; 4 files changed\n",
        "  not committed: sci-libs/hipBLAS-common: add 7.2.4; no commit was made before it, and the edits of all packages are kept\n",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    assert!(!said.contains("committed: dev-util"), "{said}");
    assert_eq!(git(root, &["rev-parse", "HEAD"]), before);
    assert!(git(root, &["diff", "--cached", "--name-only"]).is_empty());
    assert!(root.join("dev-util/hipcc/hipcc-7.2.4.ebuild").is_file());
    // The printed command makes another run possible.
    git(root, &["config", "commit.gpgsign", "false"]);
    let command = said.lines().find(|line| line.contains(" stash push "));
    let words: Vec<&str> = command.unwrap().split_whitespace().skip(1).collect();
    git(root, &words);
    assert_eq!(git(root, &["status", "--short"]), "");
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 0, "{said}");
    assert_eq!(subjects(root, before.trim()).len(), 2, "{said}");
    assert_eq!(git(root, &["status", "--short"]), "");
}

#[test]
fn a_failed_commit_names_its_package_and_undoes_the_commits_before_it() {
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    let hook = root.join(".git/hooks/pre-commit");
    let script = "#!/bin/sh\n! git diff --cached --name-only | grep -q hipcc\n";
    write_file(&hook, script);
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit", "--json"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains(
            "  not committed: dev-util/hipcc: add 7.2.4; the commit before it was undone, and the edits of all packages are kept\n"
        ),
        "{said}"
    );
    assert!(said.contains("\"commits\": []"), "{said}");
    assert_eq!(git(root, &["rev-parse", "HEAD"]), before);
}

#[test]
fn commits_need_a_checkout_under_git() {
    let dir = overlay(&["hipcc"], "7.2.0");
    fs::remove_dir_all(dir.path().join(".git")).unwrap();
    let (status, said) = rocpkg(dir.path(), &[&BUMP[..], &["--commit"]].concat());
    assert!(
        status == 2
            && said.contains("--commit needs one git repository around the packages")
            && said.contains("run it in each clone"),
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
    assert!(said.contains(" has uncommitted changes\n"), "{said}");
    git(root, &["stash", "--include-untracked", "--quiet"]);
    // During a merge, nothing is written.
    let head = git(root, &["rev-parse", "HEAD"]);
    write_file(root.join(".git/MERGE_HEAD"), &head);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert!(status == 2 && said.contains("MERGE_HEAD"), "{said}");
    fs::remove_file(root.join(".git/MERGE_HEAD")).unwrap();
    // The same holds for a rebase that stopped, and while a faulty commit is searched.
    for name in ["rebase-merge", "rebase-apply", "BISECT_LOG"] {
        let begun = root.join(".git").join(name);
        fs::create_dir(&begun).unwrap();
        let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
        assert!(status == 2 && said.contains(name), "{said}");
        fs::remove_dir(&begun).unwrap();
    }
    assert_eq!(git(root, &["status", "--short"]), "");
    // A report replaces no recipe.
    let recipe = "dev-util/hipcc/hipcc-7.2.0.ebuild";
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--report", recipe]].concat());
    assert!(status == 2 && said.contains("ends in .md"), "{said}");
    assert_eq!(git(root, &["status", "--short"]), "");
}

#[test]
fn a_package_whose_recipe_is_left_gets_no_other_file() {
    let dir = checkout("arch", &["hipblas-common", "rocm-cmake"], "7.2.0");
    let root = dir.path();
    fs::rename(root.join("rocm-cmake/PKGBUILD"), root.join("shared")).unwrap();
    symlink("../shared", root.join("rocm-cmake/PKGBUILD")).unwrap();
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit=all"]].concat());
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("  rocm-cmake      not touched: "), "{said}");
    assert_eq!(
        subjects(root, before.trim()),
        ["hipblas-common: update to 7.2.4"]
    );
    assert_eq!(git(root, &["status", "--short"]), "");
    // An ebuild of an unknown release stays alone, with the Manifest that it has.
    let dir = overlay(&["hipcc"], "7.2.0");
    let root = dir.path();
    let folder = root.join("dev-util/hipcc");
    fs::rename(
        folder.join("hipcc-7.2.0.ebuild"),
        folder.join("hipcc-5.9.9.ebuild"),
    )
    .unwrap();
    commit(root);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit=all"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("states release 5.9.9"), "{said}");
    assert_eq!(git(root, &["status", "--short"]), "", "{said}");
}

/// Asserts that a bump with `--commit` refuses, says `what`, and changes nothing.
fn refuses(root: &Path, what: &str) {
    let before = (
        git(root, &["rev-parse", "HEAD"]),
        git(root, &["status", "--short", "--ignored"]),
    );
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(said.contains(what), "{what}: {said}");
    let after = (
        git(root, &["rev-parse", "HEAD"]),
        git(root, &["status", "--short", "--ignored"]),
    );
    assert_eq!(before, after);
}

#[test]
fn what_git_would_refuse_is_found_before_anything_is_written() {
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    // The author is known here, and its name is empty.
    let nobody = [&BUMP[..], &["--commit"]].concat();
    let out = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(&nobody)
        .envs([("GIT_AUTHOR_NAME", ""), ("GIT_COMMITTER_NAME", "")])
        .current_dir(root)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(
        said.contains("git does not know who commits") && said.contains("git config user.name"),
        "{said}"
    );
    assert_eq!(git(root, &["status", "--short"]), "");
    // A recipe that git ignores.
    git(root, &["rm", "--quiet", "--cached", "-r", "dev-util/hipcc"]);
    write_file(root.join(".gitignore"), "/dev-util/\n");
    commit(root);
    refuses(root, "git ignores dev-util/hipcc/");
    // A recipe in a repository inside of this one.
    write_file(root.join(".gitignore"), "");
    let folder = root.join("dev-util/hipcc");
    git(&folder, &["init", "--quiet"]);
    commit(&folder);
    commit(root);
    refuses(
        root,
        "dev-util/hipcc is another git repository: run rocpkg in it",
    );
    // Other packages are not concerned, and neither is the state without a branch.
    git(root, &["checkout", "--quiet", "--detach"]);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["hipblas-common", "--commit"]].concat());
    assert_eq!(status, 0, "{said}");
}

#[test]
fn facts_are_committed_together_with_a_package() {
    let dir = overlay(&["rocblas"], "7.2.0");
    let root = dir.path();
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    let (status, said) = rocpkg(root, &["bump", "7.2.9", "--commit"]);
    assert_eq!(status, 1, "{said}");
    assert_eq!(git(root, &["rev-parse", "HEAD"]), before, "{said}");
    assert!(
        said.contains("  rocm-profiles/releases/7.2.yaml: not committed, because no package is\n"),
        "{said}"
    );
    git(root, &["stash", "--include-untracked", "--quiet"]);
    let (_, said) = rocpkg(root, &["bump", "7.2.9", "--commit=all"]);
    assert_eq!(
        subjects(root, before.trim()),
        ["rocpkg: facts of 7.2.9", "sci-libs/rocBLAS: add 7.2.9"],
        "{said}"
    );
    assert_eq!(git(root, &["status", "--short"]), "");
}

#[test]
fn a_scope_names_the_release_that_its_recipes_had() {
    let dir = checkout("nix", &["hipblas-common", "rocm-cmake"], "7.1.1");
    let root = dir.path();
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    let (_, said) = rocpkg(root, &[&BUMP[..], &["--commit=all"]].concat());
    assert_eq!(
        subjects(root, before.trim()),
        ["rocmPackages: 7.1.1 -> 7.2.4"],
        "{said}"
    );
    // With two releases in the scope, none of them is the one before.
    git(root, &["reset", "--quiet", "--hard", before.trim()]);
    rocpkg(root, &["bump", "7.2.0", "rocm-cmake"]);
    commit(root);
    let (_, said) = rocpkg(root, &[&BUMP[..], &["--commit=all"]].concat());
    let all = subjects(root, before.trim());
    assert_eq!(
        all.last().unwrap(),
        "rocmPackages: update to 7.2.4",
        "{said}"
    );
}

#[test]
fn settings_that_git_does_not_know_matter_only_if_they_change() {
    let dir = overlay(&["hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    git(root, &["rm", "--quiet", "--cached", "rocpkg.toml"]);
    git(root, &["commit", "--quiet", "--message", "as it is"]);
    // This release is not in the model, so its facts would be a new layer in the settings.
    let (status, said) = rocpkg(root, &["bump", "7.2.9", "--commit"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("rocpkg.toml") && said.contains("commit it first"),
        "{said}"
    );
    assert_eq!(git(root, &["status", "--short"]), "?? rocpkg.toml\n");
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 0, "{said}");
    assert_eq!(git(root, &["status", "--short"]), "?? rocpkg.toml\n");
}

#[test]
fn recipes_newer_than_the_release_have_a_hint_that_bump_can_follow() {
    let dir = checkout("arch", &["rocm-cmake"], "7.2.4");
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.0"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("but 7.2.0 is older"), "{said}");
    assert!(
        said.contains("`rocpkg render --release 7.2.0 --older`") && !said.contains("permits"),
        "{said}"
    );
}

/// Asserts that a bump with these arguments ends with 1, commits nothing, and says `what`.
fn commits_nothing(root: &Path, args: &[&str], what: &str) {
    let before = git(root, &["rev-parse", "HEAD"]);
    let (status, said) = rocpkg(root, args);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains(what), "{what}: {said}");
    assert_eq!(git(root, &["rev-parse", "HEAD"]), before, "{said}");
}

#[test]
fn a_copy_of_an_uncommitted_ebuild_is_not_committed() {
    let dir = overlay(&["hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    let old = "dev-util/hipcc/hipcc-7.2.0.ebuild";
    let text = fs::read_to_string(root.join(old)).unwrap();
    let changed = format!("{text}# not finished\n");
    for (base, is_staged) in [
        (old, false),
        (old, true),
        ("dev-util/hipcc/hipcc-7.2.3.ebuild", false),
    ] {
        write_file(root.join(base), &changed);
        if is_staged {
            git(root, &["add", base]);
        }
        for commit in ["--commit", "--commit=all"] {
            let what = format!(
                "hipcc-7.2.4.ebuild: {base}, from which its ebuild is made, has uncommitted changes\n"
            );
            commits_nothing(root, &[&BUMP[..], &[commit]].concat(), &what);
            let new = root.join("dev-util/hipcc/hipcc-7.2.4.ebuild");
            let text = fs::read_to_string(&new).unwrap();
            assert!(text.ends_with("# not finished\n"), "{text}");
            fs::remove_file(new).unwrap();
            let _ = fs::remove_file(root.join("dev-util/hipcc/Manifest"));
        }
        git(root, &["reset", "--quiet", "--hard"]);
        git(root, &["clean", "--quiet", "--force"]);
    }
}

#[test]
fn a_package_is_committed_with_its_recipe_only() {
    let dir = overlay(&["hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    let (old, new) = (
        "dev-util/hipcc/hipcc-7.2.0.ebuild",
        "dev-util/hipcc/hipcc-7.2.4.ebuild",
    );
    let what = format!("  {new}: {new} has uncommitted changes\n");
    // Somebody copied the ebuild, or moved it.
    fs::copy(root.join(old), root.join(new)).unwrap();
    commits_nothing(root, &[&BUMP[..], &["--commit"]].concat(), &what);
    git(root, &["clean", "--quiet", "--force", "dev-util"]);
    git(root, &["mv", old, new]);
    commits_nothing(root, &[&BUMP[..], &["--commit"]].concat(), &what);
    // The Manifest of a committed ebuild is committed alone, as a change of its package.
    let _ = fs::remove_file(root.join("dev-util/hipcc/Manifest"));
    commit(root);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 0, "{said}");
    let files = git(root, &["show", "--name-only", "--format=%s", "HEAD"]);
    assert_eq!(
        files, "dev-util/hipcc: update 7.2.4\n\ndev-util/hipcc/Manifest\n",
        "{said}"
    );
    assert_eq!(subjects(root, before.trim()).len(), 2);
}

#[test]
fn a_package_waits_for_the_packages_that_it_needs() {
    let dir = overlay(&["rocr-runtime", "rocminfo", "hipcc", "rocm-core"], "7.2.0");
    let root = dir.path();
    // This dependency is not in the model.
    let ebuild = root.join("dev-util/hipcc/hipcc-7.2.0.ebuild");
    let text = fs::read_to_string(&ebuild).unwrap();
    write_file(
        &ebuild,
        format!("{text}RDEPEND+=\" dev-util/rocminfo:${{SLOT}}\"\n"),
    );
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    let report = ["--commit", "--report", "../waits.md"];
    let (status, said) = rocpkg(root, &[&BUMP[..], &report].concat());
    assert_eq!(status, 1, "{said}");
    assert_eq!(
        subjects(root, before.trim()),
        ["dev-libs/rocm-core: add 7.2.4"],
        "{said}"
    );
    for what in [
        "1 of 4 recipes are done, 1 with something left, 2 can't be committed yet",
        "  hipcc, rocminfo: waits for rocr-runtime\n",
        "  rocminfo      edited, not committed\n",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let path = root.parent().unwrap().join("waits.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let row = "| rocminfo | 7.2.4 | edited, not committed |\n";
    assert!(text.contains(row), "{text}");
    // The maintainer commits ROCr. It lacks its patches, and is at the release.
    git(root, &["add", "dev-libs/rocr-runtime"]);
    git(root, &["commit", "--quiet", "--message", "rocr"]);
    git(root, &["stash", "--include-untracked", "--quiet"]);
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("  rocr-runtime  lacks "), "{said}");
    assert!(
        said.contains("committed: dev-util/hipcc: add 7.2.4\n"),
        "{said}"
    );
    assert_eq!(git(root, &["status", "--short"]), "");
    // A package that is not in this run, or `all`, makes nobody wait.
    for args in [&["rocminfo", "--commit"][..], &["--commit=all"]] {
        git(root, &["reset", "--quiet", "--hard", before.trim()]);
        let (_, said) = rocpkg(root, &[&BUMP[..], args].concat());
        assert!(
            said.contains("committed: dev-util/rocminfo: add 7.2.4\n"),
            "{said}"
        );
        assert!(!said.contains("waits"), "{said}");
    }
}

#[test]
fn a_recipe_of_the_old_version_is_not_committed_as_an_update() {
    let dir = checkout("arch", &["hipblas-common", "rocm-cmake"], "7.2.4");
    let root = dir.path();
    let recipe = root.join("hipblas-common/PKGBUILD");
    let text = fs::read_to_string(&recipe).unwrap();
    let source = text
        .lines()
        .find(|line| line.starts_with("source="))
        .unwrap();
    let other = "source=(\"rocm-$pkgver.tar.gz::https://github.com/ROCm/rocm-libraries/archive/refs/tags/rocm-$pkgver.tar.gz\")";
    let own = text.replace(source, other);
    write_file(&recipe, &own);
    commit(root);
    let before = git(root, &["rev-parse", "HEAD"]);
    let (status, said) = rocpkg(root, &["bump", "10.0.0", "--commit=all"]);
    assert_eq!(status, 1, "{said}");
    assert_eq!(fs::read_to_string(&recipe).unwrap(), own);
    let why = "the version can't change without its source";
    assert!(said.contains(why), "{said}");
    let made = subjects(root, before.trim());
    assert!(
        made.contains(&"rocm-cmake: update to 10.0".to_owned()),
        "{made:?}"
    );
    assert!(
        !made.iter().any(|message| message.contains("hipblas")),
        "{made:?}"
    );
}

#[test]
fn a_report_that_can_not_be_written_is_found_first() {
    let dir = overlay(&["hipcc"], "7.2.0");
    let root = dir.path();
    commit(root);
    let report = |path| [&BUMP[..], &["--commit", "--report", path]].concat();
    let (status, said) = rocpkg(root, &report("no-such-folder/report.md"));
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("no-such-folder/report.md: --report: the file can't be written: "),
        "{said}"
    );
    assert_eq!(git(root, &["status", "--short"]), "");
    // Any name will do for a file of the user.
    let other = tempfile::tempdir().unwrap();
    let path = other.path().join("a report é.md");
    write_file(&path, "of yesterday\n");
    let (status, said) = rocpkg(root, &report(path.to_str().unwrap()));
    assert_eq!(status, 0, "{said}");
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .starts_with("# ROCm 7.2.4\n")
    );
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
}

#[test]
fn a_scope_that_is_not_committed_is_named() {
    let dir = checkout("nix", &["hipblas-common", "rocblas"], "7.1.1");
    let root = dir.path();
    commit(root);
    let what = "nothing was committed: the scope is committed as a whole, and 2 of 2 recipes are not done; `--commit=all` commits it as it is\n";
    commits_nothing(root, &[&BUMP[..], &["--commit"]].concat(), what);
}

#[test]
fn a_repository_without_a_commit_is_refused() {
    let dir = checkout("arch", &["rocm-cmake"], "7.2.0");
    let root = dir.path();
    let (status, said) = rocpkg(root, &[&BUMP[..], &["--commit"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains(
            "--commit: the branch has no commit yet; commit the recipes as they are first"
        ),
        "{said}"
    );
    let text = fs::read_to_string(root.join("rocm-cmake/PKGBUILD")).unwrap();
    assert!(text.contains("pkgver=7.2.0"), "{text}");
}
