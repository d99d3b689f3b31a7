//! Validating: what is read and planned is looked at.
//!
//! It takes the layers, the tree they make, and the planned package, and gives findings alone;
//! nothing that it does changes a plan. A name is looked for where it is declared, before any file
//! is laid over another (`symbols`): a mistake is told once, and then read as what was meant
//! (`recover.rs`). What a merged package names is looked at when it is planned (`package_names`).
//! Words of a distribution's own repository, such as Gentoo's eclasses or makepkg's options, are
//! not looked up here: the distribution's tools tell of those that are not there.
//!
//! A guess is called one, and a patch or a step that nobody checked for the release at hand is
//! named (`checked`). What a recipe can't say is said: an error where the package's overlay states
//! it, a line of the review for what components and habits state (`gaps`).

pub(crate) mod checked;
mod conditions;
mod contradictions;
mod effects;
mod files;
pub(crate) mod gaps;
mod package_names;
mod projects;
mod symbols;
mod tables;

use crate::layer::model::Model;
use crate::layer::package::Merged;
use crate::plan::edges::needs_itself;
use crate::plan::fetching::{outside, stays_inside};
use crate::plan::planned::Planned;
use crate::read::files::Layers;
use rocpkg_model::{Finding, Findings, Node, Severity, Spanned, Value};

pub(crate) use symbols::{Wrong, first_wrong};
pub(crate) use tables::distro;

/// Looks at all layers, when all are read and none is taken out.
pub(crate) fn model(model: &Model, findings: &mut Findings) {
    model
        .upstream
        .iter()
        .for_each(|all| tables::upstream(all, findings));
    files::check(model, findings);
}

/// Whether a package says what no distribution can do without: its licence, and what it is made
/// from. Else nothing more is said of it.
pub(crate) fn is_whole(name: &str, merged: &Merged, findings: &mut Findings) -> bool {
    let own = merged
        .parts
        .base
        .into_iter()
        .flat_map(Layers::iter)
        .chain(merged.parts.overlays.iter().copied());
    let place = own.last().map_or(merged.node.span, |layer| layer.span);
    let stated = |key: &str| {
        let node = merged.node.get(key);
        let is_stated = node.is_some_and(|n| match &n.value {
            Value::Seq(items) => !items.is_empty(),
            Value::Map(entries) => !entries.is_empty(),
            Value::Scalar { .. } => true,
            Value::Null => false,
        });
        (is_stated, node.map_or(place, |n| n.span))
    };
    let before = findings.count();
    if let (false, at) = stated("licence") {
        let finding = Finding::error("E0238", at, format!("{name} states no licence"));
        findings.push(finding.label("expected one of SPDX's, such as `licence: [MIT]`"));
    }
    // A package of nothing but names is made of others.
    let is_meta = merged
        .node
        .get("pkgbuild")
        .is_some_and(|own| own.get("packages").is_some());
    if let (false, (false, at), (false, _)) = (is_meta, stated("sources"), stated("phases")) {
        let finding = Finding::error("E0239", at, format!("{name} has neither sources nor steps"));
        findings.push(
            finding.label("expected a source, such as `sources: {main: {repository: rocBLAS}}`"),
        );
    }
    !findings.has_errors_since(before)
}

/// Looks at the layers of one package, each by itself.
pub(crate) fn layers(model: &Model, merged: &Merged, findings: &mut Findings) {
    let parts = &merged.parts;
    for name in &parts.of {
        let layers = model
            .components
            .get(name)
            .into_iter()
            .flat_map(Layers::iter);
        for (key, node) in layers.flat_map(|layer| layer.entries_of("depends")) {
            if key.name == *name && node.value != Value::Null {
                findings.push(needs_itself(name, key.span));
            }
        }
    }
    let below: Vec<&Node> = parts.base.into_iter().flat_map(Layers::iter).collect();
    projects::check_releases(&below, &parts.overlays, findings);
}

/// Looks at the tree that the layers make, before the conditions that a distribution answers take
/// keys out.
pub(crate) fn tree(merged: &Merged, findings: &mut Findings) {
    let node = &merged.node;
    contradictions::check(node, findings);
    // Features that can't be read are one fault, not one at each condition that names them.
    if node
        .get("features")
        .is_none_or(|n| matches!(n.value, Value::Map(_)))
    {
        let names: Vec<&str> = node.keys_of("features").collect();
        conditions::check(node, &names, findings);
    }
}

/// Of why a package can't be read, what stands in its components, if anything: what is laid over
/// that, or hangs on it, is not one more fault at each value. True where that is so.
pub(crate) fn keep_causes(model: &Model, merged: &Merged, faults: &mut Findings) -> bool {
    let layers = merged
        .parts
        .of
        .iter()
        .filter_map(|c| model.components.get(c))
        .flat_map(Layers::iter);
    let files: Vec<u32> = layers.map(|layer| layer.span.file).collect();
    let of_component = |f: &Finding| {
        f.severity == Severity::Error && f.span.is_some_and(|span| files.contains(&span.file))
    };
    let found = faults.any(of_component);
    if found {
        faults.retain(of_component);
    }
    found
}

/// Looks at the facts of a package.
pub(crate) fn package(model: &Model, p: &Planned, findings: &mut Findings) {
    p.package
        .patches
        .iter()
        .for_each(|patch| patch_name(&patch.file, findings));
    rocpkg_model::check_paths(&p.package, findings);
    package_names::check(&p.package, &p.node, findings);
    effects::check(&p.package, &p.node, &p.components, findings);
    for fact in checked::unchecked(p, &model.depths, findings) {
        findings.push(fact.finding);
    }
    checked::unknown_support(p, findings);
    checked::unseen_tags(model, p, findings);
    checked::version_of_source(p, findings);
}

/// A patch is named by folders and a file below the one where patches are.
fn patch_name(file: &Spanned<String>, findings: &mut Findings) {
    if !stays_inside(&file.value) {
        findings.push(outside(&file.value, file.span));
    } else if file.value.split('/').any(|part| matches!(part, "" | ".")) {
        let message = format!("`{}` can't be the name of a patch", file.value);
        let finding = Finding::error("E0563", file.span, message);
        findings
            .push(finding.label("expected names of folders and of a file between single slashes"));
    }
}
