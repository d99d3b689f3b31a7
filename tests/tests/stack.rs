//! Renders the whole stack from the shipped model, into trees that the distributions' tools read in
//! other tests.

use rocpkg::internal::render::{WriteOptions, write};
use rocpkg::internal::resolve::Choice;
use rocpkg::{Backend, Options};
use rocpkg_tests::{Rendered, companion, laid, rendered, write_file};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Renders the shipped model at a release.
fn render(choice: Choice) -> Rendered {
    rendered(
        laid(&[]),
        &Options {
            choices: vec![choice],
            ..Options::everything()
        },
    )
    .sound()
}

/// Releases that no distribution ships yet.
pub(crate) const NEXT: [&str; 2] = ["10.0.0", "10.1.0"];

/// Returns the folder of one distribution's rendered tree, at the release that the distribution
/// ships.
pub(crate) fn tree(folder: &str) -> PathBuf {
    tree_at("shipped", folder)
}

/// Returns the folder of one distribution's rendered tree at a release. The tree is written once
/// for all tests.
pub(crate) fn tree_at(choice: &str, folder: &str) -> PathBuf {
    static WRITTEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("stack")
        .join(choice);
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    if written.insert(choice.to_owned()) {
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        let tree = render(choice.parse().unwrap()).tree;
        write(&tree.files, &root, &WriteOptions::default()).unwrap();
        for c in &tree.companions {
            let path = root.join(&c.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            write_file(path, companion(c.path.split_once('/').unwrap().1));
        }
    }
    root.join(folder)
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    assert_eq!(
        render(Choice::Shipped).tree.files,
        render(Choice::Shipped).tree.files
    );
}

#[test]
fn every_distribution_renders_at_one_release() {
    let tree = render(Choice::Release("7.2.4".parse().unwrap())).tree;
    let names: Vec<&str> = tree.files.iter().map(|(p, _)| p.as_str()).collect();
    assert!(
        names.contains(&"gentoo/sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild"),
        "{names:?}"
    );
    assert!(names.contains(&"arch/rocblas/.SRCINFO"));
    assert!(names.contains(&"nix/rocblas/default.nix"));
    for version in ["7.2.0", "7.1.1", "7.0.2"] {
        render(Choice::Release(version.parse().unwrap()));
    }
}

/// The release at which a recipe was read does not change the release at which the recipe is
/// rendered.
#[test]
fn archs_packages_of_one_release_move_together() {
    let made = render(Choice::Shipped);
    let plan = made.stack.plan(Backend::Arch, &Choice::Shipped).unwrap();
    // These are at a release of their own.
    let pinned = [
        "hipdnn",
        "hipfort",
        "hipthreads",
        "libhipcxx",
        "rocjitsu",
        "rocjpeg",
        "rocprof-trace-decoder",
        "rocwmma",
    ];
    for p in plan.packages.iter().filter(|p| p.package.version.is_none()) {
        if !pinned.contains(&p.id.as_str()) {
            assert_eq!(p.version.to_string(), "7.2.4", "{}", p.id);
        }
    }
}

#[test]
fn unknown_checksums_are_said_and_never_made_up() {
    let made = render(Choice::Shipped);
    assert!(made.codes().contains(&"E0237"), "{:?}", made.codes());
    let unknown = |text: &str| text.contains("\"sha256-AAAAAAAA");
    let later = render(Choice::Release("7.2.4".parse().unwrap())).tree;
    assert!(
        later
            .files
            .iter()
            .filter(|(_, bytes)| unknown(&String::from_utf8_lossy(bytes)))
            .count()
            > 10
    );
    for (path, bytes) in &made.tree.files {
        let text = String::from_utf8_lossy(bytes);
        if path.as_str().ends_with("/Manifest") {
            assert!(
                !text.contains("rocblas-7.2.0"),
                "{path}: no public source gives this checksum"
            );
        }
        assert!(
            !unknown(&text),
            "{path}: what nixpkgs ships has public hashes"
        );
        if path.as_str().ends_with("/PKGBUILD") {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let skips = words.filter(|word| *word == "SKIP").count();
            let unchecked = text.matches("git+https").count();
            assert!(skips == 0 || unchecked > 0, "{path}: SKIP for an archive");
        }
    }
}

#[test]
fn what_is_unknown_of_the_next_releases_is_told() {
    let mut told = Vec::new();
    for release in NEXT {
        let choice: Choice = release.parse().unwrap();
        for backend in Backend::ALL {
            let options = Options {
                backends: vec![backend],
                choices: vec![choice.clone()],
                ..Options::everything()
            };
            let made = rendered(laid(&[]), &options).sound();
            let count = |code: &str| made.codes().iter().filter(|c| **c == code).count();
            let [sums, unchecked, options] = ["E0237", "W0220", "W0225"].map(count);
            let plan = made.stack.plan(backend, &choice).unwrap();
            let guessed = plan
                .packages
                .iter()
                .filter(|p| !p.package.guesses.is_empty());
            let guessed: BTreeSet<&str> = guessed.map(|p| p.id.as_str()).collect();
            told.push(format!(
                "{backend:?} {release}: {sums} sums, {unchecked} unchecked, options of {options}; guessed: {}",
                guessed.into_iter().collect::<Vec<_>>().join(" ")
            ));
        }
    }
    insta::assert_snapshot!(told.join("\n"), @r"
    Gentoo 10.0.0: 8 sums, 145 unchecked, options of 32; guessed: rocm-bandwidth-test rpp
    Arch 10.0.0: 39 sums, 27 unchecked, options of 27; guessed: aqlprofile hipdnn hipfort hiprand hipsolver hipsparse hipsparselt hiptensor libhipcxx migraphx miopen mivisionx rocal rocalution rocdecode rocgdb rocjitsu rocjpeg rocm-llvm rocm-openmp rocprof-trace-decoder rocr-debug-agent rocwmma rpp
    Nix 10.0.0: 25 sums, 86 unchecked, options of 29; guessed: hipfort hipsparselt migraphx mivisionx rocm-bandwidth-test rocmlir
    Solus 10.0.0: 6 sums, 65 unchecked, options of 26; guessed: rocmlir
    Gentoo 10.1.0: 12 sums, 143 unchecked, options of 36; guessed: rocm-bandwidth-test rpp
    Arch 10.1.0: 60 sums, 27 unchecked, options of 30; guessed: aqlprofile hipdnn hipfort hiprand hipsolver hipsparse hipsparselt hiptensor hipthreads libhipcxx migraphx miopen mivisionx rocal rocalution rocdecode rocgdb rocjitsu rocjpeg rocm-llvm rocm-openmp rocprof-trace-decoder rocr-debug-agent rocwmma rpp
    Nix 10.1.0: 49 sums, 96 unchecked, options of 33; guessed: half hipfort hipsparselt migraphx mivisionx rocgdb rocm-bandwidth-test rocmlir
    Solus 10.1.0: 17 sums, 65 unchecked, options of 29; guessed: rocmlir
    ");
}
