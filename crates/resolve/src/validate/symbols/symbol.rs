//! A name at a place: its kind, its role at this place, and the scope in which it is known.

use rocpkg_model::{Finding, Span};
use std::collections::BTreeMap;

/// The kind of a name. Wrong names are reported and recovered in the order of these kinds, so that
/// a misspelt package is not reported as a wrong dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Package,
    Component,
    Live,
    Dependency,
    Target,
    /// A GPU target, or a family of targets.
    Targets,
    Feature,
    Option,
    /// A variable that passes GPU targets to upstream's build.
    TargetVariable,
    Part,
    Repository,
    Source,
    Warning,
    Variable,
    Phase,
    /// A word by which habits select packages, such as `cmake` in `rules: [{for: cmake}]`.
    Word,
}

/// The role of a name at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Declares,
    /// The name is declared by its use, unless it looks like a misspelling of another name. No
    /// profile can list all names that upstream's builds read.
    Adds,
    /// The name is mentioned, and declared elsewhere.
    Mentions,
    /// The name is removed by `~`. No error is reported if it is not declared, unless it looks like
    /// a misspelling of another name.
    Removes,
}

/// The scope in which a name is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Home<'m> {
    Everywhere,
    /// A component, and the components that it is based on.
    Component(&'m str, Vec<&'m str>),
    Distro(&'m str),
    /// A distribution, a package, and the components of the package.
    Overlay(&'m str, &'m str, Vec<&'m str>),
}

impl<'m> Home<'m> {
    /// Returns the names by which narrow scopes that meet each other are found: the components of
    /// the scope, and the package. Returns none for the scope of a distribution or of all files.
    fn names(&self) -> Vec<&'m str> {
        match self {
            Self::Everywhere | Self::Distro(_) => Vec::new(),
            Self::Component(_, of) => of.clone(),
            Self::Overlay(_, id, of) => {
                let others = of.iter().filter(|name| *name != id);
                [*id].into_iter().chain(others.copied()).collect()
            }
        }
    }

    /// Returns true if the names of the scope `other` are known in this scope.
    pub(super) fn sees(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Everywhere) | (Self::Distro(_), Self::Component(..)) => true,
            (Self::Overlay(.., of) | Self::Component(_, of), Self::Component(name, _)) => {
                of.contains(name)
            }
            (Self::Overlay(distro, ..), Self::Distro(other))
            | (Self::Distro(distro), Self::Overlay(other, ..)) => distro == other,
            _ => self == other,
        }
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.sees(other) || other.sees(self)
    }
}

/// A name at one place in the profiles.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'m> {
    pub(super) kind: Kind,
    pub(super) role: Role,
    /// The code of a finding about the name, if it differs from the code of the name's kind.
    pub(super) code: Option<&'static str>,
    pub(super) name: &'m str,
    /// The place of the key, or of the value that contains the name.
    pub(super) span: Span,
    pub(super) home: Home<'m>,
}

impl Symbol<'_> {
    pub(super) fn declares(&self) -> bool {
        matches!(self.role, Role::Declares | Role::Adds)
    }

    /// Returns true if this symbol declares its name for `other`, another place of the same name. A
    /// use that adds the name only counts in another scope.
    pub(super) fn backs(&self, other: &Symbol) -> bool {
        self.role == Role::Declares || self.role == Role::Adds && self.home != other.home
    }
}

/// The symbols of one name, by the scopes that meet each other. A name that a thousand components
/// use is looked up in the few scopes that a place sees, and not in all of them.
pub(super) struct Scopes<'t, 'm> {
    all: Vec<&'t Symbol<'m>>,
    /// The symbols of a distribution or of all files.
    wide: Vec<&'t Symbol<'m>>,
    /// The symbols of a component or an overlay, by each component in their scopes.
    narrow: BTreeMap<&'m str, Vec<&'t Symbol<'m>>>,
}

impl<'t, 'm> Scopes<'t, 'm> {
    pub(super) fn new(symbols: impl Iterator<Item = &'t Symbol<'m>>) -> Self {
        let all: Vec<&Symbol> = symbols.collect();
        let (mut wide, mut narrow) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
        for symbol in &all {
            let names = symbol.home.names();
            if names.is_empty() {
                wide.push(*symbol);
            }
            for name in names {
                narrow.entry(name).or_default().push(*symbol);
            }
        }
        Self { all, wide, narrow }
    }

    /// Returns the symbols whose scopes may meet the scope `home`. A symbol may be returned twice.
    pub(super) fn near<'s>(
        &'s self,
        home: &Home<'m>,
    ) -> impl Iterator<Item = &'t Symbol<'m>> + use<'s, 't, 'm> {
        let names = home.names();
        let wide = if names.is_empty() {
            &self.all
        } else {
            &self.wide
        };
        let narrow = names.into_iter().filter_map(|name| self.narrow.get(name));
        wide.iter().chain(narrow.flatten()).copied()
    }
}

/// A mistake: the finding about it, and the name that was meant.
pub(crate) struct Wrong {
    pub(crate) finding: Finding,
    pub(crate) spans: Vec<Span>,
    pub(crate) name: String,
    /// The name that was meant, or `None` if it is not known.
    pub(crate) meant: Option<String>,
}
