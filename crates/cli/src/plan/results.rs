//! The records of test results and benchmarks: their JSON files, and the results of each metric
//! over time.

use crate::error::Error;
use crate::gpu::reported;
use rocpkg::internal::model::Day;
use rocpkg::internal::targets::Registry;
use rocpkg::{Backend, Stack};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

pub(super) fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|e| Error::file(path, e))
}

/// The result of a package's tests on a device, or the result of `rocpkg audit` that the package
/// was built for a target.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(crate) struct Record {
    /// The package, by any of its names. [`read_results`] replaces the name by the package's id.
    pub(crate) package: String,
    pub(crate) release: String,
    pub(crate) distribution: String,
    pub(crate) target: String,
    /// The name of the GPU, as its owner knows it; empty if the package was only built.
    #[serde(default)]
    pub(crate) device: String,
    pub(crate) outcome: Came,
    pub(crate) log: String,
    /// The day of the test, as `2026-11-23`; empty if the package was only built.
    #[serde(default)]
    pub(crate) date: String,
    /// The results of benchmarks in the same run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) metrics: Vec<Metric>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(crate) struct Metric {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: String,
    pub(crate) better: Better,
}

/// The direction in which a metric improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Better {
    Higher,
    Lower,
}

impl Better {
    /// Returns the amount by which `value` is worse than `than`. Negative if it is better.
    pub(crate) fn loss(self, value: f64, than: f64) -> f64 {
        match self {
            Self::Higher => than - value,
            Self::Lower => value - than,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Came {
    Passed,
    Failed,
    /// The package contains code for the target, by `rocpkg audit`. Nobody ran the code.
    Built,
}

/// The output of `rocpkg audit --format json`. Only its results are read.
#[derive(Deserialize)]
struct Audited {
    results: Vec<Record>,
}

/// Returns true if `id` is the id of a component, or of a package in some distribution.
pub(super) fn is_package(stack: &Stack, id: &str) -> bool {
    let model = stack.model();
    model.components.contains_key(id) || model.distros.values().any(|d| d.packages.contains_key(id))
}

/// Returns the id of a package from any name that a distribution or upstream uses.
pub(super) fn meant(stack: &Stack, name: &str) -> Option<String> {
    if is_package(stack, name) {
        return Some(name.to_owned());
    }
    let found = stack.model().spellings.meant(name);
    found.map(|(id, _)| id.to_owned())
}

/// Reads the test results in the JSON files of a folder. The newest come first.
pub(crate) fn read_results(stack: &Stack, folder: &Path) -> Result<Vec<Record>, Error> {
    let registry = stack.registry()?;
    let wrong = |path: &Path, e: &dyn std::fmt::Display| Error::file(path, e);
    let entries = fs::read_dir(folder).map_err(|e| wrong(folder, &e))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|e| wrong(folder, &e))?.path());
    }
    paths.retain(|p| p.extension().is_some_and(|e| e == "json"));
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let text = read(&path)?;
        let mut records: Vec<Record> = if text.trim_start().starts_with('[') {
            serde_json::from_str(&text).map_err(|e| wrong(&path, &e))?
        } else if let Ok(audited) = serde_json::from_str::<Audited>(&text) {
            audited.results
        } else {
            vec![serde_json::from_str(&text).map_err(|e| wrong(&path, &e))?]
        };
        for record in &mut records {
            if let Some(id) = meant(stack, &record.package) {
                record.package = id;
            }
        }
        if let Some(fault) = records
            .iter()
            .find_map(|record| fault(stack, registry, record))
        {
            return Err(wrong(&path, &fault));
        }
        out.extend(records);
    }
    out.sort_by(|a, b| b.date.cmp(&a.date));
    if let Some(fault) = other_unit(&out) {
        return Err(wrong(folder, &fault));
    }
    Ok(out)
}

/// Returns the fault of a metric that has two units or directions in the results of one package,
/// so that its values can't be compared.
fn other_unit(records: &[Record]) -> Option<String> {
    let mut seen = BTreeMap::new();
    for record in records {
        for metric in &record.metrics {
            let kind = (metric.unit.as_str(), metric.better.word());
            let first = *seen.entry((&record.package, &metric.name)).or_insert(kind);
            if first != kind {
                let said = |(unit, better)| format!("`{unit}`, {better} is better");
                return Some(format!(
                    "the metric `{}` of {} is in {}, and in {}",
                    metric.name,
                    record.package,
                    said(first),
                    said(kind)
                ));
            }
        }
    }
    None
}

/// Returns the fault of a record as text, or `None` if the record is valid.
fn fault(stack: &Stack, registry: &Registry, record: &Record) -> Option<String> {
    let Record {
        package,
        target,
        distribution,
        date,
        device,
        ..
    } = record;
    if !is_package(stack, package) {
        return Some(format!("no package is called `{package}`"));
    }
    let Some(gpu) = registry.get(target) else {
        return Some(format!("unknown GPU target `{target}`"));
    };
    if !Backend::ALL.iter().any(|b| b.distro() == distribution) {
        return Some(format!("unknown distribution `{distribution}`"));
    }
    if record.outcome == Came::Built {
        return None;
    }
    if device.is_empty() {
        return Some("`device` is missing: expected the name of the GPU".to_owned());
    }
    // A device that is not in the model is accepted with the target that its owner states.
    if let Ok(found) = stack.gpu(device) {
        let all = found.targets().union(reported(stack, &found.targets()));
        if !all.contains(gpu) {
            return Some(format!(
                "`{target}` is not the target of `{device}`: expected {}",
                registry.show(all)
            ));
        }
    }
    if Day::read(date).is_none() {
        return Some(format!(
            "`{date}` is not a date: expected a day such as 2026-11-23"
        ));
    }
    let mut names = BTreeSet::new();
    let twice = record.metrics.iter().find(|m| !names.insert(&m.name));
    twice.map(|m| format!("the metric `{}` is there twice", m.name))
}

/// Returns the results of a package on a GPU target in the distribution `distro`. The newest come
/// first.
pub(crate) fn came_of<'r>(
    records: &'r [Record],
    distro: &str,
    package: &str,
    target: &str,
) -> Vec<&'r Record> {
    let of = |r: &&Record| r.distribution == distro && r.package == package && r.target == target;
    records.iter().filter(of).collect()
}

/// The results of one metric of a package on a device over time.
pub(crate) struct Series<'r> {
    /// The newest of the records. It states the package, the distribution, the target and the
    /// device.
    pub(crate) newest: &'r Record,
    pub(crate) metric: &'r Metric,
    /// The records with the metric's values, the oldest first. Records of a day are in the order of
    /// their files.
    pub(crate) points: Vec<(&'r Record, f64)>,
}

impl<'r> Series<'r> {
    fn of(mut found: Vec<(&'r Record, &'r Metric)>) -> Option<Self> {
        found.sort_by(|(a, _), (b, _)| a.date.cmp(&b.date));
        let (newest, metric) = *found.last()?;
        Some(Self {
            newest,
            metric,
            points: found.into_iter().map(|(r, m)| (r, m.value)).collect(),
        })
    }
}

/// Returns the results of each metric. A failed run has no valid results.
pub(crate) fn series(records: &[Record]) -> Vec<Series<'_>> {
    let mut by: BTreeMap<_, Vec<(&Record, &Metric)>> = BTreeMap::new();
    for record in records.iter().filter(|r| r.outcome == Came::Passed) {
        let on = (&record.distribution, &record.target, &record.device);
        for metric in &record.metrics {
            let key = (&record.package, &metric.name, on);
            by.entry(key).or_default().push((record, metric));
        }
    }
    by.into_values().filter_map(Series::of).collect()
}
