//! A tree beside what lies in the folder that it is written to.

mod checkout;
mod companions;
mod git;
mod history;
mod manifests;
mod options;
mod repository;
mod scope;
mod srcinfo;
mod summary;

use crate::backend::Backend;
use crate::error::Error;
use crate::select::Stopped;
use crate::stack::Stack;
use crate::sums;
use crate::tree::Tree;
pub use checkout::Checkout;
use companions::Companions;
use git::Git;
use history::{Hands, Look};
pub use options::{Eclass, Output};
use rocpkg_model::Findings;
use rocpkg_render::{Companion, Difference, MANIFEST, Manifest, Report, WriteOptions, check, write};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
pub use summary::Summary;

/// What was done.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// The files.
    pub report: Report,
    /// Files in which changes by hand and the new rendering meet in the same lines: both stand there between git's markers.
    pub conflicts: Vec<String>,
    /// What could not be done beside the files, and what does it.
    pub notes: Vec<String>,
    /// What can be built now, and what lacks what, by distribution.
    pub summaries: BTreeMap<Backend, Summary>,
    /// Warnings and notes: those of the tree, and of checksums that the files there don't state either.
    pub findings: Findings,
    /// As [`Tree::stopped`], and packages of which a checksum is not known.
    pub stopped: Vec<Stopped>,
    /// What is wrong with those.
    pub faults: Findings,
}

/// What would be done.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Compared {
    /// How the files differ.
    pub differences: Vec<Difference>,
    /// As [`Written::findings`].
    pub findings: Findings,
    /// As [`Written::stopped`].
    pub stopped: Vec<Stopped>,
    /// As [`Written::faults`].
    pub faults: Findings,
}

/// A tree that is made ready for a folder.
struct Ready {
    tree: Tree,
    options: WriteOptions,
    missing: Vec<Companion>,
    hands: Hands,
    git: Option<Git>,
}

impl Stack {
    /// Writes a tree into a folder, all or nothing. What is there has a say: recipes go on from it, a Manifest keeps the lines that tools
    /// added, and files that were changed by hand are not replaced.
    ///
    /// # Errors
    /// When a file is in the way, a companion is not what its recipe states, or the system refuses something.
    pub fn write(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Written, Error> {
        let Ready { tree, options, missing, hands, git } = self.ready(tree, out, output)?;
        let mut report = write(&tree.files, out, &options)?;
        if let Some(git) = git.filter(|_| output.checkout.is_some() || !hands.bases.is_empty()) {
            let paths = report.written.iter().filter(|path| !options.bases.contains_key(*path));
            git.store(paths, &hands.bases)?;
        }
        report.kept.extend(hands.kept);
        let Hands { conflicts, notes, .. } = hands;
        let summaries = summary::summaries(&tree, missing, &conflicts);
        let Tree { findings, stopped, faults, .. } = tree;
        Ok(Written { report, conflicts, notes, summaries, findings, stopped, faults })
    }

    /// How the files in a folder differ from what [`Stack::write`] would leave there, but for those that `keep` leaves.
    ///
    /// # Errors
    /// As there.
    pub fn compare(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Compared, Error> {
        let Ready { tree, options, .. } = self.ready(tree, out, output)?;
        let differences = check(&tree.files, out, &options)?;
        let Tree { findings, stopped, faults, .. } = tree;
        Ok(Compared { differences, findings, stopped, faults })
    }

    fn ready(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Ready, Error> {
        let mut tree = tree.clone();
        let git = Git::of(out)?;
        let mut options = WriteOptions {
            force: output.force,
            keep: output.keep,
            prune: output.prune,
            ..WriteOptions::default()
        };
        if let Some(checkout) = &output.checkout {
            tree = checkout.placed(tree)?;
            // One that lies there is shared with all who clone; else it is no file of the work tree.
            let own = git.as_ref().map(Git::manifest);
            options.manifest = own.filter(|_| !out.join(MANIFEST).exists());
        }
        let ours = options.manifest(out)?;
        match &output.checkout {
            Some(checkout) => fit(checkout, &mut tree, out, (output, &ours), &mut options)?,
            None => take_shared(&mut tree, out)?,
        }
        let mut findings = Findings::default();
        let Companions { missing, present } =
            companions::take(output.files.as_deref(), out, &mut tree, self.model(), &mut findings)?;
        if findings.has_errors() {
            let mut all = tree.findings.clone();
            all.append(findings);
            return Err(self.wrong(all));
        }
        options.present.extend(present);
        let lacking = sums::lacking(&tree);
        history::go_on(&mut tree, out)?;
        manifests::join(&mut tree, out, &ours, output, &mut options)?;
        if let Some(allowed) = tree.open {
            sums::take_stated(&mut tree, &lacking);
            let lacking = sums::findings(tree.lacking(), allowed);
            tree.stop(lacking).map_err(|findings| self.wrong(findings))?;
        }
        let hands = Look { out, output, ours: &ours, git: git.as_ref() }.at(&mut tree, &mut options)?;
        if let Some(checkout) = output.checkout.as_ref().filter(|c| c.backend() == Backend::Nix) {
            scope::join(&mut tree, out, checkout.prefix, &ours, &options)?;
        }
        options.scope.clone_from(&tree.scope);
        if hands.refused.is_empty() || output.keep || output.force {
            Ok(Ready { tree, options, missing, hands, git })
        } else {
            Err(Error::Asked(hands.refused.join("\n")))
        }
    }
}

/// Fits what a tree holds beside its packages into a checkout.
fn fit(
    checkout: &Checkout,
    tree: &mut Tree,
    out: &Path,
    (output, ours): (&Output, &Manifest),
    options: &mut WriteOptions,
) -> Result<(), Error> {
    match checkout.backend() {
        Backend::Gentoo => {
            // Several versions lie side by side: one that is not rendered now is not out of date.
            if !output.prune {
                options.present.extend(ours.paths().filter(|p| p.ends_with(".ebuild")).map(str::to_owned));
            }
            repository::fit(tree, out, output.eclass, ours, options)
        }
        Backend::Nix => scope::fit(tree, out, checkout.prefix, ours, options),
        Backend::Arch | Backend::Solus => Ok(()),
    }
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
