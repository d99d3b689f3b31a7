//! Portage runs every phase of every ebuild: with tests, without tests, and without GPU targets.

use crate::world::{World, targets_of};
use rocpkg::internal::model::Propagation;
use rocpkg::pms::Member;
use rocpkg_tests::{Phased, Phases, sample};

/// The features with which a package is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    /// All features that are compatible with each other. The tests are run.
    Tested,
    /// The fewest features: none, or those that `REQUIRED_USE` requires.
    Plain,
    /// The features that are on by default, and no GPU target.
    WithoutTargets,
}

/// Returns the flags that are on. They include the flag of a GPU target: the first one that is
/// compatible with the other flags.
fn chosen(way: Support, member: &Member) -> Vec<String> {
    let targets = targets_of(member);
    let prefixes = ["amdgpu_targets_", "llvm_slot_", "python_"];
    let features: Vec<_> = (member.iuse.defaults())
        .map(|(flag, on)| (flag.to_string(), on))
        .filter(|(flag, _)| !prefixes.iter().any(|p| flag.starts_with(p)))
        .filter(|(flag, on)| match way {
            Support::Tested => true,
            Support::Plain => flag != "test",
            Support::WithoutTargets => *on,
        })
        .map(|(flag, _)| flag)
        .collect();
    if way == Support::WithoutTargets {
        return features;
    }
    let one = || features.iter().map(|f| vec![f.clone()]);
    let choices: Vec<Vec<String>> = if way == Support::Plain {
        let two = one().flat_map(|a| one().map(move |b| [a.clone(), b].concat()));
        [Vec::new()].into_iter().chain(one()).chain(two).collect()
    } else {
        // All features are tried, then all but one or two, since some exclude each other.
        let less = |all: &[String]| -> Vec<Vec<String>> {
            (0..all.len())
                .map(|i| [&all[..i], &all[i + 1..]].concat())
                .collect()
        };
        let fewer = less(&features);
        let fewest: Vec<_> = fewer.iter().flat_map(|all| less(all)).collect();
        [vec![features.clone()], fewer, fewest].concat()
    };
    let targets: Vec<_> = match targets.as_slice() {
        [] => vec![vec![]],
        some => some
            .iter()
            .map(|t| vec![format!("amdgpu_targets_{t}")])
            .collect(),
    };
    let mut all = choices
        .iter()
        .flat_map(|c| targets.iter().map(move |t| [c.clone(), t.clone()].concat()));
    all.find(|on| allows(member, on))
        .unwrap_or_else(|| panic!("{}: REQUIRED_USE", member.package.cpv))
}

/// Returns true if `REQUIRED_USE` allows exactly these flags, together with one slot of LLVM and
/// all versions of Python.
fn allows(member: &Member, on: &[String]) -> bool {
    let llvm = member
        .iuse
        .defaults()
        .find(|(flag, _)| flag.as_str().starts_with("llvm_slot_"));
    member.required_use.is_met(|flag| {
        on.iter().any(|o| o == flag)
            || flag.starts_with("python_targets_")
            || llvm.as_ref().is_some_and(|(slot, _)| slot.as_str() == flag)
    })
}

fn question(way: Support, member: &Member) -> Phases {
    let on = chosen(way, member);
    let prefix = "amdgpu_targets_";
    let targets = on
        .iter()
        .filter_map(|f| f.strip_prefix(prefix))
        .map(str::to_owned)
        .collect();
    let flags = (member.iuse.defaults())
        .map(|(flag, _)| flag.to_string())
        .filter(|f| {
            !["amdgpu_targets_", "llvm_slot_", "python_"]
                .iter()
                .any(|p| f.starts_with(p))
        })
        .map(|f| if on.contains(&f) { f } else { format!("-{f}") })
        .collect();
    Phases {
        cpv: member.package.cpv.to_string(),
        flags,
        targets,
        test: way == Support::Tested,
    }
}

#[test]
fn portage_runs_every_phase() {
    let world = World::new(Propagation::None);
    let mut all = Vec::new();
    for (package, member) in world.packages() {
        for way in [Support::Tested, Support::Plain, Support::WithoutTargets] {
            if way != Support::WithoutTargets || package.targets.is_some() {
                all.push((way, package, member));
            }
        }
    }
    let asked = sample("runs of an ebuild's phases", 16, all)
        .into_iter()
        .map(|(way, package, member)| {
            // A package of headers is neither configured nor compiled.
            let builds = !package.package.cmake.is_empty();
            (way, builds, question(way, member))
        });
    let asked: Vec<_> = asked.collect();
    let questions: Vec<_> = asked.iter().map(|(.., q)| q.clone()).collect();
    let answers = world.portage.phases_each(&questions);
    let faults: Vec<_> = asked
        .iter()
        .zip(&answers)
        .filter_map(|((way, builds, q), a)| fault(*way, *builds, q, a))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Returns the fault of a run, if there is one.
fn fault(way: Support, builds: bool, question: &Phases, answer: &Phased) -> Option<String> {
    let named = |text: &str| {
        let flags = question.flags.join(" ");
        format!(
            "{} {way:?} [{flags}] for {:?}: {text}\n{}",
            question.cpv, question.targets, answer.output
        )
    };
    if way == Support::WithoutTargets && answer.output.contains("REQUIRED_USE") {
        // REQUIRED_USE requires a target, so no phase may have run.
        return (!answer.calls.is_empty()).then(|| named("phases ran without a choice"));
    }
    if !answer.passed {
        return Some(named("a phase failed"));
    }
    let bad = [
        "command not found",
        "No such file or directory",
        "QA Notice",
        "syntax error",
    ];
    if let Some(words) = bad.iter().find(|words| answer.output.contains(**words)) {
        return Some(named(words));
    }
    // Each phase must have called a command.
    let ran = |phase: &str| answer.calls.iter().any(|call| call[0] == phase);
    let restricted = answer.output.contains("due to ebuild restriction");
    let missing = ["configure", "compile", "test"]
        .into_iter()
        .find(|phase| match *phase {
            "test" => question.test && !restricted && !ran(phase),
            phase => builds && !ran(phase),
        });
    missing.map(|phase| named(&format!("nothing was done to {phase}")))
}
