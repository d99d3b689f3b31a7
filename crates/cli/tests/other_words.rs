//! Tests of recipes in a maintainer's own words. A rendered recipe is written in other words that
//! mean the same, and bumped. Only the words that hold the old release may change.

use crate::checkout::{edit, overlay, rocpkg};
use crate::todos::{Run, bump, recipes};
use rocpkg_test_support::{commit, write_file};
use std::fs;
use std::path::{Path, PathBuf};

/// Replaces texts of a recipe, commits it, and bumps it.
fn bumped(root: &Path, recipe: &Path, words: &[(&str, &str)], release: &str) -> Run {
    for (old, new) in words {
        edit(&root.join(recipe), old, new);
    }
    commit(root);
    bump(root, &[release, "--allow-guesses"])
}

/// Returns the only ebuild of a release in a repository.
fn ebuild_of(root: &Path, folder: &str, release: &str) -> PathBuf {
    let name = folder.rsplit('/').next().unwrap();
    root.join(format!("{folder}/{name}-{release}.ebuild"))
}

/// Returns the texts of the todos that block, without missing files and unknown checksums.
fn left(run: &Run, recipe: &str) -> Vec<String> {
    let all = run.blocking(recipe).into_iter();
    all.filter(|(kind, _)| kind != "file" && kind != "checksum" && kind != "eclass")
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn a_variable_that_holds_the_tag_is_edited_where_it_is() {
    for (old, new, variable, expected) in [
        ("7.2.0", "7.2.4", "rocm-7.2.0", "MY_TAG=\"rocm-7.2.4\""),
        (
            "7.2.4",
            "10.1.0",
            "rocm-$(ver_cut 1-3)",
            "MY_TAG=\"therock-10.1\"",
        ),
    ] {
        let dir = overlay(&["hipcub"], old);
        let root = dir.path();
        let recipe = ebuild_of(Path::new(""), "sci-libs/hipCUB", old);
        let set = format!("EAPI=8\n\nMY_TAG=\"{variable}\"\n");
        let words = [("rocm-${PV}", "${MY_TAG}"), ("EAPI=8\n", &set)];
        let run = bumped(root, &recipe, &words, new);
        let text = fs::read_to_string(ebuild_of(root, "sci-libs/hipCUB", new)).unwrap();
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("/${MY_TAG}/"), "{text}");
        assert_eq!(left(&run, "hipcub"), [""; 0], "{text}");
    }
}

#[test]
fn the_text_of_a_slot_moves_with_all_that_use_it() {
    let dir = overlay(&["hipcub"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/hipCUB", "7.2.4");
    let words = [("SLOT=\"0/$(ver_cut 1-2)\"", "SLOT=\"0/7.2\"")];
    let run = bumped(root, &recipe, &words, "10.1.0");
    let text = fs::read_to_string(ebuild_of(root, "sci-libs/hipCUB", "10.1.0")).unwrap();
    assert!(text.contains("SLOT=\"0/10.1\""), "{text}");
    assert_eq!(left(&run, "hipcub"), [""; 0], "{text}");
}

#[test]
fn a_word_that_names_the_old_release_is_told() {
    let dir = overlay(&["hipcub"], "7.2.0");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/hipCUB", "7.2.0");
    let option = "mycmakeargs=(\n\t\t-DROCM_PREFIX=/opt/rocm-7.2.0\n";
    let words = [("mycmakeargs=(\n", option)];
    let run = bumped(root, &recipe, &words, "7.2.4");
    assert_eq!(run.status, 1);
    let left = left(&run, "hipcub");
    assert!(
        left.iter()
            .any(|text| text.contains("`-DROCM_PREFIX=/opt/rocm-7.2.0` names 7.2.0")),
        "{left:?}"
    );
}

#[test]
fn a_patch_under_a_condition_that_the_model_ends_is_told() {
    let dir = overlay(&["rccl"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-libs/rccl", "7.2.4");
    let patch = "\"${FILESDIR}/${PN}-7.0.1-fix-libcxx.patch\"";
    let list = format!("\t{patch}\n)\n");
    let other = format!(")\n[[ ${{PV}} == 9999 ]] || PATCHES+=( {patch} )\n");
    let run = bumped(root, &recipe, &[(&list, &other)], "10.1.0");
    let left = left(&run, "rccl");
    let is_told = |text: &String| text.contains("fix-libcxx.patch`, and the recipe keeps it");
    assert!(left.iter().any(is_told), "{left:?}");
}

#[test]
fn words_of_lists_are_edited_where_they_are() {
    let dir = overlay(&["rccl"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-libs/rccl", "7.2.4");
    let list = "\tdev-util/hip:${SLOT}\n\tdev-util/rocm-smi:${SLOT}\n";
    let patch = "\"${FILESDIR}/${PN}-7.0.1-fix-libcxx.patch\"";
    let patches = [
        format!("PATCHES=(\n\t{patch}\n)\n"),
        format!("PATCHES=()\nPATCHES+=( {patch} )\n"),
    ];
    let words = [
        (list, ""),
        (
            "DEPEND=\"\n\t${RDEPEND}\n",
            "for x in dev-util/hip dev-util/rocm-smi; do\n\tRDEPEND+=\" ${x}:${SLOT}\"\ndone\n\
             DEPEND=\"\n\t${RDEPEND}\n",
        ),
        (&patches[0], &patches[1]),
    ];
    let run = bumped(root, &recipe, &words, "10.1.0");
    let text = fs::read_to_string(ebuild_of(root, "dev-libs/rccl", "10.1.0")).unwrap();
    assert!(
        text.contains("for x in dev-util/hip dev-util/amdsmi; do\n"),
        "{text}"
    );
    let patch = "PATCHES+=( \"${FILESDIR}/${PN}-10.0.0-fix-missing-includes.patch\" )\n";
    assert!(
        text.contains(&format!("\nPATCHES=()\n{patch}PATCHES+=( ")),
        "{text}"
    );
    assert!(
        !text.contains("libcxx") && !text.contains("rocm-smi"),
        "{text}"
    );
    assert_eq!(left(&run, "rccl"), [""; 0], "{text}");
}

#[test]
fn a_package_that_comes_with_another_list_is_told() {
    // The model adds hipBLAS-common to DEPEND only.
    let dir = overlay(&["miopen"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/miopen", "7.2.4");
    let words = [
        ("RDEPEND=\"\n", "DEPEND=\"\n"),
        ("\"\nDEPEND=\"\n\t${RDEPEND}\n", ""),
        ("\"\nBDEPEND", "\"\nRDEPEND=\"${DEPEND}\"\nBDEPEND"),
    ];
    let run = bumped(root, &recipe, &words, "10.1.0");
    let is_told = |text: &String| text.contains("`sci-libs/hipBLAS-common:0/10.1` is added");
    let left = left(&run, "miopen");
    assert!(left.iter().any(is_told), "{left:?}");
}

#[test]
fn a_list_that_others_are_made_of_is_no_difference() {
    let dir = overlay(&["rocwmma"], "7.2.4");
    let root = dir.path();
    let recipe = root.join(ebuild_of(Path::new(""), "sci-libs/rocWMMA", "7.2.4"));
    edit(
        &recipe,
        "RDEPEND=\"\n",
        "COMMON_DEPEND=\"\n\tdev-libs/own\n",
    );
    edit(
        &recipe,
        "DEPEND=\"${RDEPEND}\"",
        "DEPEND=\"${COMMON_DEPEND}\"\nRDEPEND=\"${DEPEND}\"",
    );
    let (status, rows) = rocpkg(root, &["compare", "rocwmma"]);
    assert_eq!(status, 1, "{rows}");
    assert!(rows.contains("(2 rows)"), "{rows}");
    let all = ["there: ${COMMON_DEPEND}\n", "there: ${DEPEND}\n"];
    assert!(all.iter().all(|row| rows.contains(row)), "{rows}");
}

#[test]
fn a_tag_of_a_pkgbuild_is_edited_where_it_is() {
    let dir = recipes("arch", "7.1.1", &["rocm-smi"]);
    let root = dir.path();
    fs::remove_file(root.join("rocm-smi-lib/.SRCINFO")).unwrap();
    let recipe = Path::new("rocm-smi-lib/PKGBUILD");
    let words = [
        ("refs/tags/rocm-$pkgver", "refs/tags/$_prefix$_rel"),
        ("systems-rocm-$pkgver", "systems-$_prefix$_rel"),
        ("pkgrel=1\n", "pkgrel=1\n_prefix=rocm-\n_rel=7.1.1\n"),
    ];
    let run = bumped(root, recipe, &words, "7.2.4");
    let text = fs::read_to_string(root.join(recipe)).unwrap();
    assert!(text.contains("\n_prefix=rocm-\n_rel=7.2.4\n"), "{text}");
    assert!(text.contains("$_prefix$_rel.tar.gz"), "{text}");
    assert_eq!(run.status, 0, "{text}");
}

#[test]
fn words_of_a_helper_variable_of_a_pkgbuild_are_edited() {
    let dir = recipes("arch", "7.1.1", &["hipblaslt"]);
    let root = dir.path();
    fs::remove_file(root.join("hipblaslt/.SRCINFO")).unwrap();
    let recipe = Path::new("hipblaslt/PKGBUILD");
    let words = [
        ("\ndepends=(\n", "\n_deps=(\n"),
        (
            "\nmakedepends=(\n",
            "\ndepends=(\"${_deps[@]}\")\nmakedepends=(\n",
        ),
    ];
    let run = bumped(root, recipe, &words, "7.2.4");
    let text = fs::read_to_string(root.join(recipe)).unwrap();
    assert!(text.contains("\n_deps=(\n  'glibc'\n"), "{text}");
    assert!(text.contains("\n  'libgcc'\n"), "{text}");
    assert!(text.contains("\ndepends=(\"${_deps[@]}\")\n"), "{text}");
    assert_eq!(left(&run, "hipblaslt"), [""; 0], "{text}");
}

#[test]
fn an_option_behind_the_last_one_continues_the_command() {
    let dir = recipes("arch", "7.1.1", &["rocblas"]);
    let root = dir.path();
    let path = root.join("rocblas/PKGBUILD");
    let text = fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once("  local cmake_args=(\n").unwrap();
    let (options, tail) = rest.split_once("  )\n").unwrap();
    let options = options.lines().map(str::trim);
    let options: Vec<&str> = options.filter(|line| !line.starts_with('#')).collect();
    let call = format!("cmake \\\n    {}", options.join(" \\\n    "));
    let tail = tail.replacen("cmake \"${cmake_args[@]}\"", &call, 1);
    write_file(&path, format!("{head}{tail}"));
    let run = bumped(root, Path::new("rocblas/PKGBUILD"), &[], "7.2.4");
    let text = fs::read_to_string(&path).unwrap();
    let end = " \\\n    -D GPU_TARGETS=\"$(rocm-supported-gfx)\"\n  cmake --build";
    assert!(text.contains(end), "{text}");
    assert_eq!(run.status, 0, "{text}");
}
