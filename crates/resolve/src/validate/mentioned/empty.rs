//! Steps that hold no others, as a layer has them: conditions and later layers may empty them, and whoever writes them so forgot something.

use crate::layer::model::Model;
use crate::read::files::Layers;
use rocpkg_model::{Finding, Findings, Node, Value};

/// Where packages have steps.
const SECTIONS: [&str; 3] = ["phases", "ebuild", "pkgbuild"];

/// Reports groups, loops and folders without steps in all layers.
pub(super) fn check(model: &Model, findings: &mut Findings) {
    let overlays = model.overlays.values().flat_map(|of| of.values());
    let layers = model.components.values().chain(overlays).flat_map(Layers::iter);
    let steps = layers.flat_map(|layer| SECTIONS.into_iter().filter_map(|section| layer.get(section)));
    let habits = model.distro_nodes.values().filter_map(|node| node.get("habits")?.get("rules"));
    for node in steps.chain(habits) {
        walk(node, findings);
    }
}

fn walk(node: &Node, findings: &mut Findings) {
    match &node.value {
        Value::Map(entries) => {
            for (key, value) in entries {
                match key.name.as_str() {
                    "group" => told(value, findings),
                    "inside" | "each" => {
                        value.get("steps").into_iter().for_each(|steps| told(steps, findings));
                    }
                    _ => {}
                }
                walk(value, findings);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| walk(item, findings)),
        _ => {}
    }
}

/// Reports a list of steps that is empty.
fn told(steps: &Node, findings: &mut Findings) {
    if matches!(&steps.value, Value::Seq(items) if items.is_empty()) {
        let finding = Finding::error("E0113", steps.span, "an empty list holds no step");
        findings.push(finding.label("expected a step, or no such list").hint("`~` takes a step out"));
    }
}
