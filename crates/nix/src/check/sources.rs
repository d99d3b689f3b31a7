//! Finds facts of sources that contradict each other: versions and checksums.

use crate::value::open::attribute;
use rnix::ast::{AttrSet, Entry, Expr, InterpolPart};
use rnix::{SyntaxKind, SyntaxNode};
use rocpkg_syntax::{Checked, Fault, nix, other_version};
use rowan::ast::AstNode;

/// The attributes of a fetcher that contain a checksum of the fetched content.
const SUMS: [&str; 5] = ["hash", "sha256", "sha512", "sha1", "md5"];

/// The attributes of a fetcher that may contain a version.
const OF_VERSION: [&str; 4] = ["tag", "rev", "url", "version"];

/// Reports versions and checksums of sources that contradict each other in an expression.
pub(super) fn check(root: &SyntaxNode, out: &mut Checked) {
    for node in root.descendants() {
        match node.kind() {
            SyntaxKind::NODE_ATTR_SET | SyntaxKind::NODE_LET_IN => versions(&node, out),
            SyntaxKind::NODE_APPLY => sums(&node, out),
            _ => {}
        }
    }
    placeholders(root, out);
}

/// Reports an attribute of `src`, such as its tag, that contains another version than the set
/// around `src` states.
fn versions(set: &SyntaxNode, out: &mut Checked) {
    let Some(fetched) = value(set, "src").and_then(|src| arguments(&src)) else {
        return;
    };
    let Some(version) = version(set) else {
        return;
    };
    let package = value(set, "pname").and_then(|name| literal(&name));
    let package = package.unwrap_or_default();
    for (name, value) in bound(fetched.syntax()) {
        let Some(text) = literal(&value).filter(|_| OF_VERSION.contains(&name.as_str())) else {
            continue;
        };
        if let Some(other) = other_version(&text, &version, &package) {
            let message =
                format!("the source has version {other}, but the recipe has version {version}");
            let fault = Fault::new("E0845", nix::range(value.syntax()), message);
            let label = format!("expected {version}");
            let hint = "change the version, `tag` or `rev`, and `hash` together";
            out.faults.push(fault.label(label).hint(hint));
        }
    }
}

/// Returns the version that a set states, or that it inherits from a `let` around it. Returns
/// `None` if the version is not a plain string.
fn version(set: &SyntaxNode) -> Option<String> {
    if let Some(own) = value(set, "version") {
        return literal(&own);
    }
    let mut inherited = set
        .children()
        .filter_map(rnix::ast::Inherit::cast)
        .filter(|inherit| inherit.from().is_none())
        .flat_map(|inherit| inherit.attrs().collect::<Vec<_>>());
    if !inherited.any(|attr| attribute(&attr).as_deref() == Some("version")) {
        return None;
    }
    let mut around = set.ancestors().skip(1);
    let outer = around.find_map(|node| value(&node, "version"))?;
    literal(&outer)
}

/// Reports a call of a fetcher with two checksums of different kinds, such as `hash` and `sha256`.
fn sums(call: &SyntaxNode, out: &mut Checked) {
    let function = call
        .first_child()
        .map(|f| f.text().to_string())
        .unwrap_or_default();
    let name = function.rsplit('.').next().unwrap_or_default();
    let Some(set) = call.last_child().and_then(AttrSet::cast) else {
        return;
    };
    if !name.starts_with("fetch") {
        return;
    }
    let all = bound(set.syntax())
        .into_iter()
        .filter(|(name, _)| SUMS.contains(&name.as_str()));
    let all: Vec<(String, Expr)> = all.collect();
    if let [(first, _), (second, value), ..] = all.as_slice()
        && first != second
    {
        let message = format!("one source has both `{first}` and `{second}`");
        let at = value.syntax().parent().as_ref().map_or(0..0, nix::range);
        out.faults
            .push(Fault::new("E0845", at, message).label("expected one checksum"));
    }
}

/// Reports checksums that are placeholders, if other checksums of the file are known.
fn placeholders(root: &SyntaxNode, out: &mut Checked) {
    let mut open = Vec::new();
    let mut has_known = false;
    for bound in root
        .descendants()
        .filter_map(rnix::ast::AttrpathValue::cast)
    {
        let name = bound.attrpath().and_then(|path| path.attrs().last());
        let Some((name, value)) = name.and_then(|n| attribute(&n)).zip(bound.value()) else {
            continue;
        };
        let is_sum = SUMS.contains(&name.as_str())
            || name.ends_with("Hash")
            || name.ends_with("Sha256") && name != "Sha256";
        if !is_sum {
            continue;
        }
        let written = value.syntax().text().to_string();
        let text = literal(&value);
        let is_fake = written.ends_with("fakeHash") || written.ends_with("fakeSha256");
        if is_fake || text.as_deref().is_some_and(is_placeholder) {
            open.push(value);
        } else {
            has_known |= text.is_some();
        }
    }
    for value in open.iter().filter(|_| has_known) {
        let message = "this checksum is a placeholder, but others are filled in";
        let fault = Fault::new("E0845", nix::range(value.syntax()), message);
        out.faults.push(fault.label("expected a checksum"));
    }
}

/// Returns true if a checksum is a placeholder: an empty text, zeros, or `sha256-AAAA…`.
fn is_placeholder(text: &str) -> bool {
    let digits = text.split_once('-').map_or(text, |(_, digits)| digits);
    let is_filled = |filler: char| digits.trim_end_matches('=').chars().all(|c| c == filler);
    is_filled('A') || is_filled('0')
}

/// Returns the set of arguments in a call such as `fetchurl { … }`, or `None` if the value is no
/// such call.
fn arguments(value: &Expr) -> Option<AttrSet> {
    match value {
        Expr::Paren(inner) => arguments(&inner.expr()?),
        Expr::Apply(call) => match call.argument()? {
            Expr::AttrSet(set) => Some(set),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the value of the attribute `name` of a set or a `let`. Returns `None` if nothing but a
/// path `name.a` or an `inherit` binds it.
fn value(set: &SyntaxNode, name: &str) -> Option<Expr> {
    let mut all = bound(set).into_iter();
    all.find(|(other, _)| other == name).map(|(_, value)| value)
}

/// Returns the attributes of a set or a `let` with their values. Paths such as `a.b` and inherited
/// names are left out.
fn bound(set: &SyntaxNode) -> Vec<(String, Expr)> {
    let entries = set.children().filter_map(Entry::cast);
    let named = entries.filter_map(|entry| match entry {
        Entry::AttrpathValue(bound) => {
            let mut path = bound.attrpath()?.attrs().collect::<Vec<_>>().into_iter();
            let name = path.next().filter(|_| path.next().is_none())?;
            Some((attribute(&name)?, bound.value()?))
        }
        Entry::Inherit(_) => None,
    });
    named.collect()
}

/// Returns the text of a string literal. Returns `None` if the string contains an interpolation
/// `${…}`, or the value is no string.
fn literal(value: &Expr) -> Option<String> {
    let Expr::Str(text) = value else {
        return None;
    };
    match text.normalized_parts().as_slice() {
        [] => Some(String::new()),
        [InterpolPart::Literal(text)] => Some(text.clone()),
        _ => None,
    }
}
