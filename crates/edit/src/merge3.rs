//! Three-way merge of items: the differences between two renderings of the model are applied to an
//! existing recipe.
//!
//! The calls, from the outside in:
//!
//! ```text
//! merge3                      changes() lists the differences
//!   followed (trial.rs)       edits texts of the global scope that hold the old release
//!   settle (settle.rs)        loop: makes changes, checks the text, adds or leaves out a change
//!     independent             loop: leaves out changes that depend on one that was left out
//!       in_rounds             rounds: variables, the rest, arguments of Nix
//!         round (work.rs)     looks each change up in the recipe, collects edits
//!           Place (place.rs)  where a new item goes, and its text (written.rs)
//!           Edits (edits.rs)  changes the bytes; the text is read again
//! ```

use crate::aligned::aligned;
use crate::changes::{Change, What, changes};
use crate::dependent_changes::{DEPENDENT, dependent_changes};
use crate::edits::Edits;
use crate::find::bodies_at;
use crate::merge_result::{COMMENT, ItemConflict, MergeResult};
use crate::order::ordered;
use crate::sed_words::files;
use crate::settle::{Checks, Settled, settle};
use crate::three_way::ThreeWay;
use crate::trial::followed;
use crate::variables::{follow_release, follow_repositories, unused};
use crate::work::{conflicts_for, round};
use rocpkg_syntax::NormalText;
use rocpkg_syntax::nix::{self, ARGUMENTS};
use rocpkg_syntax::words::Words;
use rocpkg_syntax::{Checked, ItemKind, Language, Node, Outline, Reading, Unreadable};
use std::collections::BTreeSet;

/// Applies the changes from the rendering `before` to the rendering `after` to the recipe
/// `existing`.
///
/// An item that is the same in both renderings stays as it is in `existing`. An item that differs
/// is changed if `existing` has it as in `before`, and left if `existing` has it as in `after`.
/// Otherwise it becomes a conflict. Comments, order, quotes and wrapping of `existing` are kept.
/// The result is checked as a whole: no change makes a contradiction that `existing` did not have.
pub fn merge3(
    existing: &Outline,
    before: &Outline,
    after: &Outline,
    checks: Checks,
) -> MergeResult {
    let after = &aligned(after, before, None);
    let existing = &aligned(&set_apart(existing, &[before, after]), before, Some(after));
    if existing.text == before.text && existing.words.have_one_meaning() {
        return MergeResult {
            text: after.text.clone(),
            ..MergeResult::default()
        };
    }
    let all = changes(&before.root, &after.root);
    let three = ThreeWay {
        existing,
        before,
        after,
    };
    let all = all.into_iter().flat_map(|change| apart(three, change));
    let all: Vec<Change> = all.collect();
    let followed = followed(three, &all, checks);
    let is_left = |change: &Change| !followed.is_made(change);
    let all: Vec<Change> = all.into_iter().filter(is_left).collect();
    let hard = ambiguous_functions(existing, before, &all);
    let is_hard = |change: &Change| {
        let key = change.path.first();
        followed.is_held(change) || key.is_some_and(|key| hard.contains(&key.written))
    };
    let (held, all): (Vec<Change>, Vec<Change>) = all.into_iter().partition(is_hard);
    let conflicts_of = |held: &[Change]| conflicts_for(three, held);
    let complete = all.clone();
    let attempt = |all| independent(three, &followed.edits, &complete, all);
    let mut out = settle(after, all, checks, &attempt, &conflicts_of);
    if keeps_version(three, &out.text) {
        // The steps and dependencies of the new release are not those of the old one.
        out.text.clone_from(&existing.text);
        let is_dependent = |conflict: &ItemConflict| conflict.reason.as_deref() == Some(DEPENDENT);
        out.conflicts.retain(|conflict| !is_dependent(conflict));
    }
    out.conflicts.extend(conflicts_of(&held));
    out.conflicts
        .extend(lost_comments(existing, &before.text, &out.text));
    out
}

/// Returns the changes that a change consists of. A function that the model adds, and that the
/// existing recipe has, is the addition of its statements. A step of `sed` in the place of another
/// one, for other files, is a removal and an addition.
fn apart<'a>(three: ThreeWay<'a>, change: Change<'a>) -> Vec<Change<'a>> {
    let existing = three.existing;
    if let What::Replace {
        before: [old],
        after: [new],
    } = change.what
        && let (Some(was), Some(is)) = (files(three.before, old), files(three.after, new))
        && was.is_disjoint(&is)
    {
        let bodies = bodies_at(three.after, &change.path).into_iter();
        let places = bodies.filter_map(|beside| {
            let at = beside
                .nodes
                .iter()
                .position(|node| std::ptr::eq(node, new))?;
            Some(What::Insert { beside, at })
        });
        let all = [What::Remove(old)].into_iter().chain(places);
        let path = change.path;
        return all
            .map(|what| Change {
                path: path.clone(),
                what,
            })
            .collect();
    }
    let What::Insert { beside, at } = change.what else {
        return vec![change];
    };
    let node = &beside.nodes[at];
    let is_function = change.path.is_empty() && node.key.open.ends_with("()");
    match &node.body {
        Some(body) if is_function && existing.root.find(&node.key).is_some() => {
            let items = (0..body.nodes.len()).map(|at| Change {
                path: vec![&node.key],
                what: What::Insert { beside: body, at },
            });
            items.collect()
        }
        _ => vec![change],
    }
}

/// Returns true if the edited `text` has the version of the old rendering, as the existing recipe
/// does, although the new rendering has another one.
fn keeps_version(three: ThreeWay, text: &str) -> bool {
    let version = |outline: &Outline| Some(outline.version_item()?.value.real.clone());
    let old = version(three.before);
    let new = three.existing.reading.read(text);
    let is_old = |outline: &Outline| old.is_some() && version(outline) == old;
    is_old(three.existing) && !is_old(three.after) && new.is_ok_and(|new| is_old(&new))
}

/// Reads three texts and merges them with [`merge3()`]: the changes from the rendering `before` to
/// the rendering `after` are applied to the recipe `old`. `check` is the check of the recipe's
/// language.
///
/// # Errors
/// The place at which a text can't be read, and the reason. It is that of the first such text among
/// `old`, `before` and `after`.
pub fn merge3_text(
    old: &str,
    before: &str,
    after: &str,
    reading: &Reading,
    check: &dyn Fn(&str) -> Checked,
) -> Result<MergeResult, Unreadable> {
    let checks = Checks {
        before: &check(old),
        check,
        ..Checks::NONE
    };
    let [old, before, after] = [old, before, after].map(|text| reading.read(text));
    Ok(merge3(&old?, &before?, &after?, checks))
}

/// Returns `existing`, with those of its variables marked whose value differs from their value in
/// each of `models`. Text of `models` that refers to such a variable has another meaning in
/// `existing`; see [`Words::set_apart`].
fn set_apart(existing: &Outline, models: &[&Outline]) -> Outline {
    let mut existing = existing.clone();
    let words: Vec<&Words> = models.iter().map(|model| &model.words).collect();
    existing.words.set_apart(&words);
    existing
}

/// Returns a conflict for each comment that `existing` has, and that neither `before`, the text of
/// the old rendering, nor the edited `text` has. The maintainer wrote the comment, and it was
/// removed together with the item below it.
pub(crate) fn lost_comments(existing: &Outline, before: &str, text: &str) -> Vec<ItemConflict> {
    let has = |text: &str, comment: &str| text.lines().any(|line| line.trim() == comment);
    let mut lost = Vec::new();
    let mut at = 0;
    for line in existing.text.split_inclusive('\n') {
        let comment = line.trim();
        if comment.starts_with('#') && !has(before, comment) && !has(text, comment) {
            lost.push(ItemConflict {
                path: vec![COMMENT.to_owned()],
                at,
                existing: Some(comment.to_owned()),
                reason: Some("the item below it was removed".to_owned()),
                ..ItemConflict::default()
            });
        }
        at += line.len();
    }
    lost
}

/// Applies the changes `all` to the existing recipe. A change that depends on a change that was not
/// applied is left out, and becomes a conflict. `complete` contains the changes between the two
/// renderings that may be tried: a change in `complete` that is not in `all` counts as not applied.
/// `edits` are made in any case.
fn independent<'a>(
    three: ThreeWay<'a>,
    edits: &Edits,
    complete: &[Change<'a>],
    mut all: Vec<Change<'a>>,
) -> Settled<'a> {
    let mut conflicts = Vec::new();
    loop {
        let mut out = in_rounds(three, edits.clone(), all.clone());
        let is_held = |change: &&Change| !all.iter().any(|made| made.is(change));
        let held: Vec<Change> = complete.iter().filter(is_held).cloned().collect();
        let dependent = dependent_changes(three, &out, &held);
        let (held, made): (Vec<Change>, Vec<Change>) = all
            .into_iter()
            .partition(|change| dependent.reason(change).is_some());
        if held.is_empty() {
            out.conflicts.extend(conflicts.iter().cloned());
            return Settled {
                out,
                made,
                conflicts,
            };
        }
        for change in held {
            let reason = dependent.reason(&change);
            let left_out = conflicts_for(three, &[change]).into_iter();
            conflicts.extend(left_out.map(|conflict| ItemConflict {
                reason: reason.clone(),
                ..conflict
            }));
        }
        all = made;
    }
}

/// Returns the keys of functions, such as `build()`, that contain repeated steps, were edited by
/// hand, and gain or lose repeated steps between the renderings. Matching is ambiguous in them, so
/// they are left unchanged.
fn ambiguous_functions(existing: &Outline, before: &Outline, all: &[Change]) -> BTreeSet<String> {
    let is_by_hand = |key: &NormalText| {
        let (Some(own), Some(old)) = (existing.root.find(key), before.root.find(key)) else {
            return false;
        };
        let is_same = |(own, old): (&Node, &Node)| own.key.is_like(&old.key);
        // The steps of other languages have the numbers of the steps that correspond.
        let is_bash = existing.reading.language == Language::Bash;
        let steps = old
            .body
            .as_ref()
            .is_some_and(|body| body.kind == ItemKind::Steps);
        steps
            && is_bash
            && (own.nodes().len() != old.nodes().len()
                || !own.nodes().iter().zip(old.nodes()).all(is_same))
    };
    let is_repeated = |change: &&Change| {
        let (old, new) = change.what.sides();
        let moves = !matches!(change.what, What::Set { .. } | What::Follow { .. });
        moves
            && change.path.len() == 1
            && old
                .iter()
                .chain(new)
                .any(|node| node.key.open.contains(" #"))
    };
    let keys = all.iter().filter(is_repeated).map(|change| change.path[0]);
    keys.filter(|key| is_by_hand(key))
        .map(|key| key.written.clone())
        .collect()
}

/// Applies the changes `all` to the existing recipe in rounds: variables, other items, arguments of
/// a Nix function. Each round reads the text that the round before it returned.
fn in_rounds(three: ThreeWay, mut edits: Edits, all: Vec<Change>) -> MergeResult {
    let ThreeWay {
        existing, after, ..
    } = three;
    // Variables come first: an item that refers to a variable often needs no other change.
    let (values, rest): (Vec<Change>, Vec<Change>) = all
        .into_iter()
        .partition(|change| change.path.is_empty() && change.what.is_value());
    follow_repositories(three, &rest, &mut edits);
    // If the name of the recipe's file contains the version, as in Gentoo, the recipe is at the new
    // version already.
    let name = existing.words.version();
    let is_new = |change: &Change| change.what.sides().0.iter().any(|old| old.key.open == name);
    if existing.root.get(name).is_none() || values.iter().any(is_new) {
        follow_release(three, &mut edits);
    }
    // Arguments come last: they depend on the names that the final text uses.
    let (arguments, rest): (Vec<Change>, Vec<Change>) = rest
        .into_iter()
        .partition(|change| change.path.first().is_some_and(|key| key.open == ARGUMENTS));
    let mut out = round(three, existing, &values, edits);
    for changes in [rest, arguments] {
        out = further(out, three, |next| {
            round(next, existing, &changes, Edits::default())
        });
    }
    out = further(out, three, |next| {
        let arguments = new_arguments(existing, next.existing, after);
        round(next, existing, &arguments, Edits::default())
    });
    if let Ok(last) = existing.reading.read(&out.text) {
        out.text = unused(existing, &last, after).applied(&last.text);
        out.text = ordered(out.text, &last, after);
    }
    out
}

/// Reads the text of `done`, applies `change` to it, and returns the new text with the conflicts of
/// both rounds. Returns `done` if its text can't be read.
fn further(
    done: MergeResult,
    three: ThreeWay,
    change: impl Fn(ThreeWay) -> MergeResult,
) -> MergeResult {
    let Ok(next) = three.existing.reading.read(&done.text) else {
        return done;
    };
    let next = set_apart(&next, &[three.after]);
    let made = change(ThreeWay {
        existing: &aligned(&next, three.before, Some(three.after)),
        ..three
    });
    MergeResult {
        text: made.text,
        conflicts: done.conflicts.into_iter().chain(made.conflicts).collect(),
    }
}

/// Returns changes that add arguments to a Nix function. An argument of `after` is added if the
/// edited recipe `next` refers to its name and does not bind it, and `existing` does not refer to
/// it.
fn new_arguments<'a>(existing: &Outline, next: &Outline, after: &'a Outline) -> Vec<Change<'a>> {
    let Some(arguments) = after.root.get(ARGUMENTS) else {
        return Vec::new();
    };
    let bound = |part: &str| next.root.get(part).map_or(&[][..], Node::nodes);
    let is_bound = |name: &str| {
        bound("let")
            .iter()
            .chain(bound(ARGUMENTS))
            .any(|n| n.key.open == name)
    };
    let is_new = |name: &str| nix::is_used(&next.text, name) && !nix::is_used(&existing.text, name);
    let Some(beside) = &arguments.body else {
        return Vec::new();
    };
    let name = |at: usize| beside.nodes[at].key.open.as_str();
    let all = (0..beside.nodes.len()).filter(|at| !is_bound(name(*at)) && is_new(name(*at)));
    all.map(|at| Change {
        path: vec![&arguments.key],
        what: What::Insert { beside, at },
    })
    .collect()
}
