//! The modes of propagation, `none`, `eclass` and `chunked`: pkgcheck's findings for each, and
//! Portage's answer to an inconsistent choice of targets.

use crate::world::{World, name, targets_of};
use rocpkg::internal::model::Propagation;
use rocpkg::pms::{Atom, Member, Node};
use rocpkg_tests::{Pretend, is_whole, left_out, sample};
use std::collections::BTreeSet;
use std::time::Instant;

/// Returns lines of package.use: a choice of targets for all packages, then another choice for one
/// of them. `AMDGPU_TARGETS` in the environment would override the second line.
fn choice(all: &str, one: Option<String>) -> Vec<String> {
    let mut lines = vec![format!("*/* AMDGPU_TARGETS: {all}")];
    lines.extend(one);
    lines
}

/// Returns each pair of packages of which the first passes targets on to the second, with these
/// targets.
fn edges(world: &World) -> Vec<(&Member, &Member, Vec<String>)> {
    let mut found = Vec::new();
    for (_, from) in world.packages() {
        for (_, to) in world.packages() {
            let mut handed = BTreeSet::new();
            for atom in from
                .depends
                .leaves()
                .into_iter()
                .filter(|a| a.cpn() == name(to))
            {
                handed.extend(
                    atom.use_deps()
                        .iter()
                        .filter_map(|u| u.flag.as_str().strip_prefix("amdgpu_targets_")),
                );
            }
            let handed: Vec<String> = handed.into_iter().map(str::to_owned).collect();
            if !handed.is_empty() {
                found.push((from, to, handed));
            }
        }
    }
    found
}

/// Asserts, for every edge, that Portage refuses a dependency without a target of its dependent.
/// Portage's message must name the target and the package.
fn assert_enforced(world: &World) {
    let edges = edges(world);
    let pairs: Vec<String> = edges
        .iter()
        .map(|(from, to, _)| format!("{} -> {}", name(from), name(to)))
        .collect();
    assert_eq!(edges.len(), 42, "{pairs:#?}");
    let edges = sample("edges over which a target is dropped", 12, edges);
    let mut questions = Vec::new();
    for (from, to, handed) in &edges {
        let ours = targets_of(to);
        assert!(
            handed
                .iter()
                .all(|t| ours.contains(t) && targets_of(from).contains(t)),
            "{}",
            name(from)
        );
        // A target that both packages have, and another one that the dependency keeps.
        let (target, kept) = (
            handed.first().unwrap(),
            ours.iter().find(|t| *t != &handed[0]).unwrap(),
        );
        let asked = [name(from).to_string()];
        let line = format!("{} AMDGPU_TARGETS: -* {kept}", name(to));
        let on = features(from, to);
        let all = format!("-* {target} {kept}");
        questions.push((
            from,
            to,
            target,
            Pretend::new(
                &[&asked[0]],
                &[],
                &[choice(&all, None), on.clone()].concat(),
            ),
        ));
        questions.push((
            from,
            to,
            target,
            Pretend::new(&[&asked[0]], &[], &[choice(&all, Some(line)), on].concat()),
        ));
    }
    let asked: Vec<Pretend> = questions.iter().map(|(.., q)| q.clone()).collect();
    let answers = world.portage.emerge_pretend_each(&asked);
    for (at, ((from, to, target, _), answer)) in questions.iter().zip(answers).enumerate() {
        match answer {
            Ok(_) if at % 2 == 0 => {}
            Err(text) if at % 2 == 1 => {
                let flag = format!("amdgpu_targets_{target}");
                let told = text.contains(&name(to).to_string()) && text.contains(&flag);
                assert!(told, "{} -> {} at {target}: {text}", name(from), name(to));
            }
            other => panic!("{} -> {} at {target}: {other:?}", name(from), name(to)),
        }
    }
}

/// Returns lines of package.use that turn on all flags under which `from` depends on `to`.
fn features(from: &Member, to: &Member) -> Vec<String> {
    let mut flags = BTreeSet::new();
    for node in &from.depends.nodes {
        leads_to(node, to, &mut flags);
    }
    flags.retain(|f| !f.starts_with("amdgpu_targets_"));
    // caffe2 requires this flag of hipBLAS, besides the targets.
    let asked = ["sci-libs/hipBLAS rocsolver".to_owned()].into_iter();
    asked
        .chain(flags.iter().map(|f| format!("{} {f}", name(from))))
        .collect()
}

/// Returns true if `to` is below the node. Adds the flags on the way to `flags`.
fn leads_to(node: &Node<Atom>, to: &Member, flags: &mut BTreeSet<String>) -> bool {
    let Node::If { flag, nodes, .. } = node else {
        return node.leaves().iter().any(|a| a.cpn() == name(to));
    };
    let mut found = false;
    for node in nodes {
        found |= leads_to(node, to, flags);
    }
    if found {
        flags.insert(flag.as_str().to_owned());
    }
    found
}

fn assert_clean(world: &World) {
    let findings = world.pkgcheck();
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn chunked_is_clean_and_enforced() {
    let world = World::new(Propagation::Chunked);
    assert_enforced(&world);
    assert_clean(&world);
}

#[test]
fn none_leaves_the_choice_to_the_user() {
    let world = World::new(Propagation::None);
    // llama-cpp of GURU requires its targets in this mode, too.
    assert!(
        edges(&world)
            .iter()
            .all(|(from, ..)| name(from).package() == "llama-cpp")
    );
    let dropped = choice(
        "gfx1100 gfx90a",
        Some("sci-libs/rocBLAS -amdgpu_targets_gfx1100".to_owned()),
    );
    world
        .portage
        .emerge_pretend(&["sci-libs/hipBLAS"], &[], &dropped)
        .unwrap();
}

/// Renders under `eclass` with the first `most` targets alone.
fn limited(most: usize) -> World {
    World::of(Propagation::Eclass, |model| {
        let targets = &mut model.distros.get_mut("gentoo").unwrap().targets;
        for set in targets {
            set.offered.truncate(most.saturating_sub(set.default.len()));
            set.default.truncate(most);
        }
    })
}

/// pkgcheck tries each combination of flags. The 2^16 combinations take minutes, so CI tries 2^10.
#[test]
fn the_eclass_list_is_clean_up_to_sixteen_flags() {
    let most: usize = if is_whole() { 16 } else { 10 };
    if !is_whole() {
        left_out(&format!("an eclass with more than {most} flags"));
    }
    let world = limited(most);
    assert_eq!(
        edges(&world).iter().map(|(.., handed)| handed.len()).max(),
        Some(most)
    );
    assert_enforced(&world);
    // Targets that are not offered in this test still have a description.
    let findings = world.pkgcheck();
    assert!(
        findings.iter().all(|f| f.name == "UnusedGlobalUseExpand"),
        "{findings:#?}"
    );
}

/// The number of times that each run of `emerge` is measured.
const RUNS: usize = 7;

/// Prints the seconds that `emerge --pretend` takes under each propagation, for 1, 5 and 15 targets,
/// and the seconds that pkgcheck takes.
#[test]
fn seconds_by_propagation() {
    if !is_whole() {
        return left_out("seconds of emerge and pkgcheck by propagation");
    }
    for mode in Propagation::ALL {
        let world = World::new(mode);
        for count in [1, 5, 15] {
            for (name, question, is_refused) in questions(&world, count) {
                let answers = world.portage.emerge_pretend_timed(&vec![question; RUNS]);
                let is_refused = is_refused && mode != Propagation::None;
                let mut seconds = Vec::new();
                for (answer, took) in answers {
                    assert_eq!(answer.is_err(), is_refused, "{mode:?} {count}: {answer:?}");
                    seconds.push(took);
                }
                seconds.sort_by(f64::total_cmp);
                let (least, median) = (seconds[0], seconds[RUNS / 2]);
                let mode = mode.word();
                println!(
                    "{mode}, {count} targets, {name}: {least:.2} s least, {median:.2} s median"
                );
            }
        }
        // For the whole list of the eclass, pkgcheck would try 2^22 combinations.
        if mode != Propagation::Eclass {
            let (start, findings) = (Instant::now(), world.pkgcheck());
            let took = start.elapsed().as_secs();
            println!(
                "{}: pkgcheck: {took} s, {} findings",
                mode.word(),
                findings.len()
            );
        }
    }
    for most in [8, 10, 12] {
        let world = limited(most);
        let start = Instant::now();
        world.pkgcheck();
        println!(
            "eclass of {most} targets: pkgcheck: {} s",
            start.elapsed().as_secs()
        );
    }
}

/// Returns the measured runs for the first `count` targets, each with its name. The flag is set if
/// Portage has to refuse the run where ebuilds pass targets on.
fn questions(world: &World, count: usize) -> Vec<(&'static str, Pretend, bool)> {
    let (default, offered) = world.plan.distro_targets(&world.plan.version);
    // Those that are off by default, which the defaults of dependencies do not meet.
    let further = offered[..count.min(offered.len())].join(" ");
    let all = [default, offered].concat();
    let targets = format!("-* {}", all[..count].join(" "));
    let packages = world.portage.packages();
    let atoms: Vec<&str> = packages.iter().map(String::as_str).collect();
    let cpu = || vec!["*/* CPU_FLAGS_X86: avx2 f16c fma3".to_owned()];
    let same = [choice(&targets, None), cpu()].concat();
    let kept = format!("-* {}", all[1..=count].join(" "));
    let lacks = choice(
        &targets,
        Some(format!("sci-libs/rocBLAS AMDGPU_TARGETS: {kept}")),
    );
    let lacks = [lacks, cpu()].concat();
    let alone = vec![
        format!("sci-ml/caffe2 rocm AMDGPU_TARGETS: -* {further}"),
        "sci-libs/hipBLAS rocsolver".to_owned(),
    ];
    vec![
        (
            "all packages, the same targets",
            Pretend::new(&atoms, &[], &same),
            false,
        ),
        (
            "all packages, rocBLAS lacks one",
            Pretend::new(&atoms, &[], &lacks),
            true,
        ),
        (
            "caffe2 alone has the targets",
            Pretend::new(&["sci-ml/caffe2"], &[], &alone).autounmask(),
            true,
        ),
    ]
}
