//! Laws that hold for every set and target ID of the shipped registry.

use proptest::prelude::*;
use rocpkg_model::{Findings, parse};
use rocpkg_resolve::read_registry;
use rocpkg_targets::{Feature, Registry, Target, TargetId, TargetSet};
use std::sync::LazyLock;

/// The registry of `profiles/targets.yaml`.
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

fn feature() -> impl Strategy<Value = Feature> {
    prop::sample::select(vec![Feature::Any, Feature::On, Feature::Off])
}

/// IDs that state only modes that the target has.
fn id() -> impl Strategy<Value = TargetId> {
    (target(), feature(), feature()).prop_map(|(target, sramecc, xnack)| {
        let able = |name: &str, feature| {
            let text = format!("{}:{name}+", REGISTRY.name(target));
            if REGISTRY.parse_id(&text).is_ok() { feature } else { Feature::Any }
        };
        TargetId { target, sramecc: able("sramecc", sramecc), xnack: able("xnack", xnack) }
    })
}

/// The text as clang prints it: sramecc before xnack.
fn shown(id: TargetId) -> String {
    let mode = |name, feature| match feature {
        Feature::Any => String::new(),
        Feature::On => format!(":{name}+"),
        Feature::Off => format!(":{name}-"),
    };
    REGISTRY.name(id.target).to_owned() + &mode("sramecc", id.sramecc) + &mode("xnack", id.xnack)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn set_algebra(a in set(20), b in set(20), c in set(20)) {
        prop_assert_eq!(a.union(b), b.union(a));
        prop_assert_eq!(a.intersection(b.union(c)), a.intersection(b).union(a.intersection(c)));
        prop_assert_eq!(a.difference(b).union(a.intersection(b)), a);
        prop_assert!(a.difference(b).intersection(b).is_empty());
        prop_assert_eq!(a.is_subset(b), a.union(b) == b);
        prop_assert_eq!(a.iter().collect::<TargetSet>(), a);
        prop_assert_eq!(a.iter().count(), a.len());
        prop_assert!(a.iter().zip(a.iter().skip(1)).all(|(x, y)| x < y));
    }

    #[test]
    fn what_is_printed_reads_back(id in id()) {
        let text = shown(id);
        prop_assert_eq!(REGISTRY.parse_id(&text), Ok(id));
        prop_assert_eq!(REGISTRY.find(&text.to_uppercase()).unwrap().targets(), TargetSet::of(id.target));
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
        let reach = |set| REGISTRY.reach(set, patched, generic);
        prop_assert_eq!(reach(a.union(b)), reach(a).union(reach(b)));
        prop_assert!(reach(a).is_subset(REGISTRY.reach(a, true, true)));
    }
}
