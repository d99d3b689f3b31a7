//! What a build needs of a machine, and how much of it a machine can do at once.

use crate::builds::builder::Builder;
use rocpkg_model::{Knob, Resources};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::BTreeMap;

/// A number with where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Mebibytes, or minutes.
    pub value: u64,
    /// Where that was seen.
    pub source: String,
    /// Nobody saw it of this package: it is what is taken for such packages.
    pub assumed: bool,
}

/// What a build for a number of GPU targets needs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Demand {
    /// Memory of the build as a whole; what jobs take comes on top.
    pub memory: Option<Amount>,
    /// Memory of each job; none where the whole is all that is known.
    pub per_job: Option<Amount>,
    /// Memory of each job that links.
    pub per_link: Option<Amount>,
    /// The most jobs that upstream links with.
    pub links: Option<u64>,
    /// Disk.
    pub disk: Option<Amount>,
    /// How long it takes.
    pub minutes: Option<Amount>,
    /// With so many jobs; with however many where absent.
    pub cores: Option<u64>,
    /// Upstream's variables that limit jobs.
    pub knobs: BTreeMap<String, Knob>,
}

/// What is known of the needs of a package, and what is taken where nothing is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) seen: Vec<Resources>,
    pub(crate) assumed: Vec<Resources>,
}

/// How a build runs on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Jobs at once.
    pub jobs: u64,
    /// Jobs that link at once, where that was seen.
    pub links: Option<u64>,
    /// Memory in mebibytes, with so many jobs.
    pub memory: u64,
    /// Disk in mebibytes.
    pub disk: u64,
    /// Minutes, with so many jobs: an estimate.
    pub minutes: u64,
    /// It leaves no room for another build beside it.
    pub alone: bool,
}

/// What a machine has too little of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Lack {
    /// `memory`, `disk`, or `targets` that it can be built for.
    pub what: &'static str,
    /// How much the build needs, with one job.
    pub needs: u64,
    /// How much there is.
    pub has: u64,
    /// Where the need stands.
    pub source: String,
}

impl Rows {
    /// What is needed for so many GPU targets; for those for which it was seen where the number is
    /// not known.
    pub(crate) fn demand(&self, targets: Option<u64>) -> Demand {
        let scaled = |r: &Resources, value: u64| match (r.targets.filter(|n| *n > 0), targets) {
            (Some(of), Some(n)) => (value * n.max(1)).div_ceil(of),
            _ => value,
        };
        let amount = |rows: &[Resources], assumed: bool, of: &dyn Fn(&Resources) -> Option<u64>| {
            let found = rows.iter().find_map(|r| Some((r, of(r)?)));
            found.map(|(r, value)| Amount {
                value,
                source: r.source.value.clone(),
                assumed,
            })
        };
        let seen = |of: &dyn Fn(&Resources) -> Option<u64>| amount(&self.seen, false, of);
        let any = |of: &dyn Fn(&Resources) -> Option<u64>| {
            seen(of).or_else(|| amount(&self.assumed, true, of))
        };
        let more = seen(&|r| Some(r.memory_per_target? * targets.unwrap_or(1).max(1)));
        let memory = seen(&|r| r.memory.map(|m| scaled(r, m)));
        let stated = seen(&|r| r.memory_per_job);
        let per_job = match (stated, more) {
            (Some(each), Some(more)) => Some(Amount {
                value: each.value + more.value,
                ..each
            }),
            (None, None) if memory.is_none() => any(&|r| r.memory_per_job),
            (stated, more) => stated.or(more),
        };
        let timed = self.seen.iter().find(|r| r.minutes.is_some());
        let timed = timed.or_else(|| self.assumed.iter().find(|r| r.minutes.is_some()));
        Demand {
            memory,
            per_job,
            per_link: seen(&|r| r.memory_per_link),
            links: self.seen.iter().find_map(|r| r.links),
            disk: any(&|r| r.disk.map(|d| scaled(r, d))),
            minutes: any(&|r| r.minutes.map(|m| scaled(r, m))),
            cores: timed.and_then(|r| r.cores),
            knobs: self
                .seen
                .iter()
                .flat_map(|r| r.knobs.iter().map(|(k, v)| (k.clone(), *v)))
                .collect(),
        }
    }
}

impl Demand {
    /// How it runs on a machine: in its share where several builds run at once, else with the
    /// machine for itself.
    ///
    /// # Errors
    /// What the machine has too little of.
    pub fn fit(&self, machine: &Builder) -> Result<Fit, Lack> {
        let share = self.within(&machine.share(), false);
        if machine.builds < 2 {
            self.within(machine, true)
        } else {
            share.or_else(|_| self.within(machine, true))
        }
    }

    fn within(&self, machine: &Builder, alone: bool) -> Result<Fit, Lack> {
        let value = |amount: &Option<Amount>| amount.as_ref().map_or(0, |a| a.value);
        let (whole, each, link) = (
            value(&self.memory),
            value(&self.per_job),
            value(&self.per_link),
        );
        let lack = |what, needs, has, of: [&Option<Amount>; 2]| {
            let source = of
                .into_iter()
                .flatten()
                .map(|a| a.source.clone())
                .next()
                .unwrap_or_default();
            Err(Lack {
                what,
                needs,
                has,
                source,
            })
        };
        let least = (whole + each).max(link);
        if least > machine.memory {
            let of = if link == least {
                [&self.per_link, &None]
            } else {
                [&self.memory, &self.per_job]
            };
            return lack("memory", least, machine.memory, of);
        }
        let disk = value(&self.disk);
        if disk > machine.disk {
            return lack("disk", disk, machine.disk, [&self.disk, &None]);
        }
        let most = |free: u64, each: u64| {
            free.checked_div(each)
                .unwrap_or(u64::MAX)
                .min(machine.cpus)
                .max(1)
        };
        let jobs = most(machine.memory - whole, each);
        let links = (link > 0).then(|| {
            most(machine.memory, link)
                .min(jobs)
                .min(self.links.unwrap_or(u64::MAX))
        });
        // What links runs when nothing compiles any more.
        let memory = (whole + each * jobs).max(link * links.unwrap_or(0));
        let minutes = value(&self.minutes);
        let minutes = self
            .cores
            .map_or(minutes, |cores| (minutes * cores).div_ceil(jobs))
            .max(1);
        Ok(Fit {
            jobs,
            links,
            memory,
            disk,
            minutes,
            alone,
        })
    }

    /// All numbers that nobody saw of the package itself, in words.
    pub fn assumed(&self) -> Vec<&'static str> {
        let all = [
            ("memory", &self.memory),
            ("memory", &self.per_job),
            ("disk", &self.disk),
            ("minutes", &self.minutes),
        ];
        all.into_iter()
            .filter(|(_, a)| a.as_ref().is_some_and(|a| a.assumed))
            .map(|(what, _)| what)
            .collect()
    }

    /// The numbers that somebody saw, each with what it is.
    pub fn seen(&self) -> Vec<(&'static str, &Amount)> {
        let all = [
            ("memory", &self.memory),
            ("memory of a job", &self.per_job),
            ("memory of a job that links", &self.per_link),
            ("disk", &self.disk),
            ("minutes", &self.minutes),
        ];
        all.into_iter()
            .filter_map(|(what, a)| Some((what, a.as_ref().filter(|a| !a.assumed)?)))
            .collect()
    }
}
