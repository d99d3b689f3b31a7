//! Finds the items of the existing recipe that correspond to items of the renderings.

use super::Work;
use crate::changes::Change;
use crate::find::{Found, bodies_at, find_in, under_conditions};
use rocpkg_syntax::nix::{self, ARGUMENTS};
use rocpkg_syntax::{Body, Kind, List, Node, Value};

impl<'a> Work<'a> {
    /// Returns true if the text refers to an argument. Returns none if the change is not about an
    /// argument.
    pub(super) fn is_used(&self, change: &Change, argument: &Node) -> Option<bool> {
        let is_argument = change.path.len() == 1 && change.path[0].open == ARGUMENTS;
        is_argument.then(|| nix::is_used(&self.existing.text, &argument.key.open))
    }

    /// Returns the body at a path of keys.
    pub(super) fn body(&self, path: &[&Value]) -> Option<&'a Body> {
        bodies_at(self.existing, path).first().copied()
    }

    /// Returns true if the new rendering still has a step, and the existing steps are already in
    /// the new order.
    pub(super) fn has_moved(&self, path: &[&Value], key: &Value) -> bool {
        let (Some(own), Some(after)) = (
            self.body(path),
            bodies_at(self.after, path).first().copied(),
        ) else {
            return false;
        };
        let is_here = own.kind == Kind::Steps
            && after
                .nodes
                .iter()
                .any(|node| node.key.written == key.written);
        let find = |node: &Node| own.nodes.iter().position(|n| n.key.is(&node.key));
        is_here && after.nodes.iter().filter_map(find).is_sorted()
    }

    /// Returns the variable that corresponds to a variable of the rendering: by its name under a
    /// condition, or else by its value, under any name.
    pub(super) fn variable(&self, before: &Node) -> Option<Found<'a>> {
        let named = under_conditions(self.existing, &before.key);
        let is_same = |node: &Node| node.body.is_none() && node.value.is(&before.value);
        if let Some(found) = named
            .iter()
            .find(|(_, node)| is_same(node))
            .or(named.first())
        {
            return Some(*found);
        }
        let root = &self.existing.root;
        let mut alike = root
            .nodes
            .iter()
            .filter(|n| n.value_at != n.at && is_same(n));
        match (alike.next(), alike.next()) {
            (Some(one), None) if before.value.open.contains('/') => Some((root, one)),
            _ => None,
        }
    }

    /// Returns the item at a path, or else the only item of the same key in the same part of the
    /// text.
    pub(super) fn find(&self, path: &[&Value], key: &Value) -> Option<Found<'a>> {
        find_in(self.existing, path, key, &self.going)
    }

    /// Returns the item if the text had it as in the old rendering. The comparison is with the text
    /// before its variables changed. A checksum may have any value.
    pub(super) fn as_before(&self, path: &[&Value], node: &Node) -> Option<Found<'a>> {
        let (body, found) = find_in(self.origin, path, &node.key, &[])?;
        if !found.is(node) && body.list != Some(List::Sums) {
            return None;
        }
        if std::ptr::eq(self.existing, self.origin) {
            return Some((body, found));
        }
        self.counterpart(path, found)
    }

    /// Returns the item that is at the same place as an item of the text before the variables
    /// changed.
    pub(super) fn counterpart(&self, path: &[&Value], found: &Node) -> Option<Found<'a>> {
        let (was, now) = (
            self.origin.root.find(path.first()?)?,
            self.existing.root.find(path.first()?)?,
        );
        let (mut was, mut now) = (was.body.as_ref()?, now.body.as_ref()?);
        loop {
            let holds = |n: &Node| n.at.start <= found.at.start && found.at.end <= n.at.end;
            let at = was.nodes.iter().position(holds)?;
            let (old, new) = (
                &was.nodes[at],
                now.nodes
                    .get(at)
                    .filter(|_| was.nodes.len() == now.nodes.len())?,
            );
            if old.at == found.at && old.key == found.key {
                return Some((now, new));
            }
            (was, now) = (old.body.as_ref()?, new.body.as_ref()?);
        }
    }
}
