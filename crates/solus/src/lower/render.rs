//! Renders the recipes of a plan, with the files beside them.

use crate::lower::{UNKNOWN_VERSION, accept, capabilities, lower};
use crate::value::ir::{Recipe, Step};
use crate::value::print::{monitoring, package_yml};
use rocpkg_model::{Finding, Findings, Node, Span};
use rocpkg_render::{Companion, Pinned, Rendered};
use rocpkg_resolve::{Plan, Planned, Recipes, UnsupportedFacts};

/// Renders every package of a plan to `NAME/package.yml`, `NAME/monitoring.yaml` and, if it has a
/// series of patches, `NAME/files/series`. Returns the files, and the GPU targets that each recipe
/// passes to upstream's build.
///
/// Faults are added to `findings`. The files of a package with a fault are returned, too. It is the
/// caller who leaves them out.
pub fn render(plan: &Plan, findings: &mut Findings) -> (Rendered, Recipes) {
    let mut out = Rendered::default();
    let mut made = Vec::new();
    for p in &plan.packages {
        let mut own = Findings::default();
        made.push((p.id.as_str(), package(plan, p, &mut out, &mut own)));
        findings.append_of(&plan.owner(&p.id), own);
    }
    let named = made
        .iter()
        .filter_map(|(id, recipe)| Some(names(plan.get(id)?, recipe)))
        .flatten();
    plan.check_names("E0715", "packages are called", named, findings);
    (
        out,
        rocpkg_shell::recipes(
            plan,
            made.into_iter().map(|(id, recipe)| (id, recipe.builds)),
        ),
    )
}

/// Adds the files of one package to `out`, and its faults to `findings`. Returns its recipe.
fn package(plan: &Plan, p: &Planned, out: &mut Rendered, findings: &mut Findings) -> Recipe {
    let recipe = lower(plan, p, findings);
    accept::lint(plan, p, &recipe, findings);
    capabilities::check(
        UnsupportedFacts {
            plan,
            p,
            out: &mut out.left_out,
            findings,
        },
        &recipe,
    );
    let text = package_yml(&recipe);
    // Faults that are reported already are not reported again.
    if !findings.has_errors() {
        for name in recipe
            .steps
            .iter()
            .flat_map(|(_, body)| rocpkg_render::bash::check(body))
        {
            rocpkg_shell::check_name(&name, p.node.span, findings);
        }
        let built =
            |(step, _): &(Step, _)| matches!(step, Step::Setup | Step::Build | Step::Install);
        if !recipe.steps.iter().any(built) {
            let message = format!("{} can't be rendered", p.name);
            let label = "ypkg needs a script for setup, build or install, but the package has none";
            findings.push(Finding::error("E0715", p.place(), message).label(label));
        }
    }
    let series = recipe
        .series
        .iter()
        .map(|file| format!("{file}\n"))
        .collect::<String>();
    let files = [
        ("package.yml", text),
        ("monitoring.yaml", monitoring(&recipe)),
        ("files/series", series),
    ];
    for (name, bytes) in files.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let path = format!("{}/{name}", recipe.name);
        // An impossible name of a package is reported elsewhere.
        if rocpkg_render::RelPath::new(&path).is_err() {
            continue;
        }
        if let Err(e) = out.insert(Some(&p.id), &path, bytes) {
            let other = out.owners.get(&path).map(String::as_str);
            // Two recipes of the same name are reported by `render`.
            if other.is_none_or(|other| other == p.id) {
                findings.push(plan.clash("E0715", Some(&p.id), other, &e.to_string()));
            }
        }
    }
    let path = format!("{}/package.yml", recipe.name);
    out.pin(&p.id, &path, recipe.pinned.iter().cloned());
    if recipe.version == UNKNOWN_VERSION && plan.lacks_own_version(p) {
        out.pin(&p.id, &path, [unknown_version(p)]);
    }
    out.companions.extend(p.applied().map(|f| Companion {
        path: format!("{}/files/{}", recipe.name, f.file.value),
        package: p.id.clone(),
        ..Companion::default()
    }));
    recipe
}

/// Returns the fact that a component's own version is not known, which is missing as a checksum is.
fn unknown_version(p: &Planned) -> Pinned {
    Pinned {
        of: p.components.first().cloned().unwrap_or_default(),
        version: p.version.to_string(),
        kinds: &[Pinned::VERSION],
        span: p.place(),
        ..Pinned::default()
    }
}

/// Returns the names of the packages that a recipe builds: its own name, and those of its
/// subpackages. The second value is the id of the package in the plan, the third is the place that
/// states the name.
fn names(p: &Planned, recipe: &Recipe) -> Vec<(String, String, Span)> {
    let patterns = p
        .node
        .get("ypkg")
        .and_then(|own| own.get("patterns"))
        .map(Node::entries);
    let further = patterns
        .unwrap_or_default()
        .iter()
        .filter(|(key, _)| key.name != "main")
        .map(|(key, _)| {
            let whole = key.name.strip_prefix('^').map(str::to_owned);
            (
                whole.unwrap_or_else(|| format!("{}-{}", recipe.name, key.name)),
                p.id.clone(),
                key.span,
            )
        });
    std::iter::once((recipe.name.clone(), p.id.clone(), p.name_place()))
        .chain(further)
        .collect()
}
