//! The choice of test runners: which of the machines in a user's list test which packages.

use super::Questions;
use super::lab::Runner;
use rocpkg::internal::is_named;
use rocpkg::internal::resolve::{CompatibleCode, Planned};
use rocpkg::internal::targets::{Target, TargetSet};
use std::collections::BTreeSet;

/// A test run: a runner, and one of its GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestRun {
    /// The index of the runner in the list of runners.
    pub runner: usize,
    /// The GPU.
    pub gpu: Target,
}

/// The reason why a runner that has a suitable GPU does not test a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untested {
    /// The list of runners excludes the package.
    Skipped,
    /// The tests take more memory than the runner has. The number is the memory that the tests
    /// take, in mebibytes.
    Memory(u64),
}

/// The code of a package for one GPU target, which is to be tested.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unit {
    /// The name of the distribution's profile, such as `nixpkgs`.
    pub distro: String,
    /// The package's id.
    pub package: String,
    /// The package's version.
    pub version: String,
    /// The target that the code is for.
    pub code: Target,
    /// The possible test runs on a GPU of exactly the target `code`.
    pub native: Vec<TestRun>,
    /// The possible test runs on a GPU of another target, if the package has no better code for
    /// that GPU than this.
    pub compatible: Vec<TestRun>,
    /// The indices of the runners that have a GPU for the code and do not test the package, each
    /// with the reason.
    pub untested: Vec<(usize, Untested)>,
}

impl Unit {
    /// Returns the unit of a package's code for the target `code`, with the test runs `native`.
    pub fn new(
        distro: &str,
        package: &str,
        version: &str,
        code: Target,
        native: Vec<TestRun>,
    ) -> Self {
        Self {
            distro: distro.to_owned(),
            package: package.to_owned(),
            version: version.to_owned(),
            code,
            native,
            compatible: Vec::new(),
            untested: Vec::new(),
        }
    }

    /// Returns the test runs that count: `native`, or if that is empty, `compatible`.
    pub fn runs(&self) -> &[TestRun] {
        if self.native.is_empty() {
            &self.compatible
        } else {
            &self.native
        }
    }
}

/// Returns true if the model states upstream's tests of a package.
fn has_tests(p: &Planned) -> bool {
    let package = &p.package;
    package.tests.is_some() || package.programs.contains_key("test") || p.test_feature().is_some()
}

impl Questions<'_> {
    /// Returns the units to test: each package with device code and tests, for each GPU target that
    /// it ships. The second list holds the ids of the packages whose targets are not known, each
    /// with the missing fact. `packages` are ids or names of packages to include; if it is empty,
    /// all are.
    #[doc(hidden)]
    pub fn test_units(
        &self,
        runners: &[Runner],
        packages: &[String],
    ) -> (Vec<Unit>, Vec<(String, String)>) {
        let (mut units, mut unknown) = (Vec::new(), Vec::new());
        let is_meant = |p: &&Planned| {
            (packages.is_empty() || packages.iter().any(|name| is_named(p, name)))
                && p.targets.is_some()
                && self.built.get(&p.id).is_some_and(|b| !b.host_only)
                && has_tests(p)
        };
        for p in self.plan.packages.iter().filter(is_meant) {
            let ships = match self.shipped(p) {
                Ok(ships) => ships,
                Err(fact) => {
                    unknown.push((p.id.clone(), fact));
                    continue;
                }
            };
            let loads = self.plan.compatible_code(self.registry, p) == CompatibleCode::Loads;
            let best = |gpu| {
                self.registry
                    .loadable(gpu, loads)
                    .into_iter()
                    .map(|(c, _)| c)
                    .find(|c| ships.contains(*c))
            };
            let memory = p.package.asks(|r| r.memory_for_tests);
            for code in ships.iter() {
                let (distro, version) = (&self.plan.distro_name, p.version.to_string());
                let mut unit = Unit::new(distro, &p.id, &version, code, Vec::new());
                for (at, runner) in runners.iter().enumerate() {
                    for gpu in runner.gpus.iter().map(|(_, t)| *t).collect::<BTreeSet<_>>() {
                        if best(gpu) != Some(code) {
                            continue;
                        }
                        let left_out = |(name, set): &(String, TargetSet)| {
                            (*name == p.id || *name == p.name) && set.contains(gpu)
                        };
                        let short = memory.filter(|m| runner.memory.is_some_and(|has| has < *m));
                        let run = TestRun { runner: at, gpu };
                        if runner.skips.iter().any(left_out) {
                            unit.untested.push((at, Untested::Skipped));
                        } else if let Some(memory) = short {
                            unit.untested.push((at, Untested::Memory(memory)));
                        } else if gpu == code {
                            unit.native.push(run);
                        } else {
                            unit.compatible.push(run);
                        }
                    }
                }
                units.push(unit);
            }
        }
        (units, unknown)
    }
}

/// The highest number of test runs of which all combinations are tried.
const MOST: usize = 20;

/// Returns the fewest test runs that test all units that can be tested. The `bool` is true if it is
/// certain that fewer are not enough. A unit is tested on a GPU of exactly its target, if a runner
/// has such a GPU. If more than twenty runs are left to choose from, the run that tests most of the
/// remaining units is taken each time, and the `bool` is false.
pub fn fewest_runs(units: &[Unit]) -> (Vec<TestRun>, bool) {
    let mut open: BTreeSet<BTreeSet<TestRun>> = units
        .iter()
        .map(|u| u.runs().iter().copied().collect())
        .filter(|runs: &BTreeSet<TestRun>| !runs.is_empty())
        .collect();
    let mut chosen: BTreeSet<TestRun> = BTreeSet::new();
    // A run that is the only one for some unit must be chosen.
    let alone: Vec<TestRun> = open
        .iter()
        .filter(|runs| runs.len() == 1)
        .flatten()
        .copied()
        .collect();
    chosen.extend(alone);
    open.retain(|runs| runs.is_disjoint(&chosen));
    let candidates: Vec<TestRun> = open
        .iter()
        .flatten()
        .copied()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let is_exact = candidates.len() <= MOST;
    if is_exact {
        let sets = (0u32..1 << candidates.len()).map(|bits| {
            let picked = candidates
                .iter()
                .enumerate()
                .filter(move |(i, _)| bits & (1 << i) != 0);
            picked.map(|(_, run)| *run).collect::<BTreeSet<TestRun>>()
        });
        let covers = |set: &BTreeSet<TestRun>| open.iter().all(|runs| !runs.is_disjoint(set));
        // Of equally small sets, the first is taken: runners in the order of the list.
        chosen.extend(
            sets.filter(covers)
                .min_by_key(BTreeSet::len)
                .into_iter()
                .flatten(),
        );
    } else {
        while !open.is_empty() {
            let tests = |run: &TestRun| {
                (
                    open.iter().filter(|runs| runs.contains(run)).count(),
                    std::cmp::Reverse(*run),
                )
            };
            let Some(best) = candidates.iter().copied().max_by_key(tests) else {
                break;
            };
            chosen.insert(best);
            open.retain(|runs| !runs.contains(&best));
        }
    }
    (chosen.into_iter().collect(), is_exact)
}
