//! Texts about a plan of builds that all output formats contain.

use crate::list::releases;
use rocpkg_answers::plans::{BuildPlan, Job, MissingResource};
use std::collections::BTreeMap;

/// Returns a size in mebibytes as text with a unit: `64 GB`, `700 MB`.
pub(crate) fn size(mebibytes: u64) -> String {
    if mebibytes >= 10 << 10 {
        format!("{} GB", mebibytes.div_ceil(1 << 10))
    } else {
        format!("{mebibytes} MB")
    }
}

/// Returns a duration in minutes as text with units: `3 h 20 min`.
pub(super) fn time(minutes: u64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, m) => format!("{m} min"),
        (h, m) => format!("{h} h {m:02} min"),
    }
}

/// Returns the title of a plan: the distribution, the release, the number of builds and the
/// targets.
pub(super) fn title(builds: &BuildPlan) -> String {
    let narrowed = &builds.plan.narrowed;
    let narrowed = if narrowed.is_empty() {
        String::new()
    } else {
        format!(" for {}", narrowed.join(" "))
    };
    let notes: String = builds
        .notes
        .iter()
        .map(|note| format!(" ({note})"))
        .collect();
    format!(
        "{} {}: {} builds{narrowed}{notes}",
        builds.plan.distro_name,
        releases(&builds.plan),
        builds.jobs.len()
    )
}

/// Returns the line about the packages that are built without kernels for the chosen targets. The
/// line is empty if there are none.
pub(super) fn bare(builds: &BuildPlan) -> String {
    let names: Vec<&str> = builds
        .jobs
        .iter()
        .filter(|j| j.bare)
        .map(|j| j.name.as_str())
        .collect();
    let targets = builds.plan.narrowed.join(" ");
    if names.is_empty() {
        return String::new();
    }
    format!(
        "built anyway, without kernels for {targets}: {}\n",
        names.join(" ")
    )
}

/// Returns a line for each machine on which memory allows fewer jobs than the machine has
/// processors, with the builds by their number of jobs. `64g: memory limits the jobs, of 32
/// processors: 16: miopen rccl`.
pub(super) fn short_of_memory(builds: &BuildPlan) -> String {
    let mut limited: BTreeMap<usize, BTreeMap<u64, Vec<&str>>> = BTreeMap::new();
    for job in builds.possible() {
        let Some((at, fit)) = job.best() else {
            continue;
        };
        let machine = &builds.machines[at];
        let cpus = if fit.alone {
            machine.cpus
        } else {
            machine.share().cpus
        };
        if fit.jobs < cpus {
            let by = limited.entry(at).or_default();
            by.entry(fit.jobs).or_default().push(&job.name);
        }
    }
    let line = |(at, by): (usize, BTreeMap<u64, Vec<&str>>)| {
        let machine = &builds.machines[at];
        let by = by
            .into_iter()
            .map(|(jobs, names)| format!("{jobs}: {}", names.join(" ")));
        let by = by.collect::<Vec<_>>().join("; ");
        format!(
            "{}: memory limits the jobs, of {} processors: {by}\n",
            machine.name, machine.cpus
        )
    };
    limited.into_iter().map(line).collect()
}

/// Returns a line for each package that can't be built for the requested GPUs, for each build that
/// no machine has room for, with what would help, and for each build that needs one of these
/// builds.
pub(super) fn left_out(builds: &BuildPlan) -> Vec<String> {
    let possible: Vec<&str> = builds.possible().iter().map(|j| j.name.as_str()).collect();
    let unfit = builds.left_out.iter();
    let mut out: Vec<String> = unfit.map(|(id, why)| format!("{id}: {why}")).collect();
    for job in &builds.jobs {
        if job.best().is_none() {
            let largest = job.fits.iter().rev().find_map(|f| f.as_ref().err());
            let help = if job.help.is_empty() {
                String::new()
            } else {
                format!("; possible remedies: {}", job.help.join(", or "))
            };
            out.extend(largest.map(|lack| format!("{}: {}{help}", job.name, lacks(job, lack))));
        } else if !possible.contains(&job.name.as_str()) {
            let missing: Vec<&str> = job
                .needs
                .iter()
                .map(String::as_str)
                .filter(|n| !possible.contains(n))
                .collect();
            out.push(format!("{}: it needs {}", job.name, missing.join(", ")));
        }
    }
    out
}

fn lacks(job: &Job, lack: &MissingResource) -> String {
    if lack.what == "targets" {
        return format!("not built: {}", lack.source);
    }
    let targets = job
        .targets
        .map(|n| format!(" for {n} targets"))
        .unwrap_or_default();
    let (what, needs, has) = (lack.what, size(lack.needs), size(lack.has));
    format!(
        "it needs {needs} of {what}{targets} ({}), but the largest machine has {has}",
        lack.source
    )
}
