//! Tests that files whose lines end with CR and LF keep these line ends in a bump. A recipe of bash
//! with these line ends is not written, because bash can't run it.

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

/// Returns true for a file that bash runs.
fn is_bash(file: &Path) -> bool {
    let name = file.file_name().unwrap().to_string_lossy();
    name == "PKGBUILD" || name.ends_with(".ebuild") || name.ends_with(".eclass")
}

/// Adds a comment to recipes, and gives files CR and LF as line ends: all with `and_bash`, and
/// otherwise those that bash does not run.
fn to_crlf(root: &Path, and_bash: bool) {
    for file in files(root)
        .iter()
        .filter(|file| !file.ends_with("rocpkg.toml"))
    {
        let text = fs::read_to_string(file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy();
        let is_recipe = name.ends_with(".ebuild") || name == "PKGBUILD" || name == "package.yml";
        let remark = if is_recipe { "# Ours.\n" } else { "" };
        let text = format!("{remark}{text}");
        if and_bash || !is_bash(file) {
            write_file(file, text.replace('\n', "\r\n"));
        } else {
            write_file(file, text);
        }
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
    to_crlf(root, false);
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
    let others = without_returns(root);
    let is_other = |file: &String| !is_bash(Path::new(file)) && file != "rocpkg.toml";
    assert!(!others.iter().any(is_other), "{others:?}");
    for file in [
        "sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild",
        "sci-libs/rocFFT/rocFFT-7.2.4.ebuild",
    ] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains("# Ours.\n") && !text.contains('\r'), "{text}");
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
        to_crlf(root, false);
        let before = files(root);
        render(new);
        assert_eq!(files(root), before, "{distro}");
        let others = without_returns(root);
        let is_other = |file: &String| !is_bash(Path::new(file));
        assert!(!others.iter().any(is_other), "{distro}: {others:?}");
        let is_new = |file: &&PathBuf| fs::read_to_string(file).unwrap().contains(new);
        assert!(before.iter().any(|file| is_new(&file)), "{distro}");
    }
}

#[test]
fn a_recipe_of_bash_with_them_is_not_written() {
    let dir = overlay(&["rocblas", "rocfft"], "7.1.1");
    let root = dir.path();
    to_crlf(root, true);
    commit(root);
    let before = files(root);
    let (status, said) = rocpkg(root, &["render", "--allow-missing", "--release", "7.2.4"]);
    assert_eq!(status, 1, "{said}");
    let why = "rocblas, rocfft: the line ends with CR and LF";
    assert!(said.contains(why), "{said}");
    assert_eq!(files(root), before);
}
