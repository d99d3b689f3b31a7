//! `rocpkg list`.

use crate::outcome::Outcome;
use crate::{args::ListArgs, profiles};
use rocpkg::resolve::{Choice, DISTROS, Plan, Planned};
use rocpkg::targets::Registry;
use serde_json::{Map, Value, json};

/// What is listed of a distribution: the packages' ids, names, versions and components.
struct Listed {
    distro: String,
    version: String,
    packages: Vec<(String, String, String, Vec<String>)>,
}

/// Lists what the model knows.
pub(crate) fn run(args: &ListArgs) -> Result<Outcome, String> {
    let (model, mut findings) = profiles::load(&args.model)?;
    let mut all = Vec::new();
    for distro in DISTROS {
        // Little is kept of a plan, and three of many packages are much to hold.
        let Some(plan) = Plan::new(&model, distro, &Choice::Shipped, &mut findings) else { continue };
        let row = |p: &Planned| (p.id.clone(), p.name.clone(), p.version.to_string(), p.components.clone());
        let packages = plan.packages.iter().map(row).collect();
        all.push(Listed { distro: plan.distro_name, version: plan.version.to_string(), packages });
    }
    if findings.has_errors() {
        return Ok(Outcome::wrong(&findings, &model.sources, args.model.verbose));
    }
    let releases: Vec<&str> =
        model.lines.values().flat_map(|l| l.versions.keys().map(String::as_str)).collect();
    let targets: Vec<&str> = model.registry.iter().flat_map(Registry::names).collect();
    if args.json {
        let mut packages = Map::new();
        for listed in all {
            let row = |(id, name, version, components)| json!({"id": id, "name": name, "version": version, "components": components});
            packages.insert(listed.distro, Value::Array(listed.packages.into_iter().map(row).collect()));
        }
        let all =
            json!({"distributions": DISTROS, "packages": packages, "releases": releases, "targets": targets});
        return Ok(Outcome::done(format!("{all:#}\n")));
    }
    let mut out = String::new();
    for mut listed in all {
        out.push_str(&format!(
            "{} ({} packages, {})\n",
            listed.distro,
            listed.packages.len(),
            listed.version
        ));
        listed.packages.sort_by_cached_key(|(_, name, ..)| name.to_lowercase());
        for (id, name, version, components) in &listed.packages {
            let made = if components == std::slice::from_ref(id) {
                String::new()
            } else {
                format!("  of {}", components.join(", "))
            };
            out.push_str(&format!("  {name:22} {version:8}{made}\n"));
        }
    }
    out.push_str(&format!("releases: {}\n", releases.join(" ")));
    out.push_str(&format!("targets: {}\n", targets.join(" ")));
    Ok(Outcome::done(out))
}
