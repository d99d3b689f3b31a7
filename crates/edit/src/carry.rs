//! Three-way on items: what differs between two renderings is carried over to a text that lies there.

use crate::changes::{Change, What, changes};
use crate::lists::List;
use crate::nix::{self, ARGUMENTS};
use crate::outline::{Body, Form, Language, Node, Outline, Value};
use crate::place::{Edits, Place};
use crate::words::VERSION;

/// What became of a text.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// The text with the changes that could be made.
    pub text: String,
    /// The keys of what was changed, from the margin inwards.
    pub done: Vec<Vec<String>>,
    /// What could not be: it is the maintainer's.
    pub left: Vec<Left>,
}

/// A change that a text has no place for, since what lies there is neither as before nor as after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The keys of the item, from the margin inwards.
    pub path: Vec<String>,
    /// The byte of the text where it would be, or of what it would stand in.
    pub at: usize,
    /// What the rendering had before; none for what is new.
    pub before: Option<String>,
    /// What it has now; none for what went.
    pub after: Option<String>,
    /// What lies there.
    pub there: Option<String>,
}

/// Carries over to `there` what differs between `before` and `after`.
///
/// What is the same in both stays as it lies there, whatever it says. What differs is changed where it lies there as before, and is left
/// where it lies there in a third way. Comments, order, quotes and wrapping are the text's own.
pub fn carry(there: &Outline, before: &Outline, after: &Outline) -> Carried {
    if there.text == before.text {
        return Carried { text: after.text.clone(), ..Carried::default() };
    }
    let all = changes(&before.root, &after.root);
    // Variables first: what refers to one says something new by that alone.
    let (values, rest): (Vec<Change>, Vec<Change>) =
        all.into_iter().partition(|change| change.path.is_empty() && change.what.is_value());
    // Arguments last: they follow what is used in the end.
    let (arguments, rest): (Vec<Change>, Vec<Change>) =
        rest.into_iter().partition(|change| change.path.first().is_some_and(|key| key.open == ARGUMENTS));
    let mut out = Carried { text: there.text.clone(), ..Carried::default() };
    for changes in [values, rest, arguments] {
        out = further(out, there, |next| round(next, before, after, &changes));
    }
    further(out, there, |next| round(next, before, after, &wanted(there, next, after)))
}

/// A text with the changes that are made to it.
fn further(done: Carried, there: &Outline, change: impl Fn(&Outline) -> Carried) -> Carried {
    let Ok(next) = there.reading.read(&done.text) else { return done };
    let made = change(&next);
    Carried {
        text: made.text,
        done: done.done.into_iter().chain(made.done).collect(),
        left: done.left.into_iter().chain(made.left).collect(),
    }
}

/// The arguments that edits made a text refer to, and that both renderings have.
fn wanted<'a>(there: &Outline, next: &Outline, after: &'a Outline) -> Vec<Change<'a>> {
    let Some(arguments) = after.root.get(ARGUMENTS) else { return Vec::new() };
    let bound = |part: &str| next.root.get(part).map_or(&[][..], Node::nodes);
    let is_bound = |name: &str| bound("let").iter().chain(bound(ARGUMENTS)).any(|n| n.key.open == name);
    let is_new = |name: &str| nix::is_used(&next.text, name) && !nix::is_used(&there.text, name);
    let Some(beside) = &arguments.body else { return Vec::new() };
    let name = |at: usize| beside.nodes[at].key.open.as_str();
    let all = (0..beside.nodes.len()).filter(|at| !is_bound(name(*at)) && is_new(name(*at)));
    all.map(|at| Change { path: vec![&arguments.key], what: What::Insert { beside, at } }).collect()
}

fn round(there: &Outline, before: &Outline, after: &Outline, all: &[Change]) -> Carried {
    let mut work = Work { there, before, after, edits: Edits::default(), out: Carried::default() };
    for change in all {
        work.apply(change);
    }
    let text = work.edits.applied(&there.text);
    if there.reading.read(&text).is_ok() {
        return Carried { text, ..work.out };
    }
    // An edit is never half made: one after which the language can't be read is left.
    let mut work = Work { there, before, after, edits: Edits::default(), out: Carried::default() };
    for change in all {
        let (edits, done) = (work.edits.clone(), work.out.done.len());
        work.apply(change);
        if there.reading.read(&work.edits.clone().applied(&there.text)).is_err() {
            work.edits = edits;
            let left = |path| Left { path, at: 0, before: None, after: None, there: None };
            work.out.left.extend(work.out.done.drain(done..).map(left));
        }
    }
    Carried { text: work.edits.applied(&there.text), ..work.out }
}

struct Work<'a> {
    there: &'a Outline,
    before: &'a Outline,
    after: &'a Outline,
    edits: Edits,
    out: Carried,
}

/// An item with the body that it stands in.
type Found<'a> = (&'a Body, &'a Node);

impl<'a> Work<'a> {
    fn apply(&mut self, change: &Change) {
        match change.what {
            What::Set { before, after } => self.set(change, before, after),
            What::Follow { before, after } => {
                if let Some((_, node)) = self.find(&change.path, &before.key)
                    && self.is_written_out(&node.value, &before.value, &after.value)
                {
                    self.replace_value(change, node, after);
                }
            }
            What::Remove(old) if self.is_used(change, old) != Some(true) => self.remove(change, old),
            What::Insert { beside, at } if self.is_used(change, &beside.nodes[at]) != Some(false) => {
                self.insert(change, beside, at);
            }
            What::Remove(_) | What::Insert { .. } => {}
            What::Replace { before, after } => self.replace(change, before, after),
        }
    }

    /// Whether something in the text refers to an argument; none for what is no argument.
    fn is_used(&self, change: &Change, argument: &Node) -> Option<bool> {
        let is_argument = change.path.len() == 1 && change.path[0].open == ARGUMENTS;
        is_argument.then(|| nix::is_used(&self.there.text, &argument.key.open))
    }

    /// Whether a text holds the value of a variable that changed, and not the variable.
    fn is_written_out(&self, there: &Value, before: &Value, after: &Value) -> bool {
        if before.open == after.open {
            return there.open != before.open && there.real == before.real;
        }
        there.is(before) && !there.is(after) && there.written != before.written
    }

    /// The body at a path of keys.
    fn body(&self, path: &[&Value]) -> Option<&'a Body> {
        self.bodies(path).first().copied()
    }

    /// The body at a path of keys in the rendering before.
    fn was(&self, path: &[&Value]) -> Option<&'a Body> {
        path.iter().try_fold(&self.before.root, |body, key| body.find(key)?.body.as_ref())
    }

    /// The bodies at a path of keys: `env.A = 1; env.B = 2;` says two times what stands in `env`.
    fn bodies(&self, path: &[&Value]) -> Vec<&'a Body> {
        let mut all = vec![&self.there.root];
        for key in path {
            let further = |node: &&Node| {
                let number = node.key.open.strip_prefix(&key.open).and_then(|rest| rest.strip_prefix(" #"));
                self.there.reading.language == Language::Nix && number.is_some()
            };
            let inside = |body: &'a Body| body.find(key).into_iter().chain(body.nodes.iter().filter(further));
            all = all.into_iter().flat_map(inside).filter_map(|node| node.body.as_ref()).collect();
        }
        all
    }

    /// An item at its path, or where else the same part of the text has one of its key.
    fn find(&self, path: &[&Value], key: &Value) -> Option<Found<'a>> {
        let found = self.bodies(path).into_iter().find_map(|body| Some((body, body.find(key)?)));
        if found.is_some() {
            return found;
        }
        // In Nix all stands in the derivation: a part of the text is an attribute of that.
        let depth = if self.there.reading.language == Language::Nix { 2 } else { 1 };
        if path.len() < depth {
            return None;
        }
        let mut section = self.there.root.find(path.first()?)?;
        for key in path.iter().take(depth).skip(1) {
            section = section.body.as_ref()?.find(key)?;
        }
        let mut all = Vec::new();
        within(section, key, &mut all);
        match all.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    fn set(&mut self, change: &Change, before: &Node, after: &Node) {
        match self.find(&change.path, &before.key) {
            Some((_, node)) if says(node, after) => {}
            Some((_, node)) if says(node, before) => self.replace_value(change, node, after),
            // A checksum is of what is fetched now, whatever it was.
            Some((body, node)) if body.list == Some(List::Sums) && !is_stand_in(&after.value.real) => {
                self.replace_value(change, node, after);
            }
            Some((_, node)) if node.value.is_sri() && after.value.is_sri() => {
                self.replace_value(change, node, after);
            }
            // One that is not there is referred to by nothing.
            None if change.path.is_empty() && before.key.open.starts_with('_') => {}
            found => self.leave(change, Some(before), Some(after), found.map(|(_, node)| node)),
        }
    }

    fn replace_value(&mut self, change: &Change, node: &Node, after: &Node) {
        let place = Place { there: self.there, body: self.body_of(node) };
        if !self.can_say(place, after) {
            return self.leave(change, None, Some(after), Some(node));
        }
        let text = place.value(node, self.after, after);
        self.edits.replace(node.value_at.clone(), text);
        self.note(change, &after.key);
    }

    /// Whether the text has what an item of the rendering refers to. What is bound before the derivation in both renderings, and not
    /// in the text, can't be referred to there.
    fn can_say(&self, place: Place, new: &Node) -> bool {
        let text = &self.after.text[new.at.clone()];
        let bound = |outline: &'a Outline| outline.root.get("let").map_or(&[][..], Node::nodes);
        let is_bound = |outline, name: &Node| bound(outline).iter().any(|n| n.key.open == name.key.open);
        let mut missing =
            bound(self.after).iter().filter(|n| is_bound(self.before, n) && !is_bound(self.there, n));
        place.can_say(text) && !missing.any(|n| nix::names(text).any(|name| name == n.key.open))
    }

    /// The body that an item of the text stands in.
    fn body_of(&self, node: &Node) -> &'a Body {
        let mut body = &self.there.root;
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
        let Some((body, node)) = self.find(&change.path, &old.key) else { return };
        if goes(body, node, old) {
            Place { there: self.there, body }.remove(node, &mut self.edits);
            self.note(change, &old.key);
            return;
        }
        // Of a list with additions by hand, the rest goes.
        if let (Some(own), Some(gone)) = (&node.body, &old.body) {
            let found = |item: &Node| own.find(&item.key).filter(|n| goes(own, n, item));
            let all: Vec<(&Node, &Node)> = gone.nodes.iter().filter_map(|i| Some((i, found(i)?))).collect();
            if all.len() == own.nodes.len() && own.form == Form::Words {
                Place { there: self.there, body }.remove(node, &mut self.edits);
                self.note(change, &old.key);
                return;
            }
            for (item, found) in all {
                Place { there: self.there, body: own }.remove(found, &mut self.edits);
                self.note(change, &item.key);
            }
            return;
        }
        self.leave(change, Some(old), None, Some(node));
    }

    fn insert(&mut self, change: &Change, beside: &Body, at: usize) {
        let new = &beside.nodes[at];
        if let Some((body, node)) = self.find(&change.path, &new.key) {
            if is_call(body, node) {
                return;
            }
            if let (Some(own), Some(added)) = (&node.body, &new.body) {
                let path: Vec<&Value> = change.path.iter().copied().chain([&new.key]).collect();
                for at in 0..added.nodes.len() {
                    let what = What::Insert { beside: added, at };
                    if own.find(&added.nodes[at].key).is_none() {
                        self.insert(&Change { path: path.clone(), what }, added, at);
                    }
                }
            } else if !node.is(new) {
                self.leave(change, None, Some(new), Some(node));
            }
            return;
        }
        let all = self.bodies(&change.path);
        let own = all.first().copied();
        // It stands after what it follows in the rendering, or before what follows it.
        let was = self.was(&change.path);
        let place = |node: &Node| {
            let old = was.and_then(|body| body.nodes.iter().find(|n| n.key.written == node.key.written));
            let found = self.find(&change.path, &node.key);
            found.or_else(|| self.find(&change.path, &old?.key)).filter(|(b, n)| b.holds(n)).filter(
                |(b, _)| {
                    all.is_empty() || all.iter().any(|own| std::ptr::eq(*b, *own) || own.nodes.is_empty())
                },
            )
        };
        let above = beside.nodes[..at].iter().rev().find_map(place);
        let below = beside.nodes[at + 1..].iter().find_map(place);
        let (body, above, below) = match (above, below, own) {
            (Some((body, node)), _, _) => (body, Some(node), None),
            (None, Some((body, node)), _) => (body, None, Some(node)),
            (None, None, Some(body)) => (body, body.nodes.iter().rev().find(|n| body.holds(n)), None),
            (None, None, None) => return self.leave(change, None, Some(new), None),
        };
        let place = Place { there: self.there, body };
        if !self.can_say(place, new) {
            return self.leave(change, None, Some(new), None);
        }
        place.insert(above, below, (self.after, beside, at), &mut self.edits);
        self.note(change, &new.key);
    }

    fn replace(&mut self, change: &Change, before: &[Node], after: &[Node]) {
        let there = |node: &Node| self.find(&change.path, &node.key).filter(|(_, found)| found.is(node));
        let old: Vec<Found> = before.iter().filter_map(there).collect();
        let new = after.iter().filter_map(there).count();
        if new == after.len() {
            return;
        }
        if old.len() < before.len() {
            for (i, node) in after.iter().enumerate() {
                let before = before.get(i);
                let found = before.and_then(|b| self.find(&change.path, &b.key)).map(|(_, node)| node);
                self.leave(change, before, Some(node), found);
            }
            return;
        }
        let body = old[0].0;
        let place = Place { there: self.there, body };
        let nodes: Vec<&Node> = old.iter().map(|(_, node)| *node).collect();
        place.replace(&nodes, (self.before, before), (self.after, after), &mut self.edits);
        for node in after {
            self.note(change, &node.key);
        }
    }

    fn note(&mut self, change: &Change, key: &Value) {
        self.out.done.push(path(change, key));
    }

    fn leave(&mut self, change: &Change, before: Option<&Node>, after: Option<&Node>, found: Option<&Node>) {
        let text = |outline: &Outline, node: &Node| outline.text[node.at.clone()].to_owned();
        let Some(key) = before.or(after).map(|node| &node.key) else { return };
        let around = self.body(&change.path).map(|body| body.inside.start);
        let section = || change.path.first().and_then(|key| Some(self.there.root.find(key)?.at.start));
        self.out.left.push(Left {
            path: path(change, key),
            at: found.map(|node| node.at.start).or(around).or_else(section).unwrap_or_default(),
            before: before.map(|node| text(self.before, node)),
            after: after.map(|node| text(self.after, node)),
            there: found.map(|node| text(self.there, node)),
        });
    }
}

/// Whether an item is the one that went. An element of a list that is a call is known by its name or its address alone.
fn goes(body: &Body, node: &Node, old: &Node) -> bool {
    is_call(body, node) || node.is(old)
}

/// Whether an item is an element of a list with attributes of its own.
fn is_call(body: &Body, node: &Node) -> bool {
    body.form == Form::Words && node.body.as_ref().is_some_and(|b| b.form == Form::Lines)
}

/// Whether an item has the value of another one.
fn says(node: &Node, other: &Node) -> bool {
    let is_same = node.value.is(&other.value) && node.body.is_some() == other.body.is_some();
    is_same && (node.body.is_none() || node.is(&Node { key: node.key.clone(), ..other.clone() }))
}

/// True for the zeros that stand for a sum that nobody knows.
fn is_stand_in(sum: &str) -> bool {
    sum.bytes().all(|b| b == b'0')
}

fn path(change: &Change, key: &Value) -> Vec<String> {
    change.path.iter().copied().chain([key]).map(|key| key.open.replace(VERSION, "${version}")).collect()
}

/// All items of a key inside of another one.
fn within<'a>(node: &'a Node, key: &Value, all: &mut Vec<Found<'a>>) {
    let Some(body) = &node.body else { return };
    for inner in &body.nodes {
        if inner.key.is(key) {
            all.push((body, inner));
        }
        within(inner, key, all);
    }
}
