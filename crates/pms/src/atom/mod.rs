//! Package atoms: a package, and conditions for its version, slot, repository and USE flags (PMS
//! 8.3).

mod matching;
mod parse;
mod use_dep;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

pub use self::matching::UseState;
pub use self::use_dep::{UseDep, UseDepKind};
use crate::error::SyntaxError;
use crate::name::{Cpn, Flag, check_repository};
use crate::slot::{Slot, SlotDep, SlotOperator};
use crate::version::Version;

/// The comparison of an atom's version with that of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `=`.
    Equal,
    /// `=…*`: every version that begins with this version.
    EqualGlob,
    /// `~`: this version in any revision.
    Approximate,
    /// `>=`.
    GreaterEqual,
    /// `>`.
    Greater,
}

impl Operator {
    /// Returns the sign before the package. The star of [`Operator::EqualGlob`] follows the
    /// version.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal | Self::EqualGlob => "=",
            Self::Approximate => "~",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
        }
    }

    /// Returns the operator's name: its sign, or `=*` for [`Operator::EqualGlob`], whose sign is
    /// the same as that of [`Operator::Equal`].
    pub fn name(self) -> &'static str {
        if self == Self::EqualGlob {
            "=*"
        } else {
            self.sign()
        }
    }
}

/// The strength of a blocker, which is an atom that names a package that must not be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Blocker {
    /// `!`: the blocked package may be removed after the merge.
    Weak,
    /// `!!`: the blocked package must be removed before the merge.
    Strong,
}

impl Blocker {
    /// Returns the sign of the blocker, `!` or `!!`.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Weak => "!",
            Self::Strong => "!!",
        }
    }
}

/// The error that one atom contains the same flag twice, with different defaults (`(+)`, `(-)` or
/// none).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultConflict(pub Flag);

impl fmt::Display for DefaultConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the USE dependencies on `{}` differ in their default, `(+)` or `(-)` or none",
            self.0
        )
    }
}

impl std::error::Error for DefaultConflict {}

/// Checks that all USE dependencies on the same flag have the same default.
fn check_defaults(entries: &[UseDep]) -> Result<(), DefaultConflict> {
    // Lists are short, or no entry has a default. Sorting pays only for long lists with defaults.
    if entries.len() <= 1
        || entries
            .iter()
            .all(|entry| entry.default == entries[0].default)
    {
        return Ok(());
    }
    let mut sorted: Vec<&UseDep> = entries.iter().collect();
    sorted.sort_unstable_by_key(|entry| &entry.flag);
    for pair in sorted.windows(2) {
        if let [a, b] = pair
            && a.flag == b.flag
            && a.default != b.default
        {
            return Err(DefaultConflict(a.flag.clone()));
        }
    }
    Ok(())
}

/// A package dependency, such as `>=sci-libs/rocBLAS-7.2:0/7.2=[amdgpu_targets_gfx90a(-)?]`.
///
/// Every value prints as an atom that is read as the same value.
#[derive(Debug, Clone)]
pub struct Atom {
    cpn: Cpn,
    blocker: Option<Blocker>,
    version: Option<(Operator, Version)>,
    slot: Option<SlotDep>,
    repository: Option<Box<str>>,
    use_deps: Vec<UseDep>,
}

impl Atom {
    /// Makes an atom that matches any version of a package.
    pub fn new(cpn: Cpn) -> Self {
        Self {
            cpn,
            blocker: None,
            version: None,
            slot: None,
            repository: None,
            use_deps: Vec::new(),
        }
    }

    /// Returns the same atom with a condition for the version.
    #[must_use]
    pub fn with_version(mut self, operator: Operator, version: Version) -> Self {
        self.version = Some((operator, version));
        self
    }

    /// Returns the same atom with a slot, a slot operator, or both.
    #[must_use]
    pub fn with_slot(mut self, slot: impl Into<SlotDep>) -> Self {
        self.slot = Some(slot.into());
        self
    }

    /// Returns the same atom as a blocker: the package must not be installed.
    #[must_use]
    pub fn with_blocker(mut self, blocker: Blocker) -> Self {
        self.blocker = Some(blocker);
        self
    }

    /// Returns the same atom, limited to one repository. Portage accepts `::name` from users, but
    /// no ebuild may contain it.
    ///
    /// # Errors
    /// When `name` is not a repository name (PMS 3.1.5).
    pub fn with_repository(mut self, name: &str) -> Result<Self, SyntaxError> {
        check_repository(name)?;
        self.repository = Some(name.into());
        Ok(self)
    }

    /// Returns the same atom with these USE dependencies in the given order. They replace all
    /// former USE dependencies.
    ///
    /// # Errors
    /// When the list contains a flag twice with different defaults.
    pub fn with_use_deps(
        mut self,
        entries: impl IntoIterator<Item = UseDep>,
    ) -> Result<Self, DefaultConflict> {
        self.use_deps = entries.into_iter().collect();
        check_defaults(&self.use_deps).map(|()| self)
    }

    /// Returns the category and package.
    pub fn cpn(&self) -> &Cpn {
        &self.cpn
    }

    /// Returns the strength of the blocker, or `None` if the atom does not block.
    pub fn blocker(&self) -> Option<Blocker> {
        self.blocker
    }

    /// Returns the operator, or `None` if the atom has no version.
    pub fn operator(&self) -> Option<Operator> {
        self.version.as_ref().map(|(operator, _)| *operator)
    }

    /// Returns the version, without the star of `=…*`, or `None` if the atom has no version.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref().map(|(_, version)| version)
    }

    /// Returns the slot with its sub-slot, or `None` if the atom names no slot.
    pub fn slot(&self) -> Option<&Slot> {
        self.slot.as_ref()?.slot.as_ref()
    }

    /// Returns the slot operator, or `None` if the atom has none.
    pub fn slot_operator(&self) -> Option<SlotOperator> {
        self.slot.as_ref()?.operator
    }

    /// Returns the repository after `::`, or `None` if the atom names no repository.
    pub fn repository(&self) -> Option<&str> {
        self.repository.as_deref()
    }

    /// Returns the USE dependencies in their order.
    pub fn use_deps(&self) -> &[UseDep] {
        &self.use_deps
    }

    /// Returns the same atom with each conditional USE dependency replaced by `flag` or `-flag`, or
    /// removed if it allows any state: with `a` on and `b` off, `[a?,b?]` becomes `[a]`. `is_on`
    /// returns true for each flag that is on in the package that has this dependency.
    #[must_use]
    pub fn evaluate(&self, is_on: impl Fn(&str) -> bool) -> Self {
        let decide = |entry: &UseDep| entry.evaluate(is_on(entry.flag.as_str()));
        Self {
            use_deps: self.use_deps.iter().filter_map(decide).collect(),
            ..self.clone()
        }
    }

    /// Returns the same atom without USE dependencies.
    #[must_use]
    pub fn without_use_deps(&self) -> Self {
        Self {
            use_deps: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns the key that equality and order compare: all parts of the atom as written.
    fn key(&self) -> impl Ord + '_ {
        let version = self
            .version
            .as_ref()
            .map(|(operator, version)| (version, version.as_str(), *operator));
        (
            &self.cpn,
            version,
            &self.slot,
            &self.repository,
            &self.use_deps,
            self.blocker,
        )
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Atom {}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Orders atoms by package, then version, then the rest. Two atoms are equal only if they are
/// written alike.
impl Ord for Atom {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.blocker.map_or("", Blocker::sign))?;
        match &self.version {
            None => write!(f, "{}", self.cpn)?,
            Some((operator, version)) => {
                let star = if *operator == Operator::EqualGlob {
                    "*"
                } else {
                    ""
                };
                write!(f, "{}{}-{version}{star}", operator.sign(), self.cpn)?;
            }
        }
        if let Some(slot) = &self.slot {
            write!(f, ":{slot}")?;
        }
        if let Some(repository) = &self.repository {
            write!(f, "::{repository}")?;
        }
        for (index, entry) in self.use_deps.iter().enumerate() {
            write!(f, "{}{entry}", if index == 0 { '[' } else { ',' })?;
        }
        f.write_str(if self.use_deps.is_empty() { "" } else { "]" })
    }
}

impl FromStr for Atom {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        parse::parse(text)
    }
}
