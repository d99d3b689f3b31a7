//! Findings about values of the wrong type, with hints at the right form. The functions are not
//! generic, so that they are not compiled for each type anew.

use crate::describe::{Book, Record, Shape};
use crate::finding::{Finding, Findings};
use crate::node::{Key, Node, Value};
use crate::source::Span;

/// Reports that `node` is of another type than `expected`, the description of a type. Adds a hint
/// if the right form is likely.
pub(crate) fn not_expected(node: &Node, expected: &str, findings: &mut Findings) {
    let finding = unlike(node, expected);
    findings.push(match node.text().and_then(|text| meant(text, expected)) {
        Some(hint) => finding.hint(hint),
        None => finding,
    });
}

/// Returns the finding about `node`, which is of another type than `expected`.
fn unlike(node: &Node, expected: &str) -> Finding {
    let found = match node.text() {
        Some(text) if text.len() < 40 && !text.contains('\n') => format!("`{text}`"),
        _ => node.kind().to_owned(),
    };
    let finding = Finding::error(
        "E0111",
        node.span,
        format!("expected {expected}, found {found}"),
    );
    finding.label(format!("expected {expected}"))
}

/// Returns the layer `node` of a `record` without the lists and texts under keys whose values must
/// be mappings, and reports each of them: `depends: [clr]`. Merging a mapping over a list or a text
/// would discard the list or the text.
pub(crate) fn without_misfits(node: &Node, record: &Record, findings: &mut Findings) -> Node {
    let misfit = |key: &Key, value: &Node| {
        let field = record.fields.iter().find(|f| key.name == f.key);
        let is_one = matches!(value.value, Value::Seq(_) | Value::Scalar { .. });
        is_one
            && field.is_some_and(|f| matches!((f.shape)(&mut Book::default()), Shape::Mapping(_)))
    };
    let Value::Map(entries) = &node.value else {
        return node.clone();
    };
    let (out, kept): (Vec<_>, Vec<_>) = entries
        .iter()
        .cloned()
        .partition(|(key, value)| misfit(key, value));
    for (_, value) in &out {
        let finding = unlike(value, "a mapping");
        let first = match &value.value {
            Value::Seq(items) => items.first().and_then(Node::text),
            _ => value.text(),
        };
        findings.push(match first {
            Some(name) => finding.hint(format!(
                "write each name as a key with a value: `{name}: …`"
            )),
            None => finding,
        });
    }
    Node {
        span: node.span,
        value: Value::Map(kept),
    }
}

/// Returns a hint at the right form of `text`, which was found where the type `expected` must be:
/// `yes` -> "write `true`". Returns `None` if the right form is not clear.
fn meant(text: &str, expected: &str) -> Option<String> {
    match (expected, text.to_lowercase().as_str()) {
        ("true or false", "yes" | "on" | "y" | "1" | "true") => Some("write `true`".to_owned()),
        ("true or false", "no" | "off" | "n" | "0" | "false") => Some("write `false`".to_owned()),
        ("a list", _) => Some(match text.strip_prefix('-') {
            Some(first) => {
                let first = first.split(" -").next().unwrap_or(first).trim();
                format!("write a space after each hyphen: `- {first}`")
            }
            None if text.contains('\n') => return None,
            None => format!("write a list: `[{text}]`"),
        }),
        _ => None,
    }
}

/// Reports that the key `key` of the mapping `node` is missing. `expected` describes its value.
pub(crate) fn missing(node: &Node, key: &str, expected: &str, findings: &mut Findings) {
    let begin = Span {
        end: node.span.start,
        ..node.span
    };
    let finding = Finding::error("E0113", begin, format!("`{key}` is missing"));
    findings.push(finding.label(format!("expected `{key}`: {expected}")));
}

/// Returns the finding about `node`, which is no mapping, where a `record` must be. If the node is
/// a text, the hint shows it under the first key of the record as an example: `{name: TEXT}`.
pub(crate) fn no_mapping(node: &Node, record: &Record) -> Finding {
    let keys: Vec<&str> = record.fields.iter().map(|f| f.key).collect();
    let finding =
        unlike(node, "a mapping").label(format!("expected a mapping of: {}", keys.join(", ")));
    let example = record
        .fields
        .first()
        .zip(node.text().filter(|text| !text.contains('\n')));
    match example.map(|(field, text)| (field.key, (field.shape)(&mut Book::default()), text)) {
        Some((key, Shape::List(_), text)) => {
            finding.hint(format!("for example `{{{key}: [{text}]}}`"))
        }
        Some((
            key,
            Shape::Text(_) | Shape::OneOrMany(_) | Shape::Filled(_) | Shape::Named(_),
            text,
        )) => finding.hint(format!("for example `{{{key}: {text}}}`")),
        _ => finding,
    }
}
