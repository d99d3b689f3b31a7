//! The page `health.html` of `rocpkg report`: backends by their maturity, runners, and benchmarks
//! over time. `plan/gate.rs` compares them with the demands of a project.

use crate::plan::Record;
use crate::plan::{Health, Series, Standing, Tests, is_limited, over, series, size};
use rocpkg::internal::targets::{Registry, TargetSet};
use rocpkg_answers::plans::{LabBackend, Runner};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The size of a line over time in units of its drawing, and the margin inside of it.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 120.0;
const MARGIN: f64 = 8.0;

/// Returns true if the page has any content.
pub(crate) fn has_health(tests: &Tests, records: &[Record]) -> bool {
    let lab = &tests.lab;
    !lab.runners.is_empty()
        || !lab.backends.is_empty()
        || records.iter().any(|r| !r.metrics.is_empty())
}

/// Returns the content of the page: the values for its template, and its JSON. `pages` are the
/// packages that have a page.
pub(crate) fn content(
    tests: &Tests,
    registry: &Registry,
    health: &Health,
    records: &[Record],
    pages: &BTreeSet<String>,
) -> (Value, Value) {
    let lab = &tests.lab;
    let (apart, others): (Vec<_>, Vec<_>) = health
        .standings
        .iter()
        .partition(|s| s.backend.level.experimental);
    let (good, bad): (Vec<_>, Vec<_>) = others.into_iter().partition(|s| s.lacks.is_empty());
    let groups = [
        (
            "met",
            "Backends that have what their maturity demands",
            good,
        ),
        ("below", "Backends that lack something", bad),
        ("experimental", "Experimental backends", apart),
    ];
    let group = |(id, title, standings): (&str, &str, Vec<&Standing>)| {
        let backends: Vec<Value> = standings
            .iter()
            .map(|s| backend(s, registry, pages))
            .collect();
        (!backends.is_empty()).then(|| json!({"id": id, "title": title, "backends": backends}))
    };
    let groups: Vec<Value> = groups.into_iter().filter_map(group).collect();
    let runners: Vec<Value> = lab.runners.iter().map(|r| runner(r, registry)).collect();
    let (mut charts, mut said) = (Vec::new(), Vec::new());
    for (at, series) in series(records).iter().enumerate() {
        let limits: Vec<_> = lab
            .limits
            .iter()
            .filter(|l| is_limited(series, l))
            .collect();
        let crossed: Vec<String> = limits.iter().flat_map(|l| over(series, l)).collect();
        let worst = limits.iter().find_map(|l| l.worst);
        let bounds: Vec<String> = limits
            .iter()
            .flat_map(|l| {
                let worst = l
                    .worst
                    .map(|n| format!("{n} {} (the dashed line)", series.metric.unit));
                let loss = l
                    .worse_by
                    .map(|n| format!("{n} % worse than the result before"));
                worst.into_iter().chain(loss)
            })
            .collect();
        charts.push(chart(at, series, worst, &bounds, &crossed));
        said.push(as_json(series, &bounds, &crossed));
    }
    let view = json!({"groups": groups, "runners": runners, "charts": charts});
    let said = json!({"backends": groups, "runners": runners, "benchmarks": said, "crossed": health.crossed,
        "good": health.is_good()});
    (view, said)
}

fn backend(standing: &Standing, registry: &Registry, pages: &BTreeSet<String>) -> Value {
    let backend: &LabBackend = standing.backend;
    let people: Vec<String> = backend
        .people
        .iter()
        .map(|(role, names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{role}: {}", names.join(", "))
        })
        .collect();
    let distributions: Vec<&str> = backend.distributions.iter().map(|d| d.distro()).collect();
    let listed = |lacks: &[String]| {
        if lacks.is_empty() {
            "nothing".to_owned()
        } else {
            lacks.join("; ")
        }
    };
    let mut lacking = listed(&standing.lacks);
    if let Some(next) = &backend.next {
        lacking += &format!(". For {}: {}", next.name, listed(&standing.next_lacks));
    }
    json!({"name": backend.name, "package": backend.package, "page": pages.contains(&backend.package),
        "maturity": backend.level.name, "targets": names(registry, &backend.targets),
        "distributions": distributions.join(", "), "people": people.join("; "), "contact": backend.contact,
        "lacks": standing.lacks, "next": backend.next.as_ref().map(|next| &next.name),
        "next-lacks": standing.next_lacks, "lacking": lacking})
}

fn names(registry: &Registry, set: &TargetSet) -> String {
    let names: Vec<&str> = set.iter().map(|t| registry.name(t)).collect();
    names.join(", ")
}

fn runner(runner: &Runner, registry: &Registry) -> Value {
    let gpus: Vec<String> = runner
        .gpus
        .iter()
        .map(|(name, target)| match registry.name(*target) {
            target if target == name => name.clone(),
            target => format!("{name} ({target})"),
        })
        .collect();
    let skips: Vec<String> = runner
        .skips
        .iter()
        .map(|(package, set)| format!("{package} ({})", names(registry, set)))
        .collect();
    json!({"name": runner.name, "labels": runner.labels.join(" "), "gpus": gpus.join(", "),
        "memory": runner.memory.map(size), "os": runner.os, "kernel": runner.kernel, "driver": runner.driver,
        "contact": runner.contact, "skips": skips.join(", ")})
}

fn as_json(series: &Series, bounds: &[String], crossed: &[String]) -> Value {
    let (newest, metric) = (series.newest, series.metric);
    let point = |(r, value): &(&Record, f64)| json!({"date": r.date, "release": r.release, "value": value, "log": r.log});
    json!({"metric": metric.name, "unit": metric.unit, "better": metric.better.word(), "package": newest.package,
        "distribution": newest.distribution, "target": newest.target, "device": newest.device, "limits": bounds,
        "crossed": crossed, "results": series.points.iter().map(point).collect::<Vec<_>>()})
}

/// Returns a metric's line over time and its table. `at` is the number of the metric on the page.
fn chart(
    at: usize,
    series: &Series,
    worst: Option<f64>,
    bounds: &[String],
    crossed: &[String],
) -> Value {
    let (newest, metric) = (series.newest, series.metric);
    let (unit, points) = (&metric.unit, &series.points);
    let days: Vec<f64> = points.iter().map(|(r, _)| day_number(&r.date)).collect();
    let values = points.iter().map(|(_, value)| *value);
    let x = scale(days.iter().copied(), MARGIN, WIDTH - MARGIN);
    let y = scale(values.clone().chain(worst), HEIGHT - MARGIN, MARGIN);
    let dots: Vec<Value> = days
        .iter()
        .zip(values)
        .map(|(day, value)| json!({"x": x(*day).to_string(), "y": y(value).to_string()}))
        .collect();
    let mut rows: Vec<Value> = Vec::new();
    let mut before: Option<f64> = None;
    for (record, value) in points {
        let change = before
            .filter(|b| *b != 0.0)
            .map(|b| (value - b) / b.abs() * 100.0);
        let change = change.map_or(String::new(), |c| format!("{c:+.1} %"));
        rows.push(json!({"date": record.date, "release": record.release, "value": format!("{value} {unit}"),
            "change": change, "log": record.log,
            "linked": record.log.starts_with("https://")}));
        before = Some(*value);
    }
    rows.reverse();
    let range = points.iter().map(|(_, value)| *value);
    let low = range.clone().fold(metric.value, f64::min);
    let high = range.fold(metric.value, f64::max);
    let label = format!(
        "{} results from {low} to {high} {unit}, the newest {} {unit}; {} is better",
        points.len(),
        metric.value,
        metric.better.word()
    );
    json!({"id": format!("benchmark-{at}"), "metric": metric.name, "package": newest.package, "label": label,
        "on": format!("{} ({}), {}", newest.device, newest.target, newest.distribution), "dots": dots,
        "limit": worst.map(|worst| y(worst).to_string()), "bounds": bounds.join("; "), "crossed": crossed, "rows": rows})
}

/// Returns the function that maps the range of `values` to `from..to`, rounded to a tenth. A range
/// of one value is mapped to the middle.
fn scale(values: impl Iterator<Item = f64>, from: f64, to: f64) -> impl Fn(f64) -> f64 {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    move |value| {
        let part = if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        };
        ((from + part * (to - from)) * 10.0).round() / 10.0
    }
}

/// Returns the number of days from the year 0 to a valid date such as `2026-11-23`.
fn day_number(date: &str) -> f64 {
    let mut parts = date.split('-').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    let (year, month, day) = (next(), next(), next());
    // Years that begin in March have the leap day at their end.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year.saturating_sub(1), month + 9)
    };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
    f64::from(days)
}
