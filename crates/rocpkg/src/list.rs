//! `rocpkg list`.

use crate::outcome::Outcome;
use crate::{args::ListArgs, profiles};
use rocpkg::resolve::{Choice, DISTROS, Plan};
use serde_json::{Map, Value, json};

/// Lists what the model knows.
pub(crate) fn run(args: &ListArgs) -> Result<Outcome, String> {
    let (model, mut findings) = profiles::load(&args.model)?;
    let plans: Vec<Plan> =
        DISTROS.iter().filter_map(|d| Plan::new(&model, d, &Choice::Shipped, &mut findings)).collect();
    if findings.has_errors() {
        return Ok(Outcome::wrong(&findings, &model.sources, args.model.verbose));
    }
    let releases: Vec<&str> =
        model.lines.values().flat_map(|l| l.versions.keys().map(String::as_str)).collect();
    let names = plans.first().map(|p| p.target_names.clone()).unwrap_or_default();
    let targets: Vec<&str> = names.names().collect();
    if args.json {
        let mut packages = Map::new();
        for plan in &plans {
            let rows: Vec<Value> = plan
                .packages
                .iter()
                .map(|p| json!({"id": p.id, "name": p.name, "version": p.version.to_string(), "components": p.components}))
                .collect();
            packages.insert(plan.distro_name.clone(), Value::Array(rows));
        }
        let all =
            json!({"distributions": DISTROS, "packages": packages, "releases": releases, "targets": targets});
        return Ok(Outcome::done(format!("{all:#}\n")));
    }
    let mut out = String::new();
    for plan in &plans {
        out.push_str(&format!("{} ({} packages, {})\n", plan.distro_name, plan.packages.len(), plan.version));
        let mut rows: Vec<_> = plan.packages.iter().collect();
        rows.sort_by_key(|p| p.name.to_lowercase());
        for p in rows {
            let made = if p.components == [p.id.clone()] {
                String::new()
            } else {
                format!("  of {}", p.components.join(", "))
            };
            out.push_str(&format!("  {:22} {:8}{made}\n", p.name, p.version.to_string()));
        }
    }
    out.push_str(&format!("releases: {}\n", releases.join(" ")));
    out.push_str(&format!("targets: {}\n", targets.join(" ")));
    Ok(Outcome::done(out))
}
