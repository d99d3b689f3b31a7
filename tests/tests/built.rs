//! What was built, held against the recipes that it is of.

use rocpkg::audit::{About, Audit, Row, read};
use rocpkg::resolve::Choice;
use rocpkg::{Backend, Stack};
use rocpkg_tests::{debians, library};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What Debian declares is what its packages hold.
#[test]
fn debians_packages_hold_what_they_declare() {
    let all = debians();
    assert_eq!(all.len(), 3, "{all:?}");
    for (path, declared) in all {
        let audit = read(&path).unwrap();
        assert_eq!(audit.faults().count(), 0, "{}", path.display());
        let held = audit.targets();
        let held: BTreeSet<&str> = held.keys().map(String::as_str).collect();
        assert_eq!(held, declared.iter().map(String::as_str).collect(), "{}", path.display());
    }
}

/// The rows of built files of one distribution, with the targets that were asked for.
fn rows(stack: &Stack, backend: Backend, path: &Path, chosen: Option<&str>) -> Vec<(About, String)> {
    let questions = stack.questions(backend, &Choice::Shipped).unwrap();
    let chosen = chosen.map(|list| stack.targets(list).unwrap());
    let audit: Audit = read(path).unwrap();
    let holder = path.file_name().unwrap().to_str().unwrap();
    let rows = questions.audited(&audit, holder, &stack.model().externals, chosen);
    rows.into_iter().map(|Row { about, said, .. }| (about, said)).collect()
}

#[test]
fn a_target_too_few_and_one_too_many_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Stack::shipped().unwrap();
    let path = library(folder.path(), "rocrand", &["gfx1030", "gfx1201"], &["amdhip64"], &[]);
    let asked = |list| rows(&stack, Backend::Gentoo, &path, list);
    assert_eq!(asked(Some("gfx1030,gfx1201")), []);
    let lacking = "no code for gfx1100, which the recipe asks for".to_owned();
    let unasked = "code for gfx1201, which the recipe does not ask for".to_owned();
    assert_eq!(asked(Some("gfx1030,gfx1100")), [(About::Lacking, lacking), (About::Unasked, unasked)]);
    // Where users choose, all that they may choose is allowed, and nothing is asked for.
    assert_eq!(asked(None), []);
    // nixpkgs builds upstream's list where nobody narrows it, and an input of any kind is kept where a file refers to it.
    let rccl = library(folder.path(), "rccl", &["gfx1030"], &["amdhip64"], &[]);
    let of_nix = rows(&stack, Backend::Nix, &rccl, None);
    let faults: Vec<_> = of_nix.iter().filter(|(about, _)| about.is_fault()).collect();
    assert!(faults.len() == 1 && faults[0].0 == About::Lacking, "{of_nix:?}");
    // Where the packager chooses, the recipe is rendered for that.
    let of_arch = rows(&stack, Backend::Arch, &path, Some("gfx1030,gfx1201"));
    assert!(of_arch.iter().all(|(about, _)| !about.is_fault()), "{of_arch:?}");
    // What is of no package that is known is said not to be compared.
    let other = library(folder.path(), "somebodys", &["gfx1030"], &[], &[]);
    let said = "which package it is of is not known, so it was not compared".to_owned();
    assert_eq!(rows(&stack, Backend::Arch, &other, None), [(About::Open, said)]);
    // What a tool prints is no fact of the model.
    let of_arch = rows(&stack, Backend::Arch, &path, None);
    assert!(of_arch.iter().any(|(about, _)| *about == About::Open), "{of_arch:?}");
}

#[test]
fn libraries_that_the_recipe_does_not_name_are_told_and_those_that_nothing_needs() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Stack::shipped().unwrap();
    let path = library(folder.path(), "rocrand", &["gfx1030"], &["rocblas", "numa", "unheard-of"], &[]);
    let said = rows(&stack, Backend::Gentoo, &path, Some("gfx1030"));
    let said: Vec<(About, &str)> = said.iter().map(|(about, said)| (*about, said.as_str())).collect();
    assert_eq!(
        said,
        [
            (
                About::Undeclared,
                "needs libnuma.so.1 of numactl, which the recipe of rocRAND does not depend on"
            ),
            (
                About::Undeclared,
                "needs librocblas.so.1 of rocBLAS, which the recipe of rocRAND does not depend on"
            ),
            (About::Unneeded, "the recipe links against clr, and none of these files needs it"),
        ]
    );
}

#[test]
fn bundles_that_are_cut_or_that_no_runtime_reads_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Stack::shipped().unwrap();
    let path = library(folder.path(), "rocrand", &["gfx1030"], &["amdhip64"], &["--offload-compress"]);
    let packed = rows(&stack, Backend::Gentoo, &path, Some("gfx1030"));
    assert!(packed.len() == 1 && packed[0].0 == About::Packed, "{packed:?}");
    let bytes = fs::read(&path).unwrap();
    let cut = folder.path().join("cut/librocrand.so.1");
    fs::create_dir_all(cut.parent().unwrap()).unwrap();
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    let cut = rows(&stack, Backend::Gentoo, &cut, Some("gfx1030"));
    assert!(cut.iter().any(|(about, _)| *about == About::Damaged), "{cut:?}");
}
