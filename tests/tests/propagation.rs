//! GPU targets handed on over Gentoo's dependencies, before Portage and pkgcheck.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on panics, and it writes companions by hand"
)]

use rocpkg::model::Propagation;
use rocpkg::render::{WriteOptions, write};
use rocpkg::resolve::{Choice, Model};
use rocpkg::{Backend, Stack, StackOptions};
use rocpkg_tests::{GentooWorld, Level, companion};
use std::fs;

/// The shipped model's repository under one policy, with stand-ins for what is outside.
fn world(mode: Propagation) -> GentooWorld {
    let (mut model, mut findings) = Model::load(&[(String::new(), rocpkg::profiles())]);
    model.distros.get_mut("gentoo").unwrap().propagation = Some(mode);
    let stack = Stack::new(model, &rocpkg::templates()).unwrap();
    let options = StackOptions {
        backends: vec![Backend::Gentoo],
        choice: Choice::Shipped,
        packages: Vec::new(),
        allow_missing: true,
    };
    let tree = stack.render(&options, &mut findings).unwrap();
    assert!(!findings.has_errors(), "{}", findings.render(stack.sources(), false));
    let codes: Vec<_> = findings.sorted().iter().map(|f| f.code).collect();
    assert_eq!(codes.contains(&"W0302"), mode == Propagation::Eclass, "{codes:?}");
    let root = tempfile::tempdir().unwrap();
    write(&tree.files, root.path(), &WriteOptions::default()).unwrap();
    for c in &tree.companions {
        let path = root.path().join(&c.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, companion(c.path.split_once('/').unwrap().1)).unwrap();
    }
    GentooWorld::with_own_externals(&root.path().join("gentoo"))
}

/// No public source gives the checksums of 7.2.0, and patches are companions.
fn assert_clean(world: &GentooWorld) {
    let allowed = ["MissingManifest", "UnknownManifest"];
    let rest: Vec<_> = world
        .pkgcheck_scan()
        .into_iter()
        .filter(|f| f.level != Level::Info && !allowed.contains(&f.name.as_str()))
        .collect();
    assert!(rest.is_empty(), "{rest:#?}");
}

/// One choice for all packages, then another for rocBLAS. It stands in package.use, since `AMDGPU_TARGETS` of the
/// environment would win over that.
fn choice(rocblas: &[&str]) -> Vec<String> {
    let all = ["*/* AMDGPU_TARGETS: gfx1100 gfx90a"];
    all.iter().chain(rocblas).map(|&l| l.to_owned()).collect()
}

const DROPPED: &str = "sci-libs/rocBLAS -amdgpu_targets_gfx1100";

/// Portage takes one choice for all, and refuses a dependency without the target.
fn assert_enforced(world: &GentooWorld) {
    let asked = ["sci-libs/hipBLAS"];
    world.emerge_pretend(&asked, &[], &choice(&[])).unwrap_or_else(|e| panic!("{e}"));
    let refusal = world.emerge_pretend(&asked, &[], &choice(&[DROPPED])).unwrap_err();
    assert!(refusal.contains("rocBLAS") && refusal.contains("amdgpu_targets_gfx1100"), "{refusal}");
}

#[test]
fn chunked_is_clean_and_enforced() {
    let world = world(Propagation::Chunked);
    assert_enforced(&world);
    assert_clean(&world);
}

#[test]
fn conditional_is_clean_and_enforced() {
    let world = world(Propagation::Conditional);
    assert_enforced(&world);
    assert_clean(&world);
}

#[test]
fn none_leaves_the_choice_to_the_user() {
    let world = world(Propagation::None);
    world.emerge_pretend(&["sci-libs/hipBLAS"], &[], &choice(&[DROPPED])).unwrap();
}

#[test]
fn the_eclass_list_is_warned_about() {
    world(Propagation::Eclass);
}
