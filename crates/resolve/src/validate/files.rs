//! Checks for files and keys that nothing reads, and for rules of the habits that have no effect.

use crate::layer::model::Model;
use crate::read::files::Layers;
use crate::validate::capabilities::place;
use rocpkg_model::{Finding, Findings, NATIVE, Node, Value};

/// The keys of a component that are turned into other keys before rules are applied, so that they
/// have no effect in a rule. Each has the label of the finding.
const TOLD: [(&str, &str); 3] = [
    ("based-on", "expected it in a component"),
    (
        "options",
        "expected `habits.option-values`, or `cmake.main.arguments`",
    ),
    ("test-data", "expected it in a component, or `sources`"),
];

/// Reports a user's components that no distribution packages, and keys where no backend reads them.
pub(crate) fn check(model: &Model, findings: &mut Findings) {
    for (distro, overlays) in &model.overlays {
        for layers in overlays.values() {
            check_native(distro, layers, findings);
        }
    }
    for habits in model
        .distro_nodes
        .values()
        .filter_map(|node| node.get("habits"))
    {
        habits
            .list_of("rules")
            .iter()
            .for_each(|rule| check_rule(rule, findings));
    }
    let used = model.used();
    for (name, layers) in &model.components {
        // The shipped profiles are not checked here: a user may load only some distributions, and
        // tests check the whole.
        let span = layers.span();
        if model.depths.of(span) > 0 && !used.contains(name) {
            let known = model
                .components
                .keys()
                .filter(|k| *k != name)
                .map(String::as_str);
            let message = format!("no distribution has a package of the component `{name}`");
            let finding = Finding::warning("W0201", Some(span.begin()), message);
            findings.push_nearest(finding.label("nothing reads this file"), name, known);
        }
    }
}

/// Reports keys in an overlay that only other distributions read, and `based-on`, which only
/// components may have. `layers` are the layers of the overlay.
fn check_native(distro: &str, layers: &Layers, findings: &mut Findings) {
    for (key, _) in layers
        .iter()
        .flat_map(Node::entries)
        .filter(|(_, node)| node.value != Value::Null)
    {
        let whose = NATIVE.iter().find(|(native, _)| key.name == *native);
        if let Some((_, other)) = whose.filter(|(_, other)| *other != distro) {
            let message = format!("`{}` has no effect in an overlay of {distro}", key.name);
            let label = format!("expected it in an overlay of {other}");
            findings.push(Finding::error("E0110", key.span, message).label(label));
        } else if key.name == "based-on" {
            let message = "`based-on` has no effect in an overlay".to_owned();
            findings.push(
                Finding::error("E0110", key.span, message).label("expected it in the component"),
            );
        }
    }
}

/// Reports keys in a rule of the habits that have no effect.
fn check_rule(rule: &Node, findings: &mut Findings) {
    if let (Some(kind), None) = (rule.get("as"), rule.get("depends-on")) {
        let finding = Finding::error("E0113", kind.span, "a rule has `as` without `depends-on`");
        findings.push(finding.label("expected `depends-on`: the dependency that has this kind"));
    }
    for (key, label) in TOLD {
        if let Some(span) = rule
            .get("package")
            .and_then(|tree| tree.get(key))
            .and_then(place)
        {
            let message = format!("`{key}` has no effect in a rule");
            findings.push(Finding::warning("W0222", Some(span), message).label(label));
        }
    }
}
