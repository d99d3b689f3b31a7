//! Which tests run on which runner.

use super::Questions;
use crate::error::{Error, Problems};
use crate::names::is_named;
use crate::stack::Stack;
use rocpkg_model::{Decode, Findings, RunnerEntry, Runners, Sources, parse};
use rocpkg_resolve::Planned;
use rocpkg_targets::{Target, TargetSet};
use std::collections::BTreeSet;

/// A machine that tests run on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Runner {
    /// Its name.
    pub name: String,
    /// The labels by which a CI finds it.
    pub labels: Vec<String>,
    /// Its GPUs, each as its owner calls it.
    pub gpus: Vec<(String, Target)>,
    /// Its memory in mebibytes, where it is known.
    pub memory: Option<u64>,
    /// Who answers for it.
    pub contact: Option<String>,
    /// What is not tested there, and for which of its targets.
    pub skips: Vec<(String, TargetSet)>,
}

/// A run of tests: a runner, by its place among them, and one of its GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestRun {
    /// The runner.
    pub runner: usize,
    /// The GPU.
    pub gpu: Target,
}

/// Why a runner that has the GPU does not test a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untested {
    /// Its list leaves it out.
    Skipped,
    /// The tests take more memory, in mebibytes, than it has.
    Memory(u64),
}

/// Code of a package for a target, which is to be tested.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unit {
    /// The distribution.
    pub distro: String,
    /// The package's id.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The target that the code is for.
    pub code: Target,
    /// The runs that test it on a GPU of that very target.
    pub native: Vec<TestRun>,
    /// The runs that test it on another GPU, which loads it.
    pub compatible: Vec<TestRun>,
    /// Runners that could, and do not.
    pub untested: Vec<(usize, Untested)>,
}

impl Unit {
    /// The runs that count: those on a GPU of the target, where there is any.
    pub fn runs(&self) -> &[TestRun] {
        if self.native.is_empty() {
            &self.compatible
        } else {
            &self.native
        }
    }
}

impl Stack {
    /// Reads a list of runners.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn runners(&self, shown: &str, text: &str) -> Result<Vec<Runner>, Error> {
        let (mut sources, mut findings) = (Sources::default(), Findings::default());
        let file = sources.add(shown, text);
        let read =
            parse(file, text, &mut findings).and_then(|node| Runners::decode(&node, &mut findings));
        let Some(read) = read.filter(|_| !findings.has_errors()) else {
            return Err(Error::Findings(Box::new(Problems { findings, sources })));
        };
        let mut wrong = Vec::new();
        let runners = read
            .runners
            .iter()
            .map(|(name, entry)| self.runner(name, entry, &sources, &mut wrong));
        let runners = runners.collect();
        if wrong.is_empty() {
            Ok(runners)
        } else {
            Err(Error::Asked(wrong.join("\n")))
        }
    }

    fn runner(
        &self,
        name: &str,
        entry: &RunnerEntry,
        sources: &Sources,
        wrong: &mut Vec<String>,
    ) -> Runner {
        let mut gpus: Vec<(String, Target)> = Vec::new();
        for gpu in &entry.gpus.0 {
            match self.targets(&gpu.value) {
                Ok(set) => gpus.extend(set.iter().map(|t| (gpu.value.clone(), t))),
                Err(e) => wrong.push(format!("{}: {e}", sources.place(gpu.span))),
            }
        }
        let mut skips = Vec::new();
        for (package, targets) in &entry.skips {
            let mut set = TargetSet::EMPTY;
            for target in &targets.0 {
                match self.targets(&target.value) {
                    Ok(found) => set = set.union(found),
                    Err(e) => wrong.push(format!("{}: {e}", sources.place(target.span))),
                }
            }
            let all = || gpus.iter().map(|(_, t)| *t).collect();
            skips.push((
                package.clone(),
                if targets.0.is_empty() { all() } else { set },
            ));
        }
        let labels: Vec<String> = entry.labels.iter().map(|l| l.value.clone()).collect();
        let labels = if labels.is_empty() {
            vec![name.to_owned()]
        } else {
            labels
        };
        let contact = entry.contact.as_ref().map(|c| c.value.clone());
        Runner {
            name: name.to_owned(),
            labels,
            gpus,
            memory: entry.memory,
            contact,
            skips,
        }
    }
}

/// Whether upstream has tests for a package.
fn has_tests(p: &Planned) -> bool {
    let package = &p.package;
    package.tests.is_some() || package.programs.contains_key("test") || p.test_feature().is_some()
}

impl Questions<'_> {
    /// The code of each package with device code and tests, for each target that it ships, with
    /// what tests it; and the packages of which it is not known, with the fact that is missing. Of
    /// some packages alone where any are named, by their ids or names.
    pub fn test_units(
        &self,
        runners: &[Runner],
        packages: &[String],
    ) -> (Vec<Unit>, Vec<(String, String)>) {
        let (mut units, mut unknown) = (Vec::new(), Vec::new());
        let carried = self.plan.carried();
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
            let patched = self.plan.serves_compatible(self.registry, &carried, p);
            let best = |gpu| {
                self.registry
                    .loadable(gpu, patched)
                    .into_iter()
                    .map(|(c, _)| c)
                    .find(|c| ships.contains(*c))
            };
            let memory = p.package.asks(|r| r.memory_for_tests);
            for code in ships.iter() {
                let mut unit = Unit {
                    distro: self.plan.distro_name.clone(),
                    package: p.id.clone(),
                    version: p.version.to_string(),
                    code,
                    native: Vec::new(),
                    compatible: Vec::new(),
                    untested: Vec::new(),
                };
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

/// So many runs are tried in all their combinations.
const MOST: usize = 20;

/// The fewest runs that test all that can be tested, each on a GPU of the very target where there
/// is one; and whether no fewer would do. Of more than twenty that are in question, the one that
/// tests most of what is left is taken each time.
pub fn fewest_runs(units: &[Unit]) -> (Vec<TestRun>, bool) {
    let mut open: BTreeSet<BTreeSet<TestRun>> = units
        .iter()
        .map(|u| u.runs().iter().copied().collect())
        .filter(|runs: &BTreeSet<TestRun>| !runs.is_empty())
        .collect();
    let mut chosen: BTreeSet<TestRun> = BTreeSet::new();
    // What one run alone tests.
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
        // Of equally small ones the first: runners as they are listed.
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
