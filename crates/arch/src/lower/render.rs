//! Renders the PKGBUILDs of a plan, with the files beside them.

use crate::lower::{Lowered, capabilities, lint, lower, places, siblings, sources, steps};
use crate::value::evaluate::evaluate;
use crate::value::ir::Pkgbuild;
use crate::value::print;
use rocpkg_model::{Finding, Findings};
use rocpkg_render::{Companion, Rendered, TemplateError, Templates};
use rocpkg_resolve::{Builds, Plan, Planned, Recipes, UnsupportedFacts};
use std::collections::BTreeSet;

/// Renders every package of a plan to `PKGBASE/PKGBUILD` and `PKGBASE/.SRCINFO`. Returns the files,
/// and for each package the GPU targets that its PKGBUILD passes to upstream's build.
///
/// Faults are added to `findings`. A package that can't be rendered is left out.
pub fn render(plan: &Plan, templates: &Templates, findings: &mut Findings) -> (Rendered, Recipes) {
    let mut out = Rendered::default();
    let (mut made, mut passed) = (Vec::new(), Vec::new());
    for p in &plan.packages {
        let mut own = Findings::default();
        if let Some((pkgbuild, builds)) = package(plan, p, templates, &mut out, &mut own) {
            made.push((p.id.as_str(), pkgbuild));
            passed.push((p.id.as_str(), builds));
        }
        findings.append_of(&plan.owner(&p.id), own);
    }
    check_names(plan, &made, findings);
    lint::cmake(
        plan,
        made.iter().filter_map(|(id, b)| Some((plan.get(id)?, b))),
        findings,
    );
    (out, rocpkg_shell::recipes(plan, passed))
}

/// Renders one package into `out`. Returns its PKGBUILD, and the GPU targets that the PKGBUILD
/// passes to upstream's build. Returns `None` if the package can't be rendered.
fn package(
    plan: &Plan,
    p: &Planned,
    templates: &Templates,
    out: &mut Rendered,
    findings: &mut Findings,
) -> Option<(Pkgbuild, Builds)> {
    let Lowered {
        pkgbuild,
        companions,
        pinned,
        builds,
    } = lower(plan, p, findings);
    capabilities::check(UnsupportedFacts {
        plan,
        p,
        out: &mut out.left_out,
        findings,
    });
    // Names are checked where they are read. This check makes sure that none was missed.
    if !findings.has_errors() {
        let stmts = [print::fields(&pkgbuild), print::functions(&pkgbuild)].concat();
        for name in rocpkg_render::bash::check(&stmts) {
            steps::check_name(&name, p.node.span, findings);
        }
    }
    let made = templates
        .render("arch/PKGBUILD.j2", print::context(&pkgbuild))
        .and_then(|text| {
            Ok((
                text,
                siblings::siblings(plan, p, &pkgbuild, &companions, templates)?,
            ))
        });
    let fault = |e: TemplateError| {
        let message = format!("{} can't be rendered", p.name);
        findings.push(Finding::error("E0429", p.place(), message).label(e.to_string()));
    };
    let (text, (siblings, licences)) = made.map_err(fault).ok()?;
    let info = match evaluate(&text) {
        Ok(info) => info,
        Err(faults) => {
            // If there is an error already, the same value would be reported twice.
            let new = faults.into_iter().filter(|_| !findings.has_errors());
            let new: Vec<Finding> = new.map(|fault| of_package(p, fault.finding)).collect();
            for finding in new {
                findings.push(finding);
            }
            return None;
        }
    };
    lint::lint(p, &pkgbuild, &info, findings);
    let info = info.to_string();
    let recipe = [("PKGBUILD".to_owned(), text), (".SRCINFO".to_owned(), info)];
    for (name, bytes) in recipe.into_iter().chain(siblings) {
        let path = format!("{}/{name}", pkgbuild.base);
        if let Err(e) = out.insert(Some(&p.id), &path, bytes) {
            let other = out.owners.get(&path).map(String::as_str);
            // `check_names` reports two PKGBUILDs of one name.
            if other.is_none_or(|other| other == p.id) {
                findings.push(plan.clash("E0429", Some(&p.id), other, &e.to_string()));
            }
        }
    }
    out.pin(&p.id, &format!("{}/PKGBUILD", pkgbuild.base), pinned);
    let companion = |name: String| Companion {
        path: format!("{}/{name}", pkgbuild.base),
        package: p.id.clone(),
        sum: sources::local_sum(p, &name),
        ..Companion::default()
    };
    out.companions.extend(companions.into_iter().map(companion));
    out.companions
        .extend(licences.into_iter().map(|(name, address)| Companion {
            address: Some(address),
            ..companion(name)
        }));
    Some((pkgbuild, builds))
}

/// Returns a finding about the printed PKGBUILD, with the place of the package in the profiles
/// instead of its place in the PKGBUILD.
fn of_package(p: &Planned, finding: Finding) -> Finding {
    Finding::error(finding.code, p.place(), finding.message).label(finding.label)
}

/// Reports PKGBUILDs with the same name, and packages with the same name: a package's name must be
/// unique in pacman.
fn check_names(plan: &Plan, made: &[(&str, Pkgbuild)], findings: &mut Findings) {
    let places = made
        .iter()
        .filter_map(|(id, pkgbuild)| Some((plan.get(id)?, pkgbuild)));
    let bases = places
        .clone()
        .map(|(p, pkgbuild)| (pkgbuild.base.clone(), p.id.clone(), p.name_place()));
    plan.check_names("E0429", "PKGBUILDs are called", bases, findings);
    let mut seen = BTreeSet::new();
    let parts = places
        .filter(|(_, pkgbuild)| seen.insert(&pkgbuild.base))
        .flat_map(|(p, pkgbuild)| {
            pkgbuild.parts.iter().map(|part| {
                (
                    part.name.clone(),
                    p.id.clone(),
                    places::of_part(p, &part.name),
                )
            })
        });
    plan.check_names("E0429", "packages are called", parts, findings);
}
