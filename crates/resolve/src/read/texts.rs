//! Words of lists, and texts with references: the references that a text may contain, and the
//! values that replace them.

use crate::read::release::Release;
use rocpkg_model::{Finding, Findings, Node, Piece, ReleaseLine, Span, Text};

/// The reference in a tag that is replaced by the first two numbers of a version.
pub const LINE: &str = "line";

/// Returns the words of a list, or the single word of a scalar, each with its place.
pub(crate) fn words(node: &Node) -> impl Iterator<Item = (&str, Span)> {
    node.one_or_many()
        .iter()
        .filter_map(|n| Some((n.text()?, n.span)))
}

/// Returns the values at a path of a tree. A path is keys joined by dots. The key `*` matches each
/// key. Every element of a list on the way is followed.
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

/// Reports references of a text that are not among `known`, and that a recipe would contain
/// unchanged. `of` is the noun for the subject of the text in messages, such as `a source`. Returns
/// false if the text has such references.
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
                format!("unknown reference `${{{unknown}}}` in {of}"),
            )
            .label(format!("expected one of: {}", known.join(", ")))
            .nearest(unknown, known.iter().copied()),
        );
    }
    fine
}

/// Returns the scheme of the tags of a release: that of its version, or else that of its line.
pub fn tag_scheme<'l>(line: &'l ReleaseLine, release: &Release) -> &'l Text {
    let is_it = |name: &str| name.parse::<Release>().is_ok_and(|r| r == *release);
    let version = line.versions.iter().find(|(name, _)| is_it(name));
    version
        .and_then(|(_, version)| version.tag.as_ref())
        .unwrap_or(&line.tag)
}

/// Returns the tag of a release by a scheme: `therock-${line}` and 10.0.0 -> `therock-10.0`.
pub fn tag_by(scheme: &Text, release: &Release) -> String {
    with_version(&with_line(scheme, release), release)
}

/// Returns the schemes of the tags of all releases. A scheme may be returned several times.
pub fn tag_schemes<'l>(
    lines: impl IntoIterator<Item = &'l ReleaseLine>,
) -> impl Iterator<Item = &'l Text> {
    lines.into_iter().flat_map(|line| {
        let own = line.versions.values().filter_map(|v| v.tag.as_ref());
        own.chain([&line.tag])
    })
}

/// Returns a text with `${version}` replaced by the version. Other references, such as `${line}`,
/// stay as written.
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

/// Returns a text with `${line}` replaced by the first two numbers of the version. If the version
/// consists of two numbers, `${line}` is replaced by `${version}`.
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

/// Returns `before`, `text` and `after` as one text.
pub(crate) fn between(before: String, text: &Text, after: String) -> Text {
    let ends = [Piece::Literal(before), Piece::Literal(after)];
    let [before, after] = ends
        .each_ref()
        .map(|end| Some(end).filter(|p| **p != Piece::Literal(String::new())));
    Text::joined(before.into_iter().chain(&text.pieces).chain(after))
}
