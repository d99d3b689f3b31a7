//! Sends random requests to `rocpkg use`. Portage confirms each answer.

use crate::world::{World, name, targets_of};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rocpkg::gentoo::internal::package_use;
use rocpkg::gentoo::{PackageUse, Wanted};
use rocpkg::internal::model::Propagation;
use rocpkg::pms::{Change, Flag, Member};
use rocpkg_tests::{Pretend, sample};

/// Packages that depend on the stack, and run on AMD's GPUs if USE=rocm is on.
const CONSUMERS: [&str; 5] = [
    "caffe2",
    "llama-cpp",
    "ik_llama-cpp",
    "stable-diffusion-cpp",
    "ollama",
];

/// Returns random requests. Each is for one package, with some targets or the defaults, and with
/// some of the package's flags on or off.
fn wish(world: &World) -> impl Strategy<Value = Wanted> + use<> {
    let packages: Vec<(String, Vec<String>, Vec<Flag>)> = world
        .packages()
        .map(|(p, member)| {
            let (default, offered) = world.plan.distro_targets(&p.listed);
            let own = targets_of(member);
            let targets = if own.is_empty() {
                [default, offered].concat()
            } else {
                own
            };
            let flags = member.iuse.defaults().map(|(f, _)| f.clone());
            (p.id.clone(), targets, flags.collect())
        })
        .collect();
    (prop::sample::select(packages), prop::bool::weighted(0.8)).prop_flat_map(
        |((package, targets, flags), some)| {
            let most = if some { targets.len().min(3) } else { 0 };
            let targets = prop::sample::subsequence(targets, usize::from(some)..=most);
            // A target's flag is a flag too. A request may ask for it against the choice of
            // targets.
            let most = flags.len().min(3);
            let flags = prop::sample::subsequence(flags, 0..=most);
            let states = prop::collection::vec(any::<bool>(), 3);
            (Just(package), targets, flags, states).prop_map(
                move |(package, targets, flags, states)| {
                    Wanted {
                        package,
                        // The flags of chosen targets are left out, since package.use can't turn a
                        // flag both on and off.
                        flags: flags
                            .into_iter()
                            .filter(|f| !some || !is_target(f, &targets))
                            .zip(states)
                            .collect(),
                        targets: some.then_some(targets),
                    }
                },
            )
        },
    )
}

fn is_target(flag: &Flag, targets: &[String]) -> bool {
    let target = flag.as_str().strip_prefix("amdgpu_targets_");
    target.is_some_and(|t| targets.iter().any(|w| w == t))
}

/// Returns lines that undo the settings of the stand-ins for Gentoo's profile and packages, so that
/// IUSE alone counts.
fn bare(world: &World) -> Vec<String> {
    let mut lines = vec!["*/* VIDEO_CARDS: -*".to_owned()];
    for member in world.members.iter().filter(|m| m.any_version) {
        let flags: Vec<String> = member
            .iuse
            .defaults()
            .map(|(f, _)| format!("-{f}"))
            .collect();
        lines.push(format!("{} {}", name(member), flags.join(" ")));
    }
    lines
}

/// Returns the lines of the request alone. If no flags satisfy the request, Portage must refuse
/// these lines, too.
fn asked(wanted: &Wanted, member: &Member) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(targets) = &wanted.targets {
        lines.push(format!("*/* AMDGPU_TARGETS: -* {}", targets.join(" ")));
    }
    for (flag, on) in &wanted.flags {
        lines.push(format!(
            "{} {}{flag}",
            name(member),
            if *on { "" } else { "-" }
        ));
    }
    lines
}

/// Returns the lines of an answer with one change undone.
fn without(lines: &[String], change: &Change) -> Vec<String> {
    let sign = if change.on { "-" } else { "" };
    let undone = format!("{} {sign}{}", change.package.cpn, change.flag);
    lines.iter().cloned().chain([undone]).collect()
}

/// Asserts that the plan lists the package with the flag in the requested state.
fn assert_granted(plan: &str, member: &Member, flag: &str, on: bool) {
    let package = format!(" {}:", member.package.cpv);
    let line = plan
        .lines()
        .find(|l| l.contains(&package))
        .unwrap_or_else(|| panic!("{plan}"));
    let expanded = ["amdgpu_targets_", "llvm_slot_", "video_cards_"];
    let value = expanded
        .iter()
        .find_map(|p| flag.strip_prefix(p))
        .unwrap_or(flag);
    let words: Vec<&str> = line.split(['"', ' ']).collect();
    // A flag that REQUIRED_USE or the profile forces is in parentheses.
    let state = words.iter().find_map(|w| {
        let w = w.trim_matches(['(', ')']).trim_end_matches(['*', '%']);
        (w.trim_start_matches('-') == value).then_some(!w.starts_with('-'))
    });
    assert_eq!(state, Some(on), "{flag}: {line}");
}

#[test]
fn every_answer_is_confirmed_by_portage() {
    let world = World::new(Propagation::Chunked);
    let seed = [21; 32];
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = wish(&world);
    // Requests for consumers, which have versions of their own.
    let consumers = CONSUMERS.map(|package| Wanted {
        package: package.into(),
        flags: vec![(Flag::new("rocm").unwrap(), true)],
        targets: Some(vec!["gfx1031".into()]),
    });
    let random = (0..500).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    let random = sample("random wishes for flags", 16, random);
    let wishes: Vec<Wanted> = consumers.into_iter().chain(random).collect();

    let mut questions = Vec::new();
    let mut expected: Vec<(&Wanted, &Member, Option<PackageUse>, bool)> = Vec::new();
    for wanted in &wishes {
        let (_, member) = world
            .packages()
            .find(|(p, _)| p.id == wanted.package)
            .unwrap();
        let ask = |lines: Vec<String>| Pretend::new(&[&name(member).to_string()], &[], &lines);
        let Ok(found) = package_use(&world.plan, &world.members, wanted) else {
            questions.push(ask(asked(wanted, member)));
            expected.push((wanted, member, None, false));
            continue;
        };
        let mut lines = bare(&world);
        lines.extend(found.lines.iter().map(ToString::to_string));
        // Portage must also refuse the answer with one change undone. A change that the request
        // names itself is not undone.
        if let Some(change) = found
            .changes
            .iter()
            .rev()
            .find(|c| !is_wished(wanted, member, c))
        {
            questions.push(ask(without(&lines, change)));
            expected.push((wanted, member, None, false));
        }
        questions.push(ask(lines));
        expected.push((wanted, member, Some(found), true));
    }
    let answers = world.portage.emerge_pretend_each(&questions);
    let mut counts = [0, 0];
    for ((wanted, member, found, resolves), answer) in expected.iter().zip(&answers) {
        assert_eq!(
            answer.is_ok(),
            *resolves,
            "{wanted:?}\n{found:?}\n{answer:?}"
        );
        counts[usize::from(*resolves)] += 1;
        if let Ok(plan) = answer {
            for (flag, on) in &wanted.flags {
                assert_granted(plan, member, flag.as_str(), *on);
            }
            for target in wanted
                .targets
                .iter()
                .flatten()
                .filter(|_| !targets_of(member).is_empty())
            {
                assert_granted(plan, member, &format!("amdgpu_targets_{target}"), true);
            }
        }
    }
    for package in CONSUMERS {
        assert!(
            expected
                .iter()
                .any(|(wanted, .., resolves)| wanted.package == package && *resolves),
            "{package}"
        );
    }
    assert!(counts[0] > 0 && counts[1] > counts[0] / 2);
}

fn is_wished(wanted: &Wanted, member: &Member, change: &Change) -> bool {
    let targets = wanted.targets.as_deref().unwrap_or_default();
    let named = wanted.flags.iter().any(|(flag, _)| *flag == change.flag);
    // The distribution's `gpu-flag`, which is on by default, though few packages require it.
    change.flag.as_str() == "video_cards_amdgpu"
        || change.package == member.package.cpv && (named || is_target(&change.flag, targets))
}
