//! The whole stack, rendered from the shipped model, accepted by the tools of the distributions.

use rocpkg::Options;
use rocpkg::render::{WriteOptions, write};
use rocpkg::resolve::Choice;
use rocpkg_tests::{Rendered, companion, laid, rendered};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Renders the shipped model.
fn render(choice: Choice) -> Rendered {
    rendered(laid(&[]), &Options::everything().choice(choice)).sound()
}

/// The folder of one distribution's tree, written once for all tests.
pub(crate) fn tree(folder: &str) -> PathBuf {
    static WRITTEN: Once = Once::new();
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stack");
    WRITTEN.call_once(|| {
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        let tree = render(Choice::Shipped).tree;
        write(&tree.files, &root, &WriteOptions::default()).unwrap();
        for c in &tree.companions {
            let path = root.join(&c.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, companion(c.path.split_once('/').unwrap().1)).unwrap();
        }
    });
    root.join(folder)
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    assert_eq!(render(Choice::Shipped).tree.files, render(Choice::Shipped).tree.files);
}

#[test]
fn every_distribution_renders_at_one_release() {
    let tree = render(Choice::Release("7.2.4".parse().unwrap())).tree;
    let names: Vec<&str> = tree.files.iter().map(|(p, _)| p.as_str()).collect();
    assert!(names.contains(&"gentoo/sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild"), "{names:?}");
    assert!(names.contains(&"arch/rocblas/.SRCINFO"));
    assert!(names.contains(&"nix/rocblas/default.nix"));
    for version in ["7.2.0", "7.1.1", "7.0.2"] {
        render(Choice::Release(version.parse().unwrap()));
    }
}

#[test]
fn unknown_checksums_are_said_and_never_made_up() {
    let made = render(Choice::Shipped);
    assert!(made.codes().contains(&"E0237"), "{:?}", made.codes());
    let unknown = |text: &str| text.contains("\"sha256-AAAAAAAA");
    let later = render(Choice::Release("7.2.4".parse().unwrap())).tree;
    assert!(later.files.iter().filter(|(_, bytes)| unknown(&String::from_utf8_lossy(bytes))).count() > 10);
    for (path, bytes) in made.tree.files.iter() {
        let text = String::from_utf8_lossy(bytes);
        if path.as_str().ends_with("/Manifest") {
            assert!(!text.contains("rocblas-7.2.0"), "{path}: no public source gives this checksum");
        }
        assert!(!unknown(&text), "{path}: what nixpkgs ships has public hashes");
        if path.as_str().ends_with("/PKGBUILD") {
            let skips = text.matches("'SKIP'").count() + text.matches("SKIP").count();
            let unchecked = text.matches("git+https").count();
            assert!(skips == 0 || unchecked > 0, "{path}: SKIP for an archive");
        }
    }
}
