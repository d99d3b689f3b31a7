//! The packages that were written and can be built, by distribution.

use super::existing_recipe::Conflict;
use crate::backend::Backend;
use crate::tree::Tree;
use rocpkg_render::Companion;
use std::collections::{BTreeMap, BTreeSet};

/// The packages that were written for a distribution, and the files and checksums that they lack
/// before they can be built. Packages are given by their ids.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The packages that were written.
    pub packages: BTreeSet<String>,
    /// The packages that lack a checksum.
    pub without_sums: BTreeSet<String>,
    /// The packages with a conflict that is left to the maintainer.
    pub conflicts: BTreeSet<String>,
    /// The files that were not supplied.
    pub missing: Vec<Companion>,
    /// Packages that were left out, since they rest on guesses.
    pub guessed: BTreeSet<String>,
    /// Packages that were left out, since a checksum is not known.
    pub unsummed: BTreeSet<String>,
}

impl Summary {
    /// Returns the packages that lack nothing.
    pub fn ready(&self) -> Vec<&str> {
        let without_files = self.without_files();
        let lacks = |id: &String| {
            self.without_sums.contains(id)
                || self.conflicts.contains(id)
                || without_files.contains(id)
        };
        self.packages
            .iter()
            .filter(|id| !lacks(id))
            .map(String::as_str)
            .collect()
    }

    /// Returns the packages of which a local patch or another companion was not supplied.
    pub fn without_files(&self) -> BTreeSet<String> {
        // A companion of the whole tree belongs to no package.
        self.missing
            .iter()
            .map(|c| c.package.clone())
            .filter(|id| !id.is_empty())
            .collect()
    }
}

/// Returns a summary for each distribution of a tree that is written. `conflicts` contains the conflicts
/// that are left to the maintainer. The tree's companions are the files that nobody supplied.
pub(super) fn summaries(tree: &Tree, conflicts: &[Conflict]) -> BTreeMap<Backend, Summary> {
    let mut all: BTreeMap<Backend, Summary> = BTreeMap::new();
    for (path, (backend, id)) in &tree.owners {
        if tree.files.get(path).is_some() {
            let summary = all.entry(*backend).or_default();
            summary.packages.insert(id.clone());
            if conflicts.iter().any(|conflict| conflict.package == *id) {
                summary.conflicts.insert(id.clone());
            }
        }
    }
    for (backend, id) in &tree.guessed {
        all.entry(*backend).or_default().guessed.insert(id.clone());
    }
    for (backend, id) in &tree.without_sums {
        all.entry(*backend).or_default().unsummed.insert(id.clone());
    }
    let backend = |path: &str| {
        let folder = path.split('/').next().unwrap_or_default();
        // A checkout is of one distribution, and its files have no folder of the distribution above
        // them.
        let in_checkout = || tree.packages.keys().next().copied();
        tree.packages
            .keys()
            .copied()
            .find(|b| b.folder() == folder)
            .or_else(in_checkout)
    };
    for (backend, u) in &tree.unknown_sums {
        all.entry(*backend)
            .or_default()
            .without_sums
            .insert(u.package.clone());
    }
    for c in tree.companions.iter().cloned() {
        let Some(backend) = backend(&c.path) else {
            continue;
        };
        let summary = all.entry(backend).or_default();
        // A package that is not written needs no files.
        if c.package.is_empty() || summary.packages.contains(&c.package) {
            summary.missing.push(c);
        }
    }
    all
}
