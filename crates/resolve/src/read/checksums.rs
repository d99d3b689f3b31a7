//! Checks the checksums in tables of releases: versions must belong to the line of their file, and
//! each checksum must have the right length.

use crate::read::release::Release;
use rocpkg_model::{Finding, Findings, Node, Span};

/// Checks the versions and checksums of one release line, the file `releases/LINE.yaml`.
pub(crate) fn check_line(line: &str, node: &Node, findings: &mut Findings) {
    for (key, version) in node.entries_of("versions") {
        let fits = key.name.parse::<Release>().is_ok_and(|r| r.line() == line);
        if !fits {
            findings.push(
                Finding::error(
                    "E0235",
                    key.span,
                    format!("`{}` is not a release of {line}", key.name),
                )
                .label(format!("expected a version such as {line}.0"))
                .hint("a file is named after the line of its releases"),
            );
        }
        for (_, sums) in version.entries_of("checksums") {
            check_sums(sums, findings);
        }
    }
    for (_, sums) in node.entries_of("files") {
        check_sums(sums, findings);
    }
}

/// The kinds of checksums in hexadecimal digits, each with its number of digits.
const DIGITS: [(&str, usize); 3] = [("sha256", 64), ("sha512", 128), ("blake2b", 128)];

/// Returns true if a text can be a checksum of a kind: `sha256`, `sha512` or `blake2b`. For any
/// other kind, it returns true, since the form of that kind is not known.
pub fn is_checksum(kind: &str, text: &str) -> bool {
    let digits = DIGITS
        .iter()
        .find(|(known, _)| *known == kind)
        .map(|(_, digits)| *digits);
    digits.is_none_or(|digits| text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Returns the finding about a text that can't be a checksum of a kind: `sha256`, `sha512` or
/// `blake2b`. Returns `None` if it can be one, and for any other kind.
fn odd_checksum(kind: &str, text: &str, span: Span) -> Option<Finding> {
    let digits = DIGITS.iter().find(|(known, _)| *known == kind)?.1;
    (!is_checksum(kind, text)).then(|| {
        Finding::error("E0236", span, format!("`{text}` is not a {kind} checksum"))
            .label(format!("expected {digits} hexadecimal digits"))
    })
}

/// Reports checksums that do not have the form of their kind.
fn check_sums(sums: &Node, findings: &mut Findings) {
    for (kind, _) in DIGITS {
        findings.push_some(
            sums.get(kind)
                .and_then(|n| odd_checksum(kind, n.text()?, n.span)),
        );
    }
    if let Some((node, text)) = sums.get("sri").and_then(|n| Some((n, n.text()?)))
        && !is_sri(text)
    {
        findings.push(
            Finding::error(
                "E0236",
                node.span,
                format!("`{text}` is not a hash in Nix's format"),
            )
            .label(format!("expected {SRI_FORM}")),
        );
    }
}

/// The forms of a hash that Nix accepts, for messages.
pub const SRI_FORM: &str = "`sha256-` and 44 characters, or `sha512-` and 88";

/// Returns true if a text is a subresource integrity hash: the kind, then base64 with its padding.
pub fn is_sri(text: &str) -> bool {
    let sum = |sum: &str, letters: usize, padding: &str| {
        sum.strip_suffix(padding).is_some_and(|s| {
            s.len() == letters
                && s.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"+/".contains(&b))
        })
    };
    match text.split_once('-') {
        Some(("sha256", rest)) => sum(rest, 43, "="),
        Some(("sha512", rest)) => sum(rest, 86, "=="),
        _ => false,
    }
}
