//! The list of a project's test runners, and the demands on its backends and benchmarks:
//! `runners.yaml`. `tests_on.rs` chooses the runners of each test.

use rocpkg::internal::model::{
    Decode, Findings, LevelEntry, LimitEntry, OneOrMany, RunnerEntry, Runners, Sources, Spanned,
    TestedBackend, parse,
};
use rocpkg::internal::targets::{Target, TargetSet};
use rocpkg::{Backend, Error, Problems, Stack};
use std::collections::BTreeSet;

/// The content of `runners.yaml`.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Lab {
    /// The machines.
    pub runners: Vec<Runner>,
    /// The project's backends.
    pub backends: Vec<LabBackend>,
    /// The limits of benchmark results.
    pub limits: Vec<Limit>,
}

/// A machine that tests run on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Runner {
    /// The runner's name.
    pub name: String,
    /// The labels by which a CI service selects the runner. By default its name.
    pub labels: Vec<String>,
    /// The runner's GPUs: the name as it is in the list of runners, and the target. A name that
    /// stands for several targets is repeated.
    pub gpus: Vec<(String, Target)>,
    /// The runner's memory in mebibytes, if it is known.
    pub memory: Option<u64>,
    /// The operating system, if it is stated.
    pub os: Option<String>,
    /// The version of the kernel, if it is stated.
    pub kernel: Option<String>,
    /// The GPU driver with its version, if it is stated.
    pub driver: Option<String>,
    /// The person or team responsible for the runner.
    pub contact: Option<String>,
    /// The packages that are not tested on the runner, each with the targets that it is not tested
    /// for.
    pub skips: Vec<(String, TargetSet)>,
}

/// A level of maturity with its demands on a backend.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Level {
    /// The level's name.
    pub name: String,
    /// The number of runners that must test each GPU target.
    pub runners: usize,
    /// Set if the newest test of each GPU target must have passed.
    pub results: bool,
    /// Set if the newest test must have passed at the version in the plan.
    pub current: bool,
    /// The number of people who must be committed, by role.
    pub people: Vec<(String, usize)>,
    /// Set if backends of this level are listed apart, as experimental.
    pub experimental: bool,
}

/// A backend of a project, with what the project states about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LabBackend {
    /// The backend's name.
    pub name: String,
    /// The package, by any of its names.
    pub package: String,
    /// The level of maturity.
    pub level: Level,
    /// A higher level that the backend is on its way to.
    pub next: Option<Level>,
    /// The distributions in which the demands hold. Empty for all that have the package.
    pub distributions: Vec<Backend>,
    /// The GPU targets for which the demands hold. Empty for all that the package has code for.
    pub targets: TargetSet,
    /// The people who are committed, by role.
    pub people: Vec<(String, BTreeSet<String>)>,
    /// The person or team responsible for the backend.
    pub contact: Option<String>,
}

/// A limit of a benchmark's results.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limit {
    /// The name of the metric.
    pub metric: String,
    /// The largest loss against the result before, in percent.
    pub worse_by: Option<f64>,
    /// The worst value that is allowed, in the unit of the results.
    pub worst: Option<f64>,
    /// The packages whose results are limited, by any of their names. Empty for all.
    pub packages: Vec<String>,
}

/// See [`Answers::lab`](crate::Answers::lab).
pub(crate) fn lab(stack: &Stack, shown: &str, text: &str) -> Result<Lab, Error> {
    let (mut sources, mut findings) = (Sources::default(), Findings::default());
    let file = sources.add(shown, text);
    let read =
        parse(file, text, &mut findings).and_then(|node| Runners::decode(&node, &mut findings));
    let Some(read) = read.filter(|_| !findings.has_errors()) else {
        return Err(Error::Findings(Box::new(Problems { findings, sources })));
    };
    let mut reader = Reader {
        stack,
        sources,
        wrong: Vec::new(),
    };
    let runners = read.runners.iter();
    let runners = runners.map(|(name, entry)| reader.runner(name, entry));
    let mut lab = Lab {
        runners: runners.collect(),
        ..Lab::default()
    };
    for (name, entry) in &read.backends {
        lab.backends.extend(reader.backend(name, entry, &read));
    }
    for (metric, entry) in &read.limits {
        lab.limits.push(reader.limit(metric, entry));
    }
    if reader.wrong.is_empty() {
        Ok(lab)
    } else {
        Err(Error::Runners(reader.wrong))
    }
}

/// The reader of one file. It collects the faults.
struct Reader<'s> {
    stack: &'s Stack,
    sources: Sources,
    wrong: Vec<String>,
}

impl Reader<'_> {
    fn fault<T>(&mut self, at: &Spanned<T>, fault: impl std::fmt::Display) {
        let place = self.sources.place(at.span);
        self.wrong.push(format!("{place}: {fault}"));
    }

    /// Returns the targets of each name in a list.
    fn targets(&mut self, names: &OneOrMany<Spanned<String>>) -> Vec<(String, TargetSet)> {
        let mut out = Vec::new();
        for name in &names.0 {
            match self.stack.targets(&name.value) {
                Ok(set) => out.push((name.value.clone(), set)),
                Err(e) => self.fault(name, e),
            }
        }
        out
    }

    fn runner(&mut self, name: &str, entry: &RunnerEntry) -> Runner {
        let gpus = self.targets(&entry.gpus).into_iter();
        let gpus = gpus.flat_map(|(name, set)| {
            set.iter()
                .map(move |t| (name.clone(), t))
                .collect::<Vec<_>>()
        });
        let gpus: Vec<(String, Target)> = gpus.collect();
        let mut skips = Vec::new();
        for (package, targets) in &entry.skips {
            let set = union(&self.targets(targets));
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
            os: entry.os.clone(),
            kernel: entry.kernel.clone(),
            driver: entry.driver.clone(),
            contact,
            skips,
        }
    }

    fn level(&mut self, name: &Spanned<String>, file: &Runners) -> Option<Level> {
        let Some(entry) = file.maturity.get(&name.value) else {
            let known: Vec<&str> = file.maturity.keys().map(String::as_str).collect();
            let expected = match known.as_slice() {
                [] => "`maturity` has no level".to_owned(),
                known => format!("expected one of: {}", known.join(", ")),
            };
            self.fault(
                name,
                format!(
                    "no level of maturity is called `{}`; {expected}",
                    name.value
                ),
            );
            return None;
        };
        Some(level(&name.value, entry))
    }

    fn backend(&mut self, name: &str, entry: &TestedBackend, file: &Runners) -> Option<LabBackend> {
        let level = self.level(&entry.maturity, file);
        let next = entry.next.as_ref().map(|next| self.level(next, file));
        let mut distributions = Vec::new();
        for distribution in &entry.distributions.0 {
            let word = distribution.value.as_str();
            let found = Backend::ALL
                .into_iter()
                .find(|b| [b.distro(), b.folder()].contains(&word));
            if found.is_none() {
                self.fault(distribution, format!("unknown distribution `{word}`"));
            }
            distributions.extend(found);
        }
        let people = entry.people.iter().map(|(role, names)| {
            let names = names.0.iter().map(|name| name.value.clone());
            (role.clone(), names.collect())
        });
        Some(LabBackend {
            name: name.to_owned(),
            package: entry.package.value.clone(),
            targets: union(&self.targets(&entry.targets)),
            people: people.collect(),
            contact: entry.contact.as_ref().map(|c| c.value.clone()),
            level: level?,
            next: next.flatten(),
            distributions,
        })
    }

    fn limit(&mut self, metric: &str, entry: &LimitEntry) -> Limit {
        let worst = entry.worst.as_ref().and_then(|worst| {
            let number = worst.value.parse().ok().filter(|n: &f64| n.is_finite());
            if number.is_none() {
                self.fault(worst, format!("`{}` is not a number", worst.value));
            }
            number
        });
        if entry.worst.is_none() && entry.worse_by.is_none() {
            let fault = format!("the limit of `{metric}` has neither `worst` nor `worse-by`");
            self.wrong.push(fault);
        }
        Limit {
            metric: metric.to_owned(),
            // A limit of a percentage is a small number, which is exact as `f64`.
            worse_by: entry
                .worse_by
                .map(|n| u32::try_from(n).unwrap_or(u32::MAX).into()),
            worst,
            packages: entry.packages.0.iter().map(|p| p.value.clone()).collect(),
        }
    }
}

fn union(sets: &[(String, TargetSet)]) -> TargetSet {
    let mut all = TargetSet::EMPTY;
    for (_, set) in sets {
        all = all.union(set);
    }
    all
}

fn level(name: &str, entry: &LevelEntry) -> Level {
    let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let people = entry.people.iter();
    Level {
        name: name.to_owned(),
        runners: number(entry.runners),
        results: entry.results,
        current: entry.current,
        people: people.map(|(role, n)| (role.clone(), number(*n))).collect(),
        experimental: entry.experimental,
    }
}
