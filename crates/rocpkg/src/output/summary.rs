//! What can be built of what was written, by distribution.

use crate::backend::Backend;
use crate::tree::Tree;
use rocpkg_render::Companion;
use std::collections::{BTreeMap, BTreeSet};

/// What was written for a distribution, and what it lacks before it can be built; packages by their ids.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The packages.
    pub packages: BTreeSet<String>,
    /// Those of which a checksum is not known.
    pub without_sums: BTreeSet<String>,
    /// Those of which a local patch or another companion was not supplied.
    pub without_files: BTreeSet<String>,
    /// The files that were not supplied.
    pub missing: Vec<Companion>,
    /// Packages that were left out, since they rest on guesses.
    pub guessed: BTreeSet<String>,
}

impl Summary {
    /// The packages that lack nothing.
    pub fn ready(&self) -> Vec<&str> {
        let all = self.packages.iter().map(String::as_str);
        all.filter(|id| !self.without_sums.contains(*id) && !self.without_files.contains(*id)).collect()
    }
}

/// Sums up a tree that is written, where some companions are missing.
pub(super) fn summaries(tree: &Tree, missing: Vec<Companion>) -> BTreeMap<Backend, Summary> {
    let mut all: BTreeMap<Backend, Summary> = BTreeMap::new();
    for (path, (backend, id)) in &tree.owners {
        if tree.files.get(path).is_some() {
            all.entry(*backend).or_default().packages.insert(id.clone());
        }
    }
    for (backend, id) in &tree.guessed {
        all.entry(*backend).or_default().guessed.insert(id.clone());
    }
    let backend = |path: &str| {
        let folder = path.split('/').next().unwrap_or_default();
        // A checkout is of one distribution, and its files lie as they do there.
        let in_checkout = || tree.packages.keys().next().copied();
        tree.packages.keys().copied().find(|b| b.folder() == folder).or_else(in_checkout)
    };
    for u in &tree.unknown_sums {
        let Some(backend) = backend(&u.path) else { continue };
        all.entry(backend).or_default().without_sums.insert(u.package.clone());
    }
    for c in missing {
        let Some(backend) = backend(&c.path) else { continue };
        let summary = all.entry(backend).or_default();
        // One of the whole tree is no package's.
        if !c.package.is_empty() {
            summary.without_files.insert(c.package.clone());
        }
        summary.missing.push(c);
    }
    all
}
