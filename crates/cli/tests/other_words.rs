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
            "MY_TAG=\"therock-$(ver_cut 1-2)\"",
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
fn a_variable_of_the_line_becomes_one_of_the_version_where_the_tag_does() {
    for (old, new, tag, own, expected) in [
        (
            "7.14.0",
            "7.14.1",
            "therock-$(ver_cut 1-2)",
            "therock-$(ver_cut 1-2)",
            "MY_TAG=\"therock-${PV}\"",
        ),
        (
            "7.14.1",
            "10.0.0",
            "therock-${PV}",
            "therock-${PV}",
            "MY_TAG=\"therock-$(ver_cut 1-2)\"",
        ),
    ] {
        let dir = overlay(&["hipcub"], old);
        let root = dir.path();
        let recipe = ebuild_of(Path::new(""), "sci-libs/hipCUB", old);
        let set = format!("EAPI=8\n\nMY_TAG=\"{own}\"\n");
        let words = [(tag, "${MY_TAG}"), ("EAPI=8\n", &set)];
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
fn a_word_that_names_the_old_tag_is_told() {
    for new in ["7.14.1", "10.0.0"] {
        let dir = overlay(&["hipcub"], "7.14.0");
        let root = dir.path();
        let recipe = ebuild_of(Path::new(""), "sci-libs/hipCUB", "7.14.0");
        let words = [("EAPI=8\n", "EAPI=8\n\nMY_DIR=\"mine-therock-7.14\"\n")];
        let run = bumped(root, &recipe, &words, new);
        let left = left(&run, "hipcub");
        let row = "MY_DIR: `mine-therock-7.14` names 7.14.0, the release before";
        assert_eq!(left, [row], "{new}");
    }
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
    let dir = overlay(&["miopen"], "7.2.0");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/miopen", "7.2.0");
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

/// The checksum of rocm-systems at 7.2.4 in the model, and that of roctracer at 7.1.1.
const SUMS: [&str; 2] = [
    "817f9c136125b8d162757a18cdc25b18b1efeb8ef36a948c85e4a672fd149de5",
    "dec80803c6d2d684759172145177849efda65672645b95a2f2ad1a84335043bb",
];

/// Replaces texts of the PKGBUILD of roctracer at 7.1.1, and bumps it to 7.2.4. Returns the run and
/// the new text.
fn roctracer(words: &[(&str, &str)]) -> (Run, String) {
    let dir = recipes("arch", "7.1.1", &["roctracer"]);
    let root = dir.path();
    fs::remove_file(root.join("roctracer/.SRCINFO")).unwrap();
    let recipe = Path::new("roctracer/PKGBUILD");
    let run = bumped(root, recipe, words, "7.2.4");
    (run, fs::read_to_string(root.join(recipe)).unwrap())
}

#[test]
fn the_sums_of_an_architecture_follow_their_sources() {
    let words = [
        ("source=(", "source_x86_64=("),
        ("sha256sums=(", "sha256sums_x86_64=("),
    ];
    let (run, text) = roctracer(&words);
    let sum = format!("sha256sums_x86_64=('{}')", SUMS[0]);
    assert!(text.contains(&sum), "{text}");
    assert!(text.contains("/rocm-systems/archive/"), "{text}");
    assert_eq!(run.status, 0, "{text}");
}

#[test]
fn sums_in_other_lists_follow_their_sources() {
    let appended = [
        ("source=(", "source=()\nsource+=("),
        ("sha256sums=(", "sha256sums=()\nsha256sums+=("),
    ];
    let named = [
        ("source=(", "_from=("),
        ("sha256sums=(", "source=(\"${_from[@]}\")\n_sums=("),
        ("options=", "sha256sums=(\"${_sums[@]}\")\noptions="),
    ];
    for words in [&appended[..], &named] {
        let (run, text) = roctracer(words);
        assert!(run.status == 1 || text.contains(SUMS[0]), "{text}");
        let is_old = text.contains("pkgver=7.1.1");
        assert_eq!(text.contains(SUMS[1]), is_old, "{text}");
    }
}

#[test]
fn sums_of_another_kind_are_zeros_and_told_once() {
    for (list, length) in [("sha512sums", 128), ("b2sums", 128)] {
        let old = format!("sha256sums=('{}')", SUMS[1]);
        let new = |digit: &str| format!("{list}=('{}')", digit.repeat(length));
        let (run, text) = roctracer(&[(&old, &new("a"))]);
        assert!(text.contains(&new("0")), "{text}");
        let todos = run.blocking("roctracer");
        let [(kind, told)] = todos.as_slice() else {
            panic!("{todos:?}")
        };
        assert_eq!(kind, "checksum");
        assert!(told.starts_with(list), "{told}");
    }
}

#[test]
fn the_sum_of_another_file_is_not_taken() {
    // The model has the checksum of the tag's archive, and not that of a commit's.
    let commit = "0123456789012345678901234567890123456789";
    let own = format!("archive/{commit}.tar.gz");
    let dir = recipes("arch", "7.2.0", &["roctracer"]);
    let root = dir.path();
    let recipe = Path::new("roctracer/PKGBUILD");
    let words = [("archive/refs/tags/rocm-$pkgver.tar.gz", own.as_str())];
    let run = bumped(root, recipe, &words, "7.2.4");
    let text = fs::read_to_string(root.join(recipe)).unwrap();
    assert!(!text.contains(SUMS[0]), "{text}");
    assert_eq!(run.status, 1, "{text}");
    let told = run.blocking("roctracer");
    assert!(!format!("{told:?}").contains(SUMS[0]), "{told:?}");
}

#[test]
fn a_recipe_with_a_source_of_its_own_stays_as_it_is() {
    for package in ["roctracer", "rocblas", "rocal"] {
        let dir = recipes("arch", "7.1.1", &[package]);
        let root = dir.path();
        fs::remove_file(root.join(format!("{package}/.SRCINFO"))).unwrap();
        let path = PathBuf::from(format!("{package}/PKGBUILD"));
        let text = fs::read_to_string(root.join(&path)).unwrap();
        let own = text.replace(
            "::https://github.com/ROCm/",
            "::https://mirror.example.org/",
        );
        write_file(root.join(&path), &own);
        let run = bumped(root, &path, &[], "7.2.4");
        assert_eq!(fs::read_to_string(root.join(&path)).unwrap(), own);
        let blocking = run.blocking(package);
        let is_told =
            |(_, text): &(String, String)| text.contains("can't change without its source");
        assert!(blocking.iter().any(is_told), "{blocking:?}");
        assert!(blocking.len() < 4, "{blocking:#?}");
    }
}

/// Bumps hipcc with other slots of LLVM from `from` to 10.1.0. Returns the new text and the run.
fn with_slots(from: &str, old: &str, own: &str) -> (String, Run) {
    let dir = overlay(&["hipcc"], from);
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-util/hipcc", from);
    let run = bumped(root, &recipe, &[(old, own)], "10.1.0");
    let text = fs::read_to_string(ebuild_of(root, "dev-util/hipcc", "10.1.0")).unwrap();
    (text, run)
}

#[test]
fn each_slot_that_is_not_released_is_told_by_its_package() {
    for release in ["7.2.4", "7.14.0", "10.0.0", "10.1.0", "10.2.0"] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        // Status 1: something is left.
        let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
            .args([
                "render",
                "gentoo",
                "--release",
                release,
                "--out",
                "out",
                "--json",
            ])
            .args(["--allow-missing", "--allow-guesses"])
            .current_dir(root)
            .output()
            .unwrap();
        let document: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let mut slots = 0;
        for report in document["recipes"].as_array().unwrap() {
            let path = report["recipe"].as_str().unwrap();
            let text = fs::read_to_string(root.join("out").join(path)).unwrap_or_default();
            let named = text
                .lines()
                .find_map(|line| line.strip_prefix("LLVM_COMPAT=( "));
            let todos = report["todos"].to_string();
            for slot in named
                .into_iter()
                .flat_map(|named| named.trim_end_matches(" )").split(' '))
            {
                slots += 1;
                // 23 is the last that the model knows to be released.
                let is_told = todos.contains(&format!("LLVM {slot} is not released"));
                assert_eq!(is_told, slot == "24", "{path}: {todos}");
            }
        }
        assert!(slots > 10, "{release}: {slots}");
    }
}

#[test]
fn a_bump_keeps_the_slots_of_llvm_that_work_and_no_others() {
    let new = "LLVM_COMPAT=( 23 24 )";
    for (own, new) in [
        ("LLVM_COMPAT=( 22 )", new),
        ("LLVM_COMPAT=( 21 22 )", new),
        ("LLVM_COMPAT=( 22 23 )", new),
        ("LLVM_COMPAT=( {21..22} )", "LLVM_COMPAT=( {23..24} )"),
        ("LLVM_COMPAT=( {22..24} )", "LLVM_COMPAT=( {23..24} )"),
        (
            "LLVM_COMPAT=(\n\t21\n\t22\n)",
            "LLVM_COMPAT=(\n\t23\n\t24\n)",
        ),
        (
            "_s=( 21 22 )\nLLVM_COMPAT=( \"${_s[@]}\" )",
            "_s=( 23 24 )\nLLVM_COMPAT=( \"${_s[@]}\" )",
        ),
        (
            "for i in 21 22; do\n\tLLVM_COMPAT+=( ${i} )\ndone",
            "for i in 23 24; do\n\tLLVM_COMPAT+=( ${i} )\ndone",
        ),
    ] {
        let (text, run) = with_slots("7.2.4", "LLVM_COMPAT=( 22 )", own);
        assert!(text.contains(&format!("\n{new}\n")), "{own}: {text}");
        assert_eq!(left(&run, "hipcc"), [""; 0], "{own}: {text}");
    }
}

#[test]
fn a_narrower_range_of_slots_stays() {
    // The model has 24 at both releases.
    let dir = overlay(&["hipcc"], "10.1.0");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-util/hipcc", "10.1.0");
    let run = bumped(
        root,
        &recipe,
        &[("LLVM_COMPAT=( 23 24 )", "LLVM_COMPAT=( 23 )")],
        "10.2.0",
    );
    let text = fs::read_to_string(ebuild_of(root, "dev-util/hipcc", "10.2.0")).unwrap();
    assert!(text.contains("LLVM_COMPAT=( 23 )"), "{text}");
    assert!(
        !run.packages.to_string().contains("LLVM 24"),
        "{}",
        run.packages
    );
}

#[test]
fn a_slot_of_llvm_that_nobody_knows_or_that_is_not_released_is_told() {
    let (text, run) = with_slots("7.2.4", "LLVM_COMPAT=( 22 )", "LLVM_COMPAT=( 22 25 )");
    assert!(text.contains("LLVM_COMPAT=( 23 24 25 )"), "{text}");
    assert_eq!(left(&run, "hipcc"), [""; 0]);
    let told = run.packages.to_string();
    for row in [
        "LLVM 24 is not released; 23 is",
        "LLVM 25 is not known to build it at this release; 23 and 24 are",
    ] {
        assert!(told.contains(row), "{row}: {told}");
    }
    // Only AMD's fork has the slot that this package needs.
    let dir = overlay(&["rocm-comgr"], "10.1.0");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-libs/rocm-comgr", "10.1.0");
    let run = bumped(root, &recipe, &[], "10.2.0");
    let text = fs::read_to_string(ebuild_of(root, "dev-libs/rocm-comgr", "10.2.0")).unwrap();
    assert!(text.contains("LLVM_COMPAT=( 24 )"), "{text}");
    let left = left(&run, "rocm-comgr");
    assert!(
        left.iter()
            .any(|text| text.starts_with("LLVM 24 is not released: ")),
        "{left:?}"
    );
}

#[test]
fn the_highest_slot_of_llvm_eclass_is_moved() {
    let dir = overlay(&["rocblas"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/rocBLAS", "7.2.4");
    let words = [
        ("LLVM_COMPAT=( 22 )", "LLVM_MAX_SLOT=22"),
        ("llvm-r2", "llvm"),
    ];
    bumped(root, &recipe, &words, "10.1.0");
    let text = fs::read_to_string(ebuild_of(root, "sci-libs/rocBLAS", "10.1.0")).unwrap();
    // 24 works too, and is not released.
    assert!(text.contains("\nLLVM_MAX_SLOT=23\n"), "{text}");
    assert!(
        !text.contains("llvm-r2") && !text.contains("LLVM_COMPAT"),
        "{text}"
    );
}

#[test]
fn a_pattern_in_other_words_gets_the_text_of_the_release() {
    let dir = overlay(&["rocm-smi"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-util/rocm-smi", "7.2.4");
    let step = "sed -e \"s/find_program (GIT NAMES git)//g\" -i CMakeLists.txt";
    for (own, new) in [
        ("/find_program (GIT/d", Some("/find_program(GIT/d")),
        ("/find_program .*git)/d", None),
    ] {
        let own_step = format!("sed -i \"{own}\" CMakeLists.txt");
        let run = bumped(root, &recipe, &[(step, &own_step)], "10.1.0");
        let path = ebuild_of(root, "dev-util/rocm-smi", "10.1.0");
        let text = fs::read_to_string(&path).unwrap();
        let left = left(&run, "rocm-smi");
        if let Some(new) = new {
            assert!(text.contains(&format!("sed -i \"{new}\"")), "{text}");
            assert_eq!(left, [""; 0]);
        } else {
            let reason = format!("`{own}` does not match `find_program(GIT NAMES git)`");
            assert!(left.iter().any(|text| text.contains(&reason)), "{left:?}");
        }
        fs::remove_file(path).unwrap();
        edit(&root.join(&recipe), &own_step, step);
    }
}

#[test]
fn commands_with_helper_variables_are_compared_by_their_values() {
    let dir = overlay(&["hipcc"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-util/hipcc", "7.2.4");
    let command = "tar -x -z -o -f \"${DISTDIR}/llvm-project-rocm-${PV}.tar.gz\" \\\n\t\t\
        \"llvm-project-rocm-${PV}/amd/hipcc\" || die";
    let own = "local archive=\"${MY_P}.tar.gz\"\n\ttar -x -z -o -f \"${DISTDIR}/${archive}\" \
        \"${components[@]/#/${MY_P}/}\" || die";
    let variables = "MY_P=llvm-project-rocm-${PV}\ncomponents=( amd/hipcc )\nDESCRIPTION=";
    let words = [
        (command, own),
        ("-> llvm-project-rocm-${PV}.tar.gz", "-> ${MY_P}.tar.gz"),
        (
            "${WORKDIR}/llvm-project-rocm-${PV}/amd",
            "${WORKDIR}/${MY_P}/amd",
        ),
        ("DESCRIPTION=", variables),
    ];
    let run = bumped(root, &recipe, &words, "10.0.0");
    let text = fs::read_to_string(ebuild_of(root, "dev-util/hipcc", "10.0.0")).unwrap();
    assert!(
        text.contains("MY_P=llvm-project-therock-$(ver_cut 1-2)\n"),
        "{text}"
    );
    assert!(
        text.contains("\"${components[@]/#/${MY_P}/}\" || die"),
        "{text}"
    );
    assert_eq!(left(&run, "hipcc"), [""; 0], "{text}");
}

#[test]
fn a_recipe_of_the_repository_that_a_component_left_gets_the_sources_of_the_model() {
    let dir = overlay(&["rocprim"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/rocPRIM", "7.2.4");
    let text = fs::read_to_string(root.join(&recipe)).unwrap();
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
    let own = "SRC_URI=\"https://github.com/ROCm/${PN}/archive/rocm-${PV}.tar.gz -> ${P}.tar.gz\"";
    let words = [
        (line("SRC_URI="), own),
        (line("S="), "S=\"${WORKDIR}/${PN}-rocm-${PV}\""),
    ];
    let run = bumped(root, &recipe, &words, "10.0.0");
    let text = fs::read_to_string(ebuild_of(root, "sci-libs/rocPRIM", "10.0.0")).unwrap();
    let address = "ROCm/rocm-libraries/releases/download/therock-$(ver_cut 1-2)/rocprim.tar.gz";
    assert!(text.contains(address), "{text}");
    assert!(text.contains("S=\"${WORKDIR}/rocprim\""), "{text}");
    assert_eq!(left(&run, "rocprim"), [""; 0], "{text}");
}

#[test]
fn a_list_under_another_name_gets_the_words_of_the_model() {
    let dir = overlay(&["hipsparselt"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/hipsparselt", "7.2.4");
    let path = root.join(&recipe);
    let text = fs::read_to_string(&path).unwrap();
    write_file(&path, text.replace("SUPPORTED_TARGETS", "OWN_GPUS"));
    let run = bumped(root, &recipe, &[], "10.0.0");
    let text = fs::read_to_string(ebuild_of(root, "sci-libs/hipsparselt", "10.0.0")).unwrap();
    let list = text.lines().find(|line| line.starts_with("OWN_GPUS="));
    assert!(list.is_some_and(|list| list.contains("gfx1250")), "{text}");
    assert_eq!(left(&run, "hipsparselt"), [""; 0], "{text}");
}

#[test]
fn a_patch_that_the_maintainer_made_for_another_release_is_not_doubled() {
    let dir = overlay(&["roct-thunk-interface"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-libs/roct-thunk-interface", "7.2.4");
    let own = "PATCHES=(\n\t\"${FILESDIR}/${PN}-7.14.0-extsem-visibility.patch\"\n";
    let run = bumped(root, &recipe, &[("PATCHES=(\n", own)], "10.0.0");
    let path = ebuild_of(root, "dev-libs/roct-thunk-interface", "10.0.0");
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.matches("extsem-visibility").count(), 1, "{text}");
    let left = left(&run, "roct-thunk-interface");
    let is_told = |text: &String| text.contains("a patch of this name, of another version");
    assert!(left.iter().any(is_told), "{left:?}");
}

#[test]
fn a_link_that_the_recipe_makes_in_other_words_is_made_once() {
    let dir = overlay(&["hip"], "7.2.4");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "dev-util/hip", "7.2.4");
    let own = "src_install() {\n\tcmake_src_install\n\
        \tdosym \"../$(get_libdir)/libamdhip64.so\" \"/usr/lib/libamdhip64.so\"\n}\n\nsrc_test() {";
    bumped(root, &recipe, &[("src_test() {", own)], "10.0.0");
    let text = fs::read_to_string(ebuild_of(root, "dev-util/hip", "10.0.0")).unwrap();
    assert_eq!(text.matches("dosym ").count(), 1, "{text}");
}

#[test]
fn a_replacement_that_nobody_tried_is_told_with_its_text() {
    let dir = overlay(&["hipcc"], "7.2.4");
    let run = bump(dir.path(), &["10.2.0", "--allow-guesses", "--dry-run"]);
    let all = run.todos("hipcc");
    let is_told = |(_, text): &(String, String)| {
        text.contains("replacement of `amdgcn/bitcode` in src/hipBin_amd.h")
    };
    assert!(all.iter().any(is_told), "{all:?}");
}

#[test]
fn a_commit_of_the_old_release_is_told() {
    let dir = overlay(&["hipcub"], "7.2.0");
    let root = dir.path();
    let recipe = ebuild_of(Path::new(""), "sci-libs/hipCUB", "7.2.0");
    let id = "0123456789abcdef0123456789abcdef01234567";
    let set = format!("EAPI=8\n\nCOMMIT=\"{id}\"\n");
    let words = [
        ("EAPI=8\n", set.as_str()),
        (
            "releases/download/rocm-${PV}/hipcub.tar.gz",
            "archive/${COMMIT}.tar.gz",
        ),
        (
            "${WORKDIR}/hipcub",
            "${WORKDIR}/rocm-libraries-${COMMIT}/projects/hipcub",
        ),
    ];
    let run = bumped(root, &recipe, &words, "7.2.4");
    let left = left(&run, "hipcub");
    let is_told = |text: &String| text.starts_with("COMMIT") && text.contains(id);
    assert!(left.iter().any(is_told), "{left:?}");
}

#[test]
fn values_that_hold_the_old_release_are_told() {
    for (old, new) in [
        ("SLOT=\"0/$(ver_cut 1-2)\"", "SLOT=\"7.2.0/7.2\""),
        (
            "mycmakeargs=(\n",
            "mycmakeargs=(\n\t\t-DCMAKE_INSTALL_PREFIX=/opt/rocm-7.2.0\n",
        ),
        (
            "src_configure() {\n",
            "src_configure() {\n\tnewenvd - 99rocm-7.2.0 <<< A=b\n",
        ),
        (":${SLOT}", ":0/7.2.0="),
    ] {
        let dir = overlay(&["hipcub"], "7.2.0");
        let root = dir.path();
        let recipe = ebuild_of(Path::new(""), "sci-libs/hipCUB", "7.2.0");
        let run = bumped(root, &recipe, &[(old, new)], "7.2.4");
        let left = left(&run, "hipcub");
        let is_told = |text: &String| text.contains("names 7.2.0, the release before");
        assert!(left.iter().any(is_told), "{new}: {left:?}");
    }
}

#[test]
fn a_line_of_another_manifest_is_taken_for_the_same_archive() {
    let dir = overlay(&["hipcc", "rocm-comgr"], "7.2.4");
    let root = dir.path();
    let sum = "1".repeat(128);
    let line = format!("DIST llvm-project-therock-10.2.tar.gz 12 BLAKE2B {sum} SHA512 {sum}\n");
    let known = root.join("dev-util/hipcc/Manifest");
    let old = fs::read_to_string(&known).unwrap_or_default();
    write_file(&known, old + &line);
    commit(root);
    let run = bump(root, &["10.2.0", "--allow-guesses"]);
    let text = fs::read_to_string(root.join("dev-libs/rocm-comgr/Manifest")).unwrap();
    assert!(text.contains(&line), "{text}");
    let is_sum = |(kind, _): &(String, String)| kind == "checksum";
    assert!(!run.blocking("rocm-comgr").iter().any(is_sum));
}

#[test]
fn an_archive_that_another_package_fetches_in_the_same_run_has_its_line() {
    let dir = overlay(&["rocr-runtime", "rocminfo"], "7.2.3");
    let root = dir.path();
    let recipe = root.join("dev-util/rocminfo/rocminfo-7.2.3.ebuild");
    let text = fs::read_to_string(&recipe).unwrap();
    let (head, rest) = text.split_once("SRC_URI=\"").unwrap();
    let (_, tail) = rest.split_once('"').unwrap();
    let address =
        "https://github.com/ROCm/rocm-systems/releases/download/rocm-${PV}/rocr-runtime.tar.gz";
    let own = format!("{head}SRC_URI=\"{address} -> rocr-runtime-${{PV}}.tar.gz\"{tail}");
    write_file(&recipe, own);
    commit(root);
    bump(root, &["7.2.4", "--allow-guesses"]);
    let line = |manifest: &str| {
        let text = fs::read_to_string(root.join(manifest)).unwrap();
        let mut lines = text.lines();
        let found = lines.find(|line| line.contains(" rocr-runtime-7.2.4.tar.gz "));
        found.map(str::to_owned)
    };
    let known = line("dev-libs/rocr-runtime/Manifest");
    assert!(known.is_some());
    assert_eq!(line("dev-util/rocminfo/Manifest"), known);
}

#[test]
fn a_folder_that_was_entered_in_other_words_is_not_entered_again() {
    for (enter, helper) in [
        ("cd \"$srcdir/$_dirname\"", ""),
        ("pushd \"$_dirname\"", ""),
        ("cd \"$_dirname\" || exit 1", ""),
        ("_enter", "_enter() {\n  cd \"$_dirname\"\n}\n\n"),
    ] {
        let dir = recipes("arch", "7.1.1", &["rocblas"]);
        let root = dir.path();
        fs::remove_file(root.join("rocblas/.SRCINFO")).unwrap();
        let own = format!("prepare() {{\n  {enter}\n  true own\n}}\n\n{helper}build() {{");
        let recipe = Path::new("rocblas/PKGBUILD");
        let run = bumped(root, recipe, &[("build() {", &own)], "7.2.4");
        let text = fs::read_to_string(root.join(recipe)).unwrap();
        let (_, rest) = text.split_once("prepare() {").unwrap();
        let (prepare, _) = rest.split_once("\n}").unwrap();
        let entered = prepare.matches("$_dirname").count() + prepare.matches("_enter").count();
        assert_eq!(entered, 1, "{prepare}");
        let told = format!("{:?}", run.blocking("rocblas"));
        assert!(told.contains("inside of"), "{told}");
        assert_eq!(run.status, 1);
    }
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
