//! The demands of `runners.yaml` on a project's backends and benchmarks, compared with the plan of
//! tests and the results: `rocpkg plan test --gate` and the page `health.html` of the report.

use super::results::{Came, Record, Series, series};
use super::tests::Tests;
use rocpkg::internal::targets::Target;
use rocpkg_answers::plans::{LabBackend, Level, Limit, Unit};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Standing<'t> {
    pub(crate) backend: &'t LabBackend,
    /// The demands of its level of maturity that the backend does not meet.
    pub(crate) lacks: Vec<String>,
    /// The demands of the next level that it does not meet. Empty if no next level is stated.
    pub(crate) next_lacks: Vec<String>,
}

impl Standing<'_> {
    fn text(&self) -> String {
        let level = &self.backend.level;
        let kind = if level.experimental {
            "experimental backend"
        } else {
            "backend"
        };
        let mut out = format!("{kind} {} (level {})", self.backend.name, level.name);
        out += &if self.lacks.is_empty() {
            ": has all that is demanded\n".to_owned()
        } else {
            format!(" lacks: {}\n", self.lacks.join("; "))
        };
        if let Some(next) = &self.backend.next {
            out += &if self.next_lacks.is_empty() {
                format!("  for {}: has all that is demanded\n", next.name)
            } else {
                format!(
                    "  for {} it lacks: {}\n",
                    next.name,
                    self.next_lacks.join("; ")
                )
            };
        }
        out
    }
}

/// The state of a project's backends and benchmarks.
pub(crate) struct Health<'t> {
    pub(crate) standings: Vec<Standing<'t>>,
    /// The limits that the results cross, each with the values.
    pub(crate) crossed: Vec<String>,
}

impl Health<'_> {
    /// Returns true if each backend has what its level demands, and no limit is crossed.
    pub(crate) fn is_good(&self) -> bool {
        self.crossed.is_empty() && self.standings.iter().all(|s| s.lacks.is_empty())
    }

    pub(super) fn text(&self) -> String {
        let backends = self.standings.iter().map(Standing::text);
        let crossed = self.crossed.iter().map(|text| format!("limit: {text}\n"));
        backends.chain(crossed).collect()
    }

    pub(super) fn json(&self) -> Value {
        let backend = |s: &Standing| {
            json!({"name": s.backend.name, "package": s.backend.package, "maturity": s.backend.level.name,
                "experimental": s.backend.level.experimental, "lacks": s.lacks,
                "next": s.backend.next.as_ref().map(|next| &next.name), "next-lacks": s.next_lacks})
        };
        json!({"backends": self.standings.iter().map(backend).collect::<Vec<_>>(), "crossed": self.crossed,
            "good": self.is_good()})
    }
}

/// Compares the demands with the tests and the results.
pub(crate) fn health<'t>(tests: &'t Tests, records: &[Record]) -> Health<'t> {
    let standing = |backend: &'t LabBackend| Standing {
        backend,
        lacks: lacks(tests, records, backend, &backend.level),
        next_lacks: backend
            .next
            .as_ref()
            .map_or(Vec::new(), |next| lacks(tests, records, backend, next)),
    };
    let all = series(records);
    let mut crossed = Vec::new();
    for limit in &tests.lab.limits {
        let mut of = all.iter().filter(|s| is_limited(s, limit)).peekable();
        if of.peek().is_none() {
            crossed.push(format!("no result has the metric `{}`", limit.metric));
        }
        let planned = of.filter(|s| {
            let Record {
                package,
                distribution,
                ..
            } = s.newest;
            tests.versions.contains_key(distribution)
                && (tests.packages.is_empty() || tests.packages.contains(package))
        });
        crossed.extend(planned.flat_map(|s| over(s, limit)));
    }
    Health {
        standings: tests.lab.backends.iter().map(standing).collect(),
        crossed,
    }
}

/// Returns true if the limit is about the metric of `series`.
pub(crate) fn is_limited(series: &Series, limit: &Limit) -> bool {
    let package = &series.newest.package;
    series.metric.name == limit.metric
        && (limit.packages.is_empty() || limit.packages.contains(package))
}

/// Returns a text for each bound of `limit` that the newest result crosses.
pub(crate) fn over(series: &Series, limit: &Limit) -> Vec<String> {
    let (metric, newest) = (series.metric, series.newest);
    let (better, unit) = (metric.better, &metric.unit);
    let what = format!(
        "`{}` of {} on {} ({} {}): {} {unit} at {}",
        metric.name,
        newest.package,
        newest.device,
        newest.distribution,
        newest.target,
        metric.value,
        newest.release
    );
    let mut out = Vec::new();
    if let Some(worst) = limit.worst
        && better.loss(metric.value, worst) > 0.0
    {
        out.push(format!("{what} is worse than the limit of {worst} {unit}"));
    }
    if let (Some(percent), [.., (before, value), _]) = (limit.worse_by, series.points.as_slice()) {
        let loss = better.loss(metric.value, *value);
        // Decimal fractions are not exact as `f64`.
        let allowed = value.abs() * percent / 100.0 * (1.0 + 1e-9);
        if loss > allowed {
            let by = if *value == 0.0 {
                String::new()
            } else {
                format!("{:.1} % ", loss / value.abs() * 100.0)
            };
            out.push(format!(
                "{what} is {by}worse than {value} {unit} at {} on {}; the limit is {percent} %",
                before.release, before.date
            ));
        }
    }
    out
}

/// Returns what a backend lacks for `level`: `no runner: arch gfx1201`.
fn lacks(tests: &Tests, records: &[Record], backend: &LabBackend, level: &Level) -> Vec<String> {
    let mut found = Lacks {
        tests,
        records,
        backend,
        level,
        places: BTreeMap::new(),
    };
    if level.runners > 0 || level.results || level.current {
        found.of_tests();
    }
    let mut out: Vec<String> = found
        .places
        .into_iter()
        .map(|(what, places)| format!("{what}: {}", places.join(", ")))
        .collect();
    for (role, demanded) in &level.people {
        let people = backend.people.iter().find(|(name, _)| name == role);
        let named = people.map(|(_, people)| people.iter().cloned().collect::<Vec<_>>());
        let named = named.unwrap_or_default();
        if named.len() < *demanded {
            let who = if named.is_empty() {
                String::new()
            } else {
                format!(" ({})", named.join(", "))
            };
            out.push(format!(
                "people for {role}: {} of {demanded}{who}",
                named.len()
            ));
        }
    }
    out
}

/// The search for what the tests of a backend lack.
struct Lacks<'a, 't> {
    tests: &'a Tests<'t>,
    records: &'a [Record],
    backend: &'a LabBackend,
    level: &'a Level,
    /// The missing runners or results, with the distributions and targets.
    places: BTreeMap<String, Vec<String>>,
}

impl Lacks<'_, '_> {
    fn add(&mut self, what: &str, place: String) {
        self.places.entry(what.to_owned()).or_default().push(place);
    }

    fn of_tests(&mut self) {
        let (tests, package) = (self.tests, &self.backend.package);
        let only: Vec<&str> = self
            .backend
            .distributions
            .iter()
            .map(|b| b.distro())
            .collect();
        let mut is_anywhere = false;
        for (distro, versions) in &tests.versions {
            if !only.is_empty() && !only.contains(&distro.as_str()) {
                continue;
            }
            if let Some(version) = versions.get(package) {
                is_anywhere = true;
                self.of_distribution(distro, version);
            } else if !only.is_empty() {
                self.add("no package", distro.clone());
            }
        }
        if !is_anywhere && only.is_empty() {
            self.add("no package", "all distributions".to_owned());
        }
    }

    fn of_distribution(&mut self, distro: &str, version: &str) {
        let (tests, package) = (self.tests, &self.backend.package);
        let units = tests.units.iter();
        let units: Vec<&Unit> = units
            .filter(|u| u.distro == distro && u.package == *package)
            .collect();
        if self.backend.targets.is_empty() {
            if units.is_empty() {
                self.add("no `targets` stated, and none known", distro.to_owned());
            }
            for unit in units {
                self.of_unit(unit, unit.code);
            }
            return;
        }
        for target in self.backend.targets.iter() {
            let serves =
                |u: &&&Unit| u.code == target || u.runs().iter().any(|run| run.gpu == target);
            if let Some(unit) = units.iter().find(serves) {
                self.of_unit(unit, target);
            } else if units.is_empty() {
                // The package compiles its kernels when it runs, or its targets are not known.
                self.of_unit(&tests.any_unit(distro, package, version, target), target);
            } else {
                let place = format!("{distro} {}", tests.registry.name(target));
                self.add("no code", place);
            }
        }
    }

    /// Adds what the tests of `unit` lack on GPUs of `target`, which may be the unit's own target.
    fn of_unit(&mut self, unit: &Unit, target: Target) {
        let name = |target| self.tests.registry.name(target);
        let place = format!("{} {}", unit.distro, name(target));
        let runs = unit
            .runs()
            .iter()
            .filter(|run| unit.code == target || run.gpu == target);
        let runners: BTreeSet<usize> = runs.clone().map(|run| run.runner).collect();
        let gpus: BTreeSet<&str> = runs
            .map(|run| name(run.gpu))
            .chain([name(target)])
            .collect();
        if runners.len() < self.level.runners {
            let what = match runners.len() {
                0 => "no runner".to_owned(),
                n => format!("{n} of {} runners", self.level.runners),
            };
            self.add(&what, place.clone());
        }
        if !self.level.results && !self.level.current {
            return;
        }
        let mut of = self.records.iter().filter(|r| {
            r.distribution == unit.distro
                && r.package == unit.package
                && r.outcome != Came::Built
                && gpus.contains(r.target.as_str())
        });
        let Some(newest) = of.next() else {
            return self.add("no result", place);
        };
        // Of several results of a day, a failure counts.
        let of_day = of.take_while(|r| r.date == newest.date);
        let failed = [newest]
            .into_iter()
            .chain(of_day)
            .find(|r| r.outcome == Came::Failed);
        if let Some(Record {
            release, date, log, ..
        }) = failed
        {
            self.add("failed", format!("{place} (at {release} on {date}: {log})"));
        } else if self.level.current && newest.release != unit.version {
            let (seen, expected) = (&newest.release, &unit.version);
            self.add(
                "no result of the version",
                format!("{place} (at {seen}, not {expected})"),
            );
        }
    }
}
