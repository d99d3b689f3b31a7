//! The input and output of the solver.

use std::collections::BTreeMap;
use std::fmt;

use crate::atom::{Atom, UseState};
use crate::cpv::{Candidate, Cpv};
use crate::iuse::Iuse;
use crate::kinds::{DepSpec, FlagState, RequiredUse};
use crate::name::{Cpn, Flag};
use crate::spec::Node;
use crate::version::Version;

/// A package version that may become part of the solution, with its flags and dependencies.
#[derive(Debug, Clone)]
pub struct Member {
    /// The package and its version, with SLOT and repository as far as they are known.
    pub package: Candidate,
    /// The package's flags with their defaults.
    pub iuse: Iuse,
    /// Flags whose state is not the default in IUSE, because the profile or an earlier
    /// configuration sets it. A name that is not in IUSE is a flag that every package has, such as
    /// `elibc_glibc`. Such a flag can't change.
    pub state: BTreeMap<Flag, bool>,
    /// Flags that can't change: masked (off) or forced (on) by the profile.
    pub fixed: BTreeMap<Flag, bool>,
    /// The package's `REQUIRED_USE`.
    pub required_use: RequiredUse,
    /// The package's dependencies, all kinds together.
    pub depends: DepSpec,
    /// The dependencies that have to be installed before the package is built: DEPEND and BDEPEND.
    pub build: DepSpec,
    /// Set if only the package's flags are known. The package then matches an atom of any version
    /// and slot.
    pub any_version: bool,
}

impl Member {
    /// Makes a member that has flags and nothing else.
    pub fn new(package: impl Into<Candidate>, iuse: Iuse) -> Self {
        Self {
            package: package.into(),
            iuse,
            state: BTreeMap::new(),
            fixed: BTreeMap::new(),
            required_use: RequiredUse::default(),
            depends: DepSpec::default(),
            build: DepSpec::default(),
            any_version: false,
        }
    }

    /// Makes a member of which only the flags are known. It matches atoms of the package with any
    /// version and slot.
    pub fn outside(package: Cpn, iuse: Iuse) -> Self {
        Self {
            any_version: true,
            ..Self::new(Cpv::new(package, Version::from_checked("0")), iuse)
        }
    }

    /// Returns true if the member matches an atom. USE dependencies are not compared.
    pub(super) fn fits(&self, atom: &Atom) -> bool {
        if self.any_version {
            *atom.cpn() == self.package.cpv.cpn
        } else {
            atom.matches(&self.package)
        }
    }
}

/// The state of the package's flags before any change.
impl UseState for Member {
    fn has(&self, flag: &str) -> bool {
        self.iuse.contains(flag) || self.state.contains_key(flag)
    }

    fn is_on(&self, flag: &str) -> bool {
        let chosen = self
            .fixed
            .get(flag)
            .or_else(|| self.state.get(flag))
            .copied();
        chosen.unwrap_or_else(|| self.iuse.is_on_by_default(flag))
    }
}

/// A flag that the user wants on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// The package, in any version.
    pub package: Cpn,
    /// The flag.
    pub flag: Flag,
    /// The wanted state: `true` is on.
    pub on: bool,
}

/// The input of the solver.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// All packages that may take part. A dependency on a package that has no version in this list
    /// is taken to be met.
    pub members: Vec<Member>,
    /// The packages that have to be installed. Their dependencies are added by the solver.
    pub wanted: Vec<Cpn>,
    /// The wanted states of flags, of the wanted packages or of their dependencies.
    pub wishes: Vec<Wish>,
}

/// A flag whose state has to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The package version.
    pub package: Cpv,
    /// The flag.
    pub flag: Flag,
    /// The flag's new state.
    pub on: bool,
}

/// The fewest changes by which all wishes, `REQUIRED_USE`s and dependencies are met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Solution {
    /// The changes, in the order of the members and of their IUSE.
    pub changes: Vec<Change>,
    /// The package versions that have to be installed, in the order of the members: the wanted
    /// packages and their dependencies.
    pub needed: Vec<Cpv>,
}

/// One of the demands that can't be met together, or an unknown name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A package has to be installed.
    Wanted(Cpn),
    /// A flag has to be in the state that a wish names.
    Wish(Wish),
    /// The profile fixes a flag.
    Fixed {
        /// The package version.
        package: Cpv,
        /// The flag.
        flag: Flag,
        /// The state that the profile sets.
        on: bool,
    },
    /// A part of a package's `REQUIRED_USE` has to hold.
    RequiredUse {
        /// The package version.
        package: Cpv,
        /// The part.
        part: Node<FlagState>,
    },
    /// A part of a package's dependencies has to be met.
    Dependency {
        /// The package version.
        package: Cpv,
        /// The part.
        part: Node<Atom>,
        /// Reasons why the part may not be met, for the message: no version of a package matches,
        /// or a flag is missing.
        notes: Vec<String>,
    },
    /// A cycle of build dependencies: each package has to be installed before the next is built,
    /// and the last before the first.
    Cycle(Vec<Cpv>),
    /// A wish or a `REQUIRED_USE` names a flag that the package does not have.
    UnknownFlag {
        /// The package.
        package: Cpn,
        /// The flag.
        flag: Flag,
    },
    /// The wanted packages or a wish name a package of which the problem has no version.
    UnknownPackage(Cpn),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |on: bool| if on { "" } else { "-" };
        match self {
            Self::Wanted(package) => write!(f, "{package} is requested"),
            Self::Wish(wish) => write!(
                f,
                "{}[{}{}] is requested",
                wish.package,
                sign(wish.on),
                wish.flag
            ),
            Self::Fixed {
                package,
                flag,
                on: true,
            } => write!(f, "the profile forces `{flag}` for {package}"),
            Self::Fixed {
                package,
                flag,
                on: false,
            } => write!(f, "the profile masks `{flag}` for {package}"),
            Self::RequiredUse { package, part } => {
                write!(f, "{package} has `{part}` in REQUIRED_USE")
            }
            Self::Dependency {
                package,
                part,
                notes,
            } => {
                write!(f, "{package} depends on `{part}`")?;
                notes.iter().try_for_each(|note| write!(f, "; {note}"))
            }
            Self::Cycle(packages) => {
                let names: Vec<String> = packages.iter().map(ToString::to_string).collect();
                write!(f, "{} need each other to be built", names.join(" and "))
            }
            Self::UnknownFlag { package, flag } => write!(f, "{package} has no USE flag `{flag}`"),
            Self::UnknownPackage(package) => write!(f, "{package} is not known"),
        }
    }
}

/// Demands that can't be met together, so that without any one of them the others could be met. If
/// the problem names unknown packages or flags, these names instead.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The demands, or the unknown names.
    pub reasons: Vec<Reason>,
}

impl std::error::Error for Contradiction {}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no choice of USE flags meets all of this:")?;
        self.reasons
            .iter()
            .try_for_each(|reason| write!(f, "\n- {reason}"))
    }
}
