//! Tests laws that hold for every set and every target ID of the shipped registry.

use proptest::prelude::*;
use rocpkg_model::{Findings, parse};
use rocpkg_resolve::read_registry;
use rocpkg_targets::{Registry, Target, TargetSet};
use std::sync::LazyLock;

/// Reads the registry of `profiles/targets.yaml`.
fn registry() -> Registry {
    let mut findings = Findings::default();
    let text = include_str!("../../../profiles/targets.yaml");
    let node = parse(0, text, &mut findings).expect("the shipped targets are YAML");
    read_registry(&node, &mut findings).expect("a registry without faults")
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(registry);

fn target() -> impl Strategy<Value = Target> {
    prop::sample::select(REGISTRY.all().iter().collect::<Vec<_>>())
}

fn set(size: usize) -> impl Strategy<Value = TargetSet> {
    prop::collection::vec(target(), 0..=size).prop_map(|targets| targets.into_iter().collect())
}

/// Returns target IDs that state only modes that the target has, each with its target.
fn id() -> impl Strategy<Value = (String, Target)> {
    let mode = || prop::sample::select(vec!["", "+", "-"]);
    (target(), mode(), mode()).prop_map(|(target, sramecc, xnack)| {
        let mut text = REGISTRY.name(target).to_owned();
        for stated in [("sramecc", sramecc), ("xnack", xnack)] {
            let able = REGISTRY
                .parse_id(&format!("{}:{}+", REGISTRY.name(target), stated.0))
                .is_ok();
            if able && !stated.1.is_empty() {
                text += &format!(":{}{}", stated.0, stated.1);
            }
        }
        (text, target)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_id_is_of_its_target((text, target) in id()) {
        prop_assert_eq!(REGISTRY.parse_id(&text), Ok(target));
        prop_assert_eq!(REGISTRY.find(&text.to_uppercase()).unwrap().targets(), TargetSet::of(target));
    }

    #[test]
    fn no_text_is_too_strange(text in "(gfx|GFX|RX )?[0-9a-zé:+ -]{0,12}") {
        let _ = REGISTRY.find(&text);
    }

    #[test]
    fn loading_is_reflexive_and_patches_only_add(code in target(), gpu in target()) {
        prop_assert!(REGISTRY.loads_on(code, code, false).is_some());
        if let Some(score) = REGISTRY.loads_on(code, gpu, false) {
            prop_assert!(REGISTRY.loads_on(code, gpu, true) >= Some(score));
        }
    }

    #[test]
    fn reach_is_the_union_of_what_each_serves(a in set(8), b in set(8), patched: bool, generic: bool) {
        let reach = |set: &TargetSet| REGISTRY.reach(set, patched, generic);
        prop_assert_eq!(reach(&a.union(&b)), reach(&a).union(reach(&b)));
        prop_assert!(reach(&a).is_subset(REGISTRY.reach(&a, true, true)));
    }
}
