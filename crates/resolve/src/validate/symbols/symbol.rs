//! A name where it stands: what it is of, what is done to it, and where it is known.

use rocpkg_model::{Finding, Span};

/// What a name is of, in the order in which wrong names are told and mended: a package that is
/// misspelt is no wrong dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Package,
    Component,
    Live,
    Dependency,
    Target,
    /// One, or a family of them.
    Targets,
    Feature,
    Option,
    /// By which upstream is told GPU targets.
    TargetVariable,
    Part,
    Repository,
    Source,
    Warning,
    /// Of the environment.
    Variable,
    Phase,
    /// What a package is, as rules may ask.
    Word,
}

/// What is done to a name where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is declared.
    Declares,
    /// It is declared unless another one was meant: nobody can list all that upstream's builds
    /// read.
    Adds,
    /// It is mentioned, and stands elsewhere.
    Mentions,
    /// It is taken out, and may be gone already.
    Removes,
}

/// Where a name is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Home<'m> {
    Everywhere,
    /// The component, and those that it is based on.
    Component(&'m str, Vec<&'m str>),
    Distro(&'m str),
    /// The distribution, the package, and the components that it is made of.
    Overlay(&'m str, &'m str, Vec<&'m str>),
}

impl Home<'_> {
    /// Whether what stands in the other one is known in this one.
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

/// A name where it stands.
#[derive(Clone, Debug)]
pub(super) struct Symbol<'m> {
    pub(super) kind: Kind,
    pub(super) role: Role,
    /// The code of a finding about it, where it is not the one of its kind.
    pub(super) code: Option<&'static str>,
    pub(super) name: &'m str,
    /// The key, or the value that holds it.
    pub(super) span: Span,
    pub(super) home: Home<'m>,
}

impl Symbol<'_> {
    pub(super) fn declares(&self) -> bool {
        matches!(self.role, Role::Declares | Role::Adds)
    }

    /// Whether it declares a name for another one, which may add it again.
    pub(super) fn backs(&self, other: &Symbol) -> bool {
        self.role == Role::Declares || self.role == Role::Adds && self.home != other.home
    }
}

/// A mistake: what is told of it, and what was meant.
pub(crate) struct Wrong {
    pub(crate) finding: Finding,
    /// The places of the wrong name.
    pub(crate) spans: Vec<Span>,
    pub(crate) name: String,
    /// What stands there instead; nothing where that is not known.
    pub(crate) meant: Option<String>,
}
