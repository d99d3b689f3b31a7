//! A tree beside what lies in the folder that it is written to.

mod checkout;
mod companions;
mod ebuilds;
mod forks;
mod grades;
mod line_ends;
mod listed;
mod manifests;
mod options;
mod own_files;
mod recipes;
mod renderings;
mod repository;
mod review;
mod scope;
mod srcinfo;
mod stale;
mod states;
mod summary;
mod surroundings;
mod there;
mod unchecked;

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::select::Stopped;
use crate::stack::Stack;
use crate::sums;
use crate::tree::Tree;
pub use checkout::Checkout;
pub use forks::{Fork, SplitOff};
pub use grades::Grade;
pub use options::{Eclass, Output};
pub use own_files::OwnPatch;
use recipes::Edited;
pub use review::{Reviewed, Row};
use rocpkg_model::Findings;
use rocpkg_render::{Difference, Report, WriteOptions, check, write};
pub use states::State;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
pub use summary::Summary;
pub use there::Left;
pub use unchecked::NotChecked;

/// What was done.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// The files.
    pub report: Report,
    /// What recipes that lie there have no place for.
    pub left: Vec<Left>,
    /// Questions that the checks of recipes could not decide.
    pub unchecked: Vec<NotChecked>,
    /// The state of each package, by its id.
    pub states: BTreeMap<String, State>,
    /// The patches that edited recipes apply, by the package's id.
    pub patches: BTreeMap<String, Vec<OwnPatch>>,
    /// What could not be done beside the files, and what does it.
    pub notes: Vec<String>,
    /// What can be built now, and what lacks what, by distribution.
    pub summaries: BTreeMap<Backend, Summary>,
    /// Warnings and notes: those of the tree, and of checksums that the files there don't state
    /// either.
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
    /// As [`Written::left`].
    pub left: Vec<Left>,
    /// As [`Written::notes`].
    pub notes: Vec<String>,
    /// As [`Written::unchecked`].
    pub unchecked: Vec<NotChecked>,
    /// As [`Written::states`].
    pub states: BTreeMap<String, State>,
    /// As [`Written::patches`].
    pub patches: BTreeMap<String, Vec<OwnPatch>>,
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
    left: Vec<Left>,
    patches: BTreeMap<String, Vec<OwnPatch>>,
    unchecked: Vec<NotChecked>,
    kept: BTreeMap<String, usize>,
    notes: Vec<String>,
}

impl Stack {
    /// Writes a tree into a folder, all or nothing. What is there has a say: recipes of a checkout
    /// are edited and go on from what lies there, and a Manifest keeps the lines that tools added.
    ///
    /// # Errors
    /// When a file is in the way, a companion is not what its recipe states, or the system refuses
    /// something.
    pub fn write(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Written, Error> {
        let Ready {
            tree,
            options,
            left,
            patches,
            unchecked,
            kept,
            notes,
        } = self.ready(tree, out, output)?;
        let report = write(&tree.files, out, &options)?;
        let summaries = summary::summaries(&tree, &left);
        let states = states::states(&tree, &left, &kept);
        let Tree {
            findings,
            stopped,
            faults,
            ..
        } = tree;
        Ok(Written {
            report,
            left,
            unchecked,
            states,
            patches,
            notes,
            summaries,
            findings,
            stopped,
            faults,
        })
    }

    /// How the files in a folder differ from what [`Stack::write`] would leave there.
    ///
    /// # Errors
    /// As there.
    pub fn compare(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Compared, Error> {
        let Ready {
            tree,
            options,
            left,
            patches,
            unchecked,
            kept,
            notes,
        } = self.ready(tree, out, output)?;
        let differences = check(&tree.files, out, &options)?;
        let states = states::states(&tree, &left, &kept);
        let Tree {
            findings,
            stopped,
            faults,
            ..
        } = tree;
        Ok(Compared {
            differences,
            left,
            notes,
            unchecked,
            states,
            patches,
            findings,
            stopped,
            faults,
        })
    }

    /// The ids of the packages whose recipes lie in a checkout. What is wrong with other packages
    /// does not matter here.
    ///
    /// # Errors
    /// When an option can't be met.
    pub fn recipes_there(
        &self,
        options: &Options,
        out: &Path,
        checkout: &Checkout,
    ) -> Result<Vec<String>, Error> {
        let model = self.changed(options)?;
        let tree = self.make_tree(&model, &[checkout.backend()], options)?;
        if tree.owners.is_empty() {
            // Nothing is of the release: that is the fault.
            self.render(options)?;
        }
        let tree = checkout.placed(tree)?;
        Ok(recipes::places(&tree, out)
            .map(|(_, _, _, id)| id.to_owned())
            .collect())
    }

    fn ready(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Ready, Error> {
        let mut tree = tree.clone();
        let mut options = WriteOptions {
            checkout: output.checkout.is_some(),
            prune: output.prune && output.checkout.is_none(),
            ..WriteOptions::default()
        };
        if let Some(checkout) = &output.checkout {
            tree = checkout.placed(tree)?;
        }
        let ours = options.manifest(out)?;
        let mut notes = Vec::new();
        match output.checkout.as_ref().map(Checkout::backend) {
            Some(Backend::Gentoo) => {
                notes = repository::fit(self, &mut tree, out, output.eclass, &mut options)?;
            }
            Some(_) => {}
            None => take_shared(&mut tree, out)?,
        }
        let mut findings = Findings::default();
        let present = companions::take(
            output.files.as_deref(),
            (out, output.checkout.is_some()),
            &mut tree,
            self.model(),
            &mut findings,
        )?;
        if findings.has_errors() {
            let mut all = tree.findings.clone();
            all.append(findings);
            return Err(self.wrong(all));
        }
        options.present.extend(present);
        let lacking = sums::lacking(&tree);
        let Edited {
            left,
            unchecked,
            by_hand,
            patches,
            kept,
            made_from_crlf,
        } = match &output.checkout {
            Some(checkout) => {
                recipes::edit(self, &mut tree, (out, checkout), output, &mut options)?
            }
            None => recipes::count(&mut tree, out)?,
        };
        let (comments, mut left): (Vec<Left>, Vec<Left>) =
            left.into_iter().partition(Left::is_comment);
        notes.extend(comments.iter().map(|comment| {
            let Left {
                path, line, there, ..
            } = comment;
            let text = there.as_deref().unwrap_or_default();
            format!("{path}:{line}: the comment `{text}` was removed with the item below it")
        }));
        manifests::join(&mut tree, out, &ours, &mut options)?;
        if let Some(allowed) = tree.open {
            sums::take_stated(&mut tree, &lacking);
            let lacking = sums::findings(tree.lacking(), allowed);
            tree.stop(lacking)
                .map_err(|findings| self.wrong(findings))?;
        }
        notes.extend(srcinfo::follow(&mut tree, out, &by_hand, &mut options)?);
        if let Some(checkout) = output
            .checkout
            .as_ref()
            .filter(|c| c.backend() == Backend::Nix)
        {
            notes.extend(scope::join(&mut tree, out, &checkout.prefix)?);
        }
        if output.checkout.is_some() {
            left.extend(listed::stale(&tree, out, &by_hand)?);
            left.sort_by(|a, b| (&a.package, &a.path, a.line).cmp(&(&b.package, &b.path, b.line)));
        }
        line_ends::restore(&mut tree, out, &made_from_crlf, &options)?;
        if output
            .checkout
            .as_ref()
            .is_some_and(|c| c.backend() == Backend::Gentoo)
        {
            notes.extend(repository::unlisted(&tree, out)?);
        }
        tree.scope.extend(moved(&tree, ours.paths()));
        options.scope.clone_from(&tree.scope);
        options.last = tree.recipes().map(|(path, _)| path.to_owned()).collect();
        Ok(Ready {
            tree,
            options,
            left,
            patches,
            unchecked,
            kept,
            notes,
        })
    }
}

/// The folders of ours in which packages of Gentoo lay under another category, and where no other
/// package lies.
fn moved<'p>(tree: &Tree, ours: impl Iterator<Item = &'p str>) -> BTreeSet<String> {
    let below = format!("{}/", Backend::Gentoo.folder());
    let name = |home: &str| Some(home.strip_prefix(&below)?.split_once('/')?.1.to_owned());
    let asked: BTreeSet<String> = tree.scope.iter().filter_map(|home| name(home)).collect();
    let homes = ours.filter_map(|path| path.match_indices('/').nth(2).map(|(end, _)| &path[..end]));
    let moved = homes.filter(|home| name(home).is_some_and(|name| asked.contains(&name)));
    moved
        .filter(|home| !tree.others.contains(*home))
        .map(str::to_owned)
        .collect()
}

/// What a whole tree needs beside its packages, where it is not there yet.
fn take_shared(tree: &mut Tree, out: &Path) -> Result<(), Error> {
    let top = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let shared = std::mem::take(&mut tree.shared);
    let folders: BTreeSet<String> = tree.files.iter().map(|(p, _)| top(p.as_str())).collect();
    for (path, bytes) in &shared {
        // Nothing of a distribution without one of the packages.
        if folders.contains(&top(path.as_str())) && !out.join(path.as_str()).exists() {
            tree.files.insert(path.as_str(), bytes)?;
        }
    }
    Ok(())
}
