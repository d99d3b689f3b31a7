//! The cost of a model grows in proportion to its size. The cost is counted in allocations and in
//! allocated bytes, and not in time, so it is the same on every machine.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use allocation_counter::{AllocationInfo, measure};
use rocpkg::gentoo::Wanted;
use rocpkg::gentoo::internal::{Edition, members, package_use};
use rocpkg::internal::model::{Files, Findings, Propagation};
use rocpkg::internal::render::Templates;
use rocpkg::internal::resolve::{Choice, Model, Plan, Recipes, prove};
use rocpkg_tests::many;

/// Returns the cost of each step for the shipped model with a number of further packages.
fn costs(packages: usize) -> Vec<(&'static str, AllocationInfo)> {
    let layers = [
        (String::new(), rocpkg::shipped::profiles()),
        ("over".to_owned(), many(packages)),
    ];
    let templates = Templates::new(&rocpkg::shipped::templates()).unwrap();
    let mut out = Vec::new();
    let mut model = None;
    out.push(("load", measure(|| model = Some(Model::load_in(&layers, 1)))));
    let (model, findings) = model.unwrap();
    assert!(
        !findings.has_errors(),
        "{}",
        findings.render(&model.sources, false)
    );
    let registry = model.registry.as_ref().unwrap();
    let mut plan = |distro: &str, word: &'static str| {
        let mut found = Findings::default();
        let mut plan = None;
        out.push((
            word,
            measure(|| plan = Plan::new(&model, distro, &Choice::Shipped, &mut found)),
        ));
        assert!(
            !found.has_errors(),
            "{}",
            found.render(&model.sources, false)
        );
        plan.unwrap()
    };
    let (mut gentoo, arch) = (plan("gentoo", "plan gentoo"), plan("arch", "plan arch"));
    let (nix, solus) = (plan("nixpkgs", "plan nixpkgs"), plan("solus", "plan solus"));
    let mut recipes = Recipes::default();
    let found = &mut Findings::default();
    let editions = [Edition {
        plan: gentoo.clone(),
        packages: None,
    }];
    let render = || {
        recipes = rocpkg::gentoo::internal::render(&editions, &templates, found)
            .1
            .remove(0);
    };
    out.push(("gentoo", measure(render)));
    out.push((
        "prove gentoo",
        measure(|| drop(prove(&gentoo, registry, &recipes))),
    ));
    out.push((
        "arch",
        measure(|| recipes = rocpkg::arch::internal::render(&arch, &templates, found).1),
    ));
    out.push((
        "prove arch",
        measure(|| drop(prove(&arch, registry, &recipes))),
    ));
    out.push((
        "nix",
        measure(|| {
            recipes = rocpkg::nix::internal::render(&nix, &templates, found)
                .unwrap()
                .1;
        }),
    ));
    out.push((
        "prove nix",
        measure(|| drop(prove(&nix, registry, &recipes))),
    ));
    out.push((
        "solus",
        measure(|| recipes = rocpkg::solus::internal::render(&solus, found).1),
    ));
    out.push((
        "prove solus",
        measure(|| drop(prove(&solus, registry, &recipes))),
    ));
    gentoo.distro.propagation = Some(Propagation::Chunked);
    let wanted = Wanted {
        package: "extra9x".into(),
        ..Wanted::default()
    };
    out.push((
        "use",
        measure(|| {
            let (members, _) = members(&gentoo, found);
            package_use(&gentoo, &members, &wanted).unwrap();
        }),
    ));
    out
}

#[test]
fn twice_the_packages_cost_twice_as_much() {
    // A thread keeps the texts that it parsed, so each count begins in a thread of its own.
    let apart = |count| std::thread::spawn(move || costs(count)).join().unwrap();
    let (small, middle, large) = (apart(40), apart(80), apart(160));
    for ((word, small), ((_, middle), (_, large))) in small.iter().zip(middle.iter().zip(&large)) {
        // The cost of the shipped model is in all three numbers, so it cancels out in their
        // differences.
        let counts = [
            (
                "allocations",
                small.count_total,
                middle.count_total,
                large.count_total,
            ),
            (
                "bytes",
                small.bytes_total,
                middle.bytes_total,
                large.bytes_total,
            ),
        ];
        for (what, small, middle, large) in counts {
            let (first, second) = (middle.saturating_sub(small), large.saturating_sub(middle));
            // The second step adds twice as many packages. Tables double their capacity now and
            // then, so the limit is 11/4. A quadratic cost would be fourfold.
            assert!(
                second <= first * 11 / 4 + 4096,
                "{word}: {what}: {small}, {middle}, {large}: {first} for 40 more packages, {second} for 80 more"
            );
        }
    }
}

/// Returns the cost of reading and planning the shipped model with this file merged over it.
fn planned(path: &str, text: &str, is_sound: bool) -> AllocationInfo {
    let over = Files::from([(path.to_owned(), text.to_owned())]);
    let layers = [
        (String::new(), rocpkg::shipped::profiles()),
        ("over".to_owned(), over),
    ];
    measure(|| {
        let (model, mut findings) = Model::load_in(&layers, 1);
        for distro in ["gentoo", "arch", "nixpkgs"] {
            Plan::new(&model, distro, &Choice::Shipped, &mut findings);
        }
        let shown = findings.render(&model.sources, false);
        assert_eq!(shown.contains("error["), !is_sound, "{shown}");
    })
}

#[test]
fn a_fault_is_told_for_what_the_sound_model_costs() {
    let sound = planned("components/rocblas.yaml", "title: rocBLAS\n", true);
    for (path, text) in [
        ("components/rocblas.yaml", "sumary: x\n"),
        (
            "components/rocblas.yaml",
            "depends: {hipblaslot: {kind: link, targets: covers}}\n",
        ),
        (
            "distros/gentoo/rocblas.yaml",
            "features: {tset: {default: true}}\nusee: 1\n",
        ),
        ("components/rocblas.yaml", "title: 'rocBLAS\n"),
    ] {
        let broken = planned(path, text, false);
        // After an unknown name is reported, names are collected once more, so that no other
        // finding follows from it.
        let most = |sound: u64| sound + sound / 5;
        assert!(
            broken.count_total <= most(sound.count_total),
            "{text}: {broken:?}, {sound:?}"
        );
        assert!(
            broken.bytes_total <= most(sound.bytes_total),
            "{text}: {broken:?}, {sound:?}"
        );
    }
}
