//! The tools that the other tests run detect faults. Each tool runs on a small tree with a
//! deliberate fault.

use rocpkg_tests::{
    GentooWorld, Level, NixTree, copy_tree, fixture, pkgbases, printsrcinfo, write_file,
};
use std::fs;
use std::path::Path;

/// Replaces a text in a file. The file must contain the text.
fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(
        text.contains(from),
        "{} does not hold {from:?}",
        path.display()
    );
    write_file(path, text.replace(from, to));
}

#[test]
fn makepkg_prints_a_split_package_and_refuses_what_its_lints_find() {
    let [folder] = pkgbases(&fixture("samples/arch")).try_into().unwrap();
    assert_eq!(
        printsrcinfo(&folder),
        Ok(fs::read_to_string(folder.join(".SRCINFO")).unwrap())
    );
    let broken = tempfile::tempdir().unwrap();
    copy_tree(&folder, broken.path());
    edit(
        &broken.path().join("PKGBUILD"),
        "pkgver=7.2.4",
        "pkgver=7.2-4",
    );
    let refusal = printsrcinfo(broken.path()).unwrap_err();
    assert!(refusal.contains("pkgver is not allowed"), "{refusal}");
}

const BLAS: &str = "sci-libs/sample-blas/sample-blas-7.2.0.ebuild";

#[test]
fn pkgcheck_sees_faults() {
    let names = |world: &GentooWorld| {
        let found = world
            .pkgcheck_scan()
            .into_iter()
            .filter(|f| f.level >= Level::Style);
        found
            .map(|f| f.name)
            .collect::<std::collections::BTreeSet<_>>()
    };
    let world = GentooWorld::with_own_externals(&fixture("samples/gentoo"));
    // The checksums of the sample's archives are unknown, and its maintainer is not one of
    // Gentoo's.
    let sound: Vec<String> = names(&world).into_iter().collect();
    assert_eq!(sound, ["MaintainerWithoutProxy", "MissingManifest"]);
    let at = |file: &str| world.repository().join(file);
    let runtime = "dev-libs/sample-runtime:${SLOT}";
    edit(
        &at(BLAS),
        runtime,
        &format!("{runtime}[amdgpu_targets_gfx1100]"),
    );
    edit(
        &at("dev-build/sample-cmake/sample-cmake-7.2.0.ebuild"),
        "inherit cmake",
        "inherit cmake edo",
    );
    let seen = names(&world);
    assert!(
        seen.contains("UnusedInherits") && seen.contains("NonsolvableDepsInStable"),
        "{seen:?}"
    );
}

#[test]
fn portage_resolves_for_one_target_and_refuses_none() {
    let world = GentooWorld::with_own_externals(&fixture("samples/gentoo"));
    let ask = |targets: &[&str], lines: &[String]| {
        world.emerge_pretend(&["sci-libs/sample-blas"], targets, lines)
    };
    let plan = ask(&["gfx1100"], &[]).unwrap();
    assert!(
        plan.contains("AMDGPU_TARGETS=\"gfx1100 -gfx90a\""),
        "{plan}"
    );
    assert!(plan.contains("dev-libs/sample-runtime-7.2.0"), "{plan}");
    let plan = ask(&["gfx90a"], &["sci-libs/sample-blas benchmark".to_owned()]).unwrap();
    assert!(plan.contains("USE=\"benchmark"), "{plan}");
    let refusal = ask(&["gfx803"], &[]).unwrap_err();
    assert!(refusal.contains("REQUIRED_USE"), "{refusal}");
    edit(
        &world.repository().join(BLAS),
        "dev-libs/sample-runtime:${SLOT}",
        "dev-libs/sample-runtime:9",
    );
    let refusal = ask(&["gfx90a"], &[]).unwrap_err();
    assert!(refusal.contains("sample-runtime:9"), "{refusal}");
}

fn scope() -> NixTree {
    NixTree::with_own_externals(&fixture("samples/nix"))
}

#[test]
fn nix_sees_faults() {
    for (file, from, to, says) in [
        (
            "sample-blas/default.nix",
            "clr.gpuTargets",
            "clr.gpuTarget",
            "gpuTarget",
        ),
        (
            "sample-clr/default.nix",
            "lib.fakeHash",
            "1 + lib.fakeHash",
            "cannot add",
        ),
        (
            "sample-clr/default.nix",
            "tag = ",
            "ref = ",
            "fetchFromGitHub: exactly one of tag, rev",
        ),
        (
            "sample-clr/default.nix",
            "\"CLR_BUILD_HIP\" true",
            "\"CLR_BUILD_HIP\" \"ON\"",
            "isBool",
        ),
        (
            "sample-blas/default.nix",
            "buildTests ? false",
            "buildTests ? clr.none",
            "none",
        ),
        (
            "sample-cmake/default.nix",
            "lib.licenses.mit",
            "lib.licenses.MIT",
            "MIT",
        ),
        (
            "sample-cmake/default.nix",
            "[ cmake ]",
            "[ cmake ]; dontUnpack = x: x",
            "function",
        ),
        (
            "sample-cmake/default.nix",
            "[ cmake ]",
            "cmake",
            "inputs must be a list",
        ),
    ] {
        let tree = scope();
        edit(&tree.folder().join(file), from, to);
        tree.parse().unwrap();
        let message = tree.eval(None).expect_err(to);
        assert!(message.contains(says), "{to}: {message}");
    }
    let facts = scope().eval(Some("gfx1100")).unwrap();
    assert_eq!(
        facts["packages"]["sample-blas"]["cmakeFlags"][0],
        "-DGPU_TARGETS:STRING=gfx1100"
    );
    assert!(
        scope()
            .eval(Some("gfx803"))
            .unwrap_err()
            .contains("the scope has no gfx803")
    );
}

#[test]
fn what_is_not_nix_does_not_parse() {
    let tree = scope();
    assert_eq!(tree.parse(), Ok(()));
    edit(
        &tree.folder().join("sample-blas/default.nix"),
        "cmakeFlags = [",
        "cmakeFlags = ",
    );
    let message = tree.parse().unwrap_err();
    assert!(
        message.contains("sample-blas/default.nix") && message.contains("syntax error"),
        "{message}"
    );
}
