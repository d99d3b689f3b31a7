//! Property tests of sets, of the propagation of USE dependencies, and of the proof over edges.

use proptest::prelude::*;
use rocpkg_core::{
    Coverage, Entry, Listed, Offer, Registry, RegistryError, TargetKind, TargetSet, UseExpand,
};
use rocpkg_pms::{Cpv, Member};
use std::collections::BTreeSet;

/// The number of targets: more than a machine word has bits.
const TARGETS: usize = 200;

fn name(at: usize) -> String {
    format!("gfx{at}")
}

fn registry() -> Registry {
    let all = (0..TARGETS).map(name);
    Registry::builder()
        .processors(all)
        .build()
        .expect("names that differ")
}

fn numbers() -> impl Strategy<Value = BTreeSet<usize>> {
    prop::collection::btree_set(0..TARGETS, 0..12)
}

fn set(registry: &Registry, numbers: &BTreeSet<usize>) -> TargetSet {
    let names: Vec<String> = numbers.iter().copied().map(name).collect();
    registry
        .set(names.iter().map(String::as_str))
        .expect("names of the registry")
}

fn member(package: &str, expand: &UseExpand, values: &BTreeSet<usize>) -> Member {
    let offer = Offer::new([""; 0], values.iter().copied().map(name));
    let cpv: Cpv = package.parse().expect("a version of a package");
    Member::new(cpv, expand.iuse(&offer).expect("names of flags"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// The known part of a printed list is compared. It is never taken for the whole list.
    #[test]
    fn a_list_known_in_part_lacks_what_the_whole_list_lacks(
        part in numbers(), rest in numbers(), left_out in numbers(), theirs in numbers(),
    ) {
        let registry = registry();
        let set = |numbers: BTreeSet<usize>| set(&registry, &numbers);
        let printed = |tool: &str, without: TargetSet, known: TargetSet| Listed::Printed {
            tool: tool.to_owned(), without, known,
        };
        let ours = printed("a", set(left_out.clone()), set(&part - &left_out));
        let whole = Listed::Set(set(&(&part | &rest) - &left_out));
        let listed = Listed::Set(set(theirs.clone()));
        let found = ours.not_in(&listed, &registry);
        prop_assert_eq!(found.sure, set(&(&part - &left_out) - &theirs));
        prop_assert_eq!(found.missing, ["what `a` prints"]);
        for other in [listed, printed("b", set(theirs.clone()), TargetSet::EMPTY)] {
            let all = whole.not_in(&other, &registry).sure;
            prop_assert!(ours.not_in(&other, &registry).sure.is_subset(&all));
        }
        // Two lists of one tool differ by the targets that are left out.
        let same = printed("a", set(theirs.clone()), set(&part - &theirs));
        prop_assert_eq!(ours.not_in(&same, &registry).sure, set(&theirs - &left_out));
    }

    #[test]
    fn a_set_is_as_a_btree_set(a in numbers(), b in numbers()) {
        let registry = registry();
        let (x, y) = (set(&registry, &a), set(&registry, &b));
        prop_assert_eq!(x.union(&y), set(&registry, &(&a | &b)));
        prop_assert_eq!(x.intersection(&y), set(&registry, &(&a & &b)));
        prop_assert_eq!(x.difference(&y), set(&registry, &(&a - &b)));
        prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!((x.len(), x.is_empty()), (a.len(), a.is_empty()));
        let names: Vec<String> = x.iter().map(|t| registry.name(t).to_owned()).collect();
        prop_assert_eq!(names, a.iter().copied().map(name).collect::<Vec<_>>());
        prop_assert_eq!(x.iter().collect::<TargetSet>(), x);
    }

    #[test]
    fn what_is_handed_on_holds_for_providers_that_have_the_flags_on(
        ours in numbers(), theirs in numbers(), on in numbers(), on_there in numbers()
    ) {
        let expand = UseExpand::new("AMDGPU_TARGETS").unwrap();
        let (from, to) = (member("a/a-1", &expand, &ours), member("a/b-1", &expand, &theirs));
        let deps = expand.propagate(&from, &to);
        prop_assert_eq!(deps.len(), (&ours & &theirs).len());
        let is_met = deps.iter().all(|dep| {
            let number = |flag: &str| expand.value(flag)?.strip_prefix("gfx")?.parse().ok();
            let number: usize = number(dep.flag.as_str()).unwrap();
            dep.kind.wanted(on.contains(&number)).is_none_or(|wanted| {
                wanted == on_there.contains(&number)
            })
        });
        let chosen = &(&ours & &theirs) & &on;
        prop_assert_eq!(is_met, chosen.is_subset(&on_there));
    }

    #[test]
    fn one_value_has_to_be_chosen(values in numbers(), on in numbers()) {
        let expand = UseExpand::new("AMDGPU_TARGETS").unwrap();
        let names: Vec<String> = values.iter().copied().map(name).collect();
        let required = expand.required_use(names.iter().map(String::as_str)).unwrap();
        let is_on = |flag: &str| {
            let value = expand.value(flag).unwrap();
            on.iter().any(|number| name(*number) == value)
        };
        prop_assert_eq!(required.is_met(is_on), values.is_empty() || !values.is_disjoint(&on));
    }

    #[test]
    fn an_edge_without_a_hole_holds_for_every_choice(
        sets in prop::collection::vec(numbers(), 5), choice in numbers()
    ) {
        let registry = registry();
        let of = |at: usize| set(&registry, &sets[at]);
        let ours = Coverage { follows: of(0), always: of(1) };
        let theirs = Coverage { follows: of(2), always: of(3) };
        let universe = of(4);
        let choice = set(&registry, &choice).intersection(&universe);
        let lacking = ours.of(&choice).difference(theirs.of(&choice));
        prop_assert!(lacking.is_subset(ours.not_built_by(&theirs, &universe)));
        // Each reported hole is real: it appears if its target alone is chosen, or no target.
        for target in ours.not_built_by(&theirs, &universe).iter() {
            let alone = TargetSet::of(target).intersection(&universe);
            let shows = |choice: &TargetSet| {
                ours.of(choice).contains(target) && !theirs.of(choice).contains(target)
            };
            prop_assert!(shows(&alone) || shows(&TargetSet::EMPTY));
        }
    }
}

#[test]
fn what_a_registry_is_made_of_is_checked() {
    let twice = Registry::builder().processors(["a", "a"]).build();
    assert_eq!(twice.unwrap_err(), RegistryError::Twice("a".to_owned()));
    let generic = Entry::new("g", TargetKind::Generic);
    let unknown = Registry::builder()
        .target(generic)
        .covers("g", ["a"])
        .build();
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "`a` in the list of `g` is not a target of the registry"
    );
    let family = Registry::builder().family("f", ["a"]).build();
    assert!(family.is_err());
}

#[test]
fn names_of_variables_are_those_that_portage_takes() {
    for wrong in ["", "amdgpu_targets", "AMDGPU TARGETS", "1A", "A_", "A-B"] {
        assert!(UseExpand::new(wrong).is_err(), "{wrong}");
    }
    let expand = UseExpand::new("CPU_FLAGS_X86").unwrap();
    assert_eq!(expand.value("cpu_flags_x86_avx"), Some("avx"));
    assert_eq!(expand.value("cpu_flags_arm_neon"), None);
    assert!(expand.flag("a b").is_err());
}

#[test]
fn a_value_in_both_lists_of_an_offer_is_on_by_default() {
    let expand = UseExpand::new("AMDGPU_TARGETS").expect("a name");
    let iuse = expand.iuse(&Offer::new(["gfx90a"], ["gfx1030", "gfx90a"]));
    let expected = "+amdgpu_targets_gfx90a amdgpu_targets_gfx1030";
    assert_eq!(iuse.expect("flags").to_string(), expected);
}

#[test]
fn an_unknown_name_is_reported_with_its_list() {
    let registry = Registry::builder().processors(["gfx90a"]).build();
    let asked = registry.expect("one name").set(["gfx1"]).unwrap_err();
    assert_eq!(asked.to_string(), "`gfx1` is not a target of the registry");
    let built = Registry::builder().family("all", ["gfx1"]).build();
    let expected = "`gfx1` in the list of `all` is not a target of the registry";
    assert_eq!(built.unwrap_err().to_string(), expected);
}

#[test]
fn an_edge_without_coverage_is_an_error() {
    let packages = [("a".to_owned(), Coverage::default())].into();
    let none = rocpkg_core::holes(&packages, [("a", "b")], &TargetSet::EMPTY);
    assert_eq!(
        none.unwrap_err().to_string(),
        "no coverage is given for `b`"
    );
}

#[test]
fn what_people_store_is_read_as_it_was() {
    let expand = UseExpand::new("AMDGPU_TARGETS").expect("a name");
    let offer = Offer::new(["gfx90a"], ["gfx1030"]);
    let entry = Entry::new("gfx90a", TargetKind::Processor)
        .llvm(12)
        .modes(true, true);
    let text = serde_json::to_string(&(&expand, &offer, &entry)).expect("JSON");
    let expected = r#"["AMDGPU_TARGETS",{"default":["gfx90a"],"offered":["gfx1030"]},{"name":"gfx90a","kind":"processor","llvm":12,"xnack":true,"sramecc":true}]"#;
    assert_eq!(text, expected);
    let read: (UseExpand, Offer, Entry) = serde_json::from_str(&text).expect("the same");
    assert_eq!(read, (expand, offer, entry));
    assert!(serde_json::from_str::<UseExpand>("\"a\"").is_err());
}
