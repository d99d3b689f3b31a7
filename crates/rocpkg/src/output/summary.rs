//! What can be built of what was written, by distribution.

use crate::backend::Backend;
use crate::tree::Tree;
use rocpkg_render::Companion;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
    /// Packages that were left out, since they rest on guesses.
    pub guessed: BTreeSet<String>,
}

impl Summary {
    /// The packages that lack nothing.
    pub fn ready(&self) -> Vec<&str> {
        let lacks = |id: &&String| self.without_sums.contains(*id) || self.without_files.contains(*id);
        self.packages.iter().filter(|id| !lacks(id)).map(String::as_str).collect()
    }
}

/// Sums up a tree whose files lie in `out`, where some companions are missing.
pub(super) fn summaries(tree: &Tree, out: &Path, missing: &[Companion]) -> BTreeMap<Backend, Summary> {
    let mut all: BTreeMap<Backend, Summary> = BTreeMap::new();
    for (path, (backend, id)) in &tree.owners {
        let Some(text) = tree.text(path) else { continue };
        let summary = all.entry(*backend).or_default();
        summary.packages.insert(id.clone());
        if backend.stand_in().is_some_and(|zeros| text.contains(zeros)) {
            summary.without_sums.insert(id.clone());
        }
    }
    for (backend, id) in &tree.guessed {
        all.entry(*backend).or_default().guessed.insert(id.clone());
    }
    for listing in tree.listings.iter().filter(|listing| !out.join(&listing.path).exists()) {
        all.entry(Backend::Gentoo).or_default().without_sums.insert(listing.package.clone());
    }
    // One of the whole tree is no package's.
    for c in missing.iter().filter(|c| !c.package.is_empty()) {
        let folder = c.path.split('/').next().unwrap_or_default();
        let backend = Backend::ALL.into_iter().find(|b| b.folder() == folder).unwrap_or(Backend::Solus);
        all.entry(backend).or_default().without_files.insert(c.package.clone());
    }
    all
}
