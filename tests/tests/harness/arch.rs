//! A small split package.

use std::fs;

use rocpkg_tests::{copy_tree, fixture, pkgbases, printsrcinfo};

#[test]
fn makepkg_prints_what_a_split_package_says() {
    let [folder] = pkgbases(&fixture("samples/arch")).try_into().unwrap();
    let expected = fs::read_to_string(folder.join(".SRCINFO")).unwrap();
    assert_eq!(printsrcinfo(&folder), Ok(expected));
}

#[test]
fn makepkg_refuses_what_its_lints_find() {
    let folder = tempfile::tempdir().unwrap();
    copy_tree(&fixture("samples/arch/sample-runtime"), folder.path());
    let path = folder.path().join("PKGBUILD");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("pkgver=7.2.4", "pkgver=7.2-4")).unwrap();
    let refusal = printsrcinfo(folder.path()).unwrap_err();
    assert!(refusal.contains("pkgver is not allowed"), "{refusal}");
}
