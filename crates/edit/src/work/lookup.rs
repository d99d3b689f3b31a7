//! Finds the items of the existing recipe that correspond to items of the renderings.

use super::Work;
use crate::changes::Change;
use crate::find::{Found, anywhere, bodies_at, find_in, under_conditions};
use rocpkg_syntax::nix::{self, ARGUMENTS};
use rocpkg_syntax::words::BETWEEN;
use rocpkg_syntax::{Body, ItemKind, List, Node, NormalText};

impl<'a> Work<'a> {
    /// Returns true if the existing recipe refers to an argument of its Nix function. Returns none
    /// if the change does not add or remove an argument.
    pub(super) fn is_used(&self, change: &Change, argument: &Node) -> Option<bool> {
        let is_argument = change.path.len() == 1 && change.path[0].open == ARGUMENTS;
        is_argument.then(|| nix::is_used(&self.existing.text, &argument.key.open))
    }

    /// Returns the first body at a path of keys in the existing recipe. Returns none if the recipe
    /// lacks one of the keys.
    pub(super) fn body(&self, path: &[&NormalText]) -> Option<&'a Body> {
        bodies_at(self.existing, path).first().copied()
    }

    /// Returns true if the new rendering still has the step `key` in the function at `path`, and
    /// the steps of the existing function are already in the order of the new rendering.
    pub(super) fn has_moved(&self, path: &[&NormalText], key: &NormalText) -> bool {
        let (Some(own), Some(after)) = (
            self.body(path),
            bodies_at(self.after, path).first().copied(),
        ) else {
            return false;
        };
        let is_here = own.kind == ItemKind::Steps
            && after
                .nodes
                .iter()
                .any(|node| node.key.written == key.written);
        let find = |node: &Node| own.nodes.iter().position(|n| n.key.is(&node.key));
        is_here && after.nodes.iter().filter_map(find).is_sorted()
    }

    /// Returns the variable of the existing recipe that corresponds to the rendering's variable
    /// `before`: by its name under a condition, or else by its value, under any name. By its value,
    /// only one variable may fit, and the value must contain a `/`.
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

    /// Returns true if the existing recipe lacks `node`, an item of the new rendering at `path`,
    /// and the old rendering has it in `was`.
    pub(super) fn is_missing(&self, path: &[&NormalText], was: Option<&Body>, node: &Node) -> bool {
        let mut old = was.into_iter().flat_map(|body| &body.nodes);
        old.any(|n| n.key.written == node.key.written)
            && anywhere(self.existing, path, &node.key).is_empty()
    }

    /// Returns the step of `sed` that differs from `node` in backslashes and in flags `g` only. A
    /// text that is replaced is seldom twice in a line, and renderings always have the flag.
    pub(super) fn sed_once(&self, path: &[&NormalText], node: &Node) -> Option<Found<'a>> {
        let key_of = |node: &Node| {
            let (flag, end) = (format!("{BETWEEN}g "), format!("{BETWEEN} "));
            let key = node.key.open.replace(&flag, &end).replace('\\', "");
            key.starts_with("sed ").then_some(key)
        };
        let sought = key_of(node)?;
        let bodies = bodies_at(self.existing, path).into_iter();
        let mut all = bodies.flat_map(|body| body.nodes.iter().map(move |own| (body, own)));
        all.find(|(_, own)| key_of(own).is_some_and(|key| key == sought))
    }

    /// Returns the maintainer's own version of the patch `new`: `a-7.14.0-fix.patch` for
    /// `a-10.0.0-fix.patch`. `path` leads to the list of patches.
    pub(super) fn twin(&self, path: &[&NormalText], new: &Node) -> Option<&'a Node> {
        let name = |node: &Node| {
            let (_, file) = node.key.open.rsplit_once('/')?;
            let words = file.strip_suffix(".patch")?.split('-');
            let words = words.filter(|word| word.contains(|c: char| c.is_alphabetic()));
            Some(words.map(str::to_owned).collect::<Vec<_>>())
        };
        let is_known = |node: &Node| {
            let models = [self.before, self.after].into_iter();
            let mut bodies = models.flat_map(|model| bodies_at(model, path));
            bodies.any(|body| body.find(&node.key).is_some())
        };
        let new = name(new)?;
        let all = bodies_at(self.existing, path).into_iter();
        let mut all = all.flat_map(|body| &body.nodes);
        all.find(|node| name(node).is_some_and(|name| name == new) && !is_known(node))
    }

    /// Returns the item `key` in the body at `path`. If that body lacks the item, returns the only
    /// item with this key in the same function, list or section of the existing recipe.
    pub(super) fn find(&self, path: &[&NormalText], key: &NormalText) -> Option<Found<'a>> {
        find_in(self.existing, path, key, &self.going)
    }

    /// Returns the existing item that corresponds to `node`, an item of the old rendering, if the
    /// two were equal before earlier rounds changed the recipe's variables. Returns none if they
    /// differed. Checksums are equal whatever their values.
    pub(super) fn as_before(&self, path: &[&NormalText], node: &Node) -> Option<Found<'a>> {
        let (body, found) = find_in(self.origin, path, &node.key, &[])?;
        if !found.is(node) && body.list != Some(List::Sums) {
            return None;
        }
        if std::ptr::eq(self.existing, self.origin) {
            return Some((body, found));
        }
        self.counterpart(path, found)
    }

    /// Returns the item of the existing recipe that is at the same position as `found`, an item of
    /// the recipe before earlier rounds changed its variables. Returns none if items were added or
    /// removed around it.
    pub(super) fn counterpart(&self, path: &[&NormalText], found: &Node) -> Option<Found<'a>> {
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
