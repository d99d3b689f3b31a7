//! Which lists have elements with an identity, and what it is.

use crate::layer::tree::{entry, scalar};
use rocpkg_model::{ACTIONS, Key, Node, SmolStr, Value};

/// A place in a tree: the keys, and for elements of a list their identity.
pub(crate) type Path = Vec<SmolStr>;

/// What kind of file a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A component, and what a distribution lays over it.
    Package,
    /// A distribution's own file.
    Distro,
    /// Any other file: none of its lists has identities.
    Other,
}

/// How the elements of a list are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// Patches: by `file`.
    File,
    /// Rows of targets: by `releases`; the row for all of them is `*`.
    Releases {
        /// The first row that fits counts, so what is new stands in front.
        first_counts: bool,
    },
    /// Steps: by `id`, for those that have one.
    Id,
    /// Known findings: by code, then packages.
    Known,
    /// Maintainers: by address, then packages.
    Email,
}

/// The identities of the list at a place; none where a list is replaced whole.
pub(crate) fn identities(kind: Kind, path: &[SmolStr]) -> Option<Lists> {
    let (section, below) = path.split_first()?;
    let last = below.last().map(SmolStr::as_str);
    match (kind, section.as_str(), below.len(), last) {
        (Kind::Package, "patches", 0, _) => Some(Lists::File),
        (Kind::Package, "targets", 1, Some("supports" | "excludes" | "needs")) => {
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

/// Whether what stands at a place is laid over something else later on, so that its `~` must stay.
pub(crate) fn is_layer(kind: Kind, path: &[SmolStr]) -> bool {
    let [habits, rules, _, package] = path else {
        return false;
    };
    kind == Kind::Distro && habits == "habits" && rules == "rules" && package == "package"
}

/// What an argument or an option may be said to be: one of these.
pub(crate) const VALUES: [&str; 3] = ["value", "feature", "choose"];

/// Whether what stands at a place has one of [`VALUES`].
fn has_value(path: &[SmolStr]) -> bool {
    match path {
        [cmake, _, arguments, _] => cmake == "cmake" && arguments == "arguments",
        [options, _] => options == "options",
        _ => false,
    }
}

/// The keys of what lies below that those laid over it take the place of: another value, and the
/// two texts of a choice.
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
    /// The key by which elements are told apart first.
    fn key(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Releases { .. } => "releases",
            Self::Id => "id",
            Self::Email => "email",
            Self::Known => "code",
        }
    }

    /// The identity of an element, where it has one.
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

    /// True where the first element that fits counts.
    pub(crate) fn first_counts(self) -> bool {
        self == Self::Releases { first_counts: true }
    }

    /// True where an element can be made out of its identity and the rest.
    pub(crate) fn can_name(self) -> bool {
        self != Self::Known
    }

    /// An element written as an entry of a mapping: its identity is the key.
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

    /// A step without what it does, where the one laid over it does something else.
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
