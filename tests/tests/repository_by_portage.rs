//! Portage and pkgcheck over the rendered repository.

use crate::stack::tree;
use rocpkg_tests::{GentooWorld, Level};

fn world() -> GentooWorld {
    GentooWorld::with_own_externals(&tree("gentoo"))
}

/// What pkgcheck says and may say, each with its reason.
const ALLOWED: &[(&str, &str)] = &[
    ("MissingManifest", "no public source gives the checksums of the 7.2.0 archives"),
    (
        "UnderscoreInUseFlag",
        "only ::gentoo itself has a description of VIDEO_CARDS, which metadata.xml may go beyond",
    ),
    ("UnknownManifest", "patches are companions that the user supplies"),
];

#[test]
fn pkgcheck_has_nothing_to_say() {
    let rest: Vec<_> = world()
        .pkgcheck_scan()
        .into_iter()
        .filter(|f| f.level != Level::Info && !ALLOWED.iter().any(|(name, _)| *name == f.name))
        .collect();
    assert!(rest.is_empty(), "{rest:#?}");
}

#[test]
fn portage_resolves_every_package_for_two_targets() {
    let world = world();
    let packages = world.packages();
    assert!(packages.len() >= 20, "{packages:?}");
    let atoms: Vec<_> = packages.iter().map(String::as_str).collect();
    // One plan for all of them: the plan for one is a part of it.
    for target in ["gfx1100", "gfx90a"] {
        // What rpp asks of the processor.
        let cpu = ["*/* CPU_FLAGS_X86: avx2 f16c fma3".to_owned()];
        let plan = world.emerge_pretend(&atoms, &[target], &cpu).unwrap_or_else(|e| panic!("{target}: {e}"));
        for atom in &atoms {
            assert!(plan.contains(&format!(" {atom}-")), "{target}: {atom} is not in the plan\n{plan}");
        }
    }
}
