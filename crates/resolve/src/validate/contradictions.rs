//! Keys of one mapping of which one excludes another, or that say nothing together.
//!
//! They are looked at before conditions that the distribution answers are: an answer takes keys out.

use crate::layer::identity::VALUES;
use rocpkg_model::{Finding, Findings, Key, Node, Span, Value};

/// Reports what contradicts itself in a package after its layers were merged.
pub(crate) fn check(node: &Node, findings: &mut Findings) {
    let below = |key: &str| node.get(key).map(Node::entries).unwrap_or_default();
    for (_, option) in below("options") {
        values(option, findings);
    }
    for (_, project) in below("cmake") {
        for (_, argument) in project.get("arguments").map(Node::entries).unwrap_or_default() {
            items(argument).for_each(|one| values(one, findings));
        }
    }
    for (name, edges) in below("depends") {
        items(edges).for_each(|edge| kinds(name, edge, findings));
    }
    main_source(node, findings);
}

/// The elements of a list, or the one thing that stands for it.
fn items(node: &Node) -> impl Iterator<Item = &Node> {
    match &node.value {
        Value::Seq(items) => items.iter(),
        _ => std::slice::from_ref(node).iter(),
    }
}

/// An argument and an option have one value.
fn values(node: &Node, findings: &mut Findings) {
    let said: Vec<&Key> =
        node.entries().iter().map(|(k, _)| k).filter(|k| VALUES.contains(&k.name.as_str())).collect();
    if let [first, second, ..] = said.as_slice() {
        findings.push(both(&first.name, &second.name, second.span));
    }
    let text = node.entries().iter().find(|(k, _)| k.name == "then" || k.name == "else");
    if let (Some((text, _)), None) = (text, node.get("choose")) {
        let finding = Finding::error("E0113", text.span, format!("`{}` without `choose`", text.name));
        findings.push(finding.label("expected `choose`: the condition between the two texts"));
    }
}

/// Two things that can't both be so.
fn both(first: &str, second: &str, span: Span) -> Finding {
    Finding::error("E0248", span, format!("`{second}` beside `{first}`")).label("expected one of the two")
}

/// A dependency is for something, and what is in the way is not needed as well.
fn kinds(name: &Key, edge: &Node, findings: &mut Findings) {
    if !matches!(edge.value, Value::Map(_)) {
        return;
    }
    let kind = edge.get("kind");
    let kinds = match kind.map(|k| &k.value) {
        Some(Value::Seq(kinds)) => kinds.as_slice(),
        Some(_) => return,
        None => &[],
    };
    if kinds.is_empty() {
        let place = kind.map_or(name.span, |k| k.span);
        let finding = Finding::error("E0113", place, format!("`{}` is a dependency of no kind", name.name));
        findings
            .push(finding.label("expected `kind`, such as link, tool or run").hint("`~` drops a dependency"));
    }
    let conflict = kinds.iter().find(|k| k.text() == Some("conflict"));
    let other = kinds.iter().filter_map(Node::text).find(|k| *k != "conflict");
    if let (Some(conflict), Some(other)) = (conflict, other) {
        findings.push(both(other, "conflict", conflict.span));
    }
}

/// What is built is fetched, whatever is chosen.
fn main_source(node: &Node, findings: &mut Findings) {
    let first = node.get("sources").map(Node::entries).unwrap_or_default().first();
    if let Some((name, when)) = first.and_then(|(name, source)| Some((name, source.get("when")?))) {
        let message = format!("the source `{}` is built whatever is chosen", name.name);
        let finding = Finding::error("E0248", when.span, message);
        findings.push(finding.label("expected no condition: it is the first one, and the package's own"));
    }
}
