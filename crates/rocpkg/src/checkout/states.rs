//! The states of packages whose recipes are in a checkout.

use super::existing_recipe::Conflict;
use crate::tree::Tree;
use rocpkg_model::Owner;
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// The state of a package after `bump` or `render` in a checkout: what was done to its recipe, and
/// what is left to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", tag = "state"))]
#[non_exhaustive]
pub enum State {
    /// The recipe is of the requested release, it was checked after the edit, and it lacks nothing.
    Done,
    /// The recipe was of the requested release already, and differs from the model. It was checked,
    /// and lacks nothing. Which of the differences are manual edits is not known.
    Kept {
        /// The number of items that differ from the model, at least one.
        differences: usize,
    },
    /// Changes could not be applied. They are left to the maintainer.
    #[cfg_attr(feature = "serde", serde(rename = "left"))]
    Conflicts {
        /// The number of conflicts.
        rows: usize,
    },
    /// The recipe can't be built until the user supplies files or checksums.
    Lacking {
        /// The number of missing patches and other files.
        files: usize,
        /// The number of unknown checksums.
        sums: usize,
    },
    /// The recipe was neither edited nor written.
    Untouched {
        /// The reason, as a clause about the package:
        /// `it states release 9.9, which the model does not know`.
        reason: String,
    },
}

impl State {
    /// Returns true if nothing is left to do.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done | Self::Kept { .. })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => write!(f, "done"),
            Self::Kept { differences } => write!(
                f,
                "already at this release, and checked; it differs from the model in \
                 {differences} {}: `rocpkg compare` lists them",
                if *differences == 1 { "item" } else { "items" }
            ),
            Self::Conflicts { rows: 1 } => write!(f, "left: 1 row"),
            Self::Conflicts { rows } => write!(f, "left: {rows} rows"),
            Self::Lacking { files, sums } => {
                let of = |count: usize, name: &str| match count {
                    0 => None,
                    1 => Some(format!("1 {name}")),
                    _ => Some(format!("{count} {name}s")),
                };
                let all = [of(*files, "file"), of(*sums, "checksum")];
                let all: Vec<String> = all.into_iter().flatten().collect();
                write!(f, "lacks {}", all.join(" and "))
            }
            Self::Untouched { reason } => write!(f, "not touched: {reason}"),
        }
    }
}

/// Returns the state of each package of `tree`, by the package's id. `tree` is ready to be written,
/// and `conflicts` are those of its recipes.
///
/// `kept` contains the packages whose recipes were of the requested release already, each with the
/// number of items that differ from the model.
pub(super) fn states(
    tree: &Tree,
    conflicts: &[Conflict],
    kept: &BTreeMap<String, usize>,
) -> BTreeMap<String, State> {
    let mut all = BTreeMap::new();
    for (_, id) in tree.owners.values() {
        let state = match kept.get(id) {
            Some(&differences) if differences > 0 => State::Kept { differences },
            _ => State::Done,
        };
        all.insert(id.clone(), state);
    }
    for (id, state) in &mut all {
        let is_of = |package: &str| package == id;
        let files = tree.companions.iter().filter(|c| is_of(&c.package)).count();
        let sums = tree
            .unknown_sums
            .iter()
            .filter(|(_, u)| is_of(&u.package))
            .count();
        let mut own = conflicts
            .iter()
            .filter(|conflict| is_of(&conflict.package))
            .peekable();
        if let Some(reason) = own.clone().find_map(untouched) {
            *state = State::Untouched { reason };
        } else if own.peek().is_some() {
            *state = State::Conflicts { rows: own.count() };
        } else if files + sums > 0 {
            *state = State::Lacking { files, sums };
        }
    }
    for stopped in &tree.stopped {
        let reason = match &stopped.needs {
            Some(needs) => format!("it needs {needs}, which has an error"),
            None if is_guessed(tree, &stopped.package) => GUESSED.to_owned(),
            None => "the model has an error, which is printed above".to_owned(),
        };
        all.insert(stopped.package.clone(), State::Untouched { reason });
    }
    for (_, id) in &tree.guessed {
        let reason = GUESSED.to_owned();
        all.insert(id.clone(), State::Untouched { reason });
    }
    for (_, id) in &tree.without_sums {
        let reason = "a checksum is unknown".to_owned();
        all.insert(id.clone(), State::Untouched { reason });
    }
    all
}

/// The [`State::Untouched`] reason of a package that rests on guesses.
const GUESSED: &str = "it depends on a guess: --allow-guesses renders it anyway";

/// Returns true if all errors of a package are guessed facts.
fn is_guessed(tree: &Tree, package: &str) -> bool {
    let is_its = |owner: &Owner| matches!(owner, Owner::Package { id, .. } if id == package);
    let own = tree
        .faults
        .owned()
        .filter(|(_, owners)| owners.iter().any(is_its));
    let mut own = own.map(|(fault, _)| fault.code).peekable();
    own.peek().is_some() && own.all(|code| code == "E0229")
}

/// Returns the reason why the recipe of a conflict was not touched: its release is unknown, or it
/// can't be read. Returns None for other conflicts.
fn untouched(conflict: &Conflict) -> Option<String> {
    if conflict.is_of_an_unknown_release() {
        let stated = conflict.existing.as_deref().unwrap_or("none");
        return Some(format!(
            "it states release {stated}, which the model does not know: name a release of the model with --from"
        ));
    }
    conflict.is_unreadable().then(|| conflict.reason.clone())?
}
