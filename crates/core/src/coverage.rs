//! The proof over dependency edges. A [`Coverage`] is a function from the user's choice of GPU
//! targets to the targets that a package is built for. An edge holds if, for every choice, the
//! dependency is built for all targets that the package is built for.

use crate::{Registry, TargetSet};
use std::collections::BTreeMap;

/// The targets that a package is built for, as a function of the user's choice of targets:
/// `f(choice) = (choice ∩ follows) ∪ always`.
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
    /// The targets that are built only if the user chooses them.
    pub follows: TargetSet,
    /// The targets that are built whatever the user chooses.
    pub always: TargetSet,
}

impl Coverage {
    /// Returns the targets that are built if the user chooses the targets `choice`.
    pub fn of(&self, choice: &TargetSet) -> TargetSet {
        choice.intersection(&self.follows).union(&self.always)
    }

    /// Returns the targets that can be built: the union of the results of [`Coverage::of`] for all
    /// choices.
    pub fn any(&self) -> TargetSet {
        self.follows.union(&self.always)
    }

    /// Returns each target for which a package with the coverage `self` is built and one with the
    /// coverage `other` is not, for at least one choice. A choice is any subset of `universe`. If
    /// the result is empty, a package with the coverage `self` can depend on one with the coverage
    /// `other`, whatever the user chooses.
    pub fn not_built_by(&self, other: &Self, universe: &TargetSet) -> TargetSet {
        let chosen = self.follows.intersection(universe).difference(other.any());
        // A target that is always built must be built there always: a choice may leave it out.
        chosen.union(self.always.difference(&other.always))
    }
}

/// A dependency edge that does not hold: for at least one choice of the user, the package is built
/// for a target and its dependency is not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hole {
    /// The package that has the dependency.
    pub package: String,
    /// The package that it depends on.
    pub dependency: String,
    /// The targets for which `package` can be built and `dependency` is not.
    pub targets: TargetSet,
}

/// The error that a dependency edge names a package without a [`Coverage`]. The field is the name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no coverage is given for `{0}`")]
pub struct NoCoverage(pub String);

/// Proves dependency edges `(package, dependency)`. Returns those that do not hold for every
/// choice, in the order of `edges`. A choice is any subset of `universe`. If the result is empty,
/// the targets also agree over every path of several edges.
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
/// When an edge names a package that is not in `packages`. The error has the first such name.
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

/// A list of GPU targets, if its targets are known before the package is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A list of known targets.
    Set(TargetSet),
    /// The list that a command prints during the build, without some targets. The targets are not
    /// known here, but the command prints the same list for every package.
    Printed {
        /// The command that prints the list.
        tool: String,
        /// The targets that are removed from the printed list.
        without: TargetSet,
        /// The targets that are known to be in the list after the removal. The list may have
        /// others.
        known: TargetSet,
    },
    /// A list that is not known. The text is the missing fact, for messages.
    Unknown(String),
}

impl Default for Listed {
    fn default() -> Self {
        Self::Set(TargetSet::EMPTY)
    }
}

impl Listed {
    /// Returns the targets of a [`Listed::Set`], or `None` for the other variants, whose targets
    /// are not known.
    pub fn set(&self) -> Option<&TargetSet> {
        match self {
            Self::Set(set) => Some(set),
            _ => None,
        }
    }

    /// Returns the targets of `self` that `other` lacks. A target is not lacking if code for the
    /// targets of `other` runs on all of its processors, for instance because `other` has the
    /// generic target that covers them. If the lists are not fully known, the result also has the
    /// missing facts.
    pub fn not_in(&self, other: &Self, registry: &Registry) -> Lacking {
        let sure = match (self, other) {
            (Self::Set(ours), Self::Set(theirs)) => {
                return Lacking::sure(unserved(ours, theirs, registry));
            }
            (
                Self::Printed { tool, without, .. },
                Self::Printed {
                    tool: other,
                    without: theirs,
                    ..
                },
            ) if tool == other => {
                // L \ X is within L \ Y for every L exactly when Y is within X.
                return Lacking::sure(theirs.difference(without));
            }
            // A target that is left out there is missing for sure. Of the others, the tool may
            // print any.
            (
                Self::Set(ours) | Self::Printed { known: ours, .. },
                Self::Printed { without, .. },
            ) => ours.intersection(without),
            // Of a list that is known in part, the known targets are compared.
            (Self::Printed { known, .. }, Self::Set(theirs)) => unserved(known, theirs, registry),
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

    /// Returns the fact that is missing to know the list, or `None` for a [`Listed::Set`].
    fn missing(&self) -> Option<String> {
        match self {
            Self::Set(_) => None,
            Self::Printed { tool, .. } => Some(format!("what `{tool}` prints")),
            Self::Unknown(fact) => Some(fact.clone()),
        }
    }
}

/// Returns the targets of `ours` that are not in `theirs`, except those on all of whose processors
/// code for `theirs` runs.
fn unserved(ours: &TargetSet, theirs: &TargetSet, registry: &Registry) -> TargetSet {
    let served = theirs.union(registry.reach(theirs, false, true));
    ours.iter()
        .filter(|target| {
            let reached = registry.serves(*target, false);
            !served.contains(*target) && (reached.is_empty() || !reached.is_subset(&served))
        })
        .collect()
}

/// The result of [`Listed::not_in`]: the targets of one list that another list lacks, as far as the
/// two lists are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lacking {
    /// The targets that are lacking for certain.
    pub sure: TargetSet,
    /// The facts that are missing to decide if more targets are lacking. Empty if the result is
    /// complete.
    pub missing: Vec<String>,
}

impl Lacking {
    /// Makes a complete result: the targets in `sure` are lacking, and no others.
    pub fn sure(sure: TargetSet) -> Self {
        Self {
            sure,
            missing: Vec::new(),
        }
    }
}
