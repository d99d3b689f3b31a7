//! A tree beside what lies in the folder that it is written to.

mod companions;
mod manifests;
mod summary;

use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use companions::Companions;
use rocpkg_model::Findings;
use rocpkg_render::{Companion, Difference, Report, WriteOptions, check, read_text, write, written};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
pub use summary::Summary;

/// How a tree is written: by default nothing that was changed by hand is replaced, and nothing is removed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Output {
    force: bool,
    keep: bool,
    prune: bool,
    partial: bool,
    files: Option<PathBuf>,
    checkout: Option<Backend>,
}

impl Output {
    /// Files that were changed by hand or are not ours are replaced.
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Such files stay as they are, and the others are written. They stop the run otherwise.
    #[must_use]
    pub fn keep(mut self, keep: bool) -> Self {
        self.keep = keep;
        self
    }

    /// Files of ours that are no longer rendered are removed.
    #[must_use]
    pub fn prune(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    /// A Manifest of Gentoo's is written although it does not know all archives.
    #[must_use]
    pub fn partial_manifests(mut self, partial: bool) -> Self {
        self.partial = partial;
        self
    }

    /// Local patches and other companions of recipes are taken from this folder.
    #[must_use]
    pub fn files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files = Some(folder.into());
        self
    }

    /// The folder is a checkout of this distribution's own repository: its packages lie there as they do upstream, the others'
    /// are left out.
    #[must_use]
    pub fn checkout(mut self, backend: Backend) -> Self {
        self.checkout = Some(backend);
        self
    }
}

/// What was done.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// The files.
    pub report: Report,
    /// Companions that nobody supplied, by path.
    pub missing: Vec<String>,
    /// What can be built now, and what lacks what, by distribution.
    pub summaries: BTreeMap<Backend, Summary>,
}

/// A tree that is made ready for a folder.
struct Ready {
    tree: Tree,
    options: WriteOptions,
    missing: Vec<Companion>,
}

impl Stack {
    /// Writes a tree into a folder, all or nothing. What is there has a say: recipes that count go on from it, a Manifest keeps the
    /// lines that tools added, and files that were changed by hand are not replaced.
    ///
    /// # Errors
    /// When a file is in the way, a companion is not what its recipe states, or the system refuses something.
    pub fn write(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Written, Error> {
        let Ready { tree, options, missing } = self.ready(tree, out, output)?;
        let report = write(&tree.files, out, &options)?;
        let summaries = summary::summaries(&tree, out, &missing);
        Ok(Written { report, missing: missing.into_iter().map(|c| c.path).collect(), summaries })
    }

    /// How the files in a folder differ from what [`Stack::write`] would leave there, but for those that `keep` leaves.
    ///
    /// # Errors
    /// As there.
    pub fn compare(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Vec<Difference>, Error> {
        let Ready { tree, options, .. } = self.ready(tree, out, output)?;
        Ok(check(&tree.files, out, &options)?)
    }

    fn ready(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Ready, Error> {
        let mut tree = tree.clone();
        if let Some(backend) = output.checkout {
            tree = tree.in_checkout(backend)?;
        }
        take_shared(&mut tree, out)?;
        let mut findings = Findings::default();
        let Companions { missing, present } =
            companions::take(output.files.as_deref(), out, &mut tree, self.model(), &mut findings)?;
        if findings.has_errors() {
            let mut all = tree.findings.clone();
            all.append(findings);
            return Err(self.wrong(all));
        }
        let mut options = WriteOptions {
            force: output.force,
            keep: output.keep,
            prune: output.prune,
            scope: tree.scope.clone(),
            present,
            ..WriteOptions::default()
        };
        go_on(&mut tree, out)?;
        manifests::join(&mut tree, out, &written(out)?, output.partial, &mut options)?;
        Ok(Ready { tree, options, missing })
    }
}

/// Files that count go on from those that lie in their places. What can't be read would begin to count anew.
fn go_on(tree: &mut Tree, out: &Path) -> Result<(), Error> {
    for (path, backend) in &tree.continued {
        let Some(present) = read_text(&out.join(path))? else { continue };
        let rendered = tree.files.get(path).and_then(|b| std::str::from_utf8(b).ok());
        if let Some(counted) = rendered.map(|rendered| backend.continued(rendered, &present)) {
            tree.files.replace(path.as_str(), counted)?;
        }
    }
    Ok(())
}

/// What a whole tree needs beside its packages, where it is not there yet.
fn take_shared(tree: &mut Tree, out: &Path) -> Result<(), Error> {
    let top = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let shared = std::mem::take(&mut tree.shared);
    let folders: BTreeSet<String> = tree.files.iter().map(|(p, _)| top(p.as_str())).collect();
    for (path, bytes) in shared.iter() {
        // Nothing of a distribution without one of the packages.
        if folders.contains(&top(path.as_str())) && !out.join(path.as_str()).exists() {
            tree.files.insert(path.as_str(), bytes)?;
        }
    }
    Ok(())
}
