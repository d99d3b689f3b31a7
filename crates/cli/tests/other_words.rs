//! Tests of recipes in a maintainer's own words. A rendered recipe is written in other words that
//! mean the same, and bumped. Only the words that hold the old release may change.

use crate::checkout::{edit, fine, overlay, rocpkg};
use crate::todos::{Run, bump, recipes};
use rocpkg_test_support::{commit, git, write_file};
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

/// The scope of nixpkgs.
const SCOPE: &str = "pkgs/development/rocm-modules/default.nix";

/// Makes a checkout of nixpkgs with one rendered expression at 7.1.1, in which texts are replaced,
/// and bumps it. Returns the new text and the run.
fn expression(words: &[(&str, &str)]) -> (String, Run) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "--quiet"]);
    fine(root, &["init", "nix"]);
    let asked = ["render", "nix", "--release", "7.1.1", "--out", "out"];
    rocpkg(
        root,
        &[&asked[..], &["--allow-missing", "--allow-guesses"]].concat(),
    );
    let recipe = Path::new("pkgs/development/rocm-modules/rocm-smi/default.nix");
    fs::create_dir_all(root.join(recipe).parent().unwrap()).unwrap();
    fs::copy(root.join("out/nix/default.nix"), root.join(SCOPE)).unwrap();
    fs::copy(root.join("out/nix/rocm-smi/default.nix"), root.join(recipe)).unwrap();
    fs::remove_dir_all(root.join("out")).unwrap();
    let run = bumped(root, recipe, words, "7.2.4");
    (fs::read_to_string(root.join(recipe)).unwrap(), run)
}

#[test]
fn the_version_of_an_expression_is_edited_where_its_text_is() {
    let version = ("version = \"7.1.1\"", "version = rocmVersion");
    for (old, new) in [
        ("\n}:\n", "\n  rocmVersion ? \"7.1.1\",\n}:\n"),
        (
            "\nstdenv.mk",
            "\nlet\n  rocmVersion = \"7.1.1\";\nin\nstdenv.mk",
        ),
    ] {
        let (text, run) = expression(&[version, (old, new)]);
        assert!(text.contains(&new.replace("7.1.1", "7.2.4")), "{text}");
        assert!(text.contains("version = rocmVersion;"), "{text}");
        assert_eq!(left(&run, "rocm-smi"), [""; 0], "{text}");
    }
}

#[test]
fn the_tag_of_an_expression_is_edited_where_its_text_is() {
    let tag = "\nlet\n  tag = \"rocm-7.1.1\";\nin\nstdenv.mk";
    let words = [
        ("\"rocm-${finalAttrs.version}\"", "tag"),
        ("\nstdenv.mk", tag),
    ];
    let (text, run) = expression(&words);
    assert!(text.contains("tag = \"rocm-7.2.4\";"), "{text}");
    assert_eq!(left(&run, "rocm-smi"), [""; 0], "{text}");
}

#[test]
fn a_version_that_another_file_holds_is_told_with_its_place() {
    let version = ("version = \"7.1.1\"", "inherit (rocmPackages.clr) version");
    let words = [version, ("\n}:\n", "\n  rocmPackages,\n}:\n")];
    let (text, run) = expression(&words);
    assert!(text.contains(version.1), "{text}");
    let left = left(&run, "rocm-smi");
    let reason = "its release is open, since `rocmPackages.clr` is of another file";
    assert!(left.iter().any(|text| text.starts_with(reason)), "{left:?}");
}

#[test]
fn a_step_of_a_maintainer_in_a_script_of_solus_gives_no_row() {
    let dir = recipes("solus", "7.1.1", &["clr"]);
    let root = dir.path();
    let recipe = Path::new("packages/r/rocm-clr/package.yml");
    let own = ("setup      : |\n", "setup      : |\n    echo own\n");
    let run = bumped(root, recipe, &[own], "7.2.4");
    let text = fs::read_to_string(root.join(recipe)).unwrap();
    assert!(
        text.contains("    echo own\n    pushd projects/clr\n"),
        "{text}"
    );
    assert_eq!(left(&run, "clr"), [""; 0], "{text}");
}

#[test]
fn an_option_of_solus_that_names_the_old_release_is_told() {
    let dir = recipes("solus", "7.1.1", &["hipcub"]);
    let root = dir.path();
    let recipe = Path::new("packages/h/hipcub/package.yml");
    let own = (" -L \\\n", " -L \\\n      -DOWN=/opt/rocm-7.1.1 \\\n");
    let run = bumped(root, recipe, &[own], "7.2.4");
    let text = fs::read_to_string(root.join(recipe)).unwrap();
    assert!(
        text.contains("%cmake_ninja -S projects/hipcub -L"),
        "{text}"
    );
    let reason = "`-DOWN=/opt/rocm-7.1.1` names 7.1.1, the release before";
    let left = left(&run, "hipcub");
    assert!(
        matches!(left.as_slice(), [one] if one.ends_with(reason)),
        "{left:?}"
    );
}

#[test]
fn a_review_of_an_expression_compares_values() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "--quiet"]);
    fine(root, &["init", "nix"]);
    let asked = ["render", "nix", "--release", "7.1.1", "--out", "out"];
    rocpkg(
        root,
        &[&asked[..], &["--allow-missing", "--allow-guesses"]].concat(),
    );
    let text = fs::read_to_string(root.join("out/nix/rocm-smi/default.nix")).unwrap();
    let bound = "\nlet\n  version = \"7.1.1\";\n  tag = \"rocm-${version}\";\nin\nstdenv.mk";
    let words = [
        ("version = \"7.1.1\";", "inherit version;"),
        ("\"rocm-${finalAttrs.version}\"", "tag"),
        ("\nstdenv.mk", bound),
        ("finalAttrs", "self"),
    ];
    let own = words
        .iter()
        .fold(text, |text, (old, new)| text.replace(old, new));
    let recipe = root.join("pkgs/development/rocm-modules/rocm-smi/default.nix");
    fs::create_dir_all(recipe.parent().unwrap()).unwrap();
    fs::copy(root.join("out/nix/default.nix"), root.join(SCOPE)).unwrap();
    write_file(&recipe, own);
    fs::remove_dir_all(root.join("out")).unwrap();
    let rows = fine(root, &["compare", "rocm-smi"]);
    assert!(rows.contains("0 rows of 1 recipe"), "{rows}");
}
