//! What differs between two renderings of a recipe.

use crate::outline::{Body, Form, Kind, Node, Value};
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
    Replace { before: &'a [Node], after: &'a [Node] },
}

impl What<'_> {
    /// True for a value that stands alone.
    pub(crate) fn is_value(&self) -> bool {
        match self {
            Self::Set { .. } => true,
            Self::Insert { beside, at } => beside.nodes[*at].body.is_none(),
            Self::Follow { .. } | Self::Remove(_) | Self::Replace { .. } => false,
        }
    }
}

/// The differences between two bodies, in order.
pub(crate) fn changes<'a>(before: &'a Body, after: &'a Body) -> Vec<Change<'a>> {
    let mut out = Vec::new();
    let mut path = Vec::new();
    bodies(before, after, &mut path, &mut out);
    out
}

fn bodies<'a>(before: &'a Body, after: &'a Body, path: &mut Vec<&'a Value>, out: &mut Vec<Change<'a>>) {
    if before.kind == Kind::Steps {
        return steps(before, after, path, out);
    }
    let of = |body: &'a Body, key: &Value| body.nodes.iter().find(|n| n.key.written == key.written);
    let first = out.len();
    for old in &before.nodes {
        match of(after, &old.key) {
            Some(new) => pair(old, new, path, out),
            None => out.push(Change { path: path.clone(), what: What::Remove(old) }),
        }
    }
    for (at, new) in after.nodes.iter().enumerate() {
        if of(before, &new.key).is_none() {
            out.push(Change { path: path.clone(), what: What::Insert { beside: after, at } });
        }
    }
    // Nobody knows the sum of what is fetched otherwise now, so the old one must not stand there any more.
    if out.len() > first {
        for old in before.nodes.iter().filter(|old| old.value.is_unknown_sri()) {
            if let Some(after) = of(after, &old.key).filter(|new| new.value == old.value) {
                out.push(Change { path: path.clone(), what: What::Set { before: old, after } });
            }
        }
    }
}

/// Whether two sets of attributes have nothing in common.
fn are_others(before: &Body, after: &Body) -> bool {
    let is_in = |node: &Node| before.nodes.iter().any(|n| n.key.written == node.key.written);
    let is_set = |body: &Body| body.form == Form::Lines && body.kind == Kind::Items && !body.nodes.is_empty();
    is_set(before) && is_set(after) && !after.nodes.iter().any(is_in)
}

fn steps<'a>(before: &'a Body, after: &'a Body, path: &mut Vec<&'a Value>, out: &mut Vec<Change<'a>>) {
    let keys = |body: &'a Body| body.nodes.iter().map(|n| n.key.written.as_str()).collect::<Vec<_>>();
    let (old, new) = (keys(before), keys(after));
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                for i in 0..len {
                    pair(&before.nodes[old_index + i], &after.nodes[new_index + i], path, out);
                }
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                for node in &before.nodes[old_index..old_index + old_len] {
                    out.push(Change { path: path.clone(), what: What::Remove(node) });
                }
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                for at in new_index..new_index + new_len {
                    out.push(Change { path: path.clone(), what: What::Insert { beside: after, at } });
                }
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let before = &before.nodes[old_index..old_index + old_len];
                let after = &after.nodes[new_index..new_index + new_len];
                out.push(Change { path: path.clone(), what: What::Replace { before, after } });
            }
        }
    }
}

/// What differs between two items of one key.
fn pair<'a>(old: &'a Node, new: &'a Node, path: &mut Vec<&'a Value>, out: &mut Vec<Change<'a>>) {
    let here = path.clone();
    match (&old.body, &new.body) {
        // One whose every attribute is another one is a new value.
        (Some(before), Some(after)) if are_others(before, after) => {
            out.push(Change { path: here, what: What::Set { before: old, after: new } });
        }
        (Some(before), Some(after)) if old.value.written == new.value.written => {
            path.push(&old.key);
            bodies(before, after, path, out);
            path.pop();
        }
        (None, None) if old.value.written == new.value.written => {
            if old.value.real != new.value.real {
                out.push(Change { path: here, what: What::Follow { before: old, after: new } });
            }
        }
        (None, None) => out.push(Change { path: here, what: What::Set { before: old, after: new } }),
        _ => {
            let (before, after) = (std::slice::from_ref(old), std::slice::from_ref(new));
            out.push(Change { path: here, what: What::Replace { before, after } });
        }
    }
}
