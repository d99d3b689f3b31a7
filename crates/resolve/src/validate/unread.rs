//! What a distribution's file says and its backend does not read.

use crate::plan::Plan;
use rocpkg_model::{Finding, Findings, Node, Span, Value};

/// Warns of habits that say something in a distribution's file, and that only the backend of another one, the `reader`, reads.
pub fn unheard(plan: &Plan, reader: &str, habits: &[&str], findings: &mut Findings) {
    let distro = &plan.distro_name;
    let said = plan.distro_node.as_ref().and_then(|node| node.get("habits"));
    for key in habits {
        // That nothing is done needs no reader.
        let asked = said.and_then(|habits| habits.get(key)).filter(|value| value.text() != Some("none"));
        if let Some(span) = asked.and_then(place) {
            findings.push(
                Finding::warning("W0222", Some(span), format!("nothing in {distro} reads `habits.{key}`"))
                    .label(format!("only {reader} does")),
            );
        }
    }
}

/// Reports settings in a distribution's file that its backend, which reads those `known`, does not have.
pub fn unread_settings(plan: &Plan, known: &[&str], findings: &mut Findings) {
    let settings = plan.distro_node.as_ref().and_then(|node| node.get("settings"));
    let settings = settings.map(Node::entries).unwrap_or_default();
    for (key, _) in settings.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
        findings.push(
            Finding::error("E0110", key.span, format!("unknown setting `{}`", key.name))
                .label(format!("expected one of: {}", known.join(", ")))
                .nearest(&key.name, known.iter().copied()),
        );
    }
}

/// Where a value says something: of a list, its first element.
pub(crate) fn place(value: &Node) -> Option<Span> {
    match &value.value {
        Value::Null => None,
        Value::Seq(items) => items.first().map(|item| item.span),
        Value::Scalar { .. } | Value::Map(_) => Some(value.span),
    }
}
