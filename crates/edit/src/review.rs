//! Comparison of a recipe with the model at the same release: the differences in meaning, and the
//! replacement of picked differences by the model's text.

use crate::aligned::aligned;
use crate::changes::{Change, What, compared};
use crate::dependent_changes::dependent_changes;
use crate::edits::Edits;
use crate::merge_result::MergeResult;
use crate::settle::{Checks, Settled, settle};
use crate::three_way::ThreeWay;
use crate::work::{conflicts_for, round};
use rocpkg_syntax::{List, Node, NormalText, Outline};
use std::collections::BTreeSet;

/// An item that differs between a recipe and the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The keys of the item and of the items around it, the outermost first:
    /// `["makedepends", "git"]`.
    pub path: Vec<String>,
    /// The first byte of the item in the existing recipe. If the recipe lacks the item, the first
    /// byte of the list, function or set that would contain it.
    pub at: usize,
    /// The item's text in the recipe; none if only the model has the item.
    pub existing: Option<String>,
    /// The item's text in the model's recipe; none if only the existing recipe has the item.
    pub model: Option<String>,
}

/// Returns the differences in meaning between the recipe `existing` and the model's recipe.
/// Spelling, order, wrapping and comments make no difference. A recipe's own variables are compared
/// where they are used, not where they are set.
pub fn differences(existing: &Outline, model: &Outline) -> Vec<Difference> {
    let existing = &aligned(existing, model, None);
    compared(existing, model)
        .meanings
        .iter()
        .filter_map(|change| difference(existing, model, change))
        .collect()
}

/// Returns the items that mean the same in `existing` and in the model's recipe, and are spelled
/// differently. Quotes, brackets, wrapping and order don't count as another spelling.
pub fn spellings(existing: &Outline, model: &Outline) -> Vec<Difference> {
    let is_quote = |c: &char| c.is_whitespace() || "\"'\\{}();".contains(*c);
    let letters = |text: &Option<String>| -> String {
        let chars = text.iter().flat_map(|text| text.chars());
        chars.filter(|c| !is_quote(c)).collect()
    };
    let existing = &aligned(existing, model, None);
    compared(existing, model)
        .same
        .iter()
        .filter_map(|change| difference(existing, model, change))
        .filter(|d| letters(&d.existing) != letters(&d.model))
        .collect()
}

/// Returns the recipe `existing`, with the differences for which `picked` returns true replaced by
/// the model's text.
///
/// The result is checked as a whole. If a picked difference needs an item that the model has, that
/// item is added too: a new source comes with its checksum. A difference that would make a
/// contradiction is not applied.
pub fn take(
    existing: &Outline,
    model: &Outline,
    picked: impl Fn(&Difference) -> bool,
    checks: Checks,
) -> MergeResult {
    let existing = &aligned(existing, model, None);
    // The recipe itself is the old side of the differences.
    let three = ThreeWay {
        existing,
        before: existing,
        after: model,
    };
    let is_picked = |change: &Change| {
        let difference = difference(existing, model, change);
        difference.is_some_and(|d| picked(&d))
    };
    let mut all = compared(existing, model).meanings;
    let sources = all.iter().filter(|change| is_picked(change));
    let sources: BTreeSet<&str> = sources
        .filter_map(|change| inserted(change, List::Sources))
        .collect();
    // The key of a checksum is that of its source.
    let is_sum = |change: &Change| {
        inserted(change, List::Sums).is_some_and(|source| sources.contains(source))
    };
    all.retain(|change| is_picked(change) || is_sum(change));
    let attempt = |all| taken(three, all);
    let conflicts_of = |held: &[Change]| conflicts_for(three, held);
    settle(model, all, checks, &attempt, &conflicts_of)
}

/// Returns the key of the element that a change adds to a list of this kind.
fn inserted<'a>(change: &Change<'a>, kind: List) -> Option<&'a str> {
    match change.what {
        What::Insert { beside, at } if beside.list == Some(kind) => {
            Some(beside.nodes.get(at)?.key.open.as_str())
        }
        _ => None,
    }
}

/// Applies the differences `made`. A difference that the rest of the recipe depends on is left out
/// and becomes a conflict: a variable that the recipe still uses stays set.
fn taken<'a>(three: ThreeWay<'a>, mut made: Vec<Change<'a>>) -> Settled<'a> {
    let mut conflicts = Vec::new();
    loop {
        let out = round(three, three.existing, &made, Edits::default());
        let dependent = dependent_changes(three, &out, &[]);
        let (held, rest): (Vec<Change>, Vec<Change>) = made
            .into_iter()
            .partition(|change| dependent.reason(change).is_some());
        made = rest;
        if held.is_empty() {
            return Settled {
                out,
                made,
                conflicts,
            };
        }
        conflicts.extend(conflicts_for(three, &held));
    }
}

fn difference(existing: &Outline, model: &Outline, change: &Change) -> Option<Difference> {
    let text = |outline: &Outline, nodes: &[Node]| {
        let (first, last) = (nodes.first()?, nodes.last()?);
        Some(outline.text[first.at.start..last.at.end].to_owned())
    };
    let around = || {
        let mut body = &existing.root;
        for key in &change.path {
            body = body.find(key)?.body.as_ref()?;
        }
        Some(body.inside.start)
    };
    if matches!(change.what, What::Follow { .. }) {
        return None;
    }
    let (old, new) = change.what.sides();
    let key = old.first().or(new.first())?;
    if change.path.is_empty() && key.key.open.starts_with('_') && key.body.is_none() {
        return None;
    }
    let (mut own, mut other) = (text(existing, old), text(model, new));
    // Texts that are written the same way can only differ in the values of their variables, so
    // these are shown.
    if let (true, [old], [new]) = (own == other, old, new) {
        (own, other) = (Some(held(old)), Some(held(new)));
    }
    Some(Difference {
        path: change.keys(&key.key),
        at: old
            .first()
            .map(|node| node.at.start)
            .or_else(around)
            .unwrap_or_default(),
        existing: own,
        model: other,
    })
}

/// Returns the key and the value of an item, with its variables replaced by their values.
fn held(node: &Node) -> String {
    let text = format!("{} {}", NormalText::base(&node.key.real), node.value.real);
    text.trim().to_owned()
}
