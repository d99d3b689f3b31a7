//! Files, rows and keys about what nobody has.

use crate::layer::model::Model;
use crate::read::files::Layers;
use rocpkg_model::{Finding, Findings, NATIVE, Node, Span, Value};
use std::collections::BTreeSet;

/// Reports what a user wrote about a package or component that no distribution has, and what stands where no backend reads it.
pub(crate) fn check(model: &Model, findings: &mut Findings) {
    for (distro, overlays) in &model.overlays {
        for layers in overlays.values() {
            check_native(distro, layers, findings);
        }
    }
    for (distro, ids) in &model.listed {
        let overlays = model.overlays.get(distro).into_iter().flatten();
        let overlays = overlays.map(|(name, layers)| (name.as_str(), layers.span().begin()));
        for (name, span) in overlays.chain(rows(model, distro)).filter(|(name, _)| !ids.contains(*name)) {
            let finding = Finding::error("E0122", span, format!("no package of {distro} is `{name}`"))
                .label(format!("expected an id that distros/{distro}.yaml lists under `packages`"));
            findings.push_nearest(finding, name, ids.iter().map(String::as_str));
        }
    }
    let mut used: BTreeSet<String> = model.listed.values().flatten().cloned().collect();
    for (distro, overlays) in &model.overlays {
        used.extend(overlays.keys().flat_map(|id| model.components_of(distro, id)));
    }
    for (name, layers) in &model.components {
        // What ships is looked at by its own tests; a distribution's maintainer loads only a part of it.
        let span = layers.span();
        if model.depths.of(span) > 0 && !used.contains(name) {
            let known = model.components.keys().filter(|k| *k != name).map(String::as_str);
            let message = format!("no distribution has a package of the component `{name}`");
            let finding = Finding::warning("W0201", Some(span.begin()), message);
            findings.push_nearest(finding.label("nothing reads this file"), name, known);
        }
    }
}

/// The packages that rows of a distribution's file are about, by their ids, and where those stand.
fn rows<'m>(model: &'m Model, distro: &str) -> impl Iterator<Item = (&'m str, Span)> {
    let tables = model.distro_nodes.get(distro).into_iter();
    let tables = tables.flat_map(|n| ["contributors", "history", "monitoring"].map(|table| n.get(table)));
    let keys = tables.flatten().flat_map(Node::entries).map(|(key, _)| (key.name.as_str(), key.span));
    let people = model.distros.get(distro).into_iter().flat_map(|d| &d.maintainers);
    keys.chain(people.flat_map(|m| &m.packages).map(|id| (id.value.as_str(), id.span)))
}

/// Reports keys of other distributions in an overlay.
fn check_native(distro: &str, layers: &Layers, findings: &mut Findings) {
    for (key, _) in layers.iter().flat_map(Node::entries).filter(|(_, node)| node.value != Value::Null) {
        let whose = NATIVE.iter().find(|(native, _)| key.name == *native);
        if let Some((_, other)) = whose.filter(|(_, other)| *other != distro) {
            let message = format!("nobody reads `{}` in an overlay of {distro}", key.name);
            let label = format!("it belongs into an overlay of {other}");
            findings.push(Finding::error("E0110", key.span, message).label(label));
        }
    }
}
