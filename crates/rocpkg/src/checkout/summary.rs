//! The packages that were written, sorted into those that can be built and those that lack
//! something, by distribution.

use super::existing_recipe::Conflict;
use crate::backend::Backend;
use crate::tree::Tree;
use rocpkg_render::Companion;
use std::collections::{BTreeMap, BTreeSet};

/// The packages that were written for a distribution, and the files and checksums without which
/// they can't be built. Packages are given by their ids.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The packages that were written.
    pub packages: BTreeSet<String>,
    /// The packages that were written with an unknown checksum.
    pub without_sums: BTreeSet<String>,
    /// The packages with a conflict: a change that could not be applied and is left to the
    /// maintainer.
    pub conflicts: BTreeSet<String>,
    /// The files that recipes name and nobody supplied, such as local patches.
    pub missing: Vec<Companion>,
    /// Packages that were not written, since a fact of theirs is a guess.
    pub guessed: BTreeSet<String>,
    /// Packages that were not written, since a checksum is unknown.
    pub unsummed: BTreeSet<String>,
}

impl Summary {
    /// Returns the packages that can be built: they lack no file and no checksum, and have no
    /// conflict.
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

/// Returns a summary of each distribution in `tree`, which is written. `conflicts` are left to the
/// maintainer. `tree.companions` contains only the files that nobody supplied.
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
