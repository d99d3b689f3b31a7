//! Tests the shipped registry: its counts, its rules, and the results of look-ups.

use rocpkg_model::{Findings, parse};
use rocpkg_resolve::{Release, official, patch_sites, read_registry};
use rocpkg_targets::{Found, Registry, TargetIdError, TargetKind, TargetSet, Via};

/// Reads the registry of `profiles/targets.yaml`.
fn registry() -> Registry {
    let mut findings = Findings::default();
    let text = include_str!("../../../profiles/targets.yaml");
    let node = parse(0, text, &mut findings).expect("the shipped targets are YAML");
    read_registry(&node, &mut findings).expect("a registry without faults")
}

fn set(registry: &Registry, names: &str) -> TargetSet {
    names
        .split_whitespace()
        .map(|name| registry.get(name).expect("a target"))
        .collect()
}

#[test]
fn counts_of_llvm_24() {
    let r = registry();
    assert_eq!(r.of_kind(TargetKind::Processor).len(), 53);
    assert_eq!(r.of_kind(TargetKind::Generic).len(), 9);
    assert_eq!(r.families().count(), 45);
    assert_eq!(r.show(r.of_kind(TargetKind::Removed)), "gfx940 gfx941");
}

#[test]
fn names_as_people_write_them() {
    let r = registry();
    let one = |text: &str| r.show(r.find(text).unwrap().targets());
    assert_eq!(one("GFX1030"), "gfx1030");
    assert_eq!(one("Fiji"), "gfx803");
    assert_eq!(one("polaris10"), "gfx803");
    assert_eq!(one("gfx110x-ALL"), "gfx1100 gfx1101 gfx1102 gfx1103");
    assert_eq!(one("RDNA 4"), "gfx1200 gfx1201");
    assert_eq!(one("Strix Halo"), "gfx1151");
    assert!(matches!(r.find("dgpu-all"), Ok(Found::Family { name, .. }) if name == "dgpu-all"));
    let all = r.find_all(&|| None, "gfx90a;navi31, gfx120X-all").unwrap();
    let all = all.iter().fold(TargetSet::EMPTY, |set, (_, found)| {
        set.union(found.targets())
    });
    assert_eq!(r.show(all), "gfx90a gfx1100 gfx1200 gfx1201");
}

#[test]
fn typos_get_the_nearest_names() {
    let r = registry();
    let near = |text: &str| -> Vec<String> {
        r.find(text)
            .unwrap_err()
            .nearest
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    };
    assert_eq!(near("gfx1o30"), ["gfx1030"]);
    assert_eq!(near("gfx9oa"), ["gfx90a"]);
    assert_eq!(near("gfx1130")[0], "gfx1030");
    assert_eq!(near("gfx110X-al"), ["gfx110X-all"]);
    assert!(near("banana").is_empty());
    assert!(near("").is_empty());
    assert_eq!(r.find_all(&|| None, "gfx1o30,gfx9oa").unwrap_err().len(), 2);
    let wrong = r.find("gfx1030:xnack+").unwrap_err();
    assert!(matches!(
        wrong.features,
        Some(TargetIdError::Unable {
            feature: "xnack",
            ..
        })
    ));
}

#[test]
fn target_ids() {
    let r = registry();
    let show = |text: &str| r.parse_id(text).map(|target| r.name(target));
    assert_eq!(show("gfx90a:xnack+"), Ok("gfx90a"));
    assert_eq!(show("gfx90a:xnack-:sramecc+"), Ok("gfx90a"));
    for plain in ["gfx1250-strict", "amdgcnspirv", "gfx11-generic"] {
        assert_eq!(show(plain), Ok(plain));
    }
    assert_eq!(show("gfx940:sramecc+:xnack+"), Ok("gfx940"));
    assert_eq!(show("gfx9-generic:xnack-"), Ok("gfx9-generic"));
    assert_eq!(
        show("gfx90a:xnack+:xnack-"),
        Err(TargetIdError::Twice("xnack"))
    );
    assert_eq!(
        show("gfx90a:xnack"),
        Err(TargetIdError::Feature("xnack".into()))
    );
    assert_eq!(show("gfx90a:"), Err(TargetIdError::Feature(String::new())));
    assert_eq!(
        show("gfx90a:wave+"),
        Err(TargetIdError::Feature("wave+".into()))
    );
    assert_eq!(
        show("gfx900:sramecc+"),
        Err(TargetIdError::Unable {
            target: "gfx900".into(),
            feature: "sramecc"
        })
    );
}

#[test]
fn loading_rules() {
    let r = registry();
    let via = |code: &str, gpu: &str, patched| {
        r.loads_on(r.get(code).unwrap(), r.get(gpu).unwrap(), patched)
    };
    assert_eq!(via("gfx90a", "gfx90a", false), Some(Via::Exact));
    assert_eq!(via("gfx1030", "gfx1036", true), Some(Via::Compatible));
    assert_eq!(via("gfx1036", "gfx1030", true), Some(Via::Compatible));
    assert_eq!(via("gfx1030", "gfx1036", false), None);
    assert_eq!(via("gfx900", "gfx906", true), Some(Via::Compatible));
    assert_eq!(via("gfx906", "gfx900", true), None);
    assert_eq!(via("gfx1012", "gfx1010", true), None);
    assert_eq!(via("gfx904", "gfx900", true), None);
    assert_eq!(via("gfx1100", "gfx1101", true), None);
    assert_eq!(via("gfx11-generic", "gfx1103", false), Some(Via::Generic));
    assert_eq!(via("gfx10-3-generic", "gfx1103", true), None);
    assert_eq!(via("amdgcnspirv", "gfx1100", true), None);
    assert_eq!(via("gfx1250-strict", "gfx1250", true), None);
    let best = r.loadable(r.get("gfx1031").unwrap(), true);
    assert_eq!(r.name(best[0].0), "gfx1031");
    assert_eq!(r.name(best.last().unwrap().0), "gfx10-3-generic");
    assert_eq!(best.len(), 8);
}

#[test]
fn reach_with_and_without_patches_and_generics() {
    let r = registry();
    let built = set(&r, "gfx900 gfx1030 gfx11-generic");
    let reach = |patched, generic| r.show(r.reach(&built, patched, generic));
    assert_eq!(reach(false, false), "gfx900 gfx1030");
    assert_eq!(
        reach(true, false),
        "gfx900 gfx902 gfx906 gfx909 gfx90c gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036"
    );
    assert_eq!(
        reach(false, true),
        "gfx900 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1154"
    );
}

#[test]
fn official_lists_by_release() {
    let r = registry();
    let of = |text: &str| official(&r, &text.parse::<Release>().unwrap());
    let lists = |name: &str, release| {
        of(release).is_some_and(|(set, _)| set.contains(r.get(name).unwrap()))
    };
    assert!(lists("gfx1201", "7.2.0") && !lists("gfx1201", "6.4.0") && !lists("gfx940", "7.2.0"));
    assert!(of("5.7.1").is_none());
    assert_eq!(
        of("10.0.0").unwrap().1,
        &r.file().support_classes.as_ref().unwrap().official["10.0.0"]
    );
}

#[test]
fn two_patch_sites_more_since_6_2() {
    let r = registry();
    let count = |text: &str| patch_sites(&r, &text.parse().unwrap()).count();
    assert_eq!((count("6.1.2"), count("6.2.0")), (8, 10));
}

#[test]
fn what_is_no_name_is_not_compared_with_all_names() {
    let r = registry();
    let long = "gfx".repeat(100_000);
    assert!(r.find(&long).unwrap_err().nearest.is_empty());
    let many = vec!["gfx1o30"; 40].join(",");
    let errors = r.find_all(&|| None, &many).unwrap_err();
    assert_eq!(errors.len(), 40);
    assert!(
        errors[0].nearest.iter().any(|(n, _)| n == "gfx1030"),
        "{:?}",
        errors[0]
    );
    assert!(errors[39].nearest.is_empty());
}
