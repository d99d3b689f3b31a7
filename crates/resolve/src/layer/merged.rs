//! Merges layers. Layers are the same file in several folders, and the files that make up a
//! package.
//!
//! Conditions over releases are answered in each layer first. An entry that does not hold is
//! removed. The changes that later layers make to this entry are removed too, unless they state
//! releases themselves. Then each layer is merged over the ones before. Mappings merge by key.
//! Lists whose elements have an identity merge by that identity. Any other value replaces the
//! earlier value. `~` removes the earlier value.

use crate::layer::conditions::{Answers, answer};
use crate::layer::identity::{Kind, Lists, Path, displaced, identities, is_layer};
use crate::layer::tree::map;
use crate::read::files::Depths;
use crate::read::release::Release;
use rocpkg_model::{Finding, Findings, Key, Node, SmolStr, Span, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

/// A value that a layer removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The path of the removed value: its keys joined by dots.
    pub path: String,
    /// The place of the `~`, or of the entry that ends the value at this release.
    pub by: Span,
    /// The places of the removed value, the last layer first. Empty if no layer stated the value.
    pub was: Vec<Span>,
}

/// The values of layers that later layers replaced or removed.
#[derive(Clone, Debug, Default)]
pub struct History {
    over: BTreeMap<Span, Vec<Span>>,
    /// The removed values, in the order in which they were removed.
    pub removed: Vec<Removed>,
}

impl History {
    /// Returns the places of the values that the value at `span` was merged over, the last layer
    /// first.
    pub fn over(&self, span: Span) -> &[Span] {
        self.over.get(&span).map_or(&[], Vec::as_slice)
    }

    /// Returns the place of the lowest layer's value that the value at `span` was merged over.
    pub fn first(&self, span: Span) -> Span {
        self.over(span).last().copied().unwrap_or(span)
    }

    fn chain(&self, span: Span) -> Vec<Span> {
        let mut all = vec![span];
        all.extend(self.over(span));
        all
    }

    fn replace(&mut self, old: Span, new: Span) {
        if old != new {
            self.over.insert(new, self.chain(old));
        }
    }
}

/// A layer after its conditions over a release are answered.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) node: Node,
    pub(crate) answers: Answers,
}

impl Layer {
    /// Answers the conditions over releases in a tree. Without a `release`, they stay: the file
    /// then applies to all releases at once.
    pub(crate) fn at(
        tree: &Node,
        kind: Kind,
        release: Option<&Release>,
        findings: &mut Findings,
    ) -> Self {
        let mut out = Self {
            node: tree.clone(),
            answers: Answers::default(),
        };
        if let Some(release) = release {
            answer(&mut out.node, kind, release, &mut out.answers, findings);
        }
        out
    }
}

/// The number of keys up to which a linear search is faster than a lookup in a map.
const FEW_KEYS: usize = 16;

/// Layers that are merged one after the other.
#[derive(Clone, Debug)]
pub struct Merged<'a> {
    kind: Kind,
    release: Option<&'a Release>,
    depths: &'a Depths,
    tree: Option<Node>,
    /// The entries that do not hold for this release by a condition in an earlier layer.
    gone: BTreeSet<Path>,
    history: History,
    /// The findings about the layers so far.
    said: Findings,
}

impl<'a> Merged<'a> {
    /// Creates a merge without layers. `release` is the release at which conditions are answered,
    /// or `None` for a file that applies to all releases at once.
    pub fn new(kind: Kind, release: Option<&'a Release>, depths: &'a Depths) -> Self {
        Self {
            kind,
            release,
            depths,
            tree: None,
            gone: BTreeSet::new(),
            history: History::default(),
            said: Findings::default(),
        }
    }

    /// Returns the merged tree of the layers so far, without the removed values.
    pub fn tree(&self) -> Option<&Node> {
        self.tree.as_ref()
    }

    /// Replaces the merged tree of the layers so far by the result of `how`.
    pub fn change(&mut self, how: impl FnOnce(Node) -> Node) {
        self.tree = self.tree.take().map(how);
    }

    /// Merges the next layer over the tree.
    pub fn merge(&mut self, layer: &Node, findings: &mut Findings) {
        let layer = Layer::at(layer, self.kind, self.release, findings);
        self.lay_answered(layer);
    }

    /// Merges the next layer over the tree, as [`Merged::merge`] does. The layer's conditions are
    /// already answered.
    pub(crate) fn lay_answered(&mut self, layer: Layer) {
        let Layer { mut node, answers } = layer;
        let below = |path: &Path| find(self.tree.as_ref()?, path, 0, self.kind);
        for path in answers.emptied.iter().filter(|path| below(path).is_some()) {
            take_out(&mut node, path, 0, self.kind);
        }
        let missing: Vec<_> = answers
            .missing
            .into_iter()
            .filter(|(path, _)| below(path).is_none())
            .collect();
        for (path, _) in &missing {
            take_out(&mut node, path, 0, self.kind);
        }
        let depth = |span: Span| self.depths.of(span);
        let is_deeper =
            |old: &Node, new: Option<Span>| new.is_some_and(|new| depth(old.span) < depth(new));
        let over = answers.over.into_iter();
        let over = over.filter(|(path, f)| below(path).is_some_and(|old| is_deeper(old, f.span)));
        let wrong: Vec<Finding> = missing
            .into_iter()
            .chain(over)
            .map(|(_, finding)| finding)
            .collect();
        let goes_on = |path: &Path| answers.held.contains(path) || answers.kept.contains(path);
        let ended = answers.ended.into_iter().filter(|(path, _)| !goes_on(path));
        let ended: Vec<_> = ended
            .filter_map(|(path, by)| Some((below(&path)?.span, by, path)))
            .collect();
        for finding in wrong {
            self.said.push(finding);
        }
        for (old, by, path) in ended {
            self.remove(&path, by, old);
            self.tree
                .iter_mut()
                .for_each(|tree| take_out(tree, &path, 0, self.kind));
        }
        for path in self.gone.difference(&answers.held) {
            take_out(&mut node, path, 0, self.kind);
        }
        let mut path = Vec::new();
        let tree = match self.tree.take() {
            Some(base) if node.value == Value::Null => base,
            Some(base) => self.merged(base, node, &mut path),
            None => self.fresh(node, &mut path),
        };
        self.gone.retain(|path| !answers.held.contains(path));
        let is_gone = |path: &Path| find(&tree, path, 0, self.kind).is_none();
        self.gone.extend(answers.gone.into_iter().filter(is_gone));
        self.tree = Some(tree);
    }

    /// Returns the tree that would result if the layers `over` were merged as well. `self` does not
    /// change, and no findings about `over` are reported.
    pub(crate) fn with(&self, over: &[Layer]) -> Node {
        let mut look = self.clone();
        for layer in over {
            look.lay_answered(layer.clone());
        }
        look.tree.unwrap_or_else(nothing)
    }

    /// Moves the findings about the layers so far to `findings`.
    pub(crate) fn tell(&mut self, findings: &mut Findings) {
        findings.append(take(&mut self.said));
    }

    /// Returns the merged tree and its history. Moves the findings about the layers to `findings`.
    pub fn finish(mut self, findings: &mut Findings) -> (Node, History) {
        self.tell(findings);
        (self.tree.unwrap_or_else(nothing), self.history)
    }

    fn merged(&mut self, base: Node, over: Node, path: &mut Path) -> Node {
        let span = over.span;
        let lists = identities(self.kind, path);
        let value = match (base.value, over.value, lists) {
            (Value::Map(mut entries), Value::Map(changes), _) => {
                let out = displaced(self.kind, path, &changes);
                for (_, old) in entries.extract_if(.., |(k, _)| out.contains(&k.name.as_str())) {
                    self.history.replace(old.span, span);
                }
                Value::Map(self.merge_entries(entries, changes, path))
            }
            (Value::Seq(items), Value::Seq(changes), Some(lists))
                if !changes.is_empty() && changes.iter().all(|n| lists.identity(n).is_some()) =>
            {
                Value::Seq(self.merge_items(lists, items, changes, path))
            }
            (Value::Seq(items), Value::Map(changes), Some(lists)) => {
                Value::Seq(self.pick(lists, items, changes, path))
            }
            (old, new, _) => {
                let old = Node {
                    span: base.span,
                    value: old,
                };
                self.history.replace(old.span, span);
                let new = self.fresh(Node { span, value: new }, path);
                self.note_replaced(&old, &new, path);
                return new;
            }
        };
        Node { span, value }
    }

    fn merge_entries(
        &mut self,
        entries: Vec<(Key, Node)>,
        changes: Vec<(Key, Node)>,
        path: &mut Path,
    ) -> Vec<(Key, Node)> {
        // Many keys are looked up in a map. For few keys, a linear search is faster.
        let many = entries.len() > FEW_KEYS && changes.len() > FEW_KEYS;
        let places = many.then(|| {
            entries
                .iter()
                .enumerate()
                .map(|(i, (k, _))| (k.name.clone(), i))
        });
        let places: Option<BTreeMap<SmolStr, usize>> = places.map(Iterator::collect);
        let before = entries.len();
        let mut entries: Vec<Option<(Key, Node)>> = entries.into_iter().map(Some).collect();
        for (key, node) in changes {
            path.push(key.name.clone());
            // A layer has each key once, so added entries need not be searched.
            let found = if let Some(places) = &places {
                places.get(&key.name).copied()
            } else {
                let same =
                    |e: &Option<(Key, Node)>| e.as_ref().is_some_and(|(k, _)| k.name == key.name);
                entries[..before].iter().position(same)
            };
            match (
                found.and_then(|i| Some((i, entries[i].take()?))),
                &node.value,
            ) {
                (Some((_, (_, old))), Value::Null) => self.remove(path, node.span, old.span),
                (Some((i, (_, old))), _) => entries[i] = Some((key, self.merged(old, node, path))),
                (None, Value::Null) => self.withhold(path, node.span),
                (None, _) => {
                    let node = self.fresh(node, path);
                    entries.push((node.value != Value::Null).then_some((key, node)));
                }
            }
            path.pop();
        }
        entries.into_iter().flatten().collect()
    }

    /// Merges the list `changes` over the list `items` at `path`. Each element of `changes` has an
    /// identity.
    fn merge_items(
        &mut self,
        lists: Lists,
        mut items: Vec<Node>,
        changes: Vec<Node>,
        path: &mut Path,
    ) -> Vec<Node> {
        let mut groups: Vec<(SmolStr, Vec<Node>)> = Vec::new();
        for node in changes {
            let Some(id) = lists.identity(&node) else {
                continue;
            };
            match groups.iter_mut().find(|(other, _)| *other == id) {
                Some((_, group)) => group.push(node),
                None => groups.push((id, vec![node])),
            }
        }
        let mut first = Vec::new();
        for (id, mut group) in groups {
            path.push(id.clone());
            let at: Vec<usize> = (0..items.len())
                .filter(|i| lists.identity(&items[*i]).as_ref() == Some(&id))
                .collect();
            match (at.as_slice(), group.len()) {
                ([], _) => {
                    let new = group.into_iter().map(|n| self.fresh(n, path));
                    if lists.first_counts() {
                        first.extend(new);
                    } else {
                        items.extend(new);
                    }
                }
                (&[i], 1) => {
                    let old = lists.without_action(items.remove(i), &group[0]);
                    let merged = self.merged(old, group.remove(0), path);
                    items.insert(i, merged);
                }
                // Several rows with one identity are replaced together by the new rows.
                (&[i, ..], _) => {
                    for place in at.iter().rev() {
                        let old = items.remove(*place);
                        for new in &group {
                            self.history.replace(old.span, new.span);
                        }
                    }
                    let new: Vec<Node> = group.into_iter().map(|n| self.fresh(n, path)).collect();
                    items.splice(i..i, new);
                }
            }
            path.pop();
        }
        first.extend(items);
        first
    }

    /// Merges the mapping `changes` over the list `items` at `path`, whose elements have an
    /// identity. Each key of the mapping is the identity of an element, and `~` removes the
    /// element.
    fn pick(
        &mut self,
        lists: Lists,
        mut items: Vec<Node>,
        changes: Vec<(Key, Node)>,
        path: &mut Path,
    ) -> Vec<Node> {
        for (key, node) in changes {
            let is_it = |n: &Node| lists.identity(n).as_ref() == Some(&key.name);
            let there = items.iter().any(is_it);
            path.push(key.name.clone());
            if there && node.value == Value::Null {
                for old in items.extract_if(.., |n| is_it(n)) {
                    self.remove(path, node.span, old.span);
                }
            }
            let gone = self.gone.contains(path);
            path.pop();
            if node.value != Value::Null && (there || lists.can_name()) {
                items = self.merge_items(lists, items, vec![lists.named(&key, node)], path);
            } else if !there && !gone {
                let known: Vec<SmolStr> = items.iter().filter_map(|n| lists.identity(n)).collect();
                let message = format!("`{}` has no `{}`", path.join("."), key.name);
                self.said.push(
                    Finding::error("E0218", key.span, message)
                        .label(format!("expected one of: {}", known.join(", ")))
                        .nearest(&key.name, known.iter().map(SmolStr::as_str)),
                );
            }
        }
        items
    }

    /// Returns `node` without the entries that are `~`. It is called for a value that no earlier
    /// layer has. A mapping in the place of a list with identities, of which nothing is left,
    /// becomes `~`, so that the default for a missing list applies.
    fn fresh(&mut self, mut node: Node, path: &mut Path) -> Node {
        self.freshen(&mut node, path);
        node
    }

    fn freshen(&mut self, node: &mut Node, path: &mut Path) {
        if is_layer(self.kind, path) {
            return;
        }
        let lists = identities(self.kind, path);
        if let Value::Map(entries) = &mut node.value {
            entries.retain(|(key, n)| {
                if n.value == Value::Null {
                    path.push(key.name.clone());
                    self.withhold(path, n.span);
                    path.pop();
                }
                n.value != Value::Null
            });
            if entries.is_empty() && lists.is_some() {
                node.value = Value::Null;
                return;
            }
            if let Some(lists) = lists.filter(|lists| lists.can_name()) {
                let named = take(entries).into_iter().map(|(key, node)| {
                    let mut node = lists.named(&key, node);
                    self.freshen_in(&mut node, key.name, path);
                    node
                });
                node.value = Value::Seq(named.collect());
                return;
            }
        }
        match &mut node.value {
            Value::Map(entries) => entries.retain_mut(|(key, n)| {
                self.freshen_in(n, key.name.clone(), path);
                n.value != Value::Null
            }),
            Value::Seq(items) => {
                for n in items {
                    self.freshen_in(n, SmolStr::default(), path);
                }
            }
            Value::Null | Value::Scalar { .. } => {}
        }
    }

    fn freshen_in(&mut self, node: &mut Node, key: SmolStr, path: &mut Path) {
        if matches!(node.value, Value::Null | Value::Scalar { .. }) {
            return;
        }
        path.push(key);
        self.freshen(node, path);
        path.pop();
    }

    /// Records a `~` that removes an argument which no layer states. Recipes may pass such an
    /// argument by default.
    fn withhold(&mut self, path: &Path, by: Span) {
        if matches!(path.as_slice(), [section, _, key, _] if section == "cmake" && key == "arguments")
        {
            self.history.removed.push(Removed {
                path: path.join("."),
                by,
                was: Vec::new(),
            });
        }
    }

    fn remove(&mut self, path: &Path, by: Span, old: Span) {
        let was = self.history.chain(old);
        self.history.removed.push(Removed {
            path: path.join("."),
            by,
            was,
        });
    }

    /// Reports a note if the value `new` of a user's folder replaces `old`, a whole list of an
    /// earlier folder.
    fn note_replaced(&mut self, old: &Node, new: &Node, path: &Path) {
        let Value::Seq(items) = &old.value else {
            return;
        };
        if self.depths.of(new.span) <= self.depths.of(old.span)
            || items.is_empty()
            || old.is_same(new)
        {
            return;
        }
        let message = format!("`{}` replaces a whole list", path.join("."));
        self.said.push(
            Finding::note("N0201", new.span, message)
                .label("the list of the lower layer is discarded")
                .hint("later additions to the lower list have no effect here"),
        );
    }
}

/// Returns an empty tree.
fn nothing() -> Node {
    map(Vec::new(), Span::default())
}

/// Returns the node at the end of `path`. `node` is the node after the first `depth` names of the
/// path.
fn find<'n>(node: &'n Node, path: &[SmolStr], depth: usize, kind: Kind) -> Option<&'n Node> {
    let Some(name) = path.get(depth) else {
        return Some(node);
    };
    if let Some(inner) = node.get(name) {
        return find(inner, path, depth + 1, kind);
    }
    let lists = identities(kind, &path[..depth])?;
    let mut named = node
        .list()
        .iter()
        .filter(|n| lists.identity(n).as_ref() == Some(name));
    named.find_map(|n| find(n, path, depth + 1, kind))
}

/// Removes the node at the end of `path`. `node` is the node after the first `depth` names of the
/// path.
fn take_out(node: &mut Node, path: &[SmolStr], depth: usize, kind: Kind) {
    let Some(name) = path.get(depth) else { return };
    let stays = |n: &mut Node, is_named: bool| {
        if is_named {
            take_out(n, path, depth + 1, kind);
        }
        !is_named || depth + 1 < path.len()
    };
    match &mut node.value {
        Value::Map(entries) => entries.retain_mut(|(k, n)| stays(n, k.name == *name)),
        Value::Seq(items) => {
            let Some(lists) = identities(kind, &path[..depth]) else {
                return;
            };
            items.retain_mut(|n| {
                let is_named = lists.identity(n).as_ref() == Some(name);
                stays(n, is_named)
            });
        }
        Value::Null | Value::Scalar { .. } => {}
    }
}
