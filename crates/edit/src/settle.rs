//! Edits after which a recipe contradicts itself. Either the missing item is added too, or the
//! change that causes the contradiction is left out.

use crate::changes::{Change, What, shown_text};
use crate::edits::{line_end, line_start};
use crate::merge_result::{ItemConflict, MergeResult};
use rocpkg_syntax::{Checked, Fault, Missing, NormalText, Outline, Reading, RunCommand, Values};
use std::collections::BTreeSet;

/// The check of a recipe, with its result for the recipe before any edit.
#[derive(Clone, Copy)]
pub struct Checks<'a> {
    /// The result of the check of the recipe before any edit. Its contradictions are not reported
    /// again.
    pub before: &'a Checked,
    /// Checks a whole text, as if it were in the place of the edited recipe.
    pub check: &'a dyn Fn(&str) -> Checked,
    /// Returns the values of the variables of a text at the old version.
    pub old_values: &'a dyn Fn(&str) -> Values,
    /// Returns the values of the variables of a text at the new version.
    pub values: &'a dyn Fn(&str) -> Values,
    /// Returns the commands of the functions of a text at the new version.
    pub commands: &'a dyn Fn(&str) -> Vec<RunCommand>,
}

impl Checks<'_> {
    /// A check that accepts any text, without values.
    pub const NONE: Checks<'static> = Checks {
        before: &Checked {
            faults: Vec::new(),
            unchecked: Vec::new(),
            doubtful: BTreeSet::new(),
        },
        check: &|_| Checked::default(),
        old_values: &|_| Values::new(),
        values: &|_| Values::new(),
        commands: &|_| Vec::new(),
    };

    /// Returns the contradictions that the recipe did not have before.
    pub(crate) fn faults(&self, text: &str) -> Vec<Fault> {
        self.since(&(self.check)(text))
    }

    fn since(&self, checked: &Checked) -> Vec<Fault> {
        checked.since(self.before).into_iter().cloned().collect()
    }
}

/// Applies changes so that the recipe has no contradiction that it did not have before.
///
/// `attempt` applies the changes that it is called with and returns the text. `conflicts_of`
/// returns the conflicts for changes that are left out. If a fault names a missing item and the
/// rendering `after` has that item, the item is added. The same applies to an item that the recipe
/// may lack, since a file is not known. Otherwise the change that causes the fault is left out,
/// with the fault as its reason. A fault that exists without any change becomes a conflict of its
/// own: the new version may lack a file, for instance.
pub(crate) fn settle<'a>(
    after: &'a Outline,
    mut all: Vec<Change<'a>>,
    checks: Checks,
    attempt: &dyn Fn(Vec<Change<'a>>) -> Settled<'a>,
    conflicts_of: &dyn Fn(&[Change<'a>]) -> Vec<ItemConflict>,
) -> MergeResult {
    let mut conflicts = Vec::new();
    let mut taken: BTreeSet<Missing> = BTreeSet::new();
    // Computed at the first fault only, since most edits have none.
    let mut untouched: Option<(String, Vec<Fault>)> = None;
    loop {
        let done = attempt(all);
        let mut out = done.out;
        let checked = (checks.check)(&out.text);
        let new = checks.since(&checked);
        let missing = new.iter().filter_map(|fault| fault.missing.as_ref());
        let doubtful = checked.doubtful.difference(&checks.before.doubtful);
        let halves: Vec<Change> = missing
            .chain(doubtful)
            .filter(|missing| taken.insert((*missing).clone()))
            .filter_map(|missing| other_half(after, missing))
            .collect();
        if new.is_empty() && halves.is_empty() {
            out.conflicts.extend(conflicts);
            return out;
        }
        let (text, lasting) = untouched.get_or_insert_with(|| {
            let text = attempt(Vec::new()).out.text;
            let faults = checks.faults(&text);
            (text, faults)
        });
        let is_in = |all: &[Fault], fault: &Fault| all.iter().any(|other| other.is(fault));
        let caused = new.iter().find(|fault| !is_in(lasting, fault));
        let because = caused.map(|fault| fault.finding.message.clone());
        if halves.is_empty() && because.is_none() {
            let lasting = lasting.iter().filter(|fault| is_in(&new, fault));
            out.conflicts
                .extend(lasting.map(|fault| conflict(&after.reading, text, fault)));
            out.conflicts.extend(conflicts);
            return out;
        }
        all = done.made;
        conflicts.extend(done.conflicts);
        if !halves.is_empty() {
            all.extend(halves);
            continue;
        }
        let without = |at: usize| {
            let mut rest = all.clone();
            rest.remove(at);
            checks.faults(&attempt(rest).out.text).len()
        };
        let cause = (0..all.len()).find(|at| without(*at) < new.len());
        let mut held: Vec<Change> = Vec::new();
        if let Some(at) = cause {
            held.push(all.remove(at));
        } else {
            // No single change causes the fault: changes are applied one after the other as long as
            // they cause no fault together.
            let mut kept = Vec::new();
            for change in all {
                kept.push(change);
                if checks.faults(&attempt(kept.clone()).out.text).len() > lasting.len() {
                    held.extend(kept.pop());
                }
            }
            // Each change was fine alone, and all together are not. None is applied, so that the
            // loop ends.
            if held.is_empty() {
                std::mem::swap(&mut kept, &mut held);
            }
            all = kept;
        }
        conflicts.extend(
            conflicts_of(&held)
                .into_iter()
                .map(|conflict| ItemConflict {
                    reason: because.clone(),
                    ..conflict
                }),
        );
    }
}

/// Returns a fault of `text` as a conflict. Its path is that of the item that contains the fault,
/// its `existing` is the line of the fault, and its reason is the fault's message.
fn conflict(reading: &Reading, text: &str, fault: &Fault) -> ItemConflict {
    let at = fault.at().min(text.len());
    let line = text[line_start(text, at)..line_end(text, at)].trim();
    ItemConflict {
        path: item_of(reading.read(text).ok().as_ref(), fault),
        at,
        existing: Some(line.to_owned()),
        reason: Some(fault.finding.message.clone()),
        ..ItemConflict::default()
    }
}

/// Returns the keys of the item of a recipe that contains a fault, or the fault's code if no item
/// contains it.
pub fn item_of(recipe: Option<&Outline>, fault: &Fault) -> Vec<String> {
    let keys = recipe.map_or_else(Vec::new, |recipe| recipe.keys_at(fault.at()));
    if keys.is_empty() {
        return vec![fault.finding.code.to_owned()];
    }
    keys.iter().map(|key| shown_text(key)).collect()
}

/// The result of an attempt to apply changes.
pub(crate) struct Settled<'a> {
    /// The text with the changes that could be applied, and the conflicts.
    pub(crate) out: MergeResult,
    pub(crate) made: Vec<Change<'a>>,
    /// The conflicts of changes that were left out of `made`, since they depend on a change that
    /// could not be applied.
    pub(crate) conflicts: Vec<ItemConflict>,
}

/// Returns the change that adds an item that the recipe lacks, as `after` has it. Returns none if
/// `after` lacks the item too.
fn other_half<'a>(after: &'a Outline, missing: &Missing) -> Option<Change<'a>> {
    let is_list = |key: &NormalText| NormalText::base(&key.open) == missing.list;
    let lists = after.root.nodes.iter().filter(|node| is_list(&node.key));
    lists
        .filter_map(|list| Some((list, list.body.as_ref()?)))
        .find_map(|(list, beside)| {
            let mut items = beside.nodes.iter();
            let at = items.position(|item| item.key.open == missing.name)?;
            Some(Change {
                path: vec![&list.key],
                what: What::Insert { beside, at },
            })
        })
}
