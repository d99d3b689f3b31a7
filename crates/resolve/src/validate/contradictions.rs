//! Checks keys of one mapping that exclude each other, or that need each other.
//!
//! The checks run before the conditions are answered that the distribution decides, since answering
//! removes keys.

use crate::layer::identity::VALUES;
use crate::read::texts::values;
use rocpkg_model::{Finding, Findings, Key, Node, Span, Value};

/// Reports contradictions in a package after its layers were merged.
pub(crate) fn check(node: &Node, findings: &mut Findings) {
    let arguments = values(node, "cmake.*.arguments.*")
        .into_iter()
        .flat_map(Node::one_or_many);
    for one in values(node, "options.*").into_iter().chain(arguments) {
        one_value(one, findings);
    }
    for (name, edges) in node.entries_of("depends") {
        edges
            .one_or_many()
            .iter()
            .for_each(|edge| kinds(name, edge, findings));
    }
    main_source(node, findings);
}

/// Reports an argument or an option that has several values, or a choice without its condition.
fn one_value(node: &Node, findings: &mut Findings) {
    let said: Vec<&Key> = node
        .entries()
        .iter()
        .map(|(k, _)| k)
        .filter(|k| VALUES.contains(&k.name.as_str()))
        .collect();
    if let [first, second, ..] = said.as_slice() {
        findings.push(both(&first.name, &second.name, second.span));
    }
    let text = node
        .entries()
        .iter()
        .find(|(k, _)| k.name == "then" || k.name == "else");
    if let (Some((text, _)), None) = (text, node.get("choose")) {
        let finding = Finding::error(
            "E0113",
            text.span,
            format!("`{}` without `choose`", text.name),
        );
        findings.push(
            finding.label("expected `choose`: the condition that selects one of the two texts"),
        );
    }
}

/// Returns the finding about two keys or kinds, `first` and `second`, that exclude each other.
/// `span` is the place of `second`.
fn both(first: &str, second: &str, span: Span) -> Finding {
    Finding::error(
        "E0248",
        span,
        format!("`{second}` and `{first}` exclude each other"),
    )
    .label("expected one of the two")
}

/// Reports a dependency edge without a kind, and an edge that is both a conflict and a dependency.
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
        let finding = Finding::error(
            "E0113",
            place,
            format!("the dependency `{}` has no kind", name.name),
        );
        findings.push(
            finding
                .label("expected `kind`, such as link, tool or run")
                .hint("write `~` to remove a dependency"),
        );
    }
    let conflict = kinds.iter().find(|k| k.text() == Some("conflict"));
    let other = kinds
        .iter()
        .filter_map(Node::text)
        .find(|k| *k != "conflict");
    if let (Some(conflict), Some(other)) = (conflict, other) {
        findings.push(both(other, "conflict", conflict.span));
    }
}

/// Reports a condition on the main source, which is always fetched.
fn main_source(node: &Node, findings: &mut Findings) {
    let first = node.entries_of("sources").first();
    if let Some((name, when)) = first.and_then(|(name, source)| Some((name, source.get("when")?))) {
        let message = format!("the source `{}` can't have a condition", name.name);
        let finding = Finding::error("E0248", when.span, message);
        findings.push(finding.label("expected no condition: it is the package's main source"));
    }
}
