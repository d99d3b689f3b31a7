//! How long builds take on several machines, by list scheduling: an estimate.

use crate::builds::builder::Builder;
use crate::builds::{Builds, Job};
use std::collections::BTreeMap;

/// How a set of builds goes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Estimate {
    /// The builds that wait for each other the longest, first to last, each on the fastest machine.
    pub critical: Vec<String>,
    /// Their minutes.
    pub critical_minutes: u64,
    /// The minutes of all builds one after the other.
    pub total_minutes: u64,
    /// The most memory that one build takes, in mebibytes, and which.
    pub peak: Option<(u64, String)>,
    /// The minutes with so many of each machine.
    pub machines: Vec<(usize, u64)>,
}

impl Builds {
    /// How long it takes with 1, 4 and 16 of each machine. What fits no machine is left out, and so is what needs it.
    pub fn estimate(&self) -> Estimate {
        let ready: Vec<&Job> = self.possible();
        let cost: BTreeMap<&str, u64> = ready.iter().map(|j| (j.name.as_str(), minutes(j))).collect();
        // Jobs stand in order, so what needs one stands behind it, and tells it how long its own way is.
        let mut longest: BTreeMap<&str, (u64, Option<&str>)> = BTreeMap::new();
        let mut tail: BTreeMap<&str, (u64, Option<&str>)> = BTreeMap::new();
        for job in ready.iter().rev() {
            let (after, next) = longest.remove(job.name.as_str()).unwrap_or((0, None));
            let minutes = after + cost[job.name.as_str()];
            tail.insert(&job.name, (minutes, next));
            for need in &job.needs {
                let longest = longest.entry(need).or_default();
                *longest = (*longest).max((minutes, Some(&job.name)));
            }
        }
        let first = tail.iter().max_by_key(|(name, (t, _))| (*t, std::cmp::Reverse(**name)));
        let mut critical = Vec::new();
        let mut at = first.map(|(name, _)| *name);
        while let Some(name) = at {
            critical.push(name.to_owned());
            at = tail.get(name).and_then(|(_, next)| *next);
        }
        let peak = ready.iter().filter_map(|j| Some((j.best()?.1.memory, j.name.clone()))).max();
        let ranks: BTreeMap<&str, u64> = tail.iter().map(|(name, (t, _))| (*name, *t)).collect();
        let machines = [1, 4, 16].map(|n| (n, makespan(&ready, &self.machines, n, &ranks)));
        Estimate {
            critical,
            critical_minutes: first.map_or(0, |(_, (t, _))| *t),
            total_minutes: cost.values().sum(),
            peak,
            machines: machines.into(),
        }
    }
}

/// On the fastest machine.
fn minutes(job: &Job) -> u64 {
    job.fits.iter().flatten().map(|f| f.minutes).min().unwrap_or(0)
}

/// Each free machine takes the ready build that the longest way follows.
fn makespan(jobs: &[&Job], machines: &[Builder], each: usize, ranks: &BTreeMap<&str, u64>) -> u64 {
    // The kind of each machine, and the times at which its places become free.
    let mut places: Vec<(usize, Vec<u64>)> = Vec::new();
    for (kind, machine) in machines.iter().enumerate() {
        let slots = vec![0; usize::try_from(machine.builds).unwrap_or(1)];
        places.extend(std::iter::repeat_n((kind, slots), each));
    }
    let mut ended: BTreeMap<&str, u64> = BTreeMap::new();
    let mut left: Vec<&Job> = jobs.to_vec();
    left.sort_by_key(|j| std::cmp::Reverse(ranks[j.name.as_str()]));
    while !left.is_empty() {
        // Of those whose needs are met, the one that can begin first; of several, the one with the longest way.
        let mut next: Option<(u64, usize, usize)> = None;
        for (at, job) in left.iter().enumerate() {
            let needs = || job.needs.iter().map(|n| ended.get(n.as_str()).copied());
            let Some(ready) = needs().try_fold(0, |latest, t| Some(t?.max(latest))) else { continue };
            // On the machine where it ends first: a slow one that is free may take longer than waiting for another.
            let runs = places.iter().enumerate().filter_map(|(place, (kind, slots))| {
                let fit = job.fits.get(*kind)?.as_ref().ok()?;
                let free = if fit.alone { slots.iter().max() } else { slots.iter().min() };
                let start = ready.max(free.copied().unwrap_or(0));
                Some((start + fit.minutes, start, place))
            });
            if let Some((_, start, place)) = runs.min()
                && next.is_none_or(|(first, ..)| start < first)
            {
                next = Some((start, at, place));
            }
        }
        let Some((start, at, place)) = next else { break };
        let job = left.remove(at);
        let (kind, slots) = &mut places[place];
        let Some(Ok(fit)) = job.fits.get(*kind) else { break };
        let end = start + fit.minutes;
        if fit.alone {
            slots.fill(end);
        } else if let Some(slot) = slots.iter_mut().min() {
            *slot = end;
        }
        ended.insert(&job.name, end);
    }
    ended.values().copied().max().unwrap_or(0)
}
