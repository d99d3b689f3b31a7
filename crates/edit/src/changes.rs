//! The differences between two renderings of a recipe, or between a recipe and a rendering.

use rocpkg_syntax::NormalText;
use rocpkg_syntax::words::{BETWEEN, VERSION};
use rocpkg_syntax::{Body, Form, ItemKind, List, Node, Outline};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// One difference, with the keys of the items that contain the changed item, the outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) path: Vec<&'a NormalText>,
    pub(crate) what: What<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum What<'a> {
    Set {
        before: &'a Node,
        after: &'a Node,
    },
    /// Only the values of variables that the item refers to changed: `cd rocm-$_ver` is the same in
    /// both renderings, and `_ver` is not. The change matters to a recipe that has `cd rocm-7.1.1`.
    Follow {
        before: &'a Node,
        after: &'a Node,
    },
    Remove(&'a Node),
    /// An item was added. `beside` is the body of the new rendering that contains it, and `at` is
    /// its index in that body.
    Insert {
        beside: &'a Body,
        at: usize,
    },
    /// The neighbouring items `before` were replaced by the items `after`, as one change.
    Replace {
        before: &'a [Node],
        after: &'a [Node],
    },
}

/// Returns a key for messages: the signs that stand for the version and for the separators of a
/// `sed` script become `${version}` and `/`.
pub fn shown(key: &NormalText) -> String {
    shown_text(&key.open)
}

/// Returns the text of a key for messages; see [`shown`].
pub(crate) fn shown_text(key: &str) -> String {
    key.replace(VERSION, "${version}").replace(BETWEEN, "/")
}

impl Change<'_> {
    /// Returns true if both changes have the same items before and the same items after.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let items = |change: &Self| {
            let (old, new) = change.what.sides();
            (old.as_ptr_range(), new.as_ptr_range())
        };
        items(self) == items(other)
    }

    /// Returns the keys of the items around the change, the outermost first, and `key` behind them.
    pub(crate) fn keys(&self, key: &NormalText) -> Vec<String> {
        let all = self.path.iter().copied().chain([key]);
        all.map(shown).collect()
    }
}

impl<'a> What<'a> {
    /// Returns the items before the change and the items after it. One side is empty for an item
    /// that was removed or added.
    pub(crate) fn sides(&self) -> (&'a [Node], &'a [Node]) {
        match self {
            Self::Set { before, after } | Self::Follow { before, after } => {
                (std::slice::from_ref(*before), std::slice::from_ref(*after))
            }
            Self::Remove(old) => (std::slice::from_ref(*old), &[]),
            Self::Insert { beside, at } => (&[], &beside.nodes[*at..=*at]),
            Self::Replace { before, after } => (before, after),
        }
    }

    /// Returns true if the change sets the value of an item, or adds an item without a body.
    pub(crate) fn is_value(&self) -> bool {
        match self {
            Self::Set { .. } => true,
            Self::Insert { beside, at } => beside.nodes[*at].body.is_none(),
            Self::Follow { .. } | Self::Remove(_) | Self::Replace { .. } => false,
        }
    }
}

/// Returns the differences between the renderings `before` and `after`, in the order of the text.
/// Only items that are written the same way are equal.
pub(crate) fn changes<'a>(before: &'a Body, after: &'a Body) -> Vec<Change<'a>> {
    let mut all = Changes::default();
    all.bodies(&[before], &[after]);
    all.out
}

/// The result of comparing the existing recipe with the model's recipe.
pub(crate) struct Compared<'a> {
    /// The differences in meaning. The order of items in a list or set, and their spelling, make no
    /// difference.
    pub(crate) meanings: Vec<Change<'a>>,
    /// Items that have the same meaning, in the same or another spelling.
    pub(crate) same: Vec<Change<'a>>,
}

/// Compares the existing recipe with the model's recipe by meaning.
pub(crate) fn compared<'a>(existing: &'a Outline, model: &'a Outline) -> Compared<'a> {
    let mut all = Changes {
        by_meaning: true,
        live: existing.reading.rules.live,
        ..Changes::default()
    };
    all.bodies(&[&existing.root], &[&model.root]);
    Compared {
        meanings: all.out,
        same: all.same,
    }
}

/// Returns true if two bodies are sets of attributes that have no name in common.
fn are_others(before: &Body, after: &Body) -> bool {
    let is_in = |node: &Node| {
        before
            .nodes
            .iter()
            .any(|n| n.key.written == node.key.written)
    };
    let is_set = |body: &Body| {
        let is_items = body.form == Form::Lines && body.kind == ItemKind::Items;
        is_items && !body.nodes.is_empty() && !body.nodes.iter().any(is_address)
    };
    is_set(before) && is_set(after) && !after.nodes.iter().any(is_in)
}

/// Returns true if an element of a list has an address as its key.
fn is_address(node: &Node) -> bool {
    node.key.written.contains("://")
}

/// The attribute of nixpkgs whose value is one licence or a list of licences.
const LICENCE: &str = "license";

/// Returns the items of `bodies` whose key is `key`. The bodies form one set:
/// `passthru.a = 1; passthru.b = 2;` contains two items of the key `passthru`. Returns no item if
/// one of them is not a set.
fn parts<'a>(bodies: &[&'a Body], key: &NormalText) -> Vec<&'a Node> {
    let key = NormalText::base(&key.open);
    let nodes = bodies.iter().flat_map(|body| &body.nodes);
    let all: Vec<&Node> = nodes
        .filter(|node| NormalText::base(&node.key.open) == key)
        .collect();
    let is_set = |node: &&Node| {
        let body = node.body.as_ref();
        let is_inherited = key.starts_with("inherit");
        body.is_some_and(|b| b.kind == ItemKind::Items && (b.form == Form::Lines || is_inherited))
    };
    if all.iter().all(is_set) {
        all
    } else {
        Vec::new()
    }
}

/// Returns true if an item is a condition that distinguishes the version `live` from releases, such
/// as `if [[ ${PV} == *9999 ]]`, and `model` does not have it.
fn is_for_versions(node: &Node, model: &[&Body], live: Option<&str>) -> bool {
    let key = node.key.open.as_str();
    let names_live = live.is_some_and(|live| key.contains(live));
    let is_condition = key.starts_with("if ") && key.contains(VERSION) && names_live;
    is_condition && node.body.is_some() && !model.iter().any(|body| body.find(&node.key).is_some())
}

/// Returns `bodies`, and behind them the branches for releases of conditions such as
/// `if [[ ${PV} == *9999 ]]; then …; else …; fi`. An ebuild of a release means the same without the
/// branch for live versions.
fn of_releases<'a>(bodies: &[&'a Body], model: &[&Body], live: Option<&str>) -> Vec<&'a Body> {
    let mut all = bodies.to_vec();
    let mut done = 0;
    while let Some(body) = all.get(done) {
        done += 1;
        let conditions = body.nodes.iter();
        let conditions = conditions.filter(|node| is_for_versions(node, model, live));
        let more = conditions.filter_map(|node| {
            if node.key.open.contains("!=") {
                return node.body.as_ref();
            }
            let mut branches = node.nodes().iter();
            let other = branches.find(|branch| branch.key.open == "else")?;
            other.body.as_ref()
        });
        let more: Vec<&Body> = more.collect();
        all.extend(more);
    }
    all
}

/// Returns true if two items mean the same, though only one of them contains items:
/// `if a; then b; fi` and `a && b`, or `license = [ mit ]` and `license = mit`.
fn is_respelled(old: &Node, new: &Node) -> bool {
    let is_one = |leaf: &Node, list: &Node| {
        let is_item = |node: &Node| node.body.is_none() && node.key.is(&leaf.value);
        leaf.body.is_none()
            && leaf.key.open == LICENCE
            && matches!(list.nodes(), [one] if is_item(one))
    };
    old.is_alias_of(new) || is_one(old, new) || is_one(new, old)
}

#[derive(Default)]
struct Changes<'a> {
    by_meaning: bool,
    /// The version of live recipes, if items are compared by meaning.
    live: Option<&'static str>,
    /// The keys of the bodies that are compared, the outermost first.
    path: Vec<&'a NormalText>,
    out: Vec<Change<'a>>,
    /// The items that mean the same, if items are compared by meaning.
    same: Vec<Change<'a>>,
}

impl<'a> Changes<'a> {
    fn push(&mut self, what: What<'a>) {
        self.out.push(Change {
            path: self.path.clone(),
            what,
        });
    }

    fn same(&mut self, before: &'a Node, after: &'a Node) {
        self.same.push(Change {
            path: self.path.clone(),
            what: What::Set { before, after },
        });
    }

    /// Returns true if two texts are equal: by meaning, or only by spelling if `by_meaning` is not
    /// set.
    fn is(&self, one: &NormalText, other: &NormalText) -> bool {
        // A variable's value is compared where the variable is set. A recipe's own variables, which
        // begin with `_`, are compared where they are used.
        let is_own = || one.written.contains("$_") || one.written.contains("${_");
        if self.by_meaning {
            one.is(other) || one.is_like(other) && !is_own()
        } else {
            one.written == other.written
        }
    }

    fn of(&self, bodies: &[&'a Body], node: &Node) -> Option<&'a Node> {
        let mut all = bodies.iter();
        if self.by_meaning {
            let alias = |body: &&&'a Body| body.nodes.iter().find(|n| n.is_alias_of(node));
            let found = bodies.iter().find_map(|body| body.find(&node.key));
            return found.or_else(|| all.find_map(|body| alias(&body)));
        }
        all.find_map(|body| {
            body.nodes
                .iter()
                .find(|n| n.key.written == node.key.written)
        })
    }

    /// Returns the word of `other` that replaces `node`, a word of `own`: `a-7.1.patch` →
    /// `a-7.2.patch`. It is the only new word that differs from `node` in digits and dots alone. If
    /// both lists have one word only, any word replaces the other. Returns none if several words
    /// could be meant.
    fn heir<'b>(&self, own: &Body, other: &'b Body, node: &Node) -> Option<&'b Node> {
        // In a list of lines, only an address replaces an address.
        let is_words = own.form == Form::Words;
        let is_of_sources = matches!(own.list, Some(List::Sources | List::Addresses));
        if self.by_meaning && !is_of_sources || !is_words && !is_address(node) {
            return None;
        }
        let is_gone =
            |n: &&Node, from: &Body| from.nodes.iter().all(|m| m.key.written != n.key.written);
        let single = own.nodes.len() == 1 && other.nodes.len() == 1;
        let stem = |n: &Node| {
            n.key
                .written
                .replace(|c: char| c.is_ascii_digit() || c == '.', "")
        };
        let fits = |n: &&Node| {
            n.body.is_none()
                && (is_words || is_address(n))
                && (single || self.by_meaning || stem(n) == stem(node))
        };
        let mut rivals = own.nodes.iter().filter(|n| is_gone(n, other)).filter(fits);
        let mut heirs = other.nodes.iter().filter(|n| is_gone(n, own)).filter(fits);
        match (rivals.next(), rivals.next(), heirs.next(), heirs.next()) {
            (Some(_), None, Some(heir), None) => Some(heir),
            _ => None,
        }
    }

    /// Compares the bodies `before` with the bodies `after`. The bodies of one side form one set,
    /// as for `passthru.a = 1; passthru.b = 2;`.
    fn bodies(&mut self, before: &[&'a Body], after: &[&'a Body]) {
        let count = before.len();
        let before = &of_releases(before, after, self.live);
        if let ([before], [after], false) = (&before[..], after, self.by_meaning)
            && before.kind == ItemKind::Steps
        {
            return self.steps(before, after);
        }
        let first = self.out.len();
        for (i, own) in before.iter().enumerate() {
            for old in &own.nodes {
                let is_of_live =
                    is_for_versions(old, after, self.live) || i >= count && old.key.open == "else";
                if is_of_live || self.are_parts(before, after, old) {
                    continue;
                }
                let heir = || after.iter().find_map(|after| self.heir(own, after, old));
                match (self.of(after, old), heir()) {
                    (Some(new), _) => self.pair(old, new),
                    (None, Some(new)) => {
                        let (before, after) =
                            (std::slice::from_ref(old), std::slice::from_ref(new));
                        self.push(What::Replace { before, after });
                    }
                    (None, None) => self.push(What::Remove(old)),
                }
            }
        }
        for beside in after {
            for (at, new) in beside.nodes.iter().enumerate() {
                let is_part = || !self.split(before, after, new).is_empty();
                let has_heir = || before.iter().any(|b| self.heir(beside, b, new).is_some());
                if self.of(before, new).is_none() && !is_part() && !has_heir() {
                    self.push(What::Insert { beside, at });
                }
            }
        }
        // The checksum of a source that changed is not known, so the stand-in must replace the old
        // checksum.
        if self.out.len() > first && !self.by_meaning {
            let all = before.iter().flat_map(|body| &body.nodes);
            for old in all.filter(|old| old.value.is_unknown_sri()) {
                if let Some(after) = self.of(after, old).filter(|new| new.value == old.value) {
                    self.push(What::Set { before: old, after });
                }
            }
        }
    }

    /// Returns the items with the key of `node` in `before` and in `after`, if one of the two sides
    /// spreads this set over several items: `env.A = 1; env.B = 2;`. Returns an empty list
    /// otherwise, and one pair at most.
    fn split(
        &self,
        before: &[&'a Body],
        after: &[&'a Body],
        node: &Node,
    ) -> Vec<(Vec<&'a Node>, Vec<&'a Node>)> {
        if !self.by_meaning || node.body.is_none() {
            return Vec::new();
        }
        let (old, new) = (parts(before, &node.key), parts(after, &node.key));
        let is_split = old.len().min(new.len()) > 0 && old.len().max(new.len()) > 1;
        is_split.then_some((old, new)).into_iter().collect()
    }

    /// Compares the parts of a set that is spread over several items. The comparison is done when
    /// `node` is the first of these items. Returns true if `node` is such a part.
    fn are_parts(&mut self, before: &[&'a Body], after: &[&'a Body], node: &'a Node) -> bool {
        let Some((old, new)) = self.split(before, after, node).pop() else {
            return false;
        };
        if std::ptr::eq(old[0], node) {
            let bodies = |nodes: &[&'a Node]| -> Vec<&'a Body> {
                nodes.iter().filter_map(|node| node.body.as_ref()).collect()
            };
            self.path.push(&old[0].key);
            self.bodies(&bodies(&old), &bodies(&new));
            self.path.pop();
        }
        true
    }

    fn steps(&mut self, before: &'a Body, after: &'a Body) {
        let keys = |body: &'a Body| {
            body.nodes
                .iter()
                .map(|n| n.key.written.as_str())
                .collect::<Vec<_>>()
        };
        let (old, new) = (keys(before), keys(after));
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            match op {
                DiffOp::Equal {
                    old_index,
                    new_index,
                    len,
                } => {
                    for i in 0..len {
                        self.pair(&before.nodes[old_index + i], &after.nodes[new_index + i]);
                    }
                }
                DiffOp::Delete {
                    old_index, old_len, ..
                } => {
                    for node in &before.nodes[old_index..old_index + old_len] {
                        self.push(What::Remove(node));
                    }
                }
                DiffOp::Insert {
                    new_index, new_len, ..
                } => {
                    for at in new_index..new_index + new_len {
                        self.push(What::Insert { beside: after, at });
                    }
                }
                DiffOp::Replace {
                    old_index,
                    old_len,
                    new_index,
                    new_len,
                } => {
                    let (gone, come) = (
                        old_index..old_index + old_len,
                        new_index..new_index + new_len,
                    );
                    // A step that only moves to another place of the function is not replaced.
                    if old[gone.clone()].iter().any(|k| new.contains(k))
                        || new[come.clone()].iter().any(|k| old.contains(k))
                    {
                        before.nodes[gone]
                            .iter()
                            .for_each(|node| self.push(What::Remove(node)));
                        come.for_each(|at| self.push(What::Insert { beside: after, at }));
                    } else {
                        let (before, after) = (&before.nodes[gone], &after.nodes[come]);
                        self.push(What::Replace { before, after });
                    }
                }
            }
        }
    }

    /// Compares two items that correspond to each other, and the items inside of them.
    fn pair(&mut self, old: &'a Node, new: &'a Node) {
        let is_named = |node: &Node| !node.value.written.is_empty();
        let is_same = self.is(&old.value, &new.value) || self.by_meaning && old.has_value_of(new);
        match (&old.body, &new.body) {
            // A patch command that gains or loses the name of its folder is another step.
            (None, None)
                if !self.by_meaning && is_named(old) != is_named(new) && old.has_value_of(new) =>
            {
                let (before, after) = (std::slice::from_ref(old), std::slice::from_ref(new));
                self.push(What::Replace { before, after });
            }
            // A set without any attribute of the old one is a new value.
            (Some(before), Some(after)) if !self.by_meaning && are_others(before, after) => {
                self.push(What::Set {
                    before: old,
                    after: new,
                });
            }
            (Some(before), Some(after)) if is_same => {
                self.path.push(&old.key);
                self.bodies(&[before], &[after]);
                self.path.pop();
            }
            _ if self.by_meaning && is_respelled(old, new) => self.same(old, new),
            (None, None) if is_same => {
                if self.by_meaning && old.value.real == new.value.real {
                    self.same(old, new);
                } else if old.value.real != new.value.real {
                    self.push(What::Follow {
                        before: old,
                        after: new,
                    });
                }
            }
            (None, None) => self.push(What::Set {
                before: old,
                after: new,
            }),
            _ => {
                let (before, after) = (std::slice::from_ref(old), std::slice::from_ref(new));
                self.push(What::Replace { before, after });
            }
        }
    }
}
