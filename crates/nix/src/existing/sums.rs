//! Takes over hashes of sources from the existing file, for sources whose hash the model does not
//! have.

use super::edits::Edits;
use crate::lower::source::NO_HASH;
use crate::value::open::attribute;
use rnix::ast::{Apply, AttrSet, Expr, HasEntry, InterpolPart, Str};
use rnix::{NodeOrToken, SyntaxNode};
use rocpkg_resolve::is_sri;
use rocpkg_syntax::nix;
use rowan::ast::AstNode;
use std::collections::BTreeMap;

struct Fetch {
    /// The arguments that decide which content is fetched, by name, each as a list of words. The
    /// key `""` has the name of the fetcher.
    what: BTreeMap<String, Vec<String>>,
    /// The node of the hash, with its quotes.
    hash: SyntaxNode,
}

/// Returns the expression `rendered` with its unknown hashes replaced by those of the existing
/// text, `present`. A hash is taken only if two conditions hold: both texts are for the same
/// version, and the existing text fetches the same content, by the same fetcher with the same
/// arguments.
pub fn sums_from(rendered: &str, present: &str) -> String {
    let (Ok(ours), Ok(there)) = (nix::parse(rendered), nix::parse(present)) else {
        return rendered.to_owned();
    };
    let (Some(version), Some(other)) = (version(&ours), version(&there)) else {
        return rendered.to_owned();
    };
    let known = if version == other {
        fetches(&there, &version)
    } else {
        Vec::new()
    };
    let mut edits = Edits::new(rendered);
    for fetch in fetches(&ours, &version)
        .into_iter()
        .filter(|f| f.hash.text() == format!("\"{NO_HASH}\"").as_str())
    {
        let mut sums: Vec<String> = known
            .iter()
            .filter(|k| k.what == fetch.what)
            .map(|k| k.hash.text().to_string())
            .collect();
        sums.retain(|sum| sum.trim_matches('"') != NO_HASH && is_sri(sum.trim_matches('"')));
        sums.dedup();
        // If the same content has two hashes, one of them is wrong.
        if let [sum] = sums.as_slice() {
            edits.replace(&fetch.hash, sum.clone());
        }
    }
    edits.apply()
}

/// Returns the version that a file states, or `None` if it states none or several.
fn version(root: &SyntaxNode) -> Option<String> {
    let bound = root
        .descendants()
        .filter_map(rnix::ast::AttrpathValue::cast);
    let versions = bound.filter(|b| b.attrpath().is_some_and(|p| p.syntax().text() == "version"));
    let mut plain = versions.filter_map(|b| match b.value()? {
        Expr::Str(text) => match text.normalized_parts().as_slice() {
            [InterpolPart::Literal(version)] => Some(version.clone()),
            _ => None,
        },
        _ => None,
    });
    let first = plain.next()?;
    plain.all(|other| other == first).then_some(first)
}

/// Returns all calls with a hash in a file. `version` is the version that the file states.
fn fetches(root: &SyntaxNode, version: &str) -> Vec<Fetch> {
    let calls = root.descendants().filter_map(Apply::cast);
    calls.filter_map(|call| fetch(&call, version)).collect()
}

fn fetch(call: &Apply, version: &str) -> Option<Fetch> {
    let Some(Expr::AttrSet(set)) = call.argument() else {
        return None;
    };
    let fetcher = call.lambda()?.syntax().text().to_string();
    let fetcher = fetcher.rsplit('.').next().unwrap_or_default().to_owned();
    let mut what = BTreeMap::from([(String::new(), vec![fetcher])]);
    let mut hash = None;
    for (name, value) in arguments(&set)? {
        match name.as_str() {
            "hash" | "sha256" => hash = Some(value.syntax().clone()),
            // The name does not change the content.
            "name" => {}
            // A tag is a revision.
            "rev" | "tag" => {
                let words = words(value.syntax(), version).into_iter();
                let plain = |w: String| {
                    w.strip_prefix("\"refs/tags/")
                        .map_or(w.clone(), |tag| format!("\"{tag}"))
                };
                what.insert("rev".into(), words.map(plain).collect());
            }
            "sparseCheckout" => {
                let mut words = words(value.syntax(), version);
                if matches!(value, Expr::List(_)) {
                    words.sort();
                }
                what.insert(name, words);
            }
            _ => {
                what.insert(name, words(value.syntax(), version));
            }
        }
    }
    Some(Fetch { what, hash: hash? })
}

/// Returns the arguments of a fetcher, each with its name and value. Returns `None` if some are
/// inherited, or are paths such as `a.b`.
fn arguments(set: &AttrSet) -> Option<Vec<(String, Expr)>> {
    let bound = set.attrpath_values().map(|b| {
        let mut path = b.attrpath()?.attrs();
        let name = path.next().as_ref().and_then(attribute)?;
        path.next().is_none().then_some((name, b.value()?))
    });
    let all: Option<Vec<_>> = bound.collect();
    all.filter(|_| set.inherits().next().is_none())
}

/// Returns the words of an expression, without comments and blanks. In a string, `${version}` is
/// replaced by `version`.
fn words(node: &SyntaxNode, version: &str) -> Vec<String> {
    if let Some(text) = Str::cast(node.clone()) {
        let part = |part: InterpolPart<String>| match part {
            InterpolPart::Literal(text) => text,
            InterpolPart::Interpolation(value) => {
                let value: String = value
                    .expr()
                    .map_or_else(String::new, |e| e.syntax().text().to_string());
                match value.as_str() {
                    "version" | "finalAttrs.version" => version.to_owned(),
                    _ => format!("${{{value}}}"),
                }
            }
        };
        let text: String = text.normalized_parts().into_iter().map(part).collect();
        return vec![format!("\"{text}\"")];
    }
    let each = node.children_with_tokens().flat_map(|child| match child {
        NodeOrToken::Node(node) => words(&node, version),
        NodeOrToken::Token(t) if t.kind().is_trivia() => Vec::new(),
        NodeOrToken::Token(t) => vec![t.text().to_owned()],
    });
    each.collect()
}
