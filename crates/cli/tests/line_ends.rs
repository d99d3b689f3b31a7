//! Tests that files whose lines end with CR and LF keep these line ends in a bump.

use crate::checkout::{fine, overlay, rocpkg};
use rocpkg_test_support::{commit, write_file};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files below a folder, without those of git.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            all.push(path);
        } else if !path.ends_with(".git") {
            all.extend(files(&path));
        }
    }
    all.sort();
    all
}

/// Gives all files CR and LF as line ends, and adds a comment to recipes.
fn to_crlf(root: &Path) {
    for file in files(root)
        .iter()
        .filter(|file| !file.ends_with("rocpkg.toml"))
    {
        let text = fs::read_to_string(file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy();
        let is_recipe = name.ends_with(".ebuild") || name == "PKGBUILD" || name == "package.yml";
        let remark = if is_recipe { "# Ours.\n" } else { "" };
        let text = format!("{remark}{text}").replace('\n', "\r\n");
        write_file(file, text);
    }
}

/// Returns the names of the files that have a line without CR.
fn without_returns(root: &Path) -> Vec<String> {
    let all = files(root).into_iter().filter(|file| {
        let text = fs::read_to_string(file).unwrap();
        text.replace("\r\n", "").contains('\n') || text.contains("\r\r")
    });
    all.map(|file| file.strip_prefix(root).unwrap().display().to_string())
        .collect()
}

#[test]
fn in_an_overlay_all_files_keep_them() {
    let dir = overlay(&["rocblas", "rocfft"], "7.1.1");
    let root = dir.path();
    let eclass = [
        "render",
        "--allow-missing",
        "--release",
        "7.1.1",
        "--eclass",
        "whole",
    ];
    fine(root, &eclass);
    // The next version adds a flag and an archive.
    let metadata = root.join("sci-libs/rocBLAS/metadata.xml");
    let text = fs::read_to_string(&metadata).unwrap();
    let flag = text.lines().find(|line| line.contains("<flag")).unwrap();
    write_file(&metadata, text.replace(&format!("{flag}\n"), ""));
    for package in ["rocBLAS", "rocFFT"] {
        let line = "DIST a-7.1.1.tar.gz 5 BLAKE2B 00 SHA512 00\n";
        write_file(root.join(format!("sci-libs/{package}/Manifest")), line);
    }
    to_crlf(root);
    commit(root);
    let next = [
        "render",
        "--allow-missing",
        "--release",
        "7.2.4",
        "--eclass",
        "rows",
    ];
    fine(root, &next);
    assert_eq!(without_returns(root), ["rocpkg.toml"]);
    for file in [
        "sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild",
        "sci-libs/rocFFT/rocFFT-7.2.4.ebuild",
    ] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains("# Ours.\r\n"), "{text}");
    }
    assert!(fs::read_to_string(&metadata).unwrap().contains(flag));
    let manifest = fs::read_to_string(root.join("sci-libs/rocFFT/Manifest")).unwrap();
    assert!(
        manifest.contains("7.1.1") && manifest.contains("7.2.4"),
        "{manifest}"
    );
    // A second run changes nothing.
    commit(root);
    let said = fine(root, &[&next[..], &["--check"]].concat());
    assert!(!said.contains("--- "), "{said}");
}

#[test]
fn in_other_checkouts_all_files_keep_them() {
    for (distro, package, old, new) in [
        ("arch", "rocrand", "7.2.3", "7.2.4"),
        ("solus", "rocrand", "6.0.0", "6.4.3"),
        ("nixpkgs", "rocrand", "7.1.1", "7.2.4"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let render = |release: &str| {
            let all = [
                "--package",
                package,
                "--allow-missing",
                "--allow-guesses",
                "--release",
            ];
            let args = [&["render", distro, "--into", "."], &all[..], &[release]].concat();
            let done = rocpkg(root, &args);
            assert_eq!(done.0, 0, "{}", done.1);
        };
        render(old);
        to_crlf(root);
        let before = files(root);
        render(new);
        assert_eq!(files(root), before, "{distro}");
        assert_eq!(without_returns(root), [""; 0], "{distro}");
        let is_new = |file: &&PathBuf| fs::read_to_string(file).unwrap().contains(new);
        assert!(before.iter().any(|file| is_new(&file)), "{distro}");
    }
}
