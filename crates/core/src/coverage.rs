//! The proof over dependency edges: the targets that a package is built for, as a function of the
//! user's choice, and what one end of an edge is built for and the other end is not.

use crate::{Registry, TargetSet};
use std::collections::BTreeMap;

/// The targets that a package is built for: `f(choice) = (choice ∩ follows) ∪ always`.
///
/// ```
/// use rocpkg_core::{Coverage, Registry};
///
/// let registry = Registry::builder().processors(["gfx90a", "gfx1030"]).build()?;
/// let all = registry.all();
/// let ours = Coverage { follows: all.clone(), ..Coverage::default() };
/// let theirs = Coverage { follows: registry.set(["gfx90a"])?, ..Coverage::default() };
/// let hole = ours.not_built_by(&theirs, &all);
/// assert_eq!(registry.show(&hole), "gfx1030");
/// # Ok::<(), rocpkg_core::RegistryError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The targets that are built when they are chosen.
    pub follows: TargetSet,
    /// The targets that are built whatever is chosen.
    pub always: TargetSet,
}

impl Coverage {
    /// Returns the targets that are built for one choice.
    pub fn of(&self, choice: &TargetSet) -> TargetSet {
        choice.intersection(&self.follows).union(&self.always)
    }

    /// Returns the targets that some choice builds.
    pub fn any(&self) -> TargetSet {
        self.follows.union(&self.always)
    }

    /// Returns the targets for which some choice out of `universe` builds `self` and not `other`.
    /// An edge whose ends are `self` and `other` holds for every choice if there are none.
    pub fn not_built_by(&self, other: &Self, universe: &TargetSet) -> TargetSet {
        let chosen = self.follows.intersection(universe).difference(other.any());
        // A target that is always built must be built there always: a choice may leave it out.
        chosen.union(self.always.difference(&other.always))
    }
}

/// A dependency edge that does not hold: some choice builds the package and not its dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hole {
    /// The package that needs the other one.
    pub package: String,
    /// The package that it needs.
    pub dependency: String,
    /// The targets for which the dependency is not built.
    pub targets: TargetSet,
}

/// A dependency edge names a package that has no [`Coverage`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no coverage of `{0}` is given")]
pub struct NoCoverage(pub String);

/// Proves edges: returns the edges `(package, dependency)` that do not hold for every choice out of
/// `universe`, in their order. If all edges hold, so does every path over them.
///
/// ```
/// use rocpkg_core::{Coverage, Registry, holes};
/// use std::collections::BTreeMap;
///
/// let registry = Registry::builder().processors(["gfx90a", "gfx1030"]).build()?;
/// let built = |follows| Coverage { follows, ..Coverage::default() };
/// let packages = BTreeMap::from([
///     ("torch".to_owned(), built(registry.all())),
///     ("blas".to_owned(), built(registry.all())),
///     ("lt".to_owned(), built(registry.set(["gfx90a"])?)),
/// ]);
/// let found = holes(&packages, [("torch", "blas"), ("blas", "lt")], &registry.all())?;
/// assert_eq!((&*found[0].package, &*found[0].dependency), ("blas", "lt"));
/// assert_eq!(registry.show(&found[0].targets), "gfx1030");
/// assert_eq!(found.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first name of an edge that is not in `packages`.
pub fn holes<'e>(
    packages: &BTreeMap<String, Coverage>,
    edges: impl IntoIterator<Item = (&'e str, &'e str)>,
    universe: &TargetSet,
) -> Result<Vec<Hole>, NoCoverage> {
    let coverage = |name: &str| {
        let found = packages.get(name);
        found.ok_or_else(|| NoCoverage(name.to_owned()))
    };
    let mut out = Vec::new();
    for (package, dependency) in edges {
        let targets = coverage(package)?.not_built_by(coverage(dependency)?, universe);
        if !targets.is_empty() {
            out.push(Hole {
                package: package.to_owned(),
                dependency: dependency.to_owned(),
                targets,
            });
        }
    }
    Ok(out)
}

/// A list of targets, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// These targets.
    Set(TargetSet),
    /// The list that a tool prints, less some targets. The tool prints the same list wherever it
    /// runs.
    Printed {
        /// The command.
        tool: String,
        /// The targets that are left out.
        without: TargetSet,
    },
    /// A list that is not known, by the fact that is missing.
    Unknown(String),
}

impl Default for Listed {
    fn default() -> Self {
        Self::Set(TargetSet::EMPTY)
    }
}

impl Listed {
    /// Returns the targets, if they are known.
    pub fn set(&self) -> Option<&TargetSet> {
        match self {
            Self::Set(set) => Some(set),
            _ => None,
        }
    }

    /// Returns the targets of this list that another list lacks. A generic target of the other list
    /// serves the processors that it covers.
    pub fn not_in(&self, other: &Self, registry: &Registry) -> Lacking {
        let sure = match (self, other) {
            (Self::Set(ours), Self::Set(theirs)) => {
                return Lacking::sure(unserved(ours, theirs, registry));
            }
            (
                Self::Printed { tool, without },
                Self::Printed {
                    tool: other,
                    without: theirs,
                },
            ) if tool == other => {
                // L \ X is within L \ Y for every L exactly when Y is within X.
                return Lacking::sure(theirs.difference(without));
            }
            // A target that is left out there is missing for sure. Of the others, the tool may
            // print any.
            (Self::Set(ours), Self::Printed { without, .. }) => ours.intersection(without),
            _ => TargetSet::EMPTY,
        };
        let missing = match (self, other) {
            (Self::Set(_), other) => vec![other.missing()],
            (ours, theirs) => vec![ours.missing(), theirs.missing()],
        };
        Lacking {
            sure,
            missing: missing.into_iter().flatten().collect(),
        }
    }

    /// Returns the fact without which the list is not known.
    fn missing(&self) -> Option<String> {
        match self {
            Self::Set(_) => None,
            Self::Printed { tool, .. } => Some(format!("what `{tool}` prints")),
            Self::Unknown(fact) => Some(fact.clone()),
        }
    }
}

/// Returns the targets of a set whose processors another set does not serve.
fn unserved(ours: &TargetSet, theirs: &TargetSet, registry: &Registry) -> TargetSet {
    let served = theirs.union(registry.reach(theirs, false, true));
    ours.iter()
        .filter(|target| {
            let reached = registry.serves(*target, false);
            !served.contains(*target) && (reached.is_empty() || !reached.is_subset(&served))
        })
        .collect()
}

/// The targets that are built at one end of an edge and not at the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lacking {
    /// The targets that are missing for sure.
    pub sure: TargetSet,
    /// The facts without which it is not known if there are more.
    pub missing: Vec<String>,
}

impl Lacking {
    /// Returns an answer that no fact is missing for.
    pub fn sure(sure: TargetSet) -> Self {
        Self {
            sure,
            missing: Vec::new(),
        }
    }
}
