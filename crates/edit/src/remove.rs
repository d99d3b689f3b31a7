//! Removal of the items of a recipe that name a file or commit, such as a patch.

use crate::merge_result::MergeResult;
use crate::review::take;
use crate::settle::Checks;
use rocpkg_syntax::{Body, List, Node, Outline, Value, nix};
use std::collections::BTreeSet;

/// The functions of nixpkgs that fetch a patch.
const FETCHERS: [&str; 3] = ["fetchpatch", "fetchpatch2", "fetchurl"];

/// Returns the recipe `existing` without the items that contain one of `names`: the elements of
/// lists, the checksums of these elements, and the steps. A list, condition or function that
/// contains nothing else is removed too.
///
/// A name is the name of a file, or an address. The items' variables are replaced by their values
/// before they are compared. Returns none if the recipe would contradict itself without the items,
/// or if something else than a comment would still contain a name.
pub fn remove(existing: &Outline, names: &BTreeSet<String>, checks: Checks) -> Option<String> {
    let mut sources = BTreeSet::new();
    named_sources(&existing.root, names, &mut sources);
    let mut rest = existing.clone();
    rest.root.nodes = kept(&existing.root, names, &sources);
    let made = take(existing, &rest, |_| true, Checks::NONE);
    let text = without_unused_fetchers(&made, existing)?;
    let mut lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let is_left = lines.any(|line| names.iter().any(|name| contains(line, name)));
    let is_changed = text != existing.text;
    (is_changed && !is_left && checks.faults(&text).is_empty()).then_some(text)
}

/// Removes arguments of a Nix expression that fetch patches, if `existing` uses them and `made`, the
/// same recipe without some patches, does not. Returns none if one of the edits has conflicts.
fn without_unused_fetchers(made: &MergeResult, existing: &Outline) -> Option<String> {
    let is_unused = |argument: &Node| {
        let name = argument.key.open.as_str();
        FETCHERS.contains(&name)
            && nix::is_used(&existing.text, name)
            && !nix::is_used(&made.text, name)
    };
    let next = existing.reading.read(&made.text).ok()?;
    let mut rest = next.clone();
    for node in &mut rest.root.nodes {
        if let Some(arguments) = node
            .body
            .as_mut()
            .filter(|_| node.key.open == nix::ARGUMENTS)
        {
            arguments.nodes.retain(|argument| !is_unused(argument));
        }
    }
    let last = take(&next, &rest, |_| true, Checks::NONE);
    let is_whole = made.conflicts.is_empty() && last.conflicts.is_empty();
    is_whole.then_some(last.text)
}

/// Adds the keys of the sources that contain one of `names`. The checksum of a source has the key
/// of the source.
fn named_sources(body: &Body, names: &BTreeSet<String>, out: &mut BTreeSet<String>) {
    for node in &body.nodes {
        if body.list == Some(List::Sources) && is_named(node, names) {
            out.insert(node.key.open.clone());
        }
        if let Some(inner) = &node.body {
            named_sources(inner, names, out);
        }
    }
}

/// Returns the items of `body` that are not removed. `sources` are the keys of removed sources.
fn kept(body: &Body, names: &BTreeSet<String>, sources: &BTreeSet<String>) -> Vec<Node> {
    let mut out = Vec::new();
    for node in &body.nodes {
        let is_sum = body.list == Some(List::Sums) && sources.contains(&node.key.open);
        if is_sum || is_named(node, names) {
            continue;
        }
        let mut node = node.clone();
        if let Some(inner) = &mut node.body {
            let before = inner.nodes.len();
            inner.nodes = kept(inner, names, sources);
            // A function that only changes its folder does nothing.
            let is_idle = inner.nodes.iter().all(is_change_of_folder);
            if inner.nodes.len() < before && is_idle {
                continue;
            }
        }
        out.push(node);
    }
    out
}

fn is_change_of_folder(step: &Node) -> bool {
    let command = Value::base(&step.key.open).split_whitespace().next();
    step.body.is_none() && matches!(command, Some("cd" | "pushd" | "popd"))
}

/// Returns true if an item contains one of `names`. A call, such as `fetchpatch { … }`, contains the
/// name if its address does.
fn is_named(node: &Node, names: &BTreeSet<String>) -> bool {
    let Some(body) = &node.body else {
        let texts = [&node.key.real, &node.value.real];
        let has = |name: &String| texts.iter().any(|text| contains(text, name));
        return names.iter().any(has);
    };
    body.get("url").is_some_and(|url| is_named(url, names))
}

/// Returns true if `text` contains `name`, and no letter, digit, dot or dash is beside it.
fn contains(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-".contains(c);
    text.match_indices(name).any(|(at, _)| {
        let end = at + name.len();
        !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part)
    })
}
