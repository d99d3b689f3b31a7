//! Three-way on items: what differs between two renderings is carried over to a text that lies there.

use crate::changes::{Change, What, changes};
use crate::lists::List;
use crate::outline::{Body, Form, Kind, Language, Node, Outline, Value};
use crate::place::{Edits, Place};
use crate::variables::{held, is_own, moved, unused};
use std::ops::Range;

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
    let models = (before, after);
    let mut edits = Edits::default();
    moved(there, models, &rest, &mut edits);
    let first = round((there, there), models, &values, edits);
    let Ok(next) = there.reading.read(&first.text) else {
        return round((there, there), models, &rest, Edits::default());
    };
    let second = round((&next, there), models, &rest, Edits::default());
    let text = match there.reading.read(&second.text) {
        Ok(last) => unused(there, &last, after).applied(&last.text),
        Err(_) => second.text,
    };
    let done = first.done.into_iter().chain(second.done).collect();
    Carried { text, done, left: first.left.into_iter().chain(second.left).collect() }
}

/// Makes some changes; `edits` are made besides. `origin` is the text before its variables changed.
pub(crate) fn round(
    (there, origin): (&Outline, &Outline),
    (before, after): (&Outline, &Outline),
    all: &[Change],
    edits: Edits,
) -> Carried {
    let mut work = Work {
        there,
        origin,
        before,
        after,
        going: Vec::new(),
        put: Vec::new(),
        edits,
        out: Carried::default(),
    };
    // What goes is not there for what comes.
    let gone = |change: &Change| match change.what {
        What::Remove(old) => Some(work.body(&change.path)?.find(&old.key)?.at.clone()),
        _ => None,
    };
    work.going = all.iter().filter_map(gone).collect();
    for change in all {
        work.apply(change);
    }
    work.tidy();
    Carried { text: work.edits.applied(&there.text), ..work.out }
}

struct Work<'a> {
    there: &'a Outline,
    origin: &'a Outline,
    before: &'a Outline,
    after: &'a Outline,
    /// Where items lie that are taken away.
    going: Vec<Range<usize>>,
    /// What was put where.
    put: Vec<(Range<usize>, Value)>,
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
                    && is_written_out(&node.value, &before.value, &after.value)
                {
                    self.replace_value(change, node, after);
                }
            }
            What::Remove(old) => self.remove(change, old),
            What::Insert { beside, at } => self.insert(change, beside, at),
            What::Replace { before, after } => self.replace(change, before, after),
        }
    }

    /// The body at a path of keys.
    fn body(&self, path: &[&Value]) -> Option<&'a Body> {
        body_at(self.there, path)
    }

    /// The variable that a rendering's is here: by its name, else by its value, whatever it is called.
    fn variable(&self, before: &Node) -> Option<Found<'a>> {
        let named = under_conditions(self.there, &before.key);
        let is_same = |node: &Node| node.body.is_none() && node.value.is(&before.value);
        if let Some(found) = named.iter().find(|(_, node)| is_same(node)).or(named.first()) {
            return Some(*found);
        }
        let root = &self.there.root;
        let mut alike = root.nodes.iter().filter(|n| n.value_at != n.at && is_same(n));
        match (alike.next(), alike.next()) {
            (Some(one), None) if before.value.open.contains('/') => Some((root, one)),
            _ => None,
        }
    }

    /// An item at its path, or where else the same part of the text has one of its key.
    fn find(&self, path: &[&Value], key: &Value) -> Option<Found<'a>> {
        find_in(self.there, path, key, &self.going)
    }

    /// The item that lay there as it was before, whatever its variables say by now. A checksum is of what is fetched now, whatever it
    /// was.
    fn as_before(&self, path: &[&Value], node: &Node) -> Option<Found<'a>> {
        let (body, found) = find_in(self.origin, path, &node.key, &[])?;
        if !found.is(node) && body.list != Some(List::Sums) {
            return None;
        }
        if std::ptr::eq(self.there, self.origin) {
            return Some((body, found));
        }
        self.counterpart(path, found)
    }

    /// The item of the text that stands where another one stood before the variables changed.
    fn counterpart(&self, path: &[&Value], found: &Node) -> Option<Found<'a>> {
        let (was, now) = (self.origin.root.find(path.first()?)?, self.there.root.find(path.first()?)?);
        let (mut was, mut now) = (was.body.as_ref()?, now.body.as_ref()?);
        loop {
            let holds = |n: &Node| n.at.start <= found.at.start && found.at.end <= n.at.end;
            let at = was.nodes.iter().position(holds)?;
            let (old, new) =
                (&was.nodes[at], now.nodes.get(at).filter(|_| was.nodes.len() == now.nodes.len())?);
            if old.at == found.at {
                return Some((now, new));
            }
            (was, now) = (old.body.as_ref()?, new.body.as_ref()?);
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
        let mut found = self.find(&change.path, &before.key);
        if change.path.is_empty() && found.is_none() {
            found = self.variable(before);
        }
        match found {
            Some((_, node)) if node.value.is(&after.value) && node.body.is_none() => {}
            Some((_, node)) if node.value.is(&before.value) && node.body.is_none() => {
                self.replace_value(change, node, after);
            }
            // A checksum is of what is fetched now, whatever it was.
            Some((body, node)) if body.list == Some(List::Sums) && !is_stand_in(&after.value.real) => {
                self.replace_value(change, node, after);
            }
            // One that is not there is referred to by nothing, unless it goes by another name.
            None if change.path.is_empty() && before.key.open.starts_with('_') => {
                if let Some(node) = self.alias(before) {
                    self.replace_value(change, node, after);
                }
            }
            found => self.leave(change, Some(before), Some(after), found.map(|(_, node)| node)),
        }
    }

    /// The variable that the text has for the same under a name of its own.
    fn alias(&self, before: &Node) -> Option<&'a Node> {
        let is_own = |n: &&Node| {
            is_own(self.there, self.before, &n.key.open) && is_own(self.there, self.after, &n.key.open)
        };
        let mut all = self.there.root.nodes.iter().filter(is_own).filter(|n| n.body.is_none());
        all.find(|n| n.value.open == before.value.open)
    }

    /// Whether a source is saved by another name.
    fn is_renamed(&self, before: &Node, after: &Node) -> bool {
        let saved = |outline: &Outline, node: &Node| {
            outline.said(&node.at).split_once("::").map(|(name, _)| name.to_owned())
        };
        saved(self.before, before) != saved(self.after, after)
    }

    fn replace_value(&mut self, change: &Change, node: &Node, after: &Node) {
        if !change.path.is_empty()
            && let Some((set, word)) = held(self.there, node, (self.before, self.after), after)
        {
            let place = Place { there: self.there, body: &self.there.root };
            self.edits.replace(set.value_at.clone(), place.valued_as(set, self.after, &word));
            self.note(change, &after.key);
            return;
        }
        let place = Place { there: self.there, body: self.body_of(node) };
        place.value(node, self.after, after, &mut self.edits);
        self.note(change, &after.key);
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
        if node.is(old) {
            Place { there: self.there, body }.remove(node, &mut self.edits);
            self.note(change, &old.key);
            return;
        }
        // Of a list with additions by hand, the rest goes.
        if let (Some(own), Some(gone)) = (&node.body, &old.body) {
            for item in &gone.nodes {
                if let Some(found) = own.find(&item.key).filter(|n| n.is(item)) {
                    Place { there: self.there, body: own }.remove(found, &mut self.edits);
                    self.note(change, &item.key);
                }
            }
            return;
        }
        self.leave(change, Some(old), None, Some(node));
    }

    fn insert(&mut self, change: &Change, beside: &Body, at: usize) {
        let new = &beside.nodes[at];
        let elsewhere =
            || under_conditions(self.there, &new.key).first().copied().filter(|_| change.path.is_empty());
        if let Some((_, node)) = self.find(&change.path, &new.key).or_else(elsewhere) {
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
        let own = self.body(&change.path);
        // It stands after what it follows in the rendering, or before what follows it.
        let was = body_at(self.before, &change.path);
        let place = |node: &Node| {
            // What follows a variable lies there as it was.
            let old = was.and_then(|b| b.nodes.iter().find(|n| n.key.written == node.key.written));
            let found = self.find(&change.path, &node.key);
            let found = found.or_else(|| self.find(&change.path, &old?.key));
            found.filter(|(b, _)| {
                own.is_none_or(|own| std::ptr::eq(*b, own)) || own.is_some_and(|o| o.nodes.is_empty())
            })
        };
        // A function stands after all that it follows, in whatever order that lies there.
        let is_function = change.path.is_empty() && new.body.as_ref().is_some_and(|b| b.form == Form::Lines);
        let mut above = beside.nodes[..at].iter().rev().filter_map(place);
        let above = if is_function { above.max_by_key(|(_, node)| node.at.end) } else { above.next() };
        let below = beside.nodes[at + 1..].iter().find_map(place);
        // The first function of a rendering is the first of the text, so that none comes between variables.
        let is_function =
            |node: &Node| node.body.as_ref().is_some_and(|b| b.kind == Kind::Steps && b.form == Form::Lines);
        let root = &self.there.root;
        let first = root.nodes.iter().find(|node| is_function(node)).map(|node| (root, node));
        let leads = change.path.is_empty()
            && is_function(new)
            && first.is_some()
            && above.is_none_or(|(_, node)| !is_function(node));
        let (above, below) = if leads { (None, first) } else { (above, below) };
        let (body, above, below) = match (above, below, own) {
            (Some((body, node)), _, _) => (body, Some(node), None),
            (None, Some((body, node)), _) => (body, None, Some(node)),
            (None, None, Some(body)) => (body, body.nodes.last(), None),
            (None, None, None) => return self.leave(change, None, Some(new), None),
        };
        // Two places of a rendering can be one here.
        if self.put.iter().any(|(inside, key)| *inside == body.inside && key.is(&new.key)) {
            return;
        }
        self.put.push((body.inside.clone(), new.key.clone()));
        let place = Place { there: self.there, body };
        place.insert(above, below, (self.after, beside, at), &mut self.edits);
        self.note(change, &new.key);
    }

    fn replace(&mut self, change: &Change, before: &[Node], after: &[Node]) {
        let there = |node: &Node| self.find(&change.path, &node.key).filter(|(_, found)| found.is(node));
        let old: Vec<Found> = before
            .iter()
            .filter_map(|node| self.as_before(&change.path, node).or_else(|| there(node)))
            .collect();
        let new = after.iter().filter_map(there).count();
        let list = old.first().and_then(|(body, _)| body.list);
        let renamed = list == Some(List::Sources)
            && before.iter().zip(after).any(|(before, after)| self.is_renamed(before, after));
        if new == after.len() && !(renamed && old.len() == before.len()) {
            return;
        }
        let unknown = list == Some(List::Sums) && after.iter().any(|n| is_stand_in(&n.value.real));
        if old.len() < before.len()
            || unknown && old.iter().zip(before).any(|((_, n), b)| !n.value.is(&b.value))
        {
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

    /// Takes away what does nothing any more: changes of the folder behind which nothing is left, and functions, conditions and loops
    /// without a command, which bash refuses.
    fn tidy(&mut self) {
        if self.there.reading.language == Language::Bash {
            self.tidy_body(&self.there.root);
        }
    }

    fn tidy_body(&mut self, outer: &'a Body) {
        let there = self.there;
        for node in &outer.nodes {
            let Some(body) = node.body.as_ref().filter(|b| b.form == Form::Lines) else { continue };
            self.tidy_body(body);
            if body.nodes.is_empty() || self.edits.adds(&body.inside) {
                continue;
            }
            let kept: Vec<usize> =
                (0..body.nodes.len()).filter(|i| !self.edits.removes(&body.nodes[*i].at)).collect();
            if kept.last() == Some(&(body.nodes.len() - 1)) {
                continue;
            }
            let moves = |i: &&usize| body.nodes[**i].key.open.starts_with("cd ");
            let idle: Vec<usize> = kept.iter().rev().take_while(moves).copied().collect();
            if idle.len() == kept.len() {
                Place { there, body: outer }.remove(node, &mut self.edits);
            } else {
                for i in idle {
                    Place { there, body }.remove(&body.nodes[i], &mut self.edits);
                }
            }
        }
    }

    fn note(&mut self, change: &Change, key: &Value) {
        self.out.done.push(change.keys(key));
    }

    fn leave(&mut self, change: &Change, before: Option<&Node>, after: Option<&Node>, found: Option<&Node>) {
        let text = |outline: &Outline, node: &Node| outline.text[node.at.clone()].to_owned();
        let Some(key) = before.or(after).map(|node| &node.key) else { return };
        let around = self.body(&change.path).map(|body| body.inside.start);
        let section = || change.path.first().and_then(|key| Some(self.there.root.find(key)?.at.start));
        self.out.left.push(Left {
            path: change.keys(key),
            at: found.map(|node| node.at.start).or(around).or_else(section).unwrap_or_default(),
            before: before.map(|node| text(self.before, node)),
            after: after.map(|node| text(self.after, node)),
            there: found.map(|node| text(self.there, node)),
        });
    }
}

/// Whether a text holds the value of a variable that changed, and not the variable.
fn is_written_out(there: &Value, before: &Value, after: &Value) -> bool {
    if before.open == after.open {
        return there.open != before.open && there.real == before.real;
    }
    there.is(before) && !there.is(after) && there.written != before.written
}

/// True for the zeros that stand for a sum that nobody knows.
fn is_stand_in(sum: &str) -> bool {
    sum.bytes().all(|b| b == b'0')
}

/// The body at a path of keys.
fn body_at<'a>(outline: &'a Outline, path: &[&Value]) -> Option<&'a Body> {
    let Some((first, rest)) = path.split_first() else { return Some(&outline.root) };
    let mut body = section(outline, first)?.body.as_ref()?;
    for key in rest {
        body = body.find(key)?.body.as_ref()?;
    }
    Some(body)
}

/// A part of a text: at its margin, or what is set once under conditions there, such as those of a live version.
fn section<'a>(outline: &'a Outline, key: &Value) -> Option<&'a Node> {
    outline.root.find(key).or_else(|| match under_conditions(outline, key).as_slice() {
        [(_, one)] => Some(*one),
        _ => None,
    })
}

/// All items of a key under conditions at the margin.
fn under_conditions<'a>(outline: &'a Outline, key: &Value) -> Vec<Found<'a>> {
    let mut all = Vec::new();
    for node in outline.root.nodes.iter().filter(|n| n.key.open.starts_with("if ")) {
        within(node, key, &mut all);
    }
    all
}

/// An item at its path, or where else the same part of a text has one of its key; not where it is taken away.
fn find_in<'a>(
    outline: &'a Outline,
    path: &[&Value],
    key: &Value,
    going: &[Range<usize>],
) -> Option<Found<'a>> {
    if let Some(body) = body_at(outline, path)
        && let Some(node) = body.find(key)
    {
        return Some((body, node));
    }
    let section = section(outline, path.first()?)?;
    let mut all = Vec::new();
    within(section, key, &mut all);
    all.retain(|(_, node)| !going.contains(&node.at));
    match all.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
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
