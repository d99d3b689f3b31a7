//! Renders the whole repository: ebuilds with their metadata and Manifests, the eclass, profiles
//! and the layout file.

use crate::lower::context::{setting, texts, year};
use crate::lower::expand::Expand;
use crate::lower::ir::{Distfile, Lowered};
use crate::lower::lower;
use crate::lower::solver::broken_defaults;
use crate::value::eclass::{Eclass, EclassFunction};
use crate::value::metadata::Metadata;
use crate::value::patterns;
use minijinja::{Value, context};
use rocpkg_model::{EbuildEclass, Finding, Findings, Maintainer, Proxied, Severity, Spanned};
use rocpkg_render::bash::{Stmt, Word};
use rocpkg_render::{Companion, Listing, Rendered, TemplateError, Templates, ready};
use rocpkg_resolve::{Chooser, Plan, Planned, Recipes, UnsupportedFacts};
use rocpkg_shell::Edition;
use std::collections::{BTreeMap, BTreeSet};

/// Returns true if the ebuild of a package is written. Of a live plan, which is for upstream's
/// development branches, only live ebuilds are written.
fn is_written(edition: &Edition, p: &Planned) -> bool {
    edition.has(&p.id) && (!edition.plan.live || crate::lower::live::is_live(&edition.plan, p))
}

/// Returns the GPU targets that each ebuild of a plan passes to upstream's build, and the parts of
/// `REQUIRED_USE` that default flags break. Users choose targets by flags; the result states if
/// ebuilds pass the choice on to their dependencies.
pub(crate) fn recipes(plan: &Plan, ebuilds: &[Lowered<'_>]) -> Recipes {
    let builds = ebuilds
        .iter()
        .filter_map(|e| Some((e.p.id.clone(), e.builds.clone()?)))
        .collect();
    // A package that states its own propagation does not count for the others.
    let follows = |e: &Lowered| {
        e.p.package
            .ebuild
            .as_ref()
            .is_none_or(|facts| facts.propagation.is_none())
    };
    Recipes {
        chooser: Chooser::Flags {
            handed_on: ebuilds.iter().any(|e| e.hands_on && follows(e)),
        },
        builds,
        broken_defaults: ebuilds
            .iter()
            .map(|e| (e.p.id.clone(), broken_defaults(plan, e)))
            .filter(|(_, parts)| !parts.is_empty())
            .collect(),
    }
}

/// Renders the repository of some plans. Returns the files, and for each plan the GPU targets that
/// its ebuilds pass to upstream's build. The files of a package, such as `metadata.xml`, are made
/// from all of its versions.
///
/// Faults of the input are added to `findings`. A package with a fault is rendered as far as
/// possible, so that all faults are found at once. The caller writes no file if there is an error.
pub fn render(
    editions: &[Edition],
    templates: &Templates,
    findings: &mut Findings,
) -> (Rendered, Vec<Recipes>) {
    let mut out = Rendered::default();
    let Some(first) = editions.first() else {
        return (out, Vec::new());
    };
    let all: Vec<_> = editions
        .iter()
        .map(|edition| lowered(edition, &mut out, findings))
        .collect();
    for packages in out.left_out.values_mut() {
        let mut seen = BTreeSet::new();
        packages.retain(|id| seen.insert(id.clone()));
    }
    let packages = folders(editions, &all, findings);
    for versions in packages.values() {
        let mut own = Findings::default();
        package(&mut out, templates, versions, &mut own);
        match versions.first() {
            Some((plan, e)) => findings.append_of(&plan.owner(&e.p.id), own),
            None => findings.append(own),
        }
    }
    for (path, template, context) in shared(&first.plan, editions, &packages) {
        if let Some(text) = fill(templates, template, context, findings) {
            add(&mut out, &first.plan, None, &path, &text, findings);
        }
    }
    let plans = editions.iter().map(|edition| &edition.plan);
    let recipes = plans.zip(&all).map(|(plan, e)| recipes(plan, e)).collect();
    (out, recipes)
}

/// Lowers the packages of one plan to ebuilds. Reports the keys of their profiles that ebuilds do
/// not support.
fn lowered<'a>(
    edition: &'a Edition,
    out: &mut Rendered,
    findings: &mut Findings,
) -> Vec<Lowered<'a>> {
    let plan = &edition.plan;
    crate::lower::distro_file::distribution(plan, findings);
    let mut ebuilds = Vec::with_capacity(plan.packages.len());
    for p in &plan.packages {
        let mut own = Findings::default();
        ebuilds.extend(lower(plan, p, &mut own));
        if is_written(edition, p) {
            UnsupportedFacts {
                plan,
                p,
                out: &mut out.left_out,
                findings: &mut own,
            }
            .find(&crate::lower::capabilities::CAPABILITIES);
        }
        findings.append_of(&plan.owner(&p.id), own);
    }
    ebuilds
}

/// Returns the ebuilds that are written, by their folders in the repository, such as
/// `sci-libs/rocBLAS`. `all` has the ebuilds of each of `editions`, in the same order.
fn folders<'a>(
    editions: &'a [Edition],
    all: &'a [Vec<Lowered<'a>>],
    findings: &mut Findings,
) -> BTreeMap<String, Versions<'a>> {
    let mut packages: BTreeMap<String, Versions> = BTreeMap::new();
    for (edition, ebuilds) in editions.iter().zip(all) {
        let ebuilds = || ebuilds.iter().filter(|e| is_written(edition, e.p));
        let named = ebuilds().map(|e| (e.folder().to_owned(), e.p.id.clone(), e.p.name_place()));
        edition
            .plan
            .check_names("E0323", "packages are called", named, findings);
        for e in ebuilds() {
            let versions = packages.entry(e.folder().to_owned()).or_default();
            // A package with a version of its own has the same ebuild in the plans of several
            // releases. The one of the newest release is written.
            match versions
                .iter_mut()
                .find(|(_, other)| other.ebuild.cpv.version.base() == e.ebuild.cpv.version.base())
            {
                Some(same) if same.1.p.version < e.p.version => *same = (&edition.plan, e),
                Some(_) => {}
                None => versions.push((&edition.plan, e)),
            }
        }
    }
    packages
}

/// Returns the files that belong to no single package, such as `profiles/categories` and the
/// eclass: for each the path, the template, and the template's context.
fn shared(
    plan: &Plan,
    editions: &[Edition],
    packages: &BTreeMap<String, Versions<'_>>,
) -> Vec<(String, &'static str, Value)> {
    let categories: BTreeSet<&str> = packages
        .values()
        .flatten()
        .map(|(_, e)| e.ebuild.cpv.cpn.category())
        .collect();
    let categories: Vec<Value> = categories.into_iter().map(ready).collect();
    let name = ready(setting(plan, "repository", "rocpkg"));
    let mut out = vec![
        (
            "profiles/repo_name".to_owned(),
            "repo_name.j2",
            context! { name },
        ),
        ("profiles/eapi".to_owned(), "eapi.j2", context! {}),
        (
            "profiles/categories".to_owned(),
            "categories.j2",
            context! { categories },
        ),
        (
            "metadata/layout.conf".to_owned(),
            "layout.conf.j2",
            context! {},
        ),
    ];
    if let Some(facts) = &plan.distro.eclass {
        let about = facts
            .flags
            .as_ref()
            .map(|about| ready(format!("# {about}\n")));
        let targets =
            context! { year => ready(year(plan)), about, targets => descriptions(plan, editions) };
        let (name, variable) = (&facts.name.value, facts.expand.value.to_ascii_lowercase());
        out.extend([
            (
                format!("profiles/desc/{variable}.desc"),
                "targets.desc.j2",
                targets,
            ),
            (
                format!("eclass/{name}.eclass"),
                "eclass.j2",
                eclass(plan, facts).context(),
            ),
            (
                format!("eclass/tests/{name}.sh"),
                "eclass-tests.sh.j2",
                eclass_tests(plan, facts),
            ),
        ]);
    }
    out
}

/// The ebuilds of one folder, each with its plan.
type Versions<'a> = Vec<(&'a Plan, &'a Lowered<'a>)>;

fn package(
    out: &mut Rendered,
    templates: &Templates,
    versions: &Versions<'_>,
    findings: &mut Findings,
) {
    // The facts of the package as a whole are those of the newest version.
    let Some((plan, newest)) = versions
        .iter()
        .max_by_key(|(plan, e)| (&e.p.version, plan.live))
    else {
        return;
    };
    let (folder, id) = (newest.folder(), Some(newest.p.id.as_str()));
    let mut manifest = Listing {
        path: format!("{folder}/Manifest"),
        package: newest.p.id.clone(),
        lines: BTreeMap::new(),
    };
    let mut flags = newest.flags.clone();
    for (plan, e) in versions {
        if let Some(text) = fill(templates, "ebuild.j2", e.ebuild.context(), findings) {
            add(out, plan, Some(&e.p.id), &e.ebuild.path(), &text, findings);
        }
        manifest
            .lines
            .extend(e.distfiles.iter().map(|d| (d.name.clone(), line(d))));
        out.pin(
            &e.p.id,
            &manifest.path,
            e.distfiles.iter().map(|d| d.pinned.clone()),
        );
        for (name, summary) in &e.flags {
            flags.entry(name.clone()).or_insert_with(|| summary.clone());
        }
        for file in &e.files {
            let path = format!("{folder}/files/{file}");
            let companion = Companion {
                path,
                package: e.p.id.clone(),
                ..Companion::default()
            };
            if !out.companions.contains(&companion) {
                out.companions.push(companion);
            }
        }
    }
    flags.sort_unstable_keys();
    let mut metadata = metadata(plan, newest);
    metadata.flags = flags
        .into_iter()
        .map(|(flag, text)| (flag, text.into()))
        .collect();
    if let Some(text) = fill(templates, "metadata.xml.j2", metadata.context(), findings) {
        add(
            out,
            plan,
            id,
            &format!("{folder}/metadata.xml"),
            &text,
            findings,
        );
    }
    if let Some(text) = manifest.text() {
        add(out, plan, id, &manifest.path, &text, findings);
    }
    out.listings.push(manifest);
}

/// Fills in a template. Returns `None` and reports a finding if the template can't be filled in.
fn fill(
    templates: &Templates,
    name: &str,
    context: Value,
    findings: &mut Findings,
) -> Option<String> {
    let text = templates.render(&format!("gentoo/{name}"), context);
    let fault = |e: TemplateError| {
        let finding = Finding::warning("E0322", None, e.to_string());
        findings.push(Finding {
            severity: Severity::Error,
            ..finding
        });
    };
    text.map_err(fault).ok()
}

fn add(
    out: &mut Rendered,
    plan: &Plan,
    id: Option<&str>,
    path: &str,
    text: &str,
    findings: &mut Findings,
) {
    if let Err(e) = out.insert(id, path, text) {
        let other = out.owners.get(path).map(String::as_str);
        // Two packages of one name are reported elsewhere.
        if id.is_none() || other.is_none() {
            findings.push(plan.clash("E0323", id, other, &e.to_string()));
        }
    }
}

/// Returns the `DIST` line (GLEP 74) of a file, if its size and both hashes are known.
fn line(d: &Distfile) -> Option<String> {
    let (size, blake2b, sha512) = d.sums.as_ref()?;
    Some(crate::value::manifest::dist(
        &d.name, *size, blake2b, sha512,
    ))
}

/// Returns the `metadata.xml` without its flags (GLEP 68).
fn metadata(plan: &Plan, e: &Lowered<'_>) -> Metadata {
    let own =
        e.p.package
            .ebuild
            .iter()
            .flat_map(|facts| &facts.maintainers);
    let mut all: Vec<&Maintainer> = own.collect();
    if all.is_empty() {
        all = plan.maintainers(&e.p.id).collect();
    }
    let mut out = Metadata::default();
    for m in all {
        let kind = m.kind.as_ref().map_or("person", |k| k.value.as_str());
        out = out.maintainer(
            (&m.name.value, &m.email.value),
            kind,
            m.proxied.map(Proxied::word),
        );
    }
    if let Some(remote) = &e.remote {
        out = out.github(remote);
    }
    match &e.p.package.documentation {
        Some(url) => out.documentation(&url.value),
        None => out,
    }
}

/// Returns all GPU targets that the distribution offers for some release, each with a description
/// for the flag. It is the description that the distribution's file states, else a list of the
/// microarchitecture, the chips and the products.
fn descriptions(plan: &Plan, editions: &[Edition]) -> Vec<Value> {
    let mut offered: BTreeSet<&str> = BTreeSet::new();
    for row in patterns::rows(&plan.distro.targets) {
        offered.extend(
            row.set
                .default
                .iter()
                .chain(&row.set.offered)
                .map(|t| t.value.as_str()),
        );
    }
    // Further targets have a flag if a package offers them.
    let packages = editions
        .iter()
        .flat_map(|e| e.plan.packages.iter().map(|p| (&e.plan, p)));
    let lists: Vec<_> = packages
        .map(|(plan, p)| crate::lower::flags::own_targets(plan, p))
        .collect();
    let flagged = |t: &&str| {
        lists
            .iter()
            .any(|(on, off)| on.iter().chain(off).any(|o| o == t))
    };
    offered.extend(
        plan.distro
            .further_targets
            .iter()
            .map(|t| t.value.as_str())
            .filter(flagged),
    );
    let mut names: Vec<&str> = offered.into_iter().collect();
    names.sort_by_key(|n| (n.len(), (*n).to_owned()));
    names
        .into_iter()
        .map(|name| {
            let known = plan
                .registry
                .as_ref()
                .map(|all| all.hardware(name))
                .unwrap_or_default();
            let chips = std::iter::once(known.family)
                .chain(known.chips)
                .filter(|c| !c.is_empty());
            let told = [
                chips.collect::<Vec<_>>().join(", "),
                known.products.join(", "),
            ];
            let told = told
                .iter()
                .filter(|t| !t.is_empty())
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(": ");
            let text = match plan.distro.target_descriptions.get(name) {
                Some(stated) => stated
                    .value
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
                None if told.is_empty() => "No product is known to carry it".to_owned(),
                None => told,
            };
            context! { name => ready(name), text => ready(text) }
        })
        .collect()
}

/// Returns the eclass of the distribution's GPU targets.
fn eclass(plan: &Plan, facts: &EbuildEclass) -> Eclass {
    let person = |m: &Maintainer| format!("{} <{}>", m.name.value, m.email.value);
    // If one of the maintainers is a project, it maintains the eclass.
    let everywhere = || {
        plan.distro
            .maintainers
            .iter()
            .filter(|m| m.packages.is_empty())
    };
    let project = everywhere().find(|m| m.kind.as_ref().is_some_and(|k| k.value == "project"));
    let maintainer = project
        .or_else(|| everywhere().chain(&plan.distro.maintainers).next())
        .map_or_else(|| "nobody <nobody@example.org>".to_owned(), person);
    let year = year(plan);
    let years = match &facts.since {
        Some(since) if since.value != year => format!("{since}-{year}"),
        _ => year.to_owned(),
    };
    let expand = Expand::of(plan).values;
    let names = (
        facts.name.value.as_str(),
        &expand,
        facts.title.value.as_str(),
    );
    let on_by_default = facts.on_by_default.as_deref();
    let mut out = Eclass::of_rows(
        names,
        (&facts.blurb.value, &years),
        &plan.distro.targets,
        on_by_default,
    )
    .maintainer(&maintainer)
    .description(facts.description.as_deref().unwrap_or_default());
    for author in &plan.distro.authors {
        out = out.author(&person(author));
    }
    if let Some(example) = &facts.example {
        out = out.example(example);
    }
    for other in &facts.inherit {
        out = out.inherit(&other.value);
    }
    for (name, function) in &facts.functions {
        let body = vec![Stmt::Raw(Word::lit(function.body.clone()))];
        let made = EclassFunction::new(name, &function.description, body);
        let made = if function.internal {
            made.internal()
        } else {
            made
        };
        out = out.function(match &function.usage {
            Some(usage) => made.usage(usage),
            None => made,
        });
    }
    out
}

/// Returns the context of the template of the eclass's tests. It contains the first and the last
/// version of each row of targets, and states if a release may match no row.
fn eclass_tests(plan: &Plan, facts: &EbuildEclass) -> Value {
    let expand = Expand::of(plan);
    let of = |name: String| ready(format!("${{{name}}}"));
    let rows = patterns::rows(&plan.distro.targets);
    let bounded = rows.iter().all(|row| row.pattern != "*");
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let names = |targets: &[Spanned<String>]| ready(texts(targets).join(" "));
            let (official, unofficial) = (names(&row.set.default), names(&row.set.offered));
            context! { versions => ready(row.ends.join(" ")), official, unofficial }
        })
        .collect();
    context! {
        year => ready(year(plan)),
        rows,
        bounded,
        name => ready(expand.name),
        expand => ready(expand.variable()),
        prefix => ready(expand.prefix()),
        list => ready(expand.list()),
        version => ready(expand.version()),
        of_version => of(expand.version()),
        skip => ready(expand.skip()),
        required_use => ready(expand.required_use()),
        of_required_use => of(expand.required_use()),
        usedep => ready(expand.usedep()),
        of_usedep => of(expand.usedep()),
        tests => facts.tests.as_ref().map(|tests| ready(tests.trim_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_template_that_can_not_be_filled_in_is_a_finding() {
        let mut findings = Findings::default();
        fill(
            &Templates::new(&BTreeMap::new()).unwrap(),
            "ebuild.j2",
            context! {},
            &mut findings,
        );
        assert!(findings.any(|f| f.code == "E0322"));
    }
}
