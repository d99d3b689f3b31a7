//! The JSON of `rocpkg gpu`, from which `rocpkg report` makes its pages.

use super::facts::{Gpu, MOST, facts, is_whole, read_from, reported};
use rocpkg::internal::targets::{Found, Registry, Target, TargetSet, Via};
use rocpkg::{Backend, Stack};
use rocpkg_answers::gpu::{
    Application, Likely, OnGpu, Questions, Support, declared_applications, read_only,
};
use rocpkg_answers::plans::Runs;
use serde_json::{Map, Value, json};

/// Returns the report on a GPU as JSON.
pub(super) fn as_json(
    stack: &Stack,
    registry: &Registry,
    asked: &Gpu,
    questions: &[(Backend, Questions)],
) -> Value {
    let found = match &asked.found {
        Ok(found) => found,
        Err(why) => return json!({"asked": asked.name, "unknown": why}),
    };
    let names: Vec<Value> = match found {
        Found::Hardware(rows) => rows
            .iter()
            .map(|c| json!({"name": c.name, "target": registry.name(c.target), "by": c.by, "unsure": c.unsure}))
            .collect(),
        _ => Vec::new(),
    };
    let kernel = reported(stack, &found.targets());
    let told = if kernel.len() > MOST {
        TargetSet::EMPTY
    } else {
        kernel
    };
    let targets: Vec<Value> = told
        .iter()
        .map(|gpu| {
            let mut each: Vec<Value> = questions
                .iter()
                .map(|(_, q)| on_distro(registry, q, gpu))
                .collect();
            if is_whole(questions) {
                each.extend(on_read_only(stack, registry, gpu));
            }
            on_gpu(registry, gpu, &each.iter().collect::<Vec<_>>())
        })
        .collect();
    let all: Vec<&str> = found.targets().iter().map(|t| registry.name(t)).collect();
    json!({"asked": asked.name, "targets": all, "open": found.is_open(), "names": names, "on": targets})
}

/// Returns a GPU as JSON, with the JSON of several distributions on that GPU, which [`on_distro`]
/// returns.
pub(crate) fn on_gpu(registry: &Registry, gpu: Target, each: &[&Value]) -> Value {
    let overrides: Vec<Value> = registry
        .overrides(gpu)
        .map(|o| json!({"value": o.value, "outcome": o.outcome.word(), "reason": o.reason, "source": o.source}))
        .collect();
    let declared = registry
        .declared(gpu)
        .map(|(word, source)| json!({"word": word, "source": source}));
    let facts: Map<_, _> = facts(registry, gpu)
        .into_iter()
        .map(|(what, text)| (what.to_owned(), json!(text)))
        .collect();
    json!({"target": registry.name(gpu), "facts": facts, "declared": declared, "distributions": each, "overrides": overrides})
}

/// Returns a distribution on a GPU as JSON, with the way in which each package runs.
pub(crate) fn on_distro(registry: &Registry, q: &Questions, gpu: Target) -> Value {
    let (name, version) = (&q.plan.distro_name, q.plan.version.to_string());
    let found = q.on_gpu(gpu);
    let mut out = said(registry, name, &version, &found, &q.facts());
    out["applications"] = applications(registry, &q.applications(gpu, &found));
    out
}

/// Returns the read-only distributions on a GPU, in the JSON of [`on_distro`]. Each package also
/// has the name and version that it has in the package index.
pub(crate) fn on_read_only<'a>(
    stack: &'a Stack,
    registry: &'a Registry,
    gpu: Target,
) -> impl Iterator<Item = Value> + 'a {
    read_only(registry, gpu).map(move |(name, entry, found)| {
        let mut out = said(registry, name, &entry.release, &found, &read_from(entry));
        for row in out["packages"].as_array_mut().into_iter().flatten() {
            let id = row["package"].as_str().unwrap_or_default();
            let named = entry
                .declared
                .iter()
                .find_map(|declared| declared.packages.get(id));
            row["there"] = json!(named.map(|p| format!("{} {}", p.name, p.version)));
            // Without a plan, the abilities of upstream's build are not known.
            row["modelled"] = Value::Null;
        }
        let all = declared_applications(stack, entry, &found);
        out["applications"] = applications(registry, &all);
        out
    })
}

fn said(registry: &Registry, name: &str, version: &str, found: &OnGpu, facts: &str) -> Value {
    let row = |p: &Runs| {
        let way = way_as_json(registry, &p.way);
        let likely = likely_as_json(registry, p.likely.as_ref());
        json!({"package": p.package, "way": way["way"], "code": way["code"], "override": way["override"],
            "missing": way["missing"], "likely": likely, "reason": p.reason, "cost": p.cost, "avoid": p.avoid,
            "modelled": p.evidence.modelled, "excluded": p.evidence.excluded, "tests": p.evidence.tests,
            "machine": p.evidence.machine, "passed": null})
    };
    json!({"distribution": name, "version": version,
        "packages": found.packages.iter().map(row).collect::<Vec<_>>(),
        "consumers": found.consumers.iter().map(row).collect::<Vec<_>>(), "headers": found.headers, "patches": found.patches, "next": found.next,
        "rests-on": [facts]})
}

/// Returns applications as JSON, with the packages to install and the settings.
fn applications(registry: &Registry, all: &[Application]) -> Value {
    let row = |a: &Application| {
        let way = a.way.as_ref().map(|way| way_as_json(registry, way));
        let way = way.unwrap_or_else(|| json!({"way": "not-packaged"}));
        json!({"package": a.package, "title": a.title, "way": way["way"], "code": way["code"],
            "override": way["override"], "missing": way["missing"],
            "likely": likely_as_json(registry, a.likely.as_ref()), "reason": a.reason,
            "code-in": a.code_in, "lacking": a.lacking, "install": a.install, "set": a.settings})
    };
    all.iter().map(row).collect()
}

/// Returns the probable support of a GPU as JSON.
fn likely_as_json(registry: &Registry, likely: Option<&Likely>) -> Option<Value> {
    let likely = likely?;
    let way = way_as_json(registry, &likely.way);
    Some(
        json!({"way": way["way"], "code": way["code"], "override": way["override"], "reason": likely.reason}),
    )
}

/// Returns the support of a GPU as JSON: `way`, and the code, the override and the missing fact
/// that belong to it.
fn way_as_json(registry: &Registry, way: &Support) -> Value {
    let (way, code, value, missing) = match way {
        Support::Native => ("native", None, None, None),
        Support::Loads { code, via } => {
            let way = if *via == Via::Compatible {
                "by-patches"
            } else {
                "by-generic"
            };
            (way, Some(registry.name(*code)), None, None)
        }
        Support::Packed {
            code,
            packed,
            value,
        } => {
            let missing = Some(packed.missing.join("; "));
            (
                "packed",
                Some(registry.name(*code)),
                value.as_ref(),
                missing,
            )
        }
        Support::Override { value } => ("by-override", None, Some(value), None),
        Support::Without => ("no-kernels", None, None, None),
        Support::Unknown(fact) => ("unknown", None, None, Some(fact.clone())),
    };
    json!({"way": way, "code": code, "override": value, "missing": missing})
}
