//! Files and keys that nobody reads.

use crate::layer::model::Model;
use crate::read::files::Layers;
use rocpkg_model::{Finding, Findings, NATIVE, Node, Value};

/// Warns of components that no distribution has, which a user wrote, and what stands where no backend reads it.
pub(crate) fn check(model: &Model, findings: &mut Findings) {
    for (distro, overlays) in &model.overlays {
        for layers in overlays.values() {
            check_native(distro, layers, findings);
        }
    }
    let used = model.used();
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

/// Reports keys of other distributions in an overlay.
fn check_native(distro: &str, layers: &Layers, findings: &mut Findings) {
    for (key, _) in layers.iter().flat_map(Node::entries).filter(|(_, node)| node.value != Value::Null) {
        let whose = NATIVE.iter().find(|(native, _)| key.name == *native);
        if let Some((_, other)) = whose.filter(|(_, other)| *other != distro) {
            let message = format!("nobody reads `{}` in an overlay of {distro}", key.name);
            let label = format!("it belongs into an overlay of {other}");
            findings.push(Finding::error("E0110", key.span, message).label(label));
        } else if key.name == "based-on" {
            let message = "nobody reads `based-on` in an overlay".to_owned();
            findings.push(Finding::error("E0110", key.span, message).label("it belongs into the component"));
        }
    }
}
