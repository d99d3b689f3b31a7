//! Portage and pkgcheck read the rendered repository.

use crate::stack::{NEXT, tree_at};
use rocpkg_tests::{Finding, GentooWorld, Level};

fn world(choice: &str) -> GentooWorld {
    GentooWorld::with_own_externals(&tree_at(choice, "gentoo"))
}

/// The findings of pkgcheck that are allowed, each with its reason.
const ALLOWED: &[(&str, &str)] = &[
    (
        "MissingManifest",
        "no public source gives the checksums of the 7.2.0 archives",
    ),
    (
        "UnderscoreInUseFlag",
        "only ::gentoo itself has a description of VIDEO_CARDS, which metadata.xml may go beyond",
    ),
    (
        "UnknownManifest",
        "patches are companions that the user supplies",
    ),
];

/// The findings of pkgcheck that are also allowed for a release other than the profile's.
const OF_THE_NEXT: &[(&str, &str)] = &[
    (
        "RequiredUseDefaults",
        "the profile has the LLVM of the release that ships",
    ),
    (
        "MatchingChksums",
        "two packages are of one archive, which ::gentoo saves under the name of each",
    ),
];

/// A package whose own version requires ROCm below 7.3.
const OLD: &str = "sci-ml/caffe2";

#[test]
fn pkgcheck_has_nothing_to_say() {
    assert_eq!(said(&world("shipped"), ALLOWED), []);
}

fn said(world: &GentooWorld, allowed: &[(&str, &str)]) -> Vec<Finding> {
    let is_allowed =
        |f: &Finding| f.level == Level::Info || allowed.iter().any(|(name, _)| *name == f.name);
    world
        .pkgcheck_scan()
        .into_iter()
        .filter(|f| !is_allowed(f))
        .collect()
}

#[test]
fn portage_resolves_every_package_for_two_targets() {
    let world = world("shipped");
    for target in ["gfx1100", "gfx90a"] {
        resolves(&world, &world.packages(), target, "22");
    }
}

#[test]
fn portage_and_pkgcheck_take_the_next_release() {
    let world = world(NEXT[0]);
    let packages: Vec<_> = world.packages().into_iter().filter(|p| p != OLD).collect();
    resolves(&world, &packages, "gfx1151", "23");
    let rest = said(&world, &[ALLOWED, OF_THE_NEXT].concat());
    let rest: Vec<_> = rest
        .into_iter()
        .filter(|f| !f.package.starts_with(OLD))
        .collect();
    assert_eq!(rest, []);
}

fn resolves(world: &GentooWorld, packages: &[String], target: &str, llvm: &str) {
    assert!(packages.len() >= 20, "{packages:?}");
    let atoms: Vec<_> = packages.iter().map(String::as_str).collect();
    // rpp requires these flags of the processor.
    let lines = [
        "*/* CPU_FLAGS_X86: avx2 f16c fma3".to_owned(),
        format!("*/* LLVM_SLOT: -* {llvm}"),
    ];
    // One plan for all packages contains the plan for each.
    let plan = world
        .emerge_pretend(&atoms, &[target], &lines)
        .unwrap_or_else(|e| panic!("{target}: {e}"));
    for atom in &atoms {
        assert!(
            plan.contains(&format!(" {atom}-")),
            "{target}: {atom} is not in the plan\n{plan}"
        );
    }
}
