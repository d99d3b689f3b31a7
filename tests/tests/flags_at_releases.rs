//! The USE flags of Gentoo's ebuilds, and the GPU targets that are offered, at each release of the
//! model.

use rocpkg::core::TargetKind;
use rocpkg::internal::resolve::{Choice, Release, target_row};
use rocpkg::internal::syntax::Surroundings;
use rocpkg::{Backend, Options, Stack, gentoo};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the flags of IUSE that nothing else in the ebuild uses. `cpu_flags_${flag}` uses each
/// flag that begins with `cpu_flags_`.
fn unused(text: &str) -> Vec<String> {
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    let is_iuse = |line: &&str| line.starts_with("IUSE=") || line.starts_with("IUSE+=");
    let (iuse, rest): (Vec<&str>, Vec<&str>) = text.lines().filter(is_code).partition(is_iuse);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-+@$".contains(c);
    let words = rest.iter().flat_map(|line| line.split(|c| !is_name(c)));
    let used: BTreeSet<&str> = words.collect();
    let is_used = |flag: &str| {
        let begins = |word: &&str| {
            word.strip_suffix('$')
                .is_some_and(|head| flag.starts_with(head))
        };
        used.contains(flag) || used.iter().any(|word| word.len() > 1 && begins(word))
    };
    let flags = iuse.iter().filter_map(|line| line.split('"').nth(1));
    let flags = flags.flat_map(str::split_whitespace);
    let flags = flags.filter(|flag| !flag.contains('$'));
    let flags = flags.map(|flag| flag.trim_start_matches(['+', '-']));
    flags
        .filter(|flag| !is_used(flag))
        .map(str::to_owned)
        .collect()
}

/// Flags without an effect that `::gentoo`'s own ebuilds have, each with the name of the ebuild.
const OF_GENTOO: &[(&str, &str)] = &[("hipcc", "debug"), ("rocm-opencl-runtime", "debug")];

/// A flag without an effect would be offered, and a bump could not know that a later release uses
/// it first.
#[test]
fn each_flag_is_used_and_each_used_flag_is_in_iuse() {
    let stack = Stack::shipped().unwrap();
    let lines = stack.model().lines.values();
    let releases: Vec<&String> = lines.flat_map(|line| line.versions.keys()).collect();
    let mut wrong = BTreeSet::new();
    let mut checked = 0;
    for release in releases {
        let options = Options {
            backends: vec![Backend::Gentoo],
            choices: vec![Choice::Release(release.parse().unwrap())],
            allow_missing: true,
            ..Options::default()
        };
        let tree = stack.render(&options).unwrap();
        for (path, _) in tree.recipes().filter(|(path, _)| path.ends_with(".ebuild")) {
            let text = tree.text(path).unwrap();
            let surroundings = Surroundings {
                path: path.to_owned(),
                ..Surroundings::default()
            };
            let faults = gentoo::check(text, &surroundings).faults;
            let missing = faults.iter().filter(|fault| fault.finding.code == "E0802");
            wrong.extend(missing.map(|fault| format!("{path}: {}", fault.finding.message)));
            let is_known = |flag: &String| {
                let mut known = OF_GENTOO.iter();
                known.any(|(package, own)| path.contains(package) && flag == own)
            };
            let unused = unused(text).into_iter().filter(|flag| !is_known(flag));
            wrong.extend(unused.map(|flag| format!("{path}: nothing uses `{flag}`")));
            checked += 1;
        }
    }
    assert!(checked > 900, "{checked}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The major version of LLVM since which the targets of `TargetKind::Removed` are gone: see
/// `profiles/targets.yaml`.
const GONE_SINCE: u32 = 22;

/// No row of Gentoo's GPU targets offers a target that is gone from the LLVM of each release of the
/// row.
#[test]
fn each_offered_target_can_be_built_at_a_release_of_its_row() {
    let stack = Stack::shipped().unwrap();
    let registry = stack.model().registry.as_ref().unwrap();
    let lines = stack.model().lines.values();
    let releases: Vec<&String> = lines.flat_map(|line| line.versions.keys()).collect();
    let distro = &stack.model().distros["gentoo"];
    // The lowest LLVM of each row's releases, by the range of the row.
    let mut lowest: BTreeMap<&str, u32> = BTreeMap::new();
    for release in releases {
        let release: Release = release.parse().unwrap();
        let row = target_row(distro, &release).unwrap();
        let Some(llvm) = &stack.model().lines[&release.line()].llvm else {
            continue;
        };
        let llvm = llvm.value.parse().unwrap();
        let lowest = lowest.entry(&row.releases.value).or_insert(llvm);
        *lowest = llvm.min(*lowest);
    }
    assert!(lowest.len() > 3, "{lowest:?}");
    for row in &distro.targets {
        let all = row.default.iter().chain(&row.offered);
        let is_gone = |target: &&String| {
            let target = registry.get(target).unwrap();
            registry.kind(target) == TargetKind::Removed
        };
        let gone: Vec<&String> = all.map(|target| &target.value).filter(is_gone).collect();
        let can_build = lowest
            .get(row.releases.value.as_str())
            .is_none_or(|llvm| *llvm < GONE_SINCE);
        assert!(gone.is_empty() || can_build, "{:?} {gone:?}", row.releases);
    }
}
