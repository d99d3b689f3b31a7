//! Words of lists, and texts with references: what they may name, and what is put in their place.

use crate::read::release::Release;
use rocpkg_model::{Finding, Findings, Node, Piece, Span, Text};

/// What stands for the first two numbers of a version in a tag.
pub const LINE: &str = "line";

/// The words of a list, or of a lone value.
pub(crate) fn words(node: &Node) -> impl Iterator<Item = (&str, Span)> {
    node.one_or_many()
        .iter()
        .filter_map(|n| Some((n.text()?, n.span)))
}

/// The values at a path of a tree: keys joined by dots, of which `*` is each key. Lists on the way
/// are walked through.
pub(crate) fn values<'n>(tree: &'n Node, path: &str) -> Vec<&'n Node> {
    path.split('.')
        .filter(|key| !key.is_empty())
        .fold(vec![tree], |here, key| {
            let inside = here.into_iter().flat_map(Node::one_or_many);
            match key {
                "*" => inside
                    .flat_map(Node::entries)
                    .map(|(_, value)| value)
                    .collect(),
                key => inside.filter_map(|node| node.get(key)).collect(),
            }
        })
}

/// References of a text about something that nothing answers would stand in the recipe as they are;
/// false where there are some.
pub(crate) fn references(
    text: &Text,
    of: &str,
    known: &[&'static str],
    findings: &mut Findings,
) -> bool {
    let mut fine = true;
    for unknown in text.references().filter(|r| !known.contains(r)) {
        fine = false;
        findings.push(
            Finding::error(
                "E0240",
                text.span,
                format!("`${{{unknown}}}` is nothing of {of}"),
            )
            .label(format!("expected one of: {}", known.join(", ")))
            .nearest(unknown, known.iter().copied()),
        );
    }
    fine
}

/// Replaces `${version}` (and nothing else) by the version.
pub fn with_version(text: &Text, version: &Release) -> String {
    text.pieces
        .iter()
        .map(|p| match p {
            Piece::Literal(t) => t.clone(),
            Piece::Reference(r) if r == "version" => version.to_string(),
            Piece::Reference(r) => format!("${{{r}}}"),
        })
        .collect()
}

/// Replaces `${line}` by the first two numbers of the version; by the version where that is all it
/// is.
pub(crate) fn with_line(text: &Text, version: &Release) -> Text {
    let pieces: Vec<Piece> = text
        .pieces
        .iter()
        .map(|p| match p {
            Piece::Reference(r) if r == LINE && version.as_str() == version.line() => {
                Piece::Reference("version".into())
            }
            Piece::Reference(r) if r == LINE => Piece::Literal(version.line()),
            other => other.clone(),
        })
        .collect();
    Text {
        span: text.span,
        ..Text::joined(&pieces)
    }
}

/// A text between two others.
pub(crate) fn between(before: String, text: &Text, after: String) -> Text {
    let ends = [Piece::Literal(before), Piece::Literal(after)];
    let [before, after] = ends
        .each_ref()
        .map(|end| Some(end).filter(|p| **p != Piece::Literal(String::new())));
    Text::joined(before.into_iter().chain(&text.pieces).chain(after))
}
