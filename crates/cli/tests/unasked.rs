//! Tests that a bump writes only what was requested.

use crate::checkout::{edit, fine, overlay, rocpkg};
use crate::line_ends::files;
use rocpkg_test_support::{commit, texts, write_file};
use std::fs;
use std::path::Path;

/// Returns the files of a checkout, without those of git.
fn names(root: &Path) -> Vec<String> {
    let all = files(root).into_iter();
    all.map(|path| path.strip_prefix(root).unwrap().display().to_string())
        .collect()
}

#[test]
fn categories_of_the_master_stay_out() {
    let dir = overlay(&["rocblas"], "7.1.1");
    let root = dir.path();
    let categories = root.join("profiles/categories");
    write_file(&categories, "ours-misc\n");
    commit(root);
    rocpkg(root, &["bump", "7.2.4"]);
    assert_eq!(fs::read_to_string(&categories).unwrap(), "ours-misc\n");
    // A new package in one of ::gentoo's categories adds no category. One in a category of its own
    // does.
    let layer = root.join("layer/distros/gentoo/hip.yaml");
    fs::create_dir_all(layer.parent().unwrap()).unwrap();
    write_file(&layer, "ebuild: {category: ours-gpu}\n");
    let render = [
        "render",
        "--allow-missing",
        "--release",
        "7.2.4",
        "--package",
    ];
    fine(root, &[&render[..], &["rocminfo"]].concat());
    assert_eq!(fs::read_to_string(&categories).unwrap(), "ours-misc\n");
    fine(
        root,
        &[&render[..], &["hip", "--profiles", "layer"]].concat(),
    );
    let both = "ours-gpu\nours-misc\n";
    assert_eq!(fs::read_to_string(&categories).unwrap(), both);
    // Without ::gentoo as a master, the list must contain all categories.
    edit(
        &root.join("metadata/layout.conf"),
        "masters = gentoo",
        "masters =",
    );
    fine(root, &[&render[..], &["rocminfo"]].concat());
    let all = fs::read_to_string(&categories).unwrap();
    assert!(all.contains("dev-util\n"), "{all}");
}

#[test]
fn flags_that_no_ebuild_has_stay_out_of_metadata() {
    let dir = overlay(&["rocblas"], "7.1.1");
    let root = dir.path();
    let folder = root.join("sci-libs/rocBLAS");
    let metadata = folder.join("metadata.xml");
    let rendered = fs::read_to_string(&metadata).unwrap();
    let name = |line: &str| line.split('"').nth(1).unwrap().to_owned();
    let lines = rendered.lines().filter(|line| line.contains("<flag"));
    let flags: Vec<String> = lines.clone().map(name).collect();
    let [first, rest @ ..] = &flags[..] else {
        panic!("{rendered}");
    };
    assert!(!rest.is_empty(), "{rendered}");
    // The maintainer's ebuild has only one of the flags, and metadata.xml describes none.
    let file = folder.join("rocBLAS-7.1.1.ebuild");
    let text = fs::read_to_string(&file).unwrap();
    let iuse = text.lines().find(|line| line.starts_with("IUSE=")).unwrap();
    edit(&file, iuse, &format!("IUSE=\"{first}\""));
    let start = rendered.find("\t<use>").unwrap();
    let end = rendered.find("</use>\n").unwrap() + "</use>\n".len();
    write_file(&metadata, rendered.replace(&rendered[start..end], ""));
    commit(root);
    rocpkg(root, &["bump", "7.2.4"]);
    let all = fs::read_dir(&folder).unwrap();
    let all = all.filter_map(|entry| {
        let path = entry.unwrap().path();
        (path.extension()? == "ebuild").then(|| fs::read_to_string(path).unwrap())
    });
    let ebuilds: Vec<String> = all.collect();
    assert_eq!(ebuilds.len(), 2);
    let joined = fs::read_to_string(&metadata).unwrap();
    for flag in &flags {
        let is_used = |text: &String| {
            let iuse = text.lines().find(|line| line.starts_with("IUSE=")).unwrap();
            iuse.split(['"', ' ', '+']).any(|word| word == flag)
        };
        let is_described = joined.contains(&format!("<flag name=\"{flag}\">"));
        assert_eq!(
            is_described,
            ebuilds.iter().any(is_used),
            "{flag}: {joined}"
        );
    }
}

#[test]
fn files_that_a_recipe_had_not_beside_it_stay_out() {
    for (distro, package, old, new) in [
        ("arch", "rocrand", "7.2.3", "7.2.4"),
        ("arch", "rocm-core", "7.1.1", "7.2.4"),
        ("solus", "rocrand", "6.0.0", "6.4.3"),
        ("nixpkgs", "rocrand", "7.1.1", "7.2.4"),
        ("gentoo", "rocrand", "7.1.1", "7.2.4"),
    ] {
        for is_edited in [true, false] {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            let options = ["--package", package, "--allow-missing", "--allow-guesses"];
            let render = [
                &["render", distro, "--into", "."],
                &options[..],
                &["--release"],
            ]
            .concat();
            fine(root, &[&render[..], &[old]].concat());
            let is_recipe = |path: &String| {
                let file = path.rsplit('/').next().unwrap();
                matches!(file, "PKGBUILD" | "package.yml" | "package.nix")
                    || path.ends_with(&format!("{package}/default.nix"))
                    || file.ends_with(".ebuild")
                    || path.starts_with("profiles/")
                    || path.starts_with("metadata/")
            };
            for path in names(root).iter().filter(|path| !is_recipe(path)) {
                fs::remove_file(root.join(path)).unwrap();
            }
            for path in names(root)
                .iter()
                .filter(|path| is_edited && is_recipe(path))
            {
                let text = fs::read_to_string(root.join(path)).unwrap();
                write_file(root.join(path), format!("# Ours\n{text}"));
            }
            let before = names(root);
            fine(root, &[&render[..], &[new]].concat());
            let mut after = names(root);
            // Portage requires a Manifest.
            let is_new = |path: &String| {
                path.ends_with(&format!("-{new}.ebuild")) || path.ends_with("/Manifest")
            };
            after.retain(|path| !is_new(path));
            assert_eq!(after, before, "{distro}:{package}");
        }
    }
}

#[test]
fn a_recipe_without_a_known_release_gets_no_new_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let render = [
        "render",
        "arch",
        "--into",
        ".",
        "--package",
        "rocrand",
        "--allow-missing",
        "--release",
    ];
    fine(root, &[&render[..], &["7.2.3"]].concat());
    let folder = root.join("rocrand");
    for path in names(root)
        .iter()
        .filter(|path| !path.ends_with("PKGBUILD"))
    {
        fs::remove_file(root.join(path)).unwrap();
    }
    edit(
        &folder.join("PKGBUILD"),
        "pkgver=7.2.3",
        "pkgver=$(cat version)",
    );
    let before = names(root);
    rocpkg(root, &[&render[..], &["7.2.4"]].concat());
    assert_eq!(names(root), before);
}

#[test]
fn an_ebuild_of_a_version_that_the_model_does_not_know_is_not_copied() {
    let dir = overlay(&["rocrand"], "7.2.0");
    let root = dir.path();
    let guessed = ["--package", "ollama", "--allow-missing", "--allow-guesses"];
    fine(
        root,
        &[&["render", "--release", "7.2.0"], &guessed[..]].concat(),
    );
    let is_it = |path: &&String| path.contains("/ollama-") && path.ends_with(".ebuild");
    let file = root.join(names(root).iter().find(is_it).unwrap());
    let folder = file.parent().unwrap();
    let theirs = folder.join("ollama-0.0.7.ebuild");
    fs::rename(&file, &theirs).unwrap();
    edit(&theirs, "EAPI=8\n", "EAPI=8\n# Ours\n");
    commit(root);
    let before = texts(folder, &[]);
    let (status, said) = rocpkg(
        root,
        &["bump", "7.2.4", "ollama", "rocrand", "--allow-guesses"],
    );
    assert_eq!(status, 1, "{said}");
    assert_eq!(texts(folder, &[]), before, "{said}");
    let row = "ollama   not touched: it states release 0.0.7, which the model does not know";
    assert!(said.contains(row), "{said}");
    // The other packages are bumped.
    assert!(
        root.join("sci-libs/rocRAND/rocRAND-7.2.4.ebuild").is_file(),
        "{said}"
    );
}
