//! Runs the workflows in `examples/automation/`: their `run:` steps, in their order, with a remote
//! on this machine and stand-ins for upstream's repositories and for GitHub's program.

use crate::checkout::overlay;
use rocpkg::internal::model::{Findings, Node, Value, parse};
use rocpkg_test_support::{commit, git, write_file};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A workflow: its variables, and the texts of its `run:` steps.
struct Workflow {
    variables: BTreeMap<String, String>,
    steps: Vec<String>,
}

impl Workflow {
    fn read(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/automation");
        let path = folder.join(format!("{name}.yml"));
        let text = fs::read_to_string(path).unwrap();
        let mut findings = Findings::default();
        let node = parse(0, &text, &mut findings);
        let node = node.unwrap_or_else(|| panic!("{name}: {:?}", findings.sorted()));
        let of = |node: &Node| node.text().unwrap_or_default().to_owned();
        let env = node.entries_of("env");
        let variables = env
            .iter()
            .map(|(key, value)| (key.name.to_string(), of(value)));
        let job = node.get("jobs").unwrap().get("bump").unwrap();
        let Value::Seq(steps) = &job.get("steps").unwrap().value else {
            panic!("{name}: the steps are a list");
        };
        let run = steps.iter().filter_map(|step| step.get("run"));
        Self {
            variables: variables.collect(),
            steps: run.map(of).collect(),
        }
    }
}

/// Upstream's repositories of the packages, with tags up to 7.2.4.
fn upstream(root: &Path) -> String {
    for name in [
        "rocm-libraries",
        "rocm-systems",
        "llvm-project",
        "rocm-cmake",
        "HIPIFY",
    ] {
        let folder = root.join("upstream/ROCm").join(name);
        // The folders of the packages that these tests move. Nothing in them is changed by a step.
        for project in ["hipblas-common", "rocm-core"] {
            fs::create_dir_all(folder.join("projects").join(project)).unwrap();
            write_file(
                folder.join("projects").join(project).join("CMakeLists.txt"),
                "",
            );
        }
        commit_new(&folder);
        for tag in ["rocm-7.2.0", "rocm-7.2.3", "rocm-7.2.4", "therock-7.9"] {
            git(&folder, &["tag", "--force", tag]);
        }
    }
    format!(
        "file://{}/upstream/{{owner}}/{{repository}}",
        root.display()
    )
}

fn commit_new(folder: &Path) {
    git(folder, &["init", "--quiet"]);
    commit(folder);
}

/// Publishes a checkout as a remote, and returns a clone of it.
fn cloned(root: &Path, checkout: &Path) -> PathBuf {
    commit(checkout);
    let (bare, clone) = (root.join("origin.git"), root.join("clone"));
    let path = |path: &Path| path.display().to_string();
    git(
        root,
        &["clone", "--quiet", "--bare", &path(checkout), &path(&bare)],
    );
    git(root, &["clone", "--quiet", &path(&bare), &path(&clone)]);
    clone
}

/// Runs the steps of a workflow in `clone`. Returns the arguments with which GitHub's program was
/// called, or an empty text if it was not.
fn run(workflow: &Workflow, root: &Path, clone: &Path) -> String {
    let (bin, temp) = (root.join("bin"), root.join("temp"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(&temp).unwrap();
    write_file(
        bin.join("gh"),
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$RUNNER_TEMP/gh\"\n",
    );
    fs::set_permissions(bin.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
    let rocpkg = Path::new(env!("CARGO_BIN_EXE_rocpkg")).parent().unwrap();
    let own = std::env::var("PATH").unwrap();
    let path = format!("{}:{}:{own}", bin.display(), rocpkg.display());
    let mirror = format!("--mirror {}", upstream(root));
    // actions/checkout does not make origin/HEAD.
    git(clone, &["remote", "set-head", "origin", "--delete"]);
    let branch = git(clone, &["branch", "--show-current"]).trim().to_owned();
    for step in &workflow.steps {
        let mut shell: Command = rocpkg_programs::command("bash");
        shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", step]);
        shell.current_dir(clone).envs(&workflow.variables);
        let options = workflow.variables["BUMP_OPTIONS"].replace("--fetch", &mirror);
        shell
            .env("BUMP_OPTIONS", options)
            .env("PATH", &path)
            .env("GITHUB_REF_NAME", &branch)
            .env("RUNNER_TEMP", &temp);
        let out = shell.output().unwrap();
        let said = [out.stdout, out.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(out.status.success(), "{step}\n{said}");
    }
    fs::read_to_string(temp.join("gh")).unwrap_or_default()
}

/// Returns the subjects of the commits that the remote got.
fn pushed(root: &Path) -> Vec<String> {
    let bare = root.join("origin.git");
    let log = git(&bare, &["log", "--format=%s", "HEAD..rocm-bump"]);
    log.lines().rev().map(str::to_owned).collect()
}

/// Makes a checkout of a distribution with these packages at a release.
pub(crate) fn checkout(distro: &str, packages: &[&str], release: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let rocpkg = |args: &[&str]| {
        let mut command = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        let out = command.args(args).current_dir(dir.path()).output().unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
    };
    git(dir.path(), &["init", "--quiet"]);
    rocpkg(&["init", distro]);
    let named = packages.iter().flat_map(|name| ["--package", name]);
    let all = [
        "render",
        "--release",
        release,
        "--allow-missing",
        "--allow-guesses",
    ];
    rocpkg(&all.into_iter().chain(named).collect::<Vec<_>>());
    dir
}

#[test]
fn a_version_of_its_own_moves_with_the_release() {
    let dir = checkout("arch", &["rocm-toolchain"], "7.2.4");
    let path = dir.path().join("rocm-toolchain/PKGBUILD");
    let version = || {
        let text = fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        lines.find(|l| l.starts_with("pkgver=")).unwrap().to_owned()
    };
    assert_eq!(version(), "pkgver=0.4.0");
    for release in ["7.14.0", "10.0.0", "10.1.0"] {
        let arguments = ["bump", release, "--allow-guesses"];
        let (status, said) = crate::checkout::rocpkg(dir.path(), &arguments);
        assert_ne!(status, 2, "{said}");
        let is_new = release != "7.14.0";
        assert_eq!(
            version(),
            format!("pkgver=0.{}.0", if is_new { 5 } else { 4 })
        );
    }
}

#[test]
fn a_gentoo_overlay_gets_a_pull_request() {
    let (root, dir) = (
        tempfile::tempdir().unwrap(),
        overlay(&["hipblas-common", "rocm-core"], "7.2.0"),
    );
    let clone = cloned(root.path(), dir.path());
    let called = run(&Workflow::read("overlay"), root.path(), &clone);
    assert!(
        called.starts_with("pr\ncreate\n") && called.contains("\nROCm 7.2.4\n"),
        "{called}"
    );
    assert_eq!(
        pushed(root.path()),
        [
            "sci-libs/hipBLAS-common: add 7.2.4",
            "dev-libs/rocm-core: add 7.2.4"
        ]
    );
    assert_eq!(git(&clone, &["status", "--short"]), "");
}

#[test]
fn commits_of_a_reviewer_stay_on_the_branch() {
    let (root, dir) = (
        tempfile::tempdir().unwrap(),
        overlay(&["hipblas-common"], "7.2.0"),
    );
    let clone = cloned(root.path(), dir.path());
    run(&Workflow::read("overlay"), root.path(), &clone);
    let (bare, other) = (root.path().join("origin.git"), root.path().join("other"));
    let path = |path: &Path| path.display().to_string();
    // A reviewer adds a commit. The next day, the workflow runs in a new clone.
    let arguments = ["clone", "--quiet", "--branch", "rocm-bump"];
    git(
        root.path(),
        &[&arguments[..], &[&path(&bare), &path(&other)]].concat(),
    );
    write_file(other.join("fix"), "fixed\n");
    commit(&other);
    git(&other, &["push", "--quiet"]);
    let next = root.path().join("next");
    git(
        root.path(),
        &["clone", "--quiet", &path(&bare), &path(&next)],
    );
    run(&Workflow::read("overlay"), root.path(), &next);
    assert_eq!(
        pushed(root.path()),
        ["sci-libs/hipBLAS-common: add 7.2.4", "as it is"]
    );
}

#[test]
fn a_folder_of_pkgbuilds_gets_a_pull_request() {
    let root = tempfile::tempdir().unwrap();
    let dir = checkout("arch", &["hipblas-common", "rocm-cmake"], "7.2.0");
    let clone = cloned(root.path(), dir.path());
    let called = run(&Workflow::read("pkgbuilds"), root.path(), &clone);
    assert!(called.starts_with("pr\ncreate\n"), "{called}");
    let made = pushed(root.path());
    assert!(
        made.contains(&"hipblas-common: update to 7.2.4".to_owned()),
        "{made:?}"
    );
}

#[test]
fn a_fork_of_nixpkgs_gets_one_commit_for_its_scope() {
    let root = tempfile::tempdir().unwrap();
    let dir = checkout("nix", &["hipblas-common", "rocm-cmake"], "7.2.0");
    let clone = cloned(root.path(), dir.path());
    let called = run(&Workflow::read("nixpkgs"), root.path(), &clone);
    assert!(called.starts_with("pr\ncreate\n"), "{called}");
    let made = pushed(root.path());
    assert!(
        made.last().unwrap().starts_with("rocmPackages: ")
            && made.last().unwrap().ends_with("7.2.4"),
        "{made:?}"
    );
}

#[test]
fn recipes_that_are_newer_than_upstream_have_nothing_to_do() {
    let root = tempfile::tempdir().unwrap();
    let dir = checkout("arch", &["rocm-cmake"], "10.0.0");
    let mirror = upstream(root.path());
    let arguments = ["bump", "latest", "--mirror", &mirror];
    let (status, said) = crate::checkout::rocpkg(dir.path(), &arguments);
    assert_eq!(status, 2, "{said}");
    let hint = "hint: 7.2.4 is the newest release that all of upstream's repositories have";
    assert!(
        said.contains("but 7.2.4 is older") && said.contains(hint),
        "{said}"
    );
}

#[test]
fn only_the_repositories_of_the_checkout_are_read() {
    let root = tempfile::tempdir().unwrap();
    // These ebuilds are newer than the release that the distribution ships.
    let dir = overlay(&["hipblas-common"], "7.2.3");
    let mirror = upstream(root.path());
    for name in ["rocm-systems", "llvm-project", "rocm-cmake", "HIPIFY"] {
        fs::remove_dir_all(root.path().join("upstream/ROCm").join(name)).unwrap();
    }
    let rocpkg = |arguments: &[&str]| crate::checkout::rocpkg(dir.path(), arguments);
    let (status, said) = rocpkg(&["bump", "latest", "--mirror", &mirror]);
    assert!(said.contains("hipBLAS-common  "), "{status} {said}");
    assert!(
        dir.path()
            .join("sci-libs/hipBLAS-common/hipBLAS-common-7.2.4.ebuild")
            .is_file()
    );
    let (status, said) = rocpkg(&["upstream", "latest", "--mirror", &mirror]);
    assert_eq!(
        (status, said.as_str()),
        (
            0,
            "7.2.4 is the newest release\n  ROCm/rocm-libraries  7.2.4 (rocm-7.2.4): hipblas-common\n"
        )
    );
    let (_, rules) = rocpkg(&["trackers", "gentoo"]);
    assert_eq!(rules.matches("source = ").count(), 1, "{rules}");
}

#[test]
fn a_partly_tagged_release_is_not_taken() {
    let root = tempfile::tempdir().unwrap();
    let dir = checkout("arch", &["rocm-cmake", "hipblas-common"], "7.2.3");
    let mirror = upstream(root.path());
    let libraries = root.path().join("upstream/ROCm/rocm-libraries");
    git(&libraries, &["tag", "therock-10.0"]);
    let arguments = ["bump", "latest", "--mirror", &mirror];
    let report = ["--report", "report.md"];
    let (_, said) = crate::checkout::rocpkg(dir.path(), &[&arguments[..], &report].concat());
    let note = "10.0.0 is only partly tagged, and missing in ROCm/rocm-cmake; `rocpkg bump 10.0.0` moves to it all the same\n";
    assert!(said.contains(note), "{said}");
    let text = fs::read_to_string(dir.path().join("report.md")).unwrap();
    assert!(text.contains(note), "{text}");
    for name in ["rocm-cmake", "hipblas-common"] {
        let text = fs::read_to_string(dir.path().join(name).join("PKGBUILD")).unwrap();
        assert!(text.contains("\npkgver=7.2.4\n"), "{text}");
    }
    // A second run has nothing to do.
    let (status, said) = crate::checkout::rocpkg(dir.path(), &arguments);
    assert!(status == 0 && said.contains(note), "{status} {said}");
}
