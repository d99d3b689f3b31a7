//! Tests of the list of what is left after a bump: one list decides the state of each recipe, what
//! is committed, and the exit status; and a second run prints the same list.

use crate::checkout::{edit, fine, overlay, rocpkg};
use crate::done::ebuild;
use rocpkg_test_support::{commit, git, write_file};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The result of a run with `--json`: its exit status, and the recipes by their keys.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) packages: Value,
    document: Value,
}

/// Runs `rocpkg bump` with `--json`.
pub(crate) fn bump(root: &Path, args: &[&str]) -> Run {
    let out = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .arg("bump")
        .args(args)
        .arg("--json")
        .envs(crate::commit::SOMEBODY)
        .current_dir(root)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    let document: Value = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{args:?}: {said}{}", String::from_utf8_lossy(&out.stderr)));
    Run {
        status: out.status.code().unwrap(),
        packages: document["packages"].clone(),
        document,
    }
}

impl Run {
    fn state(&self, recipe: &str) -> &str {
        self.packages[recipe]["state"].as_str().unwrap_or("absent")
    }

    /// Returns the kinds and texts of the todos of a recipe that block.
    pub(crate) fn blocking(&self, recipe: &str) -> Vec<(String, String)> {
        self.all(recipe, |todo| todo["blocks"] == true)
    }

    /// Returns the kinds and texts of all todos of a recipe.
    pub(crate) fn todos(&self, recipe: &str) -> Vec<(String, String)> {
        self.all(recipe, |_| true)
    }

    fn all(&self, recipe: &str, is_it: fn(&Value) -> bool) -> Vec<(String, String)> {
        let todos = self.packages[recipe]["todos"].as_array().unwrap().iter();
        let text = |todo: &Value, key: &str| todo[key].as_str().unwrap().to_owned();
        todos
            .filter(|todo| is_it(todo))
            .map(|todo| (text(todo, "kind"), text(todo, "text")))
            .collect()
    }
}

/// Makes a git repository with packages of a distribution at a release. Missing files are made.
pub(crate) fn recipes(distro: &str, release: &str, packages: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "--quiet"]);
    fine(root, &["init", distro]);
    for package in packages {
        let asked = ["render", "--package", package, "--release", release];
        let more = ["--into", ".", "--allow-missing", "--allow-guesses"];
        rocpkg(root, &[&asked[..], &more].concat());
    }
    commit(root);
    dir
}

#[test]
fn an_eclass_without_the_release_blocks() {
    let dir = overlay(&["rocm-cmake", "rocprim"], "7.2.4");
    let root = dir.path();
    let run = bump(root, &["10.1.0", "--commit"]);
    let blocking = run.blocking("rocprim");
    let is_eclass = |(kind, _): &&(String, String)| kind == "eclass";
    assert!(blocking.iter().any(|todo| is_eclass(&todo)), "{blocking:?}");
    assert_eq!(run.status, 1);
    let messages = run.document["commits"].to_string();
    assert!(!messages.contains("rocPRIM"), "{messages}");
}

#[test]
fn files_that_a_list_of_patches_names_are_missing() {
    let dir = recipes("solus", "7.0.2", &["rocblas"]);
    let root = dir.path();
    let run = bump(root, &["10.1.0", "--allow-guesses"]);
    let blocking = run.blocking("rocblas");
    let files: Vec<_> = blocking.iter().filter(|(kind, _)| kind == "file").collect();
    assert_eq!(files.len(), 3, "{blocking:?}");
    assert_eq!(run.status, 1);
}

#[test]
fn each_recipe_has_a_state_of_its_own() {
    let dir = recipes("arch", "7.1.1", &["rocblas", "hipblas", "rocm-cmake"]);
    let root = dir.path();
    let fork = root.join("rocblas-gfx803");
    fs::create_dir(&fork).unwrap();
    let text = fs::read_to_string(root.join("rocblas/PKGBUILD")).unwrap();
    let own = text
        .replace(
            "pkgname=rocblas",
            "_pkgname=rocblas\npkgname=rocblas-gfx803",
        )
        .replace("pkgver=7.1.1", "pkgver=4.9.9");
    write_file(fork.join("PKGBUILD"), &own);
    edit(
        &root.join("rocm-cmake/PKGBUILD"),
        "pkgver=7.1.1",
        "pkgver=10.0.0",
    );
    commit(root);
    let run = bump(root, &["7.2.4", "--commit"]);
    assert_eq!(run.state("rocblas"), "done", "{:#}", run.packages);
    assert_eq!(run.state("rocblas-gfx803"), "untouched");
    assert_eq!(run.state("hipblas"), "done", "{:#}", run.packages);
    assert_eq!(run.state("rocm-cmake"), "untouched");
    let commits = run.document["commits"].to_string();
    assert!(
        commits.contains("hipblas: ") && commits.contains("rocblas: "),
        "{commits}"
    );
    assert_eq!(fs::read_to_string(fork.join("PKGBUILD")).unwrap(), own);
    // The unknown release needs a person, and the newer one does not.
    assert_eq!(run.status, 1);
    assert_eq!(run.blocking("rocm-cmake"), []);
    assert_eq!(bump(root, &["7.2.4", "rocblas"]).status, 1);
    assert_eq!(bump(root, &["7.2.4", "hipblas"]).status, 0);

    // If all recipes are newer, that is the reason.
    let (status, said) = rocpkg(root, &["bump", "7.2.3", "hipblas"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("has 7.2.4, but 7.2.3 is older"), "{said}");
    let dir = overlay(&["rocfft"], "7.2.4");
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.3"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("it has 7.2.4, which is newer than 7.2.3"),
        "{said}"
    );
}

#[test]
fn a_second_run_finds_the_same_list() {
    for (distro, release, package) in [
        ("arch", "6.0.0", "rocfft"),
        ("arch", "6.0.0", "rocsparse"),
        ("arch", "7.1.1", "rocm-llvm"),
        ("gentoo", "7.1.1", "hip"),
        ("solus", "6.0.0", "rocblas"),
        // The version of the recipe is the number of no release.
        ("solus", "6.0.0", "rocsparse"),
    ] {
        let dir = recipes(distro, release, &[package]);
        let root = dir.path();
        // Each item of a list is written otherwise, so that some changes have no place.
        let found = rocpkg_programs::command("git")
            .args(["ls-files"])
            .current_dir(root)
            .output()
            .unwrap();
        let listed = String::from_utf8(found.stdout).unwrap();
        let is_recipe = |path: &&str| {
            [".ebuild", "PKGBUILD", "package.yml"]
                .iter()
                .any(|end| path.ends_with(end))
        };
        for path in listed.lines().filter(is_recipe) {
            let file = root.join(path);
            let text = fs::read_to_string(&file).unwrap();
            let text = text.replace(
                "-DCMAKE_INSTALL_PREFIX=",
                "-D OURS=1 -DCMAKE_INSTALL_PREFIX:PATH=",
            );
            let text = text.replace("ROCm/rocSPARSE", "ROCm/rocSPARSE-ours");
            write_file(&file, text.replace("rocm-core", "rocm-core-ours"));
        }
        commit(root);
        let first = bump(root, &["7.2.4"]);
        let second = bump(root, &["7.2.4"]);
        let key = first
            .packages
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap()
            .clone();
        assert_eq!(
            first.blocking(&key),
            second.blocking(&key),
            "{distro} {package}: {:#}\n{:#}",
            first.packages,
            second.packages
        );
        assert_eq!(first.status, second.status);
    }
}

#[test]
fn a_patch_that_is_fetched_is_listed_as_one_that_is_a_file() {
    let dir = recipes("arch", "7.2.3", &["rocfft"]);
    let root = dir.path();
    let own =
        "source=('ours.patch::https://example.org/ours.patch'\n        'local.patch'\n        ";
    edit(&root.join("rocfft/PKGBUILD"), "source=(", own);
    let sums = format!(
        "sha256sums=('{0}'\n            '{0}'\n            ",
        "5".repeat(64)
    );
    edit(&root.join("rocfft/PKGBUILD"), "sha256sums=(", &sums);
    write_file(root.join("rocfft/local.patch"), "");
    commit(root);
    let run = bump(root, &["7.2.4"]);
    let todos = run.packages["rocfft"]["todos"].to_string();
    for name in ["https://example.org/ours.patch", "local.patch"] {
        assert!(
            todos.contains(&format!("patch `{name}`")),
            "{name}: {todos}"
        );
    }
    assert_eq!((run.status, run.state("rocfft")), (0, "done"), "{todos}");
}

#[test]
fn a_value_that_portage_refuses_blocks_where_it_was_there_before() {
    for (from, to) in [
        ("RDEPEND=\"", "RDEPEND=\"\n\tdev-db/sqlite-3"),
        ("RDEPEND=\"", "RDEPEND=\"\n\tdev-util/hip:=:0"),
        ("RDEPEND=\"", "RDEPEND=\"\n\ttest? ( dev-libs/a"),
        ("\nSLOT=", "\nSLOT=\"0 1\" #"),
        ("EAPI=8\n", "A=1\nEAPI=8\n"),
        ("BDEPEND=\"", "BDEPEND=\"\n\t^^ ( dev-libs/a dev-libs/b )"),
        ("\nsrc_prepare() {", "\nuse test && A=1\nsrc_prepare() {"),
    ] {
        let dir = overlay(&["rocfft"], "7.2.0");
        let root = dir.path();
        let file = ebuild(root, "sci-libs/rocFFT", "7.2.0");
        edit(&file, from, to);
        commit(root);
        let run = bump(root, &["7.2.4"]);
        assert_eq!(run.status, 1, "{to}: {:#}", run.packages);
        let blocking = run.blocking("rocfft");
        let is_refused = |(kind, _): &(String, String)| kind == "refused" || kind == "untouched";
        assert!(blocking.iter().any(is_refused), "{to}: {blocking:?}");
    }
}

#[test]
fn recipes_that_nobody_asked_for_are_mentioned() {
    let dir = overlay(&["hiprand", "rocrand"], "7.2.0");
    let root = dir.path();
    edit(&root.join("rocpkg.toml"), "packages =", "# packages =");
    let file = ebuild(root, "sci-libs/rocRAND", "7.2.0");
    fs::rename(&file, root.join("sci-libs/rocRAND/rocRAND-9999.ebuild")).unwrap();
    fs::create_dir_all(root.join("virtual/rand")).unwrap();
    write_file(
        root.join("virtual/rand/rand-1.ebuild"),
        "EAPI=8\nDESCRIPTION=\"Ours\"\nSLOT=\"0\"\nRDEPEND=\"~sci-libs/hipRAND-7.2.0\"\n",
    );
    commit(root);
    let run = bump(root, &["7.2.4"]);
    let text = run.packages.to_string();
    for what in [
        "only a live ebuild is in this folder",
        "`~sci-libs/hipRAND-7.2.0` excludes 7.2.4, to which sci-libs/hipRAND moves",
    ] {
        assert!(text.contains(what), "{what}: {text}");
    }
    assert_eq!(run.blocking("rocrand"), []);
}
