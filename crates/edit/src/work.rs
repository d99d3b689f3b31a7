//! Application of changes to the existing recipe, one by one.

mod lookup;
mod sed;

use crate::changes::{Change, What};
use crate::edits::Edits;
use crate::find::{Found, anywhere, bodies_at, find_at, is_in, under_conditions};
use crate::merge_result::{ItemConflict, MergeResult};
use crate::place::{NewItem, Place, Replaced, tidy};
use crate::three_way::ThreeWay;
use crate::variables::{composed, is_own, variable_of_part};
use rocpkg_syntax::{Body, Form, ItemKind, Language, List, Node, NormalText, Outline, nix};
use std::ops::Range;

/// Applies the changes `all` and the finished edits `edits` to the existing recipe. The changes are
/// those between the two renderings. `origin` is the recipe before earlier rounds changed its
/// variables.
pub(crate) fn round(
    three: ThreeWay,
    origin: &Outline,
    all: &[Change],
    edits: Edits,
) -> MergeResult {
    let existing = three.existing;
    let mut work = Work::new(three, origin, edits.clone());
    // Items that are removed are left out of the search for the place of a new item.
    let gone = |change: &Change| match change.what {
        What::Remove(old) if !work.has_moved(&change.path, &old.key) => {
            Some(work.body(&change.path)?.find(&old.key)?.at.clone())
        }
        _ => None,
    };
    work.going = all.iter().filter_map(gone).collect();
    for change in all {
        work.apply(change);
    }
    if existing.reading.language == Language::Bash {
        tidy(existing, &existing.root, &mut work.edits);
    }
    let text = work.edits.applied(&existing.text);
    if existing.reading.read(&text).is_ok() {
        return MergeResult { text, ..work.out };
    }
    // An edit is never half applied: a change after which the text can't be parsed is left out.
    let mut work = Work {
        put: Vec::new(),
        edits,
        out: MergeResult::default(),
        ..work
    };
    for change in all {
        let (edits, known) = (work.edits.clone(), work.out.conflicts.len());
        work.apply(change);
        if existing
            .reading
            .read(&work.edits.clone().applied(&existing.text))
            .is_err()
        {
            work.edits = edits;
            work.out.conflicts.truncate(known);
            work.add_conflicts(change);
        }
    }
    MergeResult {
        text: work.edits.applied(&existing.text),
        ..work.out
    }
}

/// Returns conflicts for the changes `all`, none of which is applied: one for each item that the
/// existing recipe does not already have in its new form.
pub(crate) fn conflicts_for(three: ThreeWay, all: &[Change]) -> Vec<ItemConflict> {
    let mut work = Work::new(three, three.existing, Edits::default());
    for change in all {
        work.add_conflicts(change);
    }
    work.out.conflicts
}

struct Work<'a> {
    existing: &'a Outline,
    origin: &'a Outline,
    before: &'a Outline,
    after: &'a Outline,
    /// The bytes of items of `existing` that are removed.
    going: Vec<Range<usize>>,
    /// The keys of the items that were added, each with the bytes of the body that it was added to.
    put: Vec<(Range<usize>, NormalText)>,
    edits: Edits,
    out: MergeResult,
}

impl<'a> Work<'a> {
    fn new(three: ThreeWay<'a>, origin: &'a Outline, edits: Edits) -> Self {
        let ThreeWay {
            existing,
            before,
            after,
        } = three;
        Self {
            existing,
            origin,
            before,
            after,
            going: Vec::new(),
            put: Vec::new(),
            edits,
            out: MergeResult::default(),
        }
    }

    fn three(&self) -> ThreeWay<'a> {
        ThreeWay {
            existing: self.existing,
            before: self.before,
            after: self.after,
        }
    }

    fn apply(&mut self, change: &Change) {
        match change.what {
            What::Set { before, after } => self.set(change, before, after),
            What::Follow { before, after } => {
                if let Some((_, node)) = self.find(&change.path, &before.key)
                    && is_written_out(&node.value, &before.value, &after.value)
                {
                    self.replace_value(change, node, after);
                }
            }
            What::Remove(old) if self.is_used(change, old) != Some(true) => {
                self.remove(change, old);
            }
            What::Insert { beside, at }
                if self.is_used(change, &beside.nodes[at]) != Some(false) =>
            {
                self.insert(change, beside, at);
            }
            What::Remove(_) | What::Insert { .. } => {}
            What::Replace { before, after } => self.replace(change, before, after),
        }
    }

    fn set(&mut self, change: &Change, before: &Node, after: &Node) {
        if let Some((body, node)) = self.as_before(&change.path, before)
            && body.list == Some(List::Sources)
        {
            return if !node.value.is(&after.value) || self.is_renamed(before, after) {
                self.replace_value(change, node, after);
            };
        }
        // If a branch of a condition has the new value, the item of the other branch is for other
        // versions and stays.
        let mut branches = under_conditions(self.existing, &before.key).into_iter();
        if change.path.is_empty() && branches.any(|(_, node)| says(node, after)) {
            return;
        }
        let mut found = self.find(&change.path, &before.key);
        if change.path.is_empty() && found.is_none() {
            found = self.variable(before);
        }
        match found {
            Some((_, node)) if says(node, after) => {}
            Some((_, node)) if says(node, before) || self.was(change, before, node) => {
                self.replace_value(change, node, after);
            }
            // A checksum follows the source that is fetched, so its old value does not matter.
            Some((body, node))
                if body.list == Some(List::Sums) && !is_stand_in(&after.value.real) =>
            {
                self.replace_value(change, node, after);
            }
            Some((_, node)) if node.value.is_sri() && after.value.is_sri() => {
                self.replace_value(change, node, after);
            }
            // Nothing refers to a variable that the text does not have, unless it has the variable
            // under another name.
            None if change.path.is_empty() && before.key.open.starts_with('_') => {
                if let Some(node) = self.alias(before) {
                    self.replace_value(change, node, after);
                }
            }
            found => self.add_conflict(
                change,
                Some(before),
                Some(after),
                found.map(|(_, node)| node),
            ),
        }
    }

    /// Returns true if `node` had the value of `before` until an earlier round changed a variable
    /// in it.
    fn was(&self, change: &Change, before: &Node, node: &Node) -> bool {
        let found = self.as_before(&change.path, before);
        found.is_some_and(|(body, own)| body.list != Some(List::Sums) && own.at == node.at)
    }

    /// Returns the variable that has the value of `before` under a name that neither rendering has:
    /// `_ver=7.1.1` for `_rocm_version=7.1.1`.
    fn alias(&self, before: &Node) -> Option<&'a Node> {
        let is_own = |n: &&Node| {
            is_own(self.existing, self.before, &n.key.open)
                && is_own(self.existing, self.after, &n.key.open)
        };
        let mut all = self
            .existing
            .root
            .nodes
            .iter()
            .filter(is_own)
            .filter(|n| n.body.is_none());
        all.find(|n| n.value.open == before.value.open)
    }

    /// Returns true if the renderings save a source under different names: `a.tar.gz::URL` in one,
    /// `b.tar.gz::URL` in the other.
    fn is_renamed(&self, before: &Node, after: &Node) -> bool {
        let saved = |outline: &Outline, node: &Node| {
            outline
                .said(&node.at)
                .split_once("::")
                .map(|(name, _)| name.to_owned())
        };
        saved(self.before, before) != saved(self.after, after)
    }

    fn replace_value(&mut self, change: &Change, node: &Node, after: &Node) {
        if change.path.is_empty() && self.is_composed(node) {
            let Some(all) = composed(self.existing, node, &after.value.real) else {
                return self.add_conflict(change, None, Some(after), Some(node));
            };
            for (part, text) in all {
                self.edits.replace(part.value_at.clone(), text);
            }
            return;
        }
        if !change.path.is_empty()
            && let Some((set, word)) = variable_of_part(self.three(), node, after)
        {
            let place = Place {
                existing: self.existing,
                body: &self.existing.root,
            };
            self.edits.replace(
                set.value_at.clone(),
                place.valued_as(set, self.after, &word),
            );
            return;
        }
        let place = Place {
            existing: self.existing,
            body: self.body_of(node),
        };
        if !self.can_say(place, after) {
            return self.add_conflict(change, None, Some(after), Some(node));
        }
        place.value(node, self.after, after, &mut self.edits);
    }

    /// Returns true if an item is the recipe's version and is composed of variables:
    /// `pkgver=$_major.$_minor`.
    fn is_composed(&self, node: &Node) -> bool {
        let text = &self.existing.text[node.value_at.clone()];
        let is_version = node.key.open == self.existing.words.version();
        is_version && self.existing.reading.language == Language::Bash && text.contains('$')
    }

    /// Returns true if the existing recipe has all names that `new`, an item of the new rendering,
    /// refers to. It lacks a name of the derivation's own attributes (see [`Place::can_say`]), or a
    /// name that both renderings bind in `let` and the existing recipe does not.
    fn can_say(&self, place: Place, new: &Node) -> bool {
        let text = &self.after.text[new.at.clone()];
        let bound = |outline: &'a Outline| outline.root.get("let").map_or(&[][..], Node::nodes);
        let is_bound =
            |outline, name: &Node| bound(outline).iter().any(|n| n.key.open == name.key.open);
        let mut missing = bound(self.after)
            .iter()
            .filter(|n| is_bound(self.before, n) && !is_bound(self.existing, n));
        place.can_say(text) && !missing.any(|n| nix::names(text).any(|name| name == n.key.open))
    }

    /// Returns the innermost body that contains the item `node` of the existing recipe. A body is
    /// the items inside of an item, such as the statements of a function.
    fn body_of(&self, node: &Node) -> &'a Body {
        let mut body = &self.existing.root;
        while let Some(inner) = body
            .nodes
            .iter()
            .filter_map(|n| n.body.as_ref())
            .find(|b| b.inside.start <= node.at.start && node.at.end <= b.inside.end)
        {
            body = inner;
        }
        body
    }

    fn remove(&mut self, change: &Change, old: &Node) {
        let path = &change.path;
        // An item that the new rendering has in another place is not removed from that place.
        let stays = || !anywhere(self.after, path, &old.key).is_empty();
        let found = find_at(self.existing, path, &old.key);
        let found = found.or_else(|| self.find(path, &old.key).filter(|_| !stays()));
        let Some((body, node)) = found.filter(|_| !self.has_moved(path, &old.key)) else {
            return self.remove_sed(path, old);
        };
        // The same words have another value if the value of a variable changed.
        let is_as_before = |node: &Node, old: &Node| {
            let old = &self.before.text[old.at.clone()];
            self.existing.text[node.at.clone()] == self.existing.words.renamed(old)
        };
        if goes(body, node, old) || node.body.is_none() && is_as_before(node, old) {
            Place {
                existing: self.existing,
                body,
            }
            .remove(node, &mut self.edits);
            return;
        }
        // If a list has additions by hand, only the items of the rendering are removed.
        if let (Some(own), Some(gone), false) =
            (&node.body, &old.body, self.is_own(change, node, old))
        {
            let found = |item: &Node| own.find(&item.key).filter(|n| goes(own, n, item));
            let all: Vec<&Node> = gone.nodes.iter().filter_map(found).collect();
            if all.len() == own.nodes.len() && own.form == Form::Words {
                Place {
                    existing: self.existing,
                    body,
                }
                .remove(node, &mut self.edits);
                return;
            }
            self.remove_rest(change, own, &old.key, gone);
            return;
        }
        self.add_conflict(change, Some(old), None, Some(node));
    }

    /// Removes the items of `gone` from `own`. `gone` is a body of the old rendering, and `own` is
    /// the same body in the existing recipe, which has additions by hand. `key` is the key of both.
    /// An item that differs from the rendering becomes a conflict.
    fn remove_rest(&mut self, change: &Change, own: &'a Body, key: &NormalText, gone: &Body) {
        let path = [&*change.path, &[key]].concat();
        let inner = Change {
            path,
            what: change.what.clone(),
        };
        for old in &gone.nodes {
            // The same words have another value if the value of a variable changed.
            let is_as_before = |node: &Node| {
                self.existing.text[node.at.clone()] == self.before.text[old.at.clone()]
            };
            match own.find(&old.key) {
                None => {}
                Some(node) if goes(own, node, old) || is_as_before(node) => {
                    Place {
                        existing: self.existing,
                        body: own,
                    }
                    .remove(node, &mut self.edits);
                }
                Some(node) => match (&node.body, &old.body) {
                    (Some(own), Some(gone)) => self.remove_rest(&inner, own, &old.key, gone),
                    _ => self.add_conflict(&inner, Some(old), None, Some(node)),
                },
            }
        }
    }

    /// Returns true if an item is a function that was edited by hand: a statement with a body in
    /// it, such as `if`, differs between the existing function `node` and that of the rendering,
    /// `old`.
    fn is_own(&self, change: &Change, node: &Node, old: &Node) -> bool {
        let is_function =
            change.path.is_empty() && self.existing.reading.language == Language::Bash;
        let (Some(own), Some(gone)) = (&node.body, &old.body) else {
            return false;
        };
        let differs = |item: &Node| {
            own.find(&item.key)
                .is_some_and(|n| n.body.is_some() && !goes(own, n, item))
        };
        is_function && own.kind == ItemKind::Steps && gone.nodes.iter().any(differs)
    }

    fn insert(&mut self, change: &Change, beside: &Body, at: usize) {
        let new = &beside.nodes[at];
        let elsewhere = || {
            under_conditions(self.existing, &new.key)
                .first()
                .copied()
                .filter(|_| change.path.is_empty())
        };
        let path = &change.path;
        let existing = find_at(self.existing, path, &new.key)
            .filter(|(_, node)| !is_in(&self.going, &node.at));
        // An item that the old rendering had in another place is not the item that is added.
        let is_other = || anywhere(self.before, path, &new.key).is_empty();
        let found = existing.or_else(|| {
            self.find(path, &new.key)
                .filter(|(_, node)| !is_in(&self.going, &node.at) && is_other())
        });
        if let Some((body, node)) = found.or_else(elsewhere) {
            if is_call(body, node) {
                return;
            }
            if let (Some(own), Some(added)) = (&node.body, &new.body) {
                let path = [&*change.path, &[&new.key]].concat();
                for at in 0..added.nodes.len() {
                    let what = What::Insert { beside: added, at };
                    if own.find(&added.nodes[at].key).is_none() {
                        self.insert(
                            &Change {
                                path: path.clone(),
                                what,
                            },
                            added,
                            at,
                        );
                    }
                }
            } else if !node.is(new) {
                self.add_conflict(change, None, Some(new), Some(node));
            }
            return;
        }
        let all = bodies_at(self.existing, &change.path);
        if let Some(twin) = self.twin(&change.path, new) {
            self.add_conflict(change, None, Some(new), Some(twin));
            return self.explain("the recipe has a patch of this name, of another version");
        }
        let own = all.first().copied();
        // The item is inserted after the item before it in the rendering, or before the item after
        // it.
        let was = bodies_at(self.before, &change.path).first().copied();
        let place = |node: &Node| {
            // After a change of variables, the existing recipe may still have the item as in the
            // old rendering.
            let old = was.and_then(|body| {
                body.nodes
                    .iter()
                    .find(|n| n.key.written == node.key.written)
            });
            let found = self.find(&change.path, &node.key);
            found
                .or_else(|| self.find(&change.path, &old?.key))
                .filter(|(body, node)| {
                    let is_own = |own: &&Body| std::ptr::eq(*body, *own) || own.nodes.is_empty();
                    body.holds(node)
                        && !is_in(&self.going, &node.at)
                        && (all.is_empty() || all.iter().any(is_own))
                })
        };
        // A function is inserted after all items that precede it in the rendering, in whatever
        // order they are in the text.
        let is_function =
            change.path.is_empty() && new.body.as_ref().is_some_and(|b| b.form == Form::Lines);
        let mut above = beside.nodes[..at].iter().rev().filter_map(place);
        let above = if is_function {
            above.max_by_key(|(_, node)| node.at.end)
        } else {
            above.next()
        };
        let below = beside.nodes[at + 1..].iter().find_map(place);
        // The first function of a rendering is inserted before the first function of the text, so
        // that no function is between variables.
        let is_function = |node: &Node| node.key.open.ends_with("()");
        let root = &self.existing.root;
        let first = root
            .nodes
            .iter()
            .find(|node| is_function(node))
            .map(|node| (root, node));
        let leads = change.path.is_empty()
            && is_function(new)
            && first.is_some()
            && above.is_none_or(|(_, node)| !is_function(node));
        let above = above.map(|(body, node)| {
            let is_between = |n: &&Node| place(n).is_none_or(|(_, found)| found.at != node.at);
            let between = beside.nodes[..at].iter().rev().take_while(is_between);
            let missing = between.filter(|n| self.is_missing(&change.path, was, n));
            let missing: Vec<&Node> = missing.collect();
            let known = [beside].into_iter().chain(was);
            (body, behind_own(body, node, &missing, known))
        });
        let (above, below) = if leads { (None, first) } else { (above, below) };
        let (body, above, below) = match (above, below, own) {
            (Some((body, node)), _, _) => (body, Some(node), None),
            (None, Some((body, node)), _) => (body, None, Some(node)),
            (None, None, Some(body)) => {
                (body, body.nodes.iter().rev().find(|n| body.holds(n)), None)
            }
            (None, None, None) => return self.add_conflict(change, None, Some(new), None),
        };
        // Two bodies of a rendering can correspond to one body of the existing recipe.
        if self
            .put
            .iter()
            .any(|(inside, key)| *inside == body.inside && key.is(&new.key))
        {
            return;
        }
        self.put.push((body.inside.clone(), new.key.clone()));
        let place = Place {
            existing: self.existing,
            body,
        };
        if !self.can_say(place, new) {
            return self.add_conflict(change, None, Some(new), None);
        }
        let item = NewItem {
            rendering: self.after,
            body: beside,
            at,
        };
        place.insert(above, below, item, &mut self.edits);
    }

    fn replace(&mut self, change: &Change, before: &[Node], after: &[Node]) {
        let existing = |node: &Node| {
            self.find(&change.path, &node.key)
                .filter(|(_, found)| found.is(node))
        };
        let old: Vec<Found> = before
            .iter()
            .filter_map(|node| {
                self.as_before(&change.path, node)
                    .or_else(|| existing(node))
                    .or_else(|| self.sed_once(&change.path, node))
            })
            .collect();
        // A patch is up to date only if it is applied in the new folder.
        let is_now = |node: &&Node| {
            existing(node).is_some_and(|(_, n)| n.value.is(&node.value))
                || self.sed_once(&change.path, node).is_some()
        };
        let new = after.iter().filter(is_now).count();
        let list = old.first().and_then(|(body, _)| body.list);
        let renamed = list == Some(List::Sources)
            && before
                .iter()
                .zip(after)
                .any(|(before, after)| self.is_renamed(before, after));
        if new == after.len() && !(renamed && old.len() == before.len()) {
            return;
        }
        let unknown = list == Some(List::Sums) && after.iter().any(|n| is_stand_in(&n.value.real));
        if let ([(_, own)], [was], [is]) = (old.as_slice(), before, after)
            && was.key.open.starts_with("sed ")
            && own.key.written != was.key.written
        {
            return self.rewrite(change, own, was, is);
        }
        if old.len() < before.len()
            || unknown
                && old
                    .iter()
                    .zip(before)
                    .any(|((_, n), b)| !n.value.is(&b.value))
        {
            for (i, node) in after.iter().enumerate() {
                self.not_replaced(change, before.get(i), node);
            }
            return;
        }
        let body = old[0].0;
        let place = Place {
            existing: self.existing,
            body,
        };
        let nodes: Vec<&Node> = old.iter().map(|(_, node)| *node).collect();
        let items = Replaced {
            before: self.before,
            was: before,
            after: self.after,
            new: after,
        };
        place.replace(&nodes, items, &mut self.edits);
    }

    /// Adds a conflict for each item of a change that the text does not already have in its new
    /// form.
    fn add_conflicts(&mut self, change: &Change) {
        let (old, new) = change.what.sides();
        for i in 0..old.len().max(new.len()) {
            let (old, new) = (old.get(i), new.get(i));
            let found = old
                .or(new)
                .and_then(|node| self.find(&change.path, &node.key))
                .map(|(_, node)| node);
            if found.is_none() || found.zip(new).is_none_or(|(found, new)| !found.is(new)) {
                self.add_conflict(change, old, new, found);
            }
        }
    }

    /// Adds a conflict for an item of a change. `before` and `after` are the item in the
    /// renderings, and `found` is the item in the existing recipe.
    fn add_conflict(
        &mut self,
        change: &Change,
        before: Option<&Node>,
        after: Option<&Node>,
        found: Option<&Node>,
    ) {
        let text = |outline: &Outline, node: &Node| outline.text[node.at.clone()].to_owned();
        let Some(key) = before.or(after).map(|node| &node.key) else {
            return;
        };
        let around = self.body(&change.path).map(|body| body.inside.start);
        let section = || {
            change
                .path
                .first()
                .and_then(|key| Some(self.existing.root.find(key)?.at.start))
        };
        self.out.conflicts.push(ItemConflict {
            path: change.keys(key),
            at: found
                .map(|node| node.at.start)
                .or(around)
                .or_else(section)
                .unwrap_or_default(),
            before: before.map(|node| text(self.before, node)),
            after: after.map(|node| text(self.after, node)),
            existing: found.map(|node| text(self.existing, node)),
            reason: None,
        });
    }
}

/// Returns true if the existing recipe contains the value of a variable that changed, and not a
/// reference to the variable: `existing` is `7.1.1` and `before` is `$_ver`. The three values are
/// those of one item: in the existing recipe, in the old rendering, and in the new one.
fn is_written_out(existing: &NormalText, before: &NormalText, after: &NormalText) -> bool {
    if before.open == after.open {
        return existing.open != before.open && existing.real == before.real;
    }
    existing.is(before) && !existing.is(after) && existing.written != before.written
}

/// Returns the item of `body` behind which a new step goes, if the nearest item above the step in
/// the new rendering is `above`. `missing` are the items of both renderings between the two that
/// the existing recipe lacks, and `known` are the bodies of the renderings. Items behind `above`
/// that no rendering has may be the missing ones in other words, so the new step goes behind them.
fn behind_own<'a, 'r>(
    body: &'a Body,
    above: &'a Node,
    missing: &[&Node],
    known: impl Iterator<Item = &'r Body>,
) -> &'a Node {
    if missing.is_empty() || body.kind != ItemKind::Steps {
        return above;
    }
    let known: Vec<&Body> = known.collect();
    let moves = |node: &Node| node.key.open.starts_with("cd ");
    let mut folders = missing.iter().filter(|node| moves(node)).count();
    let behind = body.nodes.iter().filter(|n| n.at.start >= above.at.end);
    let own = behind.take_while(|node| {
        let is_known = |other: &&Body| other.nodes.iter().any(|n| n.key.is(&node.key));
        // A new step stays in the folder in which the rendering runs it.
        let leaves = moves(node) && folders == 0;
        folders -= usize::from(moves(node) && !leaves);
        !leaves && !known.iter().any(is_known)
    });
    own.last().unwrap_or(above)
}

/// Returns true if `node`, an item of `body` in the existing recipe, is `old`, the item that the
/// new rendering removed. Their values must be equal. For a call in a list, such as
/// `(fetchpatch { … })`, equal keys suffice.
fn goes(body: &Body, node: &Node, old: &Node) -> bool {
    is_call(body, node) || node.is(old)
}

/// Returns true if `node` is an element of a list and has attributes: `(fetchpatch { … })`. `body`
/// is the list.
fn is_call(body: &Body, node: &Node) -> bool {
    body.form == Form::Words && node.body.as_ref().is_some_and(|b| b.form == Form::Lines)
}

/// Returns true if `node` has the value of `other`, and the same items inside. Keys make no
/// difference.
fn says(node: &Node, other: &Node) -> bool {
    let is_same = node.has_value_of(other) && node.body.is_some() == other.body.is_some();
    is_same
        && (node.body.is_none()
            || node.is(&Node {
                key: node.key.clone(),
                ..other.clone()
            }))
}

/// Returns true if a checksum consists of zeros only. Such a checksum stands for an unknown one.
fn is_stand_in(sum: &str) -> bool {
    sum.bytes().all(|b| b == b'0')
}
