//! `rocpkg list`: lists packages, releases, distributions and GPU targets.

use crate::args::ListArgs;
use crate::error::Error;
use crate::outcome::Outcome;
use rocpkg::Backend;
use rocpkg::resolve::{Choice, Plan, Planned};
use serde_json::{Map, Value, json};

/// Lists the distributions with their packages, the releases and the targets of the model.
pub(crate) fn run(args: &ListArgs) -> Result<Outcome, Error> {
    let stack = args.model.stack()?;
    let (plans, _) = stack.plans(&Backend::ALL, &Choice::Shipped, &[])?;
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
        let packages: Map<String, Value> = plans
            .iter()
            .map(|plan| (plan.distro_name.clone(), rows(plan)))
            .collect();
        let distributions = Backend::ALL.map(Backend::distro);
        return Ok(Outcome::json(
            &json!({"distributions": distributions, "packages": packages, "releases": releases, "targets": targets}),
        ));
    }
    let mut out = String::new();
    for plan in &plans {
        out.push_str(&format!(
            "{} ({} packages, {})\n",
            plan.distro_name,
            plan.packages.len(),
            plan.version
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
    }
    out.push_str(&format!("releases: {}\n", releases.join(" ")));
    out.push_str(&format!("targets: {}\n", targets.join(" ")));
    Ok(Outcome::done(out))
}

fn rows(plan: &Plan) -> Value {
    let row = |p: &Planned| {
        json!({
            "id": p.id,
            "name": p.name,
            "version": p.version.to_string(),
            "release": p.version.release(),
            "components": p.components,
        })
    };
    plan.packages.iter().map(row).collect()
}
