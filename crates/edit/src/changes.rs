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
    for old in &before.nodes {
        let what = match (of(after, &old.key), heir(before, after, old)) {
            (Some(new), _) => {
                pair(old, new, path, out);
                continue;
            }
            (None, Some(new)) => {
                What::Replace { before: std::slice::from_ref(old), after: std::slice::from_ref(new) }
            }
            (None, None) => What::Remove(old),
        };
        out.push(Change { path: path.clone(), what });
    }
    for (at, new) in after.nodes.iter().enumerate() {
        if of(before, &new.key).is_none() && heir(after, before, new).is_none() {
            out.push(Change { path: path.clone(), what: What::Insert { beside: after, at } });
        }
    }
}

/// The word that took the place of another one: the only one that differs in numbers alone, such as a patch of another version or
/// another slot, or the only word where there was one.
fn heir<'a>(own: &Body, other: &'a Body, node: &Node) -> Option<&'a Node> {
    if own.form != Form::Words {
        return None;
    }
    let is_gone = |n: &&Node, from: &Body| from.nodes.iter().all(|m| m.key.written != n.key.written);
    let single = own.nodes.len() == 1 && other.nodes.len() == 1;
    let stem = |n: &Node| n.key.written.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let fits = |n: &&Node| n.body.is_none() && (single || stem(n) == stem(node));
    let mut rivals = own.nodes.iter().filter(|n| is_gone(n, other)).filter(fits);
    let mut heirs = other.nodes.iter().filter(|n| is_gone(n, own)).filter(fits);
    match (rivals.next(), rivals.next(), heirs.next(), heirs.next()) {
        (Some(_), None, Some(heir), None) => Some(heir),
        _ => None,
    }
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
