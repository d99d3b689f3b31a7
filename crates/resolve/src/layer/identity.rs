//! Lists whose elements have an identity, such as patches, which are identified by `file`. Two
//! layers of such a list merge element by element.

use crate::layer::tree::{entry, scalar};
use rocpkg_model::{ACTIONS, Key, Node, SmolStr, Value};

/// A place in a tree: its keys, and the identities of the list elements on the way.
pub(crate) type Path = Vec<SmolStr>;

/// The kind of file that a tree was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A component, or a layer of a distribution that is merged over it.
    Package,
    /// A distribution's own file.
    Distro,
    /// Any other file. None of its lists has elements with an identity.
    Other,
}

/// The keys that identify the elements of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// Patches are identified by `file`.
    File,
    /// Rows of targets are identified by `releases`. The row for all releases is `*`.
    Releases {
        /// Set if the first matching row counts. New rows are then put in front.
        first_counts: bool,
    },
    /// Steps are identified by `id`, if they have one.
    Id,
    /// Known findings are identified by code and packages.
    Known,
    /// Maintainers are identified by address and packages.
    Email,
}

/// Returns the keys that identify the elements of the list at a place. Returns `None` if the list
/// is replaced as a whole.
pub(crate) fn identities(kind: Kind, path: &[SmolStr]) -> Option<Lists> {
    let (section, below) = path.split_first()?;
    let last = below.last().map(SmolStr::as_str);
    match (kind, section.as_str(), below.len(), last) {
        (Kind::Package, "patches", 0, _) => Some(Lists::File),
        (Kind::Package, "targets", 1, Some("supports" | "defaults" | "excludes" | "needs")) => {
            Some(Lists::Releases {
                first_counts: false,
            })
        }
        (Kind::Package, "phases", 1, _) | (Kind::Package, "phases", _, Some("group" | "steps")) => {
            Some(Lists::Id)
        }
        (Kind::Distro, "targets", 0, _) => Some(Lists::Releases { first_counts: true }),
        (Kind::Distro, "known", 0, _) => Some(Lists::Known),
        (Kind::Distro, "maintainers", 0, _) => Some(Lists::Email),
        _ => None,
    }
}

/// Returns true if the tree at a place is merged over another tree later, such as `package` of a
/// rule of the habits. Its `~` must then stay.
pub(crate) fn is_layer(kind: Kind, path: &[SmolStr]) -> bool {
    let [habits, rules, _, package] = path else {
        return false;
    };
    kind == Kind::Distro && habits == "habits" && rules == "rules" && package == "package"
}

/// The keys that can hold the value of an argument or an option. An argument or an option has only
/// one of these keys.
pub(crate) const VALUES: [&str; 3] = ["value", "feature", "choose"];

/// Returns true if entries at a place of this kind can have the keys in [`VALUES`].
fn has_value(path: &[SmolStr]) -> bool {
    match path {
        [cmake, _, arguments, _] => cmake == "cmake" && arguments == "arguments",
        [options, _] => options == "options",
        _ => false,
    }
}

/// Returns the keys of a lower layer's entry at `path` that the entry `over` of the next layer
/// makes void. If `over` has a key of [`VALUES`], these are the other keys of [`VALUES`], and
/// `then` and `else` unless `over` has `choose`.
pub(crate) fn displaced(kind: Kind, path: &[SmolStr], over: &[(Key, Node)]) -> Vec<&'static str> {
    if kind != Kind::Package || !has_value(path) {
        return Vec::new();
    }
    let said = |name: &str| {
        over.iter()
            .any(|(k, n)| k.name == name && n.value != Value::Null)
    };
    if !VALUES.into_iter().any(said) {
        return Vec::new();
    }
    let all = VALUES.into_iter().filter(|name| !said(name));
    all.chain(["then", "else"].into_iter().filter(|_| !said("choose")))
        .collect()
}

impl Lists {
    /// Returns the key that comes first in the identity.
    fn key(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Releases { .. } => "releases",
            Self::Id => "id",
            Self::Email => "email",
            Self::Known => "code",
        }
    }

    /// Returns the text by which an element of a list is found again in another layer, such as the
    /// `file` of a patch. None if the element has no such text.
    pub(crate) fn identity(self, node: &Node) -> Option<SmolStr> {
        let text = |key: &str| node.get(key).and_then(Node::text).map(SmolStr::from);
        if !matches!(node.value, Value::Map(_)) {
            return None;
        }
        let own = text(self.key());
        match self {
            Self::File | Self::Id => own,
            Self::Releases { .. } => Some(own.unwrap_or_else(|| "*".into())),
            Self::Email | Self::Known => {
                let packages = node.list_of("packages").iter();
                let packages = packages.filter_map(|n| n.text().map(SmolStr::from));
                Some(
                    std::iter::once(own?)
                        .chain(packages)
                        .collect::<Vec<_>>()
                        .join(" ")
                        .into(),
                )
            }
        }
    }

    /// Returns true if the first matching element of the list counts.
    pub(crate) fn first_counts(self) -> bool {
        self == Self::Releases { first_counts: true }
    }

    /// Returns true if an element may be written as an entry of a mapping whose key is its
    /// identity: `patches: {a.patch: {strip: 0}}`.
    pub(crate) fn can_name(self) -> bool {
        self != Self::Known
    }

    /// Turns an entry of a mapping into an element of a list. The entry's key becomes the identity:
    /// `a.patch: {strip: 0}` -> `{file: a.patch, strip: 0}`.
    pub(crate) fn named(self, key: &Key, mut node: Node) -> Node {
        let name = self.key();
        if self.can_name()
            && node.get(name).is_none()
            && let Some(entries) = node.entries_mut()
        {
            entries.insert(0, entry(name, key.span, scalar(&key.name, key.span)));
        }
        node
    }

    /// Returns `base` without its action, if `base` is a step, and the step `over`, which is merged
    /// over it, has an action of its own.
    pub(crate) fn without_action(self, mut base: Node, over: &Node) -> Node {
        let acts = |name: &str| ACTIONS.contains(&name);
        if self == Self::Id
            && over.entries().iter().any(|(k, _)| acts(&k.name))
            && let Value::Map(entries) = &mut base.value
        {
            entries.retain(|(k, _)| !acts(&k.name));
        }
        base
    }
}
