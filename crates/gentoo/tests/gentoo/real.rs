//! The packages that Gentoo carries, from the profiles of the project.

use crate::support::real;

#[test]
fn all_packages_render_without_a_fault() {
    let outcome = real();
    assert_eq!(outcome.errors, [] as [&str; 0]);
    let ebuilds = outcome.rendered.tree.iter().filter(|(p, _)| p.as_str().ends_with(".ebuild")).count();
    assert_eq!(ebuilds, 26);
    assert!(outcome.warnings.iter().all(|w| w.starts_with("W0301")), "{:?}", outcome.warnings);
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    assert_eq!(real().rendered.tree, real().rendered.tree);
}

#[test]
fn free_bash_is_rare() {
    let outcome = real();
    let counts = &outcome.rendered.counts;
    let all: usize = counts.values().sum();
    let ebuilds = outcome.rendered.tree.iter().filter(|(p, _)| p.as_str().ends_with(".ebuild"));
    let lines = ebuilds.flat_map(|(_, b)| b.split(|c| *c == b'\n')).filter(|l| !l.trim_ascii().is_empty());
    assert_eq!(all, lines.count(), "every line comes from somewhere");
    let raw = counts.get(&rocpkg_render::Origin::Raw).copied().unwrap_or_default();
    assert!(raw * 100 < all, "{raw} of {all} lines are free bash");
}

#[test]
fn manifests_hold_what_is_known() {
    let manifest = real().text("sci-libs/rocSPARSE/Manifest");
    assert_eq!(manifest.lines().count(), 24);
    assert!(manifest.lines().is_sorted());
    assert!(manifest.starts_with("DIST rocSPARSE_ASIC_320k.tar.gz "));
    assert!(!manifest.contains("rocsparse-7.2.0"));
}
