//! Tests of the state that a bump reports for each recipe: a recipe that contradicts itself is
//! never reported as done.

use crate::checkout::{edit, fine, overlay, rocpkg};
use rocpkg_test_support::{commit, git, write_file};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the path of the ebuild of a package, such as `dev-util/hip`, at a version.
pub(crate) fn ebuild(root: &Path, package: &str, version: &str) -> PathBuf {
    let start = format!("{}-{version}", package.rsplit('/').next().unwrap());
    let all = fs::read_dir(root.join(package)).unwrap();
    let mut paths = all.map(|entry| entry.unwrap().path());
    let is_it = |path: &PathBuf| {
        let file = path.file_name().unwrap().to_string_lossy();
        file.starts_with(&start) && file.ends_with(".ebuild")
    };
    paths.find(is_it).unwrap()
}

/// Replaces the line of an ebuild that begins with `start`.
fn replace_line(file: &Path, start: &str, line: &str) {
    let text = fs::read_to_string(file).unwrap();
    let old = text.lines().find(|line| line.starts_with(start)).unwrap();
    edit(file, old, line);
}

#[test]
fn archives_that_unpack_otherwise_are_a_row_where_the_recipe_has_its_own_way() {
    let dir = overlay(&["hip"], "7.2.3");
    let root = dir.path();
    let file = ebuild(root, "dev-util/hip", "7.2.3");
    replace_line(&file, "S=", "S=\"${WORKDIR}\"");
    replace_line(&file, "HIP_S=", "HIP_S=\"${WORKDIR}\"");
    let text = fs::read_to_string(&file).unwrap();
    let start = text.find("src_unpack() {").unwrap();
    let end = start + text[start..].find("\n}\n").unwrap() + 3;
    edit(&file, &text[start..end], "");
    commit(root);
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "hip"]);
    assert_eq!(status, 1, "{said}");
    for what in [
        "hip-7.2.4.ebuild:22:1: src_unpack()",
        "there: S=\"${WORKDIR}\"",
        "why: the archives of clr, hip, hip-tests unpack into folders at 7.2.4, unlike at 7.2.3",
        "0 of 1 recipe is done",
        "  hip  left: 6 items",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    // The same command reports the fault again, until the recipe unpacks its archives in another
    // way.
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "hip"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("why: the archives of clr, hip, hip-tests unpack"),
        "{said}"
    );
    let file = ebuild(root, "dev-util/hip", "7.2.4");
    replace_line(&file, "S=", "S=\"${WORKDIR}/clr\"");
    replace_line(&file, "HIP_S=", "HIP_S=\"${WORKDIR}/hip\"");
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "hip"]);
    assert!(!said.contains("why: the archives of"), "{said}");
}

#[test]
fn a_new_list_stands_above_the_list_that_refers_to_it() {
    let dir = overlay(&["hip"], "7.1.1");
    let root = dir.path();
    let file = ebuild(root, "dev-util/hip", "7.1.1");
    edit(&file, "EAPI=8\n", "EAPI=8\n# Ours\n");
    commit(root);
    rocpkg(root, &["bump", "7.2.4", "hip"]);
    let text = fs::read_to_string(ebuild(root, "dev-util/hip", "7.2.4")).unwrap();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("\nDEPEND=") < at("\nRDEPEND=\""), "{text}");
    assert!(at("\nRDEPEND=") < at("${DEPEND}"), "{text}");
}

#[test]
fn a_flag_that_a_new_condition_names_comes_along_into_iuse() {
    let dir = overlay(&["miopen"], "6.2.4");
    let root = dir.path();
    let file = ebuild(root, "sci-libs/miopen", "6.2.4");
    replace_line(&file, "IUSE=", "IUSE=\"debug test\"");
    commit(root);
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "miopen"]);
    let text = fs::read_to_string(ebuild(root, "sci-libs/miopen", "7.2.4")).unwrap();
    assert!(text.contains("hipblaslt? ( sci-libs/hipBLASLt"), "{text}");
    assert!(text.contains("IUSE=\"debug +hipblaslt test\""), "{text}");
    // IUSE lacked the flags of older conditions before the bump, so checks of the new recipe report
    // them.
    assert!(
        said.contains("miopen-7.2.4.ebuild:22:2: REQUIRED_USE"),
        "{said}"
    );
    assert!(said.contains("  miopen  left: 4 items"), "{said}");
    assert_eq!(status, 1);
}

#[test]
fn slots_that_work_at_the_release_take_the_place_of_others() {
    let dir = overlay(&["rocblas"], "7.1.1");
    let root = dir.path();
    let file = ebuild(root, "sci-libs/rocBLAS", "7.1.1");
    replace_line(&file, "LLVM_COMPAT=", "LLVM_COMPAT=( 20 21 )");
    replace_line(&file, "KEYWORDS=", "KEYWORDS=\"amd64 ~arm64\" # stable");
    commit(root);
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "rocblas"]);
    assert_eq!(status, 1, "{said}");
    assert!(!said.contains("LLVM_COMPAT"), "{said}");
    let text = fs::read_to_string(ebuild(root, "sci-libs/rocBLAS", "7.2.4")).unwrap();
    assert!(text.contains("LLVM_COMPAT=( 22 )\n"), "{text}");
    // A comment after a value does not hide the value.
    assert!(
        text.contains("KEYWORDS=\"~amd64 ~arm64\" # stable\n"),
        "{text}"
    );
}

#[test]
fn a_recipe_that_can_not_be_read_stays_alone() {
    let dir = overlay(&["rocblas", "rocfft"], "7.1.1");
    let root = dir.path();
    let file = ebuild(root, "sci-libs/rocBLAS", "7.1.1");
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend(b"# caf\xe9\n");
    write_file(&file, &bytes);
    commit(root);
    fine(root, &["check"]);
    let (status, said) = rocpkg(root, &["bump", "7.2.4"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("  rocBLAS  not touched: "), "{said}");
    assert_eq!(fs::read(&file).unwrap(), bytes);
    ebuild(root, "sci-libs/rocFFT", "7.2.4");
}

#[test]
fn an_ebuild_without_an_eapi_stays() {
    for text in ["", "# Ours\nDESCRIPTION=\"Ours\"\nSLOT=0\n"] {
        let dir = overlay(&["rocblas", "rocfft"], "7.1.1");
        let root = dir.path();
        write_file(ebuild(root, "sci-libs/rocBLAS", "7.1.1"), text);
        commit(root);
        let (status, said) = rocpkg(root, &["bump", "7.2.4"]);
        assert_eq!(status, 1, "{said}");
        let why = "rocBLAS-7.1.1.ebuild:1: no EAPI, so the recipe can't be edited";
        assert!(
            said.contains("  rocBLAS  not touched: ") && said.contains(why),
            "{said}"
        );
        assert!(!root.join("sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild").exists());
        ebuild(root, "sci-libs/rocFFT", "7.2.4");
        let (status, said) = rocpkg(root, &["compare", "rocblas"]);
        assert!(status == 1 && said.contains(why), "{said}");
    }
}

#[test]
fn compare_names_what_it_does_not_look_at() {
    let dir = overlay(&["rocblas", "rocfft"], "7.1.1");
    let root = dir.path();
    replace_line(&root.join("rocpkg.toml"), "packages =", "");
    let own = "EAPI=8\nDESCRIPTION=\"Ours\"\nSLOT=\"0\"\n";
    write_file(root.join("sci-libs/ours/ours-1.ebuild"), own);
    let file = ebuild(root, "sci-libs/rocFFT", "7.1.1");
    let broken = fs::read_to_string(&file).unwrap() + "src_test() {\n";
    write_file(&file, broken);
    let (status, said) = rocpkg(root, &["compare"]);
    assert_eq!(status, 1, "{said}");
    for what in [
        "0 rows of 1 recipes",
        "packages that the model does not know (1): sci-libs/ours\n",
        "so the recipe can't be edited",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let (status, said) = rocpkg(root, &["compare", "rocbals"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("no package is called `rocbals`"), "{said}");
    let (status, said) = rocpkg(root, &["compare", "miopen"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("no recipe of miopen is in this folder"),
        "{said}"
    );
}

#[test]
fn a_release_that_is_none_is_the_fault() {
    let dir = overlay(&["rocfft"], "7.1.1");
    let (status, said) = rocpkg(dir.path(), &["bump", "72.4"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("72.4") && !said.contains("no recipe"),
        "{said}"
    );
}

#[test]
fn a_scope_below_the_root_is_found_and_none_is_made_beside_expressions() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let scope = root.join("pkgs/rocm-6");
    fs::create_dir_all(&scope).unwrap();
    let asked = [
        "--package",
        "rocfft",
        "--release",
        "7.1.1",
        "--into",
        ".",
        "--allow-missing",
    ];
    fine(&scope, &[&["render", "nixpkgs"], &asked[..]].concat());
    fs::remove_file(scope.join("default.nix")).unwrap();
    let file = scope.join("rocfft/default.nix");
    edit(&file, "\n  boost,\n", "\n  # Ours\n  boost,\n");
    let said = fine(root, &["init", "nixpkgs"]);
    assert!(said.contains("the packages are in pkgs/rocm-6\n"), "{said}");
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "rocfft"]);
    // A hash and a file of nixpkgs are missing.
    assert_eq!(status, 1, "{said}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("version = \"7.2.4\"") && text.contains("# Ours"),
        "{text}"
    );
    assert!(!scope.join("default.nix").exists());
}

#[test]
fn a_fault_or_a_guess_of_another_package_stops_none() {
    // rocWMMA depends on a guess at this release, and is not in this overlay.
    let dir = overlay(&["rocprim"], "6.4.1");
    let root = dir.path();
    let (status, said) = rocpkg(root, &["bump", "6.4.3", "rocprim"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("  rocPRIM  lacks 1 file and 1 checksum"),
        "{said}"
    );
    ebuild(root, "sci-libs/rocPRIM", "6.4.3");

    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fine(root, &["init", "arch"]);
    let asked = [
        "--package",
        "rocblas",
        "--package",
        "rocdecode",
        "--release",
        "7.2.3",
        "--into",
        ".",
    ];
    fine(root, &[&["render"], &asked[..]].concat());
    let (status, said) = rocpkg(root, &["bump", "10.1.0"]);
    // One package moved, so the run did not fail. The table has the other one.
    assert_eq!(status, 1, "{said}");
    for what in [
        "  rocblas    lacks 1 checksum",
        "  rocdecode  not touched: it depends on a guess: --allow-guesses renders it anyway",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
}

/// Makes a folder with one PKGBUILD. It is rendered at a release, and then edited by hand.
fn one_pkgbuild(package: &str, release: &str, edits: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let all = tempfile::tempdir().unwrap();
    let asked = [
        "--package",
        package,
        "--release",
        release,
        "--into",
        ".",
        "--allow-missing",
    ];
    fine(all.path(), &[&["render", "arch"], &asked[..]].concat());
    let folder = fs::read_dir(all.path()).unwrap().next().unwrap();
    let mut text = fs::read_to_string(folder.unwrap().path().join("PKGBUILD")).unwrap();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}: {text}");
        text = text.replace(from, to);
    }
    write_file(dir.path().join("PKGBUILD"), text);
    fine(dir.path(), &["init", "arch"]);
    dir
}

#[test]
fn a_package_is_called_by_any_name_in_its_own_checkout() {
    let dir = one_pkgbuild("hsa-rocr", "7.2.3", &[("pkgdesc=", "# Ours\npkgdesc=")]);
    for name in ["", "hsa-rocr", "rocr-runtime"] {
        let args: Vec<&str> = ["bump", "7.2.4", name]
            .into_iter()
            .filter(|a| !a.is_empty())
            .collect();
        let (status, said) = rocpkg(dir.path(), &args);
        assert_eq!(status, 0, "{said}");
        assert!(said.contains("  hsa-rocr  done"), "{said}");
    }
}

#[test]
fn facts_of_the_release_before_are_rows() {
    // The recipe has a source of its own.
    let own = "source=(\"https://example.org/own-$pkgver.tar.gz\"\n        ";
    let sum = format!("sha256sums=('{}'\n            ", "5".repeat(64));
    let dir = one_pkgbuild(
        "rocfft",
        "7.2.3",
        &[("source=(", own), ("sha256sums=(", &sum)],
    );
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.4"]);
    assert_eq!(status, 1, "{said}");
    let why = "the checksum of https://example.org/own-7.2.4.tar.gz is not known";
    assert!(said.contains(why), "{said}");

    // The recipe installs a file from a folder that moves.
    let dir = one_pkgbuild(
        "rocfft",
        "7.1.1",
        &[("$_dirname/LICENSE.md", "$_dirname/COPYING")],
    );
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.4"]);
    assert_eq!(status, 1, "{said}");
    let why = "`_dirname` is another folder now, which may not contain the file";
    assert!(said.contains(why), "{said}");

    // The recipe states another checksum than the model, at the same release.
    let dir = one_pkgbuild("rocfft", "7.2.4", &[("50a4090b", "60a4090b")]);
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.4"]);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("sha256sums: the model has another checksum for https://"),
        "{said}"
    );

    // The recipe states a version of its own, which belongs to neither release.
    let dir = one_pkgbuild(
        "half",
        "7.1.1",
        &[("pkgver=", "pkgver=1."), ("pkgrel=1", "pkgrel=3")],
    );
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.4", "--from", "7.1.1"]);
    assert_eq!(status, 1, "{said}");
    let text = fs::read_to_string(dir.path().join("PKGBUILD")).unwrap();
    assert!(text.contains("pkgrel=3"), "{text}");
}

#[test]
fn a_comment_that_goes_with_its_item_is_told_and_nothing_is_left() {
    let dir = overlay(&["hip"], "7.2.3");
    let root = dir.path();
    let file = ebuild(root, "dev-util/hip", "7.2.3");
    edit(&file, "src_unpack() {", "# Ours\nsrc_unpack() {");
    commit(root);
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "hip"]);
    let told = "hip: removed: the comment `# Ours` was removed with the item below it";
    assert!(said.contains(told), "{said}");
    assert!(!said.contains("src_unpack"), "{said}");
}

#[test]
fn a_recipe_of_the_release_is_not_called_done_where_it_differs() {
    let folder = ("$_dirname/LICENSE.md", "$_dirname/COPYING");
    let dir = one_pkgbuild("rocfft", "7.2.4", &[folder]);
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.4"]);
    assert_eq!(status, 0, "{said}");
    let state =
        "  rocfft  already at this release, and checked; it differs from the model in 2 items";
    assert!(said.contains(state), "{said}");
    // Both commands leave out the same rows: counters and descriptions are the maintainer's.
    let own = [("pkgrel=1", "pkgrel=2"), ("pkgdesc='", "pkgdesc='Ours: ")];
    let dir = one_pkgbuild("rocfft", "7.2.4", &own);
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.4"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("  rocfft  done"), "{said}");
    assert!(fine(dir.path(), &["compare"]).starts_with("0 rows of 1 recipes"));
    // An ebuild of the release is not written over, and not called done: this is a copy of the old
    // one. An ebuild that an earlier bump made is done, whatever the maintainer edited before.
    for is_copy in [true, false] {
        let dir = overlay(&["rocfft"], "7.1.1");
        let root = dir.path();
        let old = ebuild(root, "sci-libs/rocFFT", "7.1.1");
        edit(&old, "src_prepare() {", "src_prepare() {\n\teinfo ours");
        let copy = root.join("sci-libs/rocFFT/rocFFT-7.2.4.ebuild");
        if is_copy {
            write_file(&copy, fs::read_to_string(old).unwrap());
        } else {
            rocpkg(root, &["bump", "7.2.4", "rocfft"]);
        }
        let before = fs::read_to_string(&copy).unwrap();
        let (_, said) = rocpkg(root, &["bump", "7.2.4", "rocfft"]);
        assert_eq!(
            said.contains("  rocFFT  already at this release"),
            is_copy,
            "{said}"
        );
        assert_eq!(said.contains("  rocFFT  done"), !is_copy, "{said}");
        let count = if is_copy {
            "0 of 1 recipe is done, 1 at this release already"
        } else {
            "1 of 1 recipe is done"
        };
        assert!(said.contains(count), "{said}");
        assert_eq!(fs::read_to_string(&copy).unwrap(), before);
    }
    let dir = overlay(&["rocfft"], "7.1.1");
    let (_, said) = rocpkg(dir.path(), &["bump", "7.2.4", "rocfft"]);
    assert!(said.contains("  rocFFT  done"), "{said}");
    let (_, said) = rocpkg(dir.path(), &["bump", "7.2.4", "rocfft"]);
    assert!(said.contains("  rocFFT  done"), "{said}");
}

#[test]
fn a_dependency_that_excludes_the_release_is_a_row() {
    let dir = overlay(&["rocfft"], "7.1.1");
    let root = dir.path();
    let old = ebuild(root, "sci-libs/rocFFT", "7.1.1");
    let text = fs::read_to_string(&old).unwrap();
    let own = text.lines().find(|line| line.contains("dev-util/hip:"));
    let own = own.unwrap().trim().trim_start_matches("DEPEND=\"");
    edit(&old, own, "=dev-util/hip-7.1*");
    commit(root);
    for _ in 0..2 {
        let (status, said) = rocpkg(root, &["bump", "7.2.4", "rocfft"]);
        assert_eq!(status, 1, "{said}");
        let why = "`=dev-util/hip-7.1*` excludes 7.2.4, which is the version of dev-util/hip at this release";
        assert!(said.contains(why), "{said}");
        assert!(said.contains("  rocFFT  left: 1 item"), "{said}");
    }
    edit(
        &ebuild(root, "sci-libs/rocFFT", "7.2.4"),
        "=dev-util/hip-7.1*",
        "=dev-util/hip-7.2*",
    );
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "rocfft"]);
    assert!(!said.contains("excludes"), "{said}");
}

#[test]
fn a_dependency_of_a_pkgbuild_that_excludes_the_release_is_a_row() {
    let dir = rendered("arch", "hipblas", "7.2.3");
    let root = dir.path();
    let file = root.join("hipblas/PKGBUILD");
    edit(&file, "'rocsolver'", "'rocsolver=7.2.3'");
    edit(&file, "'rocblas'", "\"rocblas=$pkgver\"");
    commit(root);
    for _ in 0..2 {
        let (status, said) = rocpkg(root, &["bump", "7.2.4", "hipblas"]);
        assert_eq!(status, 1, "{said}");
        let why =
            "`rocsolver=7.2.3` excludes 7.2.4, which is the version of rocsolver at this release";
        assert!(said.contains(why), "{said}");
        assert!(said.contains("  hipblas  left: 1 item"), "{said}");
    }
    edit(&file, "rocsolver=7.2.3", "rocsolver>=7.2.3");
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "hipblas"]);
    assert!(!said.contains("excludes"), "{said}");
}

#[test]
fn nothing_breaks_after_a_bump_and_a_second_bump_changes_nothing() {
    let packages = ["hip", "hipblaslt", "rocblas", "rocsolver", "rccl"];
    let dir = overlay(&packages, "7.1.1");
    let root = dir.path();
    rocpkg(root, &[&["bump", "7.2.4"], &packages[..]].concat());
    commit(root);
    let (_, said) = rocpkg(root, &[&["bump", "7.2.4"], &packages[..]].concat());
    assert!(said.contains("; 0 files changed\n"), "{said}");
    let (_, said) = rocpkg(root, &["compare"]);
    assert!(said.starts_with("0 rows of 5 recipes"), "{said}");
}

/// Makes a checkout of a distribution under git, with one package at a release.
pub(crate) fn rendered(distro: &str, package: &str, release: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "--quiet"]);
    fine(root, &["init", distro]);
    let render = ["render", distro, "--into", ".", "--allow-missing"];
    let of = [
        "--allow-guesses",
        "--release",
        release,
        "--package",
        package,
    ];
    rocpkg(root, &[&render[..], &of[..]].concat());
    dir
}

#[test]
fn a_version_whose_source_can_not_follow_is_told_again_with_the_same_rows() {
    let dir = rendered("arch", "rocfft", "6.4.3");
    let root = dir.path();
    let file = root.join("rocfft/PKGBUILD");
    let text = fs::read_to_string(&file).unwrap();
    let own = "https://mirror.example.org/rocfft-$pkgver.tar.gz";
    let start = text.find("https://github.com/ROCm/rocFFT/archive").unwrap();
    let end = start + text[start..].find('"').unwrap();
    edit(&file, &text[start..end], own);
    commit(root);
    let bump = ["bump", "7.2.4", "rocfft"];
    let (status, first) = rocpkg(root, &bump);
    assert_eq!(status, 1, "{first}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("pkgver=6.4.3\n") && text.contains(own),
        "{text}"
    );
    let why = "why: the version can't change without its source, and the recipe keeps `mirror.example.org/";
    assert!(first.contains(why), "{first}");
    commit(root);
    let rows = |said: &str| said.split("left to you").nth(1).map(str::to_owned);
    let (status, second) = rocpkg(root, &bump);
    assert_eq!((status, rows(&second)), (1, rows(&first)));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_recipe_of_its_own_for_one_of_several_packages_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "--quiet"]);
    let folder = root.join("comgr");
    fs::create_dir(&folder).unwrap();
    let text = "pkgname=comgr\npkgver=6.4.3\npkgrel=1\n\
        url=https://github.com/ROCm/llvm-project\narch=(x86_64)\n\
        source=(\"$url/archive/rocm-$pkgver.tar.gz\")\nsha256sums=(SKIP)\n";
    write_file(folder.join("PKGBUILD"), text);
    let why = "the model builds this package with rocm-llvm, and has no separate recipe for it";
    let said = fine(root, &["init", "arch"]);
    assert!(
        said.contains(&format!("left as they are (1): comgr: {why}")),
        "{said}"
    );
    let render = ["render", "arch", "--into", ".", "--allow-missing"];
    let render = [
        &render[..],
        &["--release", "7.2.3", "--package", "rocm-core"],
    ]
    .concat();
    rocpkg(root, &render);
    commit(root);
    let (status, said) = rocpkg(root, &["bump", "7.2.4"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("0 of 1 recipe is done"), "{said}");
    assert!(said.contains("  comgr      not touched: "), "{said}");
    for asked in [
        &["bump", "7.2.4", "comgr"][..],
        &["bump", "7.2.4", "comgr", "--json"],
    ] {
        let (status, said) = rocpkg(root, asked);
        assert_eq!(status, 2, "{said}");
        assert!(
            said.contains(&format!("comgr: left as it is: {why}")),
            "{said}"
        );
    }
    let (_, said) = rocpkg(root, &["compare"]);
    assert!(
        said.contains(&format!("comgr: left as it is: {why}")),
        "{said}"
    );
    assert_eq!(fs::read_to_string(folder.join("PKGBUILD")).unwrap(), text);
}

#[test]
fn the_sum_of_another_source_of_the_version_is_asked_for_until_it_is_filled_in() {
    for (distro, file, from, to, source, zeros) in [
        (
            "arch",
            "rocrand/PKGBUILD",
            "source=(",
            "source=(\"https://example.org/x-$pkgver.tar.gz\" ",
            "sha256sums",
            "'0000000000000000000000000000000000000000000000000000000000000000'",
        ),
        (
            "nixpkgs",
            "rocprim/default.nix",
            "  sourceRoot =",
            "  extra = fetchFromGitHub {\n    owner = \"me\";\n    repo = \"x\";\n    \
             tag = \"rocm-${finalAttrs.version}\";\n    \
             hash = \"sha256-e0mZ27OXyblcnXQGv2ex/CvWx9smw6nBbHZIijj7lQ8=\";\n  };\n  sourceRoot =",
            "hash",
            "\"sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"",
        ),
    ] {
        let package = file.split('/').next().unwrap();
        let dir = rendered(distro, package, "7.2.0");
        let root = dir.path();
        let file = root.join(file);
        edit(&file, from, to);
        if distro == "arch" {
            let sum = "1".repeat(64);
            edit(&file, "sha256sums=(", &format!("sha256sums=('{sum}' "));
        }
        commit(root);
        for _ in 0..2 {
            let (status, said) = rocpkg(root, &["bump", "7.2.3", package, "--allow-guesses"]);
            assert_eq!(status, 1, "{said}");
            assert!(said.contains(source), "{said}");
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains("7.2.3") && text.contains(zeros), "{text}");
            commit(root);
        }
    }
}

#[test]
fn the_hash_of_a_fork_is_not_that_of_upstream() {
    let dir = rendered("nixpkgs", "rocprim", "7.2.0");
    let root = dir.path();
    let file = root.join("rocprim/default.nix");
    edit(&file, "owner = \"ROCm\"", "owner = \"me\"");
    commit(root);
    for _ in 0..2 {
        let (status, said) = rocpkg(root, &["bump", "7.2.3", "rocprim", "--allow-guesses"]);
        assert_eq!(status, 1, "{said}");
        let why = "the hash is that of the model's source, but `owner` differs from the model";
        assert!(said.contains(why), "{said}");
        commit(root);
    }
}

#[test]
fn a_new_ebuild_is_shown_as_a_changed_copy() {
    let dir = overlay(&["hipblas-common"], "7.2.0");
    let root = dir.path();
    commit(root);
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "--dry-run", "--json"]);
    // Findings follow the document.
    let mut documents = serde_json::Deserializer::from_str(&said).into_iter();
    let value: serde_json::Value = documents.next().unwrap().unwrap();
    let new = "sci-libs/hipBLAS-common/hipBLAS-common-7.2.4.ebuild";
    let files = value["recipes"]["differences"].as_array().unwrap();
    let diff = files.iter().find(|f| f["path"] == new);
    let diff = diff.unwrap()["diff"].as_str().unwrap();
    let head = "diff --git a/sci-libs/hipBLAS-common/hipBLAS-common-7.2.0.ebuild b/";
    assert!(diff.starts_with(head), "{diff}");
    assert!(!diff.contains("\n+EAPI="), "{diff}");
    // Git makes the file that the bump writes.
    write_file(root.join("new.diff"), diff);
    git(root, &["apply", "new.diff"]);
    let by_git = fs::read_to_string(root.join(new)).unwrap();
    fs::remove_file(root.join(new)).unwrap();
    rocpkg(root, &["bump", "7.2.4"]);
    assert_eq!(fs::read_to_string(root.join(new)).unwrap(), by_git);
}
