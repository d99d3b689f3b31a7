//! What differs between two renderings of a recipe.

use rocpkg_syntax::Value;
use rocpkg_syntax::words::VERSION;
use rocpkg_syntax::{Body, Form, Kind, Node};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// One difference, with the keys of what it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) path: Vec<&'a Value>,
    pub(crate) what: What<'a>,
}

/// What differs.
#[derive(Clone, Debug)]
pub(crate) enum What<'a> {
    /// A value.
    Set { before: &'a Node, after: &'a Node },
    /// Nothing but the variables that the item refers to: a text in which their values are written out changes.
    Follow { before: &'a Node, after: &'a Node },
    /// An item that went.
    Remove(&'a Node),
    /// An item that is new; `beside` are all items of its place, itself at `at`.
    Insert { beside: &'a Body, at: usize },
    /// Steps that took the place of others, as one change.
    Replace {
        before: &'a [Node],
        after: &'a [Node],
    },
}

impl Change<'_> {
    /// Returns true for the same change between the same items.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let items = |change: &Self| {
            let (old, new) = change.what.sides();
            (old.as_ptr_range(), new.as_ptr_range())
        };
        items(self) == items(other)
    }

    /// The keys of an item of the change, from the margin inwards.
    pub(crate) fn keys(&self, key: &Value) -> Vec<String> {
        let all = self.path.iter().copied().chain([key]);
        all.map(|key| key.open.replace(VERSION, "${version}"))
            .collect()
    }
}

impl<'a> What<'a> {
    /// The items before and after.
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

    /// True for a value that stands alone.
    pub(crate) fn is_value(&self) -> bool {
        match self {
            Self::Set { .. } => true,
            Self::Insert { beside, at } => beside.nodes[*at].body.is_none(),
            Self::Follow { .. } | Self::Remove(_) | Self::Replace { .. } => false,
        }
    }
}

/// The differences between two renderings, in order: what is written alike in both is the same.
pub(crate) fn changes<'a>(before: &'a Body, after: &'a Body) -> Vec<Change<'a>> {
    let mut all = Changes {
        by_meaning: false,
        path: Vec::new(),
        out: Vec::new(),
    };
    all.bodies(before, after);
    all.out
}

/// The differences in meaning between a text and a rendering: an item is the same wherever it stands in its body, however it is spelt.
pub(crate) fn meanings<'a>(there: &'a Body, model: &'a Body) -> Vec<Change<'a>> {
    let mut all = Changes {
        by_meaning: true,
        path: Vec::new(),
        out: Vec::new(),
    };
    all.bodies(there, model);
    all.out
}

/// Whether two sets of attributes have nothing in common.
fn are_others(before: &Body, after: &Body) -> bool {
    let is_in = |node: &Node| {
        before
            .nodes
            .iter()
            .any(|n| n.key.written == node.key.written)
    };
    let is_set = |body: &Body| {
        let is_items = body.form == Form::Lines && body.kind == Kind::Items;
        is_items && !body.nodes.is_empty() && !body.nodes.iter().any(is_address)
    };
    is_set(before) && is_set(after) && !after.nodes.iter().any(is_in)
}

/// Returns true for an element of a list that is called by its address.
fn is_address(node: &Node) -> bool {
    node.key.written.contains("://")
}

struct Changes<'a> {
    by_meaning: bool,
    /// The keys of the bodies that are looked at, from the margin inwards.
    path: Vec<&'a Value>,
    out: Vec<Change<'a>>,
}

impl<'a> Changes<'a> {
    fn push(&mut self, what: What<'a>) {
        self.out.push(Change {
            path: self.path.clone(),
            what,
        });
    }

    /// Whether two texts are the same.
    fn is(&self, one: &Value, other: &Value) -> bool {
        // What a variable holds is told where that is set, but for those of a recipe's own.
        let is_own = || one.written.contains("$_") || one.written.contains("${_");
        if self.by_meaning {
            one.is(other) || one.is_like(other) && !is_own()
        } else {
            one.written == other.written
        }
    }

    fn of(&self, body: &'a Body, key: &Value) -> Option<&'a Node> {
        if self.by_meaning {
            return body.find(key);
        }
        body.nodes.iter().find(|n| n.key.written == key.written)
    }

    /// The word that took the place of another one: the only one that differs in numbers alone, such as a patch of another version or
    /// another slot, or the only word where there was one.
    fn heir<'b>(&self, own: &Body, other: &'b Body, node: &Node) -> Option<&'b Node> {
        // In a list of lines, an address takes the place of an address.
        let is_words = own.form == Form::Words;
        if self.by_meaning || !is_words && !is_address(node) {
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
            n.body.is_none() && (is_words || is_address(n)) && (single || stem(n) == stem(node))
        };
        let mut rivals = own.nodes.iter().filter(|n| is_gone(n, other)).filter(fits);
        let mut heirs = other.nodes.iter().filter(|n| is_gone(n, own)).filter(fits);
        match (rivals.next(), rivals.next(), heirs.next(), heirs.next()) {
            (Some(_), None, Some(heir), None) => Some(heir),
            _ => None,
        }
    }

    fn bodies(&mut self, before: &'a Body, after: &'a Body) {
        if before.kind == Kind::Steps && !self.by_meaning {
            return self.steps(before, after);
        }
        let first = self.out.len();
        for old in &before.nodes {
            match (self.of(after, &old.key), self.heir(before, after, old)) {
                (Some(new), _) => self.pair(old, new),
                (None, Some(new)) => {
                    let (before, after) = (std::slice::from_ref(old), std::slice::from_ref(new));
                    self.push(What::Replace { before, after });
                }
                (None, None) => self.push(What::Remove(old)),
            }
        }
        for (at, new) in after.nodes.iter().enumerate() {
            if self.of(before, &new.key).is_none() && self.heir(after, before, new).is_none() {
                self.push(What::Insert { beside: after, at });
            }
        }
        // Nobody knows the sum of what is fetched otherwise now, so the old one must not stand there any more.
        if self.out.len() > first && !self.by_meaning {
            for old in before.nodes.iter().filter(|old| old.value.is_unknown_sri()) {
                if let Some(after) = self
                    .of(after, &old.key)
                    .filter(|new| new.value == old.value)
                {
                    self.push(What::Set { before: old, after });
                }
            }
        }
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
                    // What only moves is no other step.
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

    /// What differs between two items of one key.
    fn pair(&mut self, old: &'a Node, new: &'a Node) {
        let is_named = |node: &Node| !node.value.written.is_empty();
        let is_same = self.is(&old.value, &new.value) || self.by_meaning && old.has_value_of(new);
        match (&old.body, &new.body) {
            // A patch that comes to name its folder, or no longer does, is another step.
            (None, None)
                if !self.by_meaning && is_named(old) != is_named(new) && old.has_value_of(new) =>
            {
                let (before, after) = (std::slice::from_ref(old), std::slice::from_ref(new));
                self.push(What::Replace { before, after });
            }
            // One whose every attribute is another one is a new value.
            (Some(before), Some(after)) if !self.by_meaning && are_others(before, after) => {
                self.push(What::Set {
                    before: old,
                    after: new,
                });
            }
            (Some(before), Some(after)) if is_same => {
                self.path.push(&old.key);
                self.bodies(before, after);
                self.path.pop();
            }
            (None, None) if is_same => {
                if old.value.real != new.value.real {
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
