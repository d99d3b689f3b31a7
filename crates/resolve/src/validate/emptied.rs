//! What layers and habits say in vain, as they are written: conditions and later layers may empty what was not meant to be.

use crate::layer::model::Model;
use crate::read::files::Layers;
use crate::validate::gaps::place;
use rocpkg_model::{Finding, Findings, Node, Value};

/// Where packages have steps.
const SECTIONS: [&str; 3] = ["phases", "ebuild", "pkgbuild"];

/// Keys of a component that become others before rules speak.
const TOLD: [(&str, &str); 3] = [
    ("based-on", "expected it in components"),
    ("options", "expected `habits.option-values`, or `cmake.main.arguments`"),
    ("test-data", "expected it in components, or `sources`"),
];

/// Reports groups, loops and folders without steps in all layers, and what rules say that nothing reads.
pub(crate) fn check(model: &Model, findings: &mut Findings) {
    let overlays = model.overlays.values().flat_map(|of| of.values());
    let layers = model.components.values().chain(overlays).flat_map(Layers::iter);
    let steps = layers.flat_map(|layer| SECTIONS.into_iter().filter_map(|section| layer.get(section)));
    steps.for_each(|node| walk(node, findings));
    for rules in model.distro_nodes.values().filter_map(|node| node.get("habits")?.get("rules")) {
        walk(rules, findings);
        if let Value::Seq(rules) = &rules.value {
            for rule in rules {
                check_rule(rule, findings);
            }
        }
    }
}

fn check_rule(rule: &Node, findings: &mut Findings) {
    if let (Some(kind), None) = (rule.get("as"), rule.get("depends-on")) {
        let finding = Finding::error("E0113", kind.span, "a rule has `as` without `depends-on`");
        findings.push(finding.label("expected `depends-on`: the dependency that is of this kind"));
    }
    for (key, label) in TOLD {
        if let Some(span) = rule.get("package").and_then(|tree| tree.get(key)).and_then(place) {
            let message = format!("nothing reads `{key}` of a rule");
            findings.push(Finding::warning("W0222", Some(span), message).label(label));
        }
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
