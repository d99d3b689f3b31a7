//! Search for the items of a rendering in the existing recipe.

use rocpkg_syntax::{Body, Language, List, Node, NormalText, Outline};
use std::ops::Range;

/// An item with the body that contains it.
pub(crate) type Found<'a> = (&'a Body, &'a Node);

/// Returns the bodies at a path of keys: the path `[build(), cmake]` leads to the options of
/// `cmake` in `build()`. The empty path leads to the whole text. In Nix, a set can have several
/// bodies: `env.A = 1; env.B = 2;` contains two bodies of `env`.
pub(crate) fn bodies_at<'a>(outline: &'a Outline, path: &[&NormalText]) -> Vec<&'a Body> {
    let Some((first, rest)) = path.split_first() else {
        return vec![&outline.root];
    };
    let is_nix = outline.reading.language == Language::Nix;
    let further = |node: &Node, key: &NormalText| {
        let number = node
            .key
            .open
            .strip_prefix(&key.open)
            .and_then(|rest| rest.strip_prefix(" #"));
        is_nix && number.is_some()
    };
    let root = section(outline, first).into_iter();
    let mut all: Vec<&Node> = root
        .chain(outline.root.nodes.iter().filter(|n| further(n, first)))
        .collect();
    for key in rest {
        let bodies = all.into_iter().filter_map(|node| node.body.as_ref());
        all = bodies
            .flat_map(|b| {
                b.find(key)
                    .into_iter()
                    .chain(b.nodes.iter().filter(|n| further(n, key)))
            })
            .collect();
    }
    all.into_iter()
        .filter_map(|node| node.body.as_ref())
        .collect()
}

/// Returns the item of a key at the top level of a text, which means outside of functions, lists
/// and conditions. If no item there has the key, returns the only item of that key in an `if` at
/// the top level, such as that for the live version 9999, or the only list of this kind for a
/// single architecture, such as `source_x86_64` for `source`. A function that only calls another
/// one stands for that one.
fn section<'a>(outline: &'a Outline, key: &NormalText) -> Option<&'a Node> {
    if let Some(found) = outline.root.find(key) {
        return Some(called(outline, found).unwrap_or(found));
    }
    let only = |all: Vec<&'a Node>| (all.len() == 1).then(|| all[0]);
    let under = under_conditions(outline, key).into_iter();
    only(under.map(|(_, node)| node).collect()).or_else(|| {
        let is_of_sources = |node: &Node| {
            let list = node.body.as_ref().and_then(|body| body.list);
            matches!(list, Some(List::Sources | List::Sums))
        };
        let is_part = |node: &Node| {
            let end = node.key.open.strip_prefix(&key.open);
            end.is_some_and(|end| end.starts_with('_'))
        };
        let nodes = outline.root.nodes.iter();
        only(nodes.filter(|n| is_of_sources(n) && is_part(n)).collect())
    })
}

/// Returns the function that the function `node` only calls.
fn called<'a>(outline: &'a Outline, node: &Node) -> Option<&'a Node> {
    let [call] = node.nodes() else { return None };
    let is_called = |other: &&Node| {
        let name = other.key.open.strip_suffix("()");
        name == Some(call.key.open.as_str()) && call.body.is_none()
    };
    let mut all = outline.root.nodes.iter();
    all.find(is_called)
        .filter(|_| node.key.open.ends_with("()"))
}

/// Returns all items of a key inside the `if` statements at the top level of a text.
pub(crate) fn under_conditions<'a>(outline: &'a Outline, key: &NormalText) -> Vec<Found<'a>> {
    let mut all = Vec::new();
    for node in outline
        .root
        .nodes
        .iter()
        .filter(|n| n.key.open.starts_with("if "))
    {
        within(node, key, &mut all);
    }
    all
}

/// Returns the item `key` of the first body at `path` that contains this item.
pub(crate) fn find_at<'a>(
    outline: &'a Outline,
    path: &[&NormalText],
    key: &NormalText,
) -> Option<Found<'a>> {
    bodies_at(outline, path)
        .into_iter()
        .find_map(|body| Some((body, body.find(key)?)))
}

/// Returns all items `key`, at any depth, in the item that the first key of `path` names: a
/// function or a list. Returns no item for an empty path.
pub(crate) fn anywhere<'a>(
    outline: &'a Outline,
    path: &[&NormalText],
    key: &NormalText,
) -> Vec<Found<'a>> {
    // In Nix, the whole text is one derivation, so a part of the text is an attribute of the
    // derivation.
    let depth = if outline.reading.language == Language::Nix {
        2
    } else {
        1
    };
    let mut all = Vec::new();
    let Some(first) = path.first().filter(|_| path.len() >= depth) else {
        return all;
    };
    let inner = |node: &'a Node| {
        path[1..depth]
            .iter()
            .try_fold(node, |node, key| node.body.as_ref()?.find(key))
    };
    if let Some(section) = section(outline, first).and_then(inner) {
        within(section, key, &mut all);
    }
    all
}

/// Returns the item `key` in the body at `path`. If that body lacks the item, returns the only item
/// with this key in the function or list that the first key of `path` names. The second search
/// leaves out items whose bytes are in `going`: they are removed.
pub(crate) fn find_in<'a>(
    outline: &'a Outline,
    path: &[&NormalText],
    key: &NormalText,
    going: &[Range<usize>],
) -> Option<Found<'a>> {
    find_at(outline, path, key).or_else(|| {
        let mut all = anywhere(outline, path, key);
        all.retain(|(_, node)| !is_in(going, &node.at));
        match all.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    })
}

/// Returns true if one of `places` contains all bytes of `at`.
pub(crate) fn is_in(places: &[Range<usize>], at: &Range<usize>) -> bool {
    places
        .iter()
        .any(|place| place.start <= at.start && at.end <= place.end)
}

/// Adds all items `key` inside of `node`, at any depth, to `all`.
fn within<'a>(node: &'a Node, key: &NormalText, all: &mut Vec<Found<'a>>) {
    let Some(body) = &node.body else { return };
    for inner in &body.nodes {
        if inner.key.is(key) {
            all.push((body, inner));
        }
        within(inner, key, all);
    }
}
