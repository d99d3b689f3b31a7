//! `rocpkg list`: lists packages, releases, distributions and GPU targets, or licences.

use crate::args::ListArgs;
use crate::error::Error;
use crate::outcome::Outcome;
use rocpkg::Backend;
use rocpkg::internal::Licences;
use rocpkg::internal::resolve::{Plan, Planned, Release};
use serde_json::{Map, Value, json};

/// Lists the distributions with their packages, the releases and the targets of the model.
pub(crate) fn run(args: &ListArgs) -> Result<Outcome, Error> {
    let stack = args.plan.model.stack()?;
    let backends = args.distro.map_or(Backend::ALL.to_vec(), |b| vec![b]);
    let (plans, _) = stack.plans(&backends, args.plan.choice()?, &[])?;
    if args.licences {
        let upstream = args
            .distro
            .is_none()
            .then(|| Licences::upstream(stack.model()));
        let own = upstream.map(|found| ("upstream".to_owned(), String::new(), found));
        let each = plans.iter().map(|plan| {
            let version = plan.version.to_string();
            (plan.distro_name.clone(), version, Licences::of(plan))
        });
        return Ok(licences(
            &own.into_iter().chain(each).collect::<Vec<_>>(),
            args.json,
        ));
    }
    let lines = stack.model().lines.values();
    let releases: Vec<&str> = lines
        .flat_map(|l| l.versions.keys().map(String::as_str))
        .collect();
    let targets: Vec<&str> = stack
        .model()
        .registry
        .iter()
        .flat_map(|registry| registry.names())
        .collect();
    if args.json {
        let by_distro = |rows: fn(&Plan) -> Value| -> Map<String, Value> {
            let rows = plans.iter().map(|p| (p.distro_name.clone(), rows(p)));
            rows.collect()
        };
        let packages = by_distro(|plan| plan.packages.iter().map(row).collect());
        let consumers = by_distro(|plan| plan.consumers.iter().map(row).collect());
        let distributions: Vec<&str> = backends.iter().map(|b| b.distro()).collect();
        return Ok(Outcome::json(
            &json!({"distributions": distributions, "packages": packages, "consumers": consumers,
                "releases": releases, "targets": targets}),
        ));
    }
    let mut out = String::new();
    for plan in &plans {
        out.push_str(&format!(
            "{} ({} packages, {})\n",
            plan.distro_name,
            plan.packages.len(),
            self::releases(plan)
        ));
        let mut packages: Vec<_> = plan.packages.iter().collect();
        packages.sort_by_cached_key(|p| p.name.to_lowercase());
        for p in packages {
            let own = p.components == std::slice::from_ref(&p.id);
            let made = if own {
                String::new()
            } else {
                format!("  of {}", p.components.join(", "))
            };
            out.push_str(&format!(
                "  {:22} {:8}{made}\n",
                p.name,
                p.version.to_string()
            ));
        }
        if !plan.consumers.is_empty() {
            out.push_str("  consumers, which are not rendered:\n");
        }
        for p in &plan.consumers {
            out.push_str(&format!("    {:20} {}\n", p.name, p.version));
        }
    }
    out.push_str(&format!("releases: {}\n", releases.join(" ")));
    out.push_str(&format!("targets: {}\n", targets.join(" ")));
    Ok(Outcome::done(out))
}

/// Returns the release of a plan. If most packages are of other releases, returns the first and the
/// last of them: `6.0.0 to 7.14.0`.
pub(crate) fn releases(plan: &Plan) -> String {
    let version = plan.version.to_string();
    let packages = plan.packages.iter();
    let all = packages.filter_map(|p| p.version.release().parse::<Release>().ok());
    let all: Vec<Release> = all.collect();
    let others = all.iter().filter(|release| **release != plan.version);
    if others.count() * 2 <= all.len() {
        return version;
    }
    match (all.iter().min(), all.iter().max()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        _ => version,
    }
}

fn row(p: &Planned) -> Value {
    json!({
        "id": p.id,
        "name": p.name,
        "version": p.version.to_string(),
        "release": p.version.release(),
        "components": p.components,
    })
}

/// Returns licences as an answer. Each element of `all` is the name of a distribution or
/// `upstream`, the release, and the licences.
fn licences(all: &[(String, String, Licences)], as_json: bool) -> Outcome {
    if as_json {
        let rows: Vec<Value> = all.iter().map(document).collect();
        return Outcome::json(&json!(rows));
    }
    let mut out = String::new();
    for (name, version, found) in all {
        out += &format!("{}\n", format!("{name} {version}").trim_end());
        let mut packages: Vec<_> = found.packages.iter().collect();
        packages.sort_by_key(|(licence, names)| (usize::MAX - names.len(), *licence));
        for (licence, names) in packages {
            let licence = if licence.is_empty() { "none" } else { licence };
            out += &format!("  {licence}: {}: {}\n", names.len(), names.join(" "));
        }
        for (name, troubles) in &found.troubled {
            for t in troubles {
                let source = if t.source.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", t.source)
                };
                out += &format!("  troubled: {name}: {}: {}{source}\n", t.kind, t.reason);
            }
        }
    }
    Outcome::done(out)
}

fn document((name, version, found): &(String, String, Licences)) -> Value {
    let troubled: Map<String, Value> = found
        .troubled
        .iter()
        .map(|(name, all)| {
            let all: Vec<Value> = all
                .iter()
                .map(|t| json!({"kind": t.kind, "reason": t.reason, "source": t.source}))
                .collect();
            (name.clone(), json!(all))
        })
        .collect();
    json!({"distribution": name, "version": version,
        "licences": found.packages, "troubled": troubled})
}
