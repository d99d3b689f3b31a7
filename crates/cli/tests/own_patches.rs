//! Tests that a bump names the patches of the existing recipes, and not those of the model.

use crate::checkout::{edit, fine, overlay, rocpkg};
use rocpkg_test_support::{commit, write_file};
use std::fs;

/// Two patches that the model has for rocBLAS. The maintainer's ebuild applies neither.
const MODEL: [&str; 2] = ["5.4.2-add-missing-header", "7.1.0-no-git"];

#[test]
fn an_overlay_is_asked_for_its_own_patches_alone() {
    let dir = overlay(&["rocblas", "hipblas"], "7.1.1");
    let root = dir.path();
    let folder = root.join("sci-libs/rocBLAS");
    let file = folder.join("rocBLAS-7.1.1.ebuild");
    let text = fs::read_to_string(&file).unwrap();
    let start = text.find("PATCHES=(").unwrap();
    let end = start + text[start..].find("\n)\n").unwrap() + 3;
    let own =
        "PATCHES=(\n\t\"${FILESDIR}\"/${PN}-ours.patch\n\t\"${FILESDIR}/${P%.*}-gone.patch\"\n)\n";
    let own = own.replace("${P%.*}", "${PN}");
    edit(&file, &text[start..end], &own);
    fs::create_dir_all(folder.join("files")).unwrap();
    write_file(folder.join("files/rocBLAS-ours.patch"), "--- a\n+++ b\n");
    commit(root);
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "-v"]);
    assert_eq!(status, 1, "{said}");
    for what in MODEL {
        assert!(!said.contains(what), "{what}: {said}");
    }
    // The recipe's first patch exists, and the second one is missing.
    for what in [
        "  sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild:53:2: not tried at this release: patch `rocBLAS-ours.patch`",
        "  sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild:54:2: `files/rocBLAS-gone.patch` is missing\n",
        "  rocBLAS  lacks 1 file",
        // A package without manual edits needs the patches of the model.
        "  sci-libs/hipBLAS/hipBLAS-7.2.4.ebuild:32:2: `files/hipBLAS-6.3.0-no-git.patch` is missing; see ",
        "  sci-libs/hipBLAS/hipBLAS-7.2.4.ebuild:32:2: not tried at this release: patch `hipBLAS-6.3.0-no-git.patch`",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    write_file(folder.join("files/rocBLAS-gone.patch"), "--- a\n+++ b\n");
    commit(root);
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "rocblas"]);
    assert!(said.contains("  rocBLAS  done"), "{said}");
}

#[test]
fn other_checkouts_are_asked_for_their_own_patches_too() {
    for (distro, recipe, model, own, old, new) in [
        (
            "arch",
            "hipblaslt/PKGBUILD",
            "hipblaslt-Don-t-fetch-deps-for-rocroller.patch",
            "ours.patch",
            "7.2.3",
            "7.2.4",
        ),
        (
            "nixpkgs",
            "rocprof-trace-decoder/default.nix",
            "use-system-dependencies.patch",
            "ours.patch",
            "7.2.3",
            "7.2.4",
        ),
        (
            "solus",
            "packages/h/hipblaslt/package.yml",
            "0007-hipblaslt-Find-blis-using-pkg-config.patch",
            "ours.patch",
            "7.0.2",
            "7.14.0",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let package = recipe.rsplit('/').nth(1).unwrap();
        let render = ["render", distro, "--into", ".", "--package", package, "-v"];
        let render = [
            &render[..],
            &["--allow-missing", "--allow-guesses", "--release"],
        ]
        .concat();
        let (_, said) = rocpkg(root, &[&render[..], &[old]].concat());
        assert!(said.contains(model), "{said}");
        let text = fs::read_to_string(root.join(recipe)).unwrap();
        write_file(root.join(recipe), text.replace(model, own));
        let (_, said) = rocpkg(root, &[&render[..], &[new]].concat());
        let supplied = said.split("to be supplied").nth(1).unwrap_or_default();
        let supplied = supplied.split("next:").next().unwrap_or_default();
        assert!(!supplied.contains(model), "{distro}: {said}");
        assert!(supplied.contains(own), "{distro}: {said}");
    }
}

#[test]
fn a_patch_that_was_rebased_is_held_against_its_own_recipe() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let render = ["render", "arch", "--into", ".", "--package", "hipblaslt"];
    let render = [
        &render[..],
        &["--allow-missing", "--allow-guesses", "--release"],
    ]
    .concat();
    fine(root, &[&render[..], &["7.2.3"]].concat());
    let patch = root.join("hipblaslt/hipblaslt-Don-t-fetch-deps-for-rocroller.patch");
    write_file(&patch, "rebased\n");
    let (status, said) = rocpkg(root, &[&render[..], &["7.2.4"]].concat());
    assert!(status == 2 && said.contains("E0441"), "{said}");
    let sum = rocpkg_programs::command("sha256sum")
        .arg(&patch)
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let sum = sum.split_whitespace().next().unwrap();
    let file = root.join("hipblaslt/PKGBUILD");
    let text = fs::read_to_string(&file).unwrap();
    let list = text
        .split("sha256sums=(")
        .nth(1)
        .unwrap()
        .split(')')
        .next()
        .unwrap();
    let model = list
        .split('\'')
        .filter(|word| word.len() == 64)
        .nth(1)
        .unwrap();
    edit(&file, model, sum);
    let (_, said) = rocpkg(root, &[&render[..], &["7.2.4"]].concat());
    assert!(!said.contains("E0441"), "{said}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("pkgver=7.2.4") && text.contains(sum),
        "{text}"
    );
    assert_eq!(fs::read_to_string(&patch).unwrap(), "rebased\n");
}

#[test]
fn a_patch_of_a_layer_is_applied_before_the_steps_of_a_pkgbuild() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fine(root, &["init", "arch"]);
    // The steps of `prepare()` pick commits, and apply no patch.
    let make = ["render", "--release", "7.2.4", "--package", "rocblas"];
    fine(
        root,
        &[&make[..], &["--allow-missing", "--allow-guesses"]].concat(),
    );
    edit(
        &root.join("rocblas/PKGBUILD"),
        "CMAKE_BUILD_TYPE=RelWithDebInfo",
        "CMAKE_BUILD_TYPE=Release",
    );
    let layer = root.join("mine/distros/arch");
    fs::create_dir_all(&layer).unwrap();
    let patch = "patches: [{file: ours.patch, checked: \"=7.2.4\"}]\n";
    write_file(layer.join("rocblas.yaml"), patch);
    let settings = root.join("rocpkg.toml");
    let text = fs::read_to_string(&settings).unwrap();
    write_file(
        &settings,
        format!("{text}\n").replace(
            "\n# profiles = [\"rocm-profiles\"]",
            "\nprofiles = [\"mine\"]",
        ),
    );
    let (status, rows) = rocpkg(root, &["compare", "rocblas"]);
    assert_eq!(status, 1, "{rows}");
    let places: Vec<String> = rows
        .lines()
        .filter(|line| line.ends_with("ours.patch") && line.contains(" / "))
        .map(|line| {
            format!(
                "rocblas/PKGBUILD:{}",
                line.trim().split(": ").next().unwrap()
            )
        })
        .collect();
    assert_eq!(places.len(), 2, "{rows}");
    let take = places.iter().flat_map(|place| ["--take", place]);
    let (_, said) = rocpkg(
        root,
        &["compare", "rocblas"]
            .into_iter()
            .chain(take)
            .collect::<Vec<_>>(),
    );
    let text = fs::read_to_string(root.join("rocblas/PKGBUILD")).unwrap();
    for part in [
        "\n        \"ours.patch\")\n",
        "prepare() {\n  patch -Np1 -d rocm-libraries -i \"$srcdir/ours.patch\"\n\n  cd ",
        "CMAKE_BUILD_TYPE=Release\n",
    ] {
        assert!(text.contains(part), "{said}{text}");
    }
    assert_eq!(text.matches(&"0".repeat(64)).count(), 1, "{text}");
}
