//! Validating: everything that is read and planned is checked.
//!
//! The input is the layers, the merged tree and the planned package. The only output is findings,
//! and validation never changes a plan. Names are checked against their declarations before any
//! file is merged (`symbols`). So a wrong name is reported once, and is then read as the name that
//! was meant (`recover.rs`). Names in a merged package are checked when the package is planned
//! (`package_names`). Names from a distribution's own repository, such as Gentoo's eclasses or
//! makepkg's options, are not checked here: the distribution's tools report unknown ones.
//!
//! Guesses are reported as guesses. A patch or a step that was not checked for the planned release
//! is reported (`checked`). A fact that a recipe can't express is an error if the package's overlay
//! states it, and a line in the list of left-out facts if a component or the habits state it
//! (`capabilities`).

pub(crate) mod capabilities;
pub(crate) mod checked;
mod conditions;
mod contradictions;
mod effects;
mod files;
mod package_names;
mod projects;
mod symbols;
mod tables;

use crate::layer::model::Model;
use crate::layer::package::MergedPackage;
use crate::plan::edges::needs_itself;
use crate::plan::fetching::{outside, stays_inside};
use crate::plan::planned::Planned;
use crate::read::files::Layers;
use crate::read::release::read_range;
use rocpkg_model::{Finding, Findings, Node, Severity, Spanned, Value};

pub(crate) use symbols::{Wrong, first_wrong};
pub(crate) use tables::distro;

/// Checks the whole model, after all files are read and before overlays are removed on request.
pub(crate) fn model(model: &Model, findings: &mut Findings) {
    model
        .upstream
        .iter()
        .for_each(|all| tables::upstream(all, findings));
    let lines = model.lines.values();
    tables::llvm(
        lines.flat_map(|line| line.llvm.iter().chain(&line.plain_llvm)),
        findings,
    );
    files::check(model, findings);
}

/// Returns true if a package states the facts that every distribution needs: its licence, and its
/// sources or steps. Otherwise reports the missing facts. The caller then does not check the
/// package further.
pub(crate) fn is_whole(name: &str, merged: &MergedPackage, findings: &mut Findings) -> bool {
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
        findings.push(finding.label("expected SPDX identifiers, such as `licence: [MIT]`"));
    }
    // A recipe that only lists the packages that it is split into may have neither.
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

/// Checks the layers of one package before they are merged.
pub(crate) fn layers(model: &Model, merged: &MergedPackage, findings: &mut Findings) {
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

/// Checks the merged tree of a package. Conditions that the distribution answers are still open,
/// since answers remove keys.
pub(crate) fn tree(merged: &MergedPackage, findings: &mut Findings) {
    let node = &merged.node;
    contradictions::check(node, findings);
    // Features that can't be read are one error, not one error for each condition that names them.
    if node
        .get("features")
        .is_none_or(|n| matches!(n.value, Value::Map(_)))
    {
        let names: Vec<&str> = node.keys_of("features").collect();
        conditions::check(node, &names, findings);
    }
}

/// Reduces `faults`, the findings about a package that can't be read, to the errors in files of its
/// components, if any exist. Other values are merged over the components or depend on them, so
/// their errors would only be repetitions. Returns true if the components have errors.
pub(crate) fn keep_causes(model: &Model, merged: &MergedPackage, faults: &mut Findings) -> bool {
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

/// Checks the facts of a planned package.
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
    if let Some(llvm) = &p.package.llvm {
        tables::llvm(llvm.works.0.iter().flat_map(|row| &row.with), findings);
        for range in llvm.fails.0.iter().filter_map(|row| row.with.as_ref()) {
            read_range(&range.value, range.span, findings);
        }
    }
    checked::unknown_support(p, findings);
    checked::unseen_tags(model, p, findings);
    checked::version_of_source(p, findings);
}

/// Reports a patch whose name is not a path of folders and a file below the folder of patches.
fn patch_name(file: &Spanned<String>, findings: &mut Findings) {
    if !stays_inside(&file.value) {
        findings.push(outside(&file.value, file.span));
    } else if file.value.split('/').any(|part| matches!(part, "" | ".")) {
        let message = format!("`{}` can't be the name of a patch", file.value);
        let finding = Finding::error("E0563", file.span, message);
        findings.push(
            finding.label("expected names of folders and of a file, separated by single slashes"),
        );
    }
}
