//! The memory, disk and time that a build needs, and the number of jobs with which it fits a
//! machine.

use crate::builds::builder::Builder;
use rocpkg::internal::model::{Knob, Resources};
use serde::Serialize;
use std::collections::BTreeMap;

/// An amount of memory, disk or time, and the source of the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The number, in mebibytes or in minutes.
    pub value: u64,
    /// The source of the number, as the profiles state it: a log, a page or a measurement.
    pub source: String,
    /// Set if the number is a default for packages of this kind, because nobody measured this
    /// package.
    pub assumed: bool,
    /// Set if the source gives a rule of thumb, or a build time without the machine that it holds
    /// for.
    pub rough: bool,
}

/// The resources that a build for a number of GPU targets needs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Demand {
    /// Memory in mebibytes that the build needs apart from its jobs. None if it is not known. The
    /// memory of all concurrent jobs is added to it.
    pub memory: Option<Amount>,
    /// Memory in mebibytes of each compiler job. None if only the memory of the whole build is
    /// known.
    pub per_job: Option<Amount>,
    /// Memory in mebibytes of each job that links. None if it is not known.
    pub per_link: Option<Amount>,
    /// The highest number of link jobs that upstream's build runs at once. None if it is not known.
    pub links: Option<u64>,
    /// Disk space in mebibytes. None if it is not known.
    pub disk: Option<Amount>,
    /// The build time in minutes. None if it is not known.
    pub minutes: Option<Amount>,
    /// The number of jobs for which `minutes` holds. If None, `minutes` holds for any number of
    /// jobs.
    pub cores: Option<u64>,
    /// The duration of the longest single job in minutes, such as a file that is compiled for all
    /// targets one after another. It is the same for any number of jobs. None if it is not known.
    pub longest_job: Option<Amount>,
    /// Upstream's CMake variables that limit the number of jobs, by name. The value is the kind of
    /// jobs.
    #[doc(hidden)]
    pub knobs: BTreeMap<String, Knob>,
}

/// The measured resources of a package (`seen`), and the defaults for packages of its kind
/// (`assumed`). Of several rows, the first that states a number counts. Of the longest jobs, the
/// longest counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) seen: Vec<Resources>,
    pub(crate) assumed: Vec<Resources>,
}

/// The placement of a build on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The number of compiler jobs that run at once.
    pub jobs: u64,
    /// The number of concurrent jobs that link. None if the memory of a link job is not known.
    pub links: Option<u64>,
    /// Memory in mebibytes that the build takes with `jobs` jobs.
    pub memory: u64,
    /// Disk space in mebibytes that the build takes.
    pub disk: u64,
    /// An estimate of the build time in minutes, with `jobs` jobs.
    pub minutes: u64,
    /// Set if `minutes` is the duration of the longest single job. The build takes at least that
    /// long.
    pub at_least: bool,
    /// Set if this build takes the whole machine, so that no other build runs beside it.
    pub alone: bool,
}

/// The resource that a machine has too little of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MissingResource {
    /// The resource: `memory`, `disk`, or `targets` (GPU targets that the package can be built
    /// for).
    pub what: &'static str,
    /// The amount that the build needs with one job, in mebibytes or as a number of targets.
    pub needs: u64,
    /// The amount that the machine has.
    pub has: u64,
    /// The source of the needed amount.
    pub source: String,
}

impl Rows {
    /// Returns the resources that a build for `targets` GPU targets needs. Memory, disk space and
    /// time of the whole build are scaled from the number of targets at which they were measured.
    /// If `targets` is None, they are not scaled. Of a default for device code, the part that is
    /// the default for a library is host code, which is the same for any number of targets.
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
                rough: r.rough,
            })
        };
        // The part of a default that is host code is that of the row without targets.
        let whole = |of: &dyn Fn(&Resources) -> Option<u64>| {
            let all = |r: &Resources| {
                let value = of(r)?;
                let mut host = self.assumed.iter().filter(|r| r.targets.is_none());
                let host = host.find_map(of).unwrap_or(0).min(value);
                Some(host + scaled(r, value - host))
            };
            amount(&self.seen, false, &|r| of(r).map(|v| scaled(r, v)))
                .or_else(|| amount(&self.assumed, true, &all))
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
        let rows = self.seen.iter().map(|r| (r, false));
        let rows = rows.chain(self.assumed.iter().map(|r| (r, true)));
        let longest = rows.filter_map(|(r, assumed)| {
            let (value, source) = (scaled(r, r.longest_job?), r.source.value.clone());
            Some(Amount {
                value,
                source,
                assumed,
                rough: r.rough,
            })
        });
        let longest = longest.max_by_key(|amount| amount.value);
        let timed = self.seen.iter().find(|r| r.minutes.is_some());
        let timed = timed.or_else(|| self.assumed.iter().find(|r| r.minutes.is_some()));
        Demand {
            memory,
            per_job,
            per_link: seen(&|r| r.memory_per_link),
            links: self.seen.iter().find_map(|r| r.links),
            disk: whole(&|r| r.disk),
            minutes: whole(&|r| r.minutes).map(|minutes| Amount {
                rough: minutes.rough || timed.is_some_and(|r| r.cores.is_none()),
                ..minutes
            }),
            cores: timed.and_then(|r| r.cores),
            longest_job: longest,
            knobs: self
                .seen
                .iter()
                .flat_map(|r| r.knobs.iter().map(|(k, v)| (k.clone(), *v)))
                .collect(),
        }
    }
}

impl Demand {
    /// Returns the placement of the build on a machine. If the machine runs several builds at once,
    /// the build gets a share. The build gets the whole machine if its share is too small, or if
    /// the machine runs one build at a time.
    ///
    /// # Errors
    /// The first resource that the machine has too little of, even for one job.
    pub fn fit(&self, machine: &Builder) -> Result<Placement, MissingResource> {
        let share = self.within(&machine.share(), false);
        if machine.builds < 2 {
            self.within(machine, true)
        } else {
            share.or_else(|_| self.within(machine, true))
        }
    }

    fn within(&self, machine: &Builder, alone: bool) -> Result<Placement, MissingResource> {
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
            Err(MissingResource {
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
        // Jobs that link run after all jobs that compile.
        let memory = self.used_by_jobs(jobs).max(link * links.unwrap_or(0));
        let (minutes, longest) = (value(&self.minutes), value(&self.longest_job));
        let minutes = self
            .cores
            .map_or(minutes, |cores| (minutes * cores).div_ceil(jobs))
            .max(1);
        Ok(Placement {
            jobs,
            links,
            memory,
            disk,
            minutes: minutes.max(longest),
            at_least: longest > minutes,
            alone,
        })
    }

    /// Returns the names of the resources whose numbers are defaults and were not measured:
    /// `memory`, `disk` or `minutes`.
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

    /// Returns the memory in mebibytes of a build with this number of jobs that compile.
    fn used_by_jobs(&self, jobs: u64) -> u64 {
        let value = |amount: &Option<Amount>| amount.as_ref().map_or(0, |a| a.value);
        value(&self.memory) + value(&self.per_job) * jobs
    }

    /// Returns the names of the resources whose numbers are estimates in the placement `on`: those
    /// of [`Demand::assumed`], and those that rest on rules of thumb.
    pub fn estimated(&self, on: &Placement) -> Vec<&'static str> {
        let minutes = if on.at_least {
            &self.longest_job
        } else {
            &self.minutes
        };
        let link = self.per_link.as_ref().map_or(0, |a| a.value);
        let (memory, each) = if link * on.links.unwrap_or(0) > self.used_by_jobs(on.jobs) {
            (&None, &self.per_link)
        } else {
            (&self.memory, &self.per_job)
        };
        let all = [
            ("memory", memory),
            ("memory", each),
            ("disk", &self.disk),
            ("minutes", minutes),
        ];
        let is_estimate = |a: &Amount| a.assumed || a.rough;
        let estimates = all
            .into_iter()
            .filter(|(_, a)| a.as_ref().is_some_and(is_estimate));
        let mut names: Vec<_> = estimates.map(|(what, _)| what).collect();
        names.dedup();
        names
    }

    /// Returns the measured numbers, each with its name, such as `memory of a job`.
    pub fn seen(&self) -> Vec<(&'static str, &Amount)> {
        let all = [
            ("memory", &self.memory),
            ("memory of a job", &self.per_job),
            ("memory of a job that links", &self.per_link),
            ("disk", &self.disk),
            ("minutes", &self.minutes),
            ("minutes of the longest job", &self.longest_job),
        ];
        all.into_iter()
            .filter_map(|(what, a)| Some((what, a.as_ref().filter(|a| !a.assumed)?)))
            .collect()
    }
}
