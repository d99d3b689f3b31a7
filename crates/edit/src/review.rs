//! A recipe beside the model at the same release: what differs in meaning, row by row, and the rows
//! that are taken.

use crate::carried::Carried;
use crate::changes::{Change, What, compared};
use crate::edits::Edits;
use crate::leaning::leaning;
use crate::settle::{Checks, Settled, settle};
use crate::work::{leave, round};
use rocpkg_syntax::{Node, Outline, Value};

/// An item that a recipe and the model say in two ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The keys of the item, from the margin inwards.
    pub path: Vec<String>,
    /// The byte of the text where it lies, or of what it would stand in.
    pub at: usize,
    /// What lies there; none for what the model has alone.
    pub there: Option<String>,
    /// What the model has; none for what lies there alone.
    pub model: Option<String>,
}

/// What differs in meaning between a text and the model. Spelling, order, wrapping and comments are
/// no difference, nor are variables of a recipe's own, which mean something where they are referred
/// to.
pub fn differences(there: &Outline, model: &Outline) -> Vec<Difference> {
    compared(&there.root, &model.root)
        .meanings
        .iter()
        .filter_map(|change| difference(there, model, change))
        .collect()
}

/// Returns the items that mean the same in a text and in the model, and are spelled differently.
/// Quotes, brackets, wrapping and order are no other spelling.
pub fn spellings(there: &Outline, model: &Outline) -> Vec<Difference> {
    let is_quote = |c: &char| c.is_whitespace() || "\"'\\{}();".contains(*c);
    let letters = |text: &Option<String>| -> String {
        let chars = text.iter().flat_map(|text| text.chars());
        chars.filter(|c| !is_quote(c)).collect()
    };
    compared(&there.root, &model.root)
        .same
        .iter()
        .filter_map(|change| difference(there, model, change))
        .filter(|d| letters(&d.there) != letters(&d.model))
        .collect()
}

/// Returns the text with the picked differences taken over from the model.
///
/// The result is checked as a whole: a difference whose other half the model has takes that
/// along, and one that would make a contradiction is not taken.
pub fn take(
    there: &Outline,
    model: &Outline,
    picked: impl Fn(&Difference) -> bool,
    checks: Checks,
) -> Carried {
    let models = (there, model);
    let mut all = compared(&there.root, &model.root).meanings;
    all.retain(|change| difference(there, model, change).is_some_and(|d| picked(&d)));
    let attempt = |all| taken(models, all);
    let leave = |held: &[Change]| leave(there, models, held);
    settle(model, all, checks, &attempt, &leave)
}

/// Takes differences over, without those that the rest of the text depends on: a variable that it
/// still refers to stays set.
fn taken<'a>(models: (&'a Outline, &'a Outline), mut made: Vec<Change<'a>>) -> Settled<'a> {
    let there = models.0;
    let mut left = Vec::new();
    loop {
        let out = round((there, there), models, &made, Edits::default());
        let dependent = leaning(there, models, (&out, &[]));
        let (held, rest): (Vec<Change>, Vec<Change>) = made
            .into_iter()
            .partition(|change| dependent.reason(change).is_some());
        made = rest;
        if held.is_empty() {
            return Settled { out, made, left };
        }
        left.extend(leave(there, models, &held));
    }
}

fn difference(there: &Outline, model: &Outline, change: &Change) -> Option<Difference> {
    let text = |outline: &Outline, nodes: &[Node]| {
        let (first, last) = (nodes.first()?, nodes.last()?);
        Some(outline.text[first.at.start..last.at.end].to_owned())
    };
    let around = || {
        let mut body = &there.root;
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
    let (mut own, mut other) = (text(there, old), text(model, new));
    // Two texts that are written alike differ by what their variables hold.
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
        there: own,
        model: other,
    })
}

/// An item with the values of its variables.
fn held(node: &Node) -> String {
    let text = format!("{} {}", Value::base(&node.key.real), node.value.real);
    text.trim().to_owned()
}
