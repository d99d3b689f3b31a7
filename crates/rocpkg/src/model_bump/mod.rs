//! Moves distributions of the model to another release. This edits the profiles, and lists the
//! items that a person has to review.
//!
//! The key `checked-at` of a profile states the release at which its facts were checked. A bump
//! does not change it, so these facts count as unchecked at the new release. If a folder states
//! only its version, that version is added as `checked-at` before the version moves
//! (`resolve/src/layer/checked_at.rs`).

mod edits;
mod folder;
mod line;
mod review_item;
mod table;

use crate::backend::Backend;
use crate::changes::{Dated, between, printed};
use crate::error::Error;
use crate::names::is_named;
use crate::options::Options;
use crate::seen_tag::SeenTag;
use crate::stack::Stack;
use edits::Mover;
use folder::Folder;
pub use review_item::{ReviewItem, Risk};
use rocpkg_model::{Files, Findings};
use rocpkg_render::{Difference, FileTree, Report, WriteOptions, check, read_text, write};
use rocpkg_resolve::{Choice, Plan, Planned, Release};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

/// The options for writing the edited profiles. The edited profiles may replace the existing ones,
/// because they were made from them.
static IN_PLACE: LazyLock<WriteOptions> = LazyLock::new(|| WriteOptions {
    checkout: true,
    ..WriteOptions::default()
});

/// A request to move distributions to another release.
#[derive(Clone, Debug)]
pub struct Bump {
    /// The release to move to.
    pub version: Release,
    /// The distributions that are to move.
    pub backends: Vec<Backend>,
    /// The packages that are to move, by any of their names. If empty, all packages.
    pub packages: Vec<String>,
    /// The tag of the release in one of upstream's repositories. If `None`, the tag of a release
    /// that the model does not have is guessed.
    pub tag: Option<SeenTag>,
    /// Checksums to add to the release's table. Each is the name of a text for messages, and the
    /// text: the output of `rocpkg sums`, or YAML with a row of checksums for each source.
    pub sums: Vec<(String, String)>,
}

impl Bump {
    /// Returns a request to move all packages of all distributions to a release.
    pub fn new(version: Release) -> Self {
        Self {
            version,
            backends: Backend::ALL.to_vec(),
            packages: Vec::new(),
            tag: None,
            sums: Vec::new(),
        }
    }
}

/// The result of a bump.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Bumped {
    /// The release, as the model writes it.
    pub version: String,
    /// The changed profiles of the layer, with their whole new texts, by path in the layer's
    /// folder.
    pub files: Files,
    /// The texts of these files before the bump. New files are absent.
    read: Files,
    /// The distributions that move.
    pub moved: Vec<ModelBump>,
    /// The distributions in which nothing moves, with the version that they have: all requested
    /// packages have this release or a newer one, or the distribution has none of them.
    pub left: Vec<(&'static str, String)>,
    /// The items that a person has to review, the riskiest first.
    pub look: Vec<ReviewItem>,
}

/// A distribution that moves to another release.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct ModelBump {
    /// The distribution.
    #[cfg_attr(feature = "serde", serde(rename = "distribution"))]
    pub distro: &'static str,
    /// The release before the bump: that of the distribution, or if only some packages move, the
    /// oldest of theirs.
    pub from: String,
    /// The packages of the distribution whose printed version changes.
    pub packages: Vec<BumpedPackage>,
}

/// A package that moves to another release.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct BumpedPackage {
    /// The package's id.
    pub id: String,
    /// The distribution's name for the package.
    pub name: String,
    /// The package's version before the bump, as recipes print it.
    pub from: String,
    /// The package's version after the bump.
    pub to: String,
}

impl Stack {
    /// Moves distributions to a release by edits of the profiles of one layer. If several layers
    /// have the name `layer`, the last one is edited. The edited profiles are in the result;
    /// nothing is written to disk.
    ///
    /// # Errors
    /// Errors in the profiles before or after the edits; a package name that is unknown; a checksum
    /// that differs from a known one; a value that can't be edited without changing another value.
    pub fn bump(&self, layer: &str, bump: &Bump) -> Result<Bumped, Error> {
        let mut folder = Folder::of(self, layer)?;
        let version = edits::spelt(self.model(), &bump.version);
        let mut out = Bumped {
            version: version.to_string(),
            ..Bumped::default()
        };
        let movers = self.movers(bump, &version, &mut out)?;
        if movers.is_empty() && bump.sums.is_empty() {
            return Ok(out);
        }
        let mut notes = line::release(&mut folder, self.model(), (bump, &version))?;
        for (name, text) in &bump.sums {
            notes.extend(table::sums(&mut folder, &version, name, text)?);
        }
        let with = folder.stack();
        for mover in &movers {
            let new = with.dated(mover.backend, &Choice::Release(version.clone()))?;
            let whole = bump.packages.is_empty();
            if let Some((_, missing)) = new
                .absent
                .iter()
                .find(|(id, _)| !whole && mover.ids.contains(*id))
            {
                let mut findings = Findings::default();
                findings.push(missing.clone());
                return Err(with.problems(findings));
            }
            let texts = (self.sources(), with.sources());
            edits::distro(
                &mut folder,
                mover,
                (&new, &version),
                whole,
                texts,
                &mut notes,
            )?;
        }
        (out.read, out.files) = folder.changed();
        let next = folder.stack();
        if next.findings().has_errors() {
            return Err(next.problems(next.findings().clone()));
        }
        let backends: Vec<Backend> = movers.iter().map(|mover| mover.backend).collect();
        let mut options = Options {
            backends: backends.clone(),
            ..Options::everything()
        };
        if !bump.packages.is_empty() {
            options.packages = movers
                .iter()
                .flat_map(|mover| &mover.ids)
                .cloned()
                .collect();
        }
        let tree = next.make_tree(next.loaded(), &backends, &options)?;
        // Errors in any of the new plans are returned before the items for review are collected.
        let new = movers
            .iter()
            .map(|mover| next.dated(mover.backend, &Choice::Shipped));
        let new = new.collect::<Result<Vec<Dated>, Error>>()?;
        let mut looks = review_item::Looks::new(&next);
        looks.notes(notes);
        let plans: Vec<&Plan> = new.iter().map(|new| &new.plan).collect();
        looks.tree(&tree, &plans);
        for (Mover { backend, old, ids }, new) in movers.iter().zip(&new) {
            let changes = between(*backend, old, self.sources(), new, next.sources());
            looks.distro(*backend, &new.plan, ids, &changes);
            out.moved
                .push(record(*backend, old, new, ids, bump.packages.is_empty()));
        }
        out.look = looks.sorted();
        Ok(out)
    }

    /// Returns the distributions that `bump` moves to the release `version`, each with the packages
    /// that move. Adds the other requested distributions to `out.left`.
    fn movers(
        &self,
        bump: &Bump,
        version: &Release,
        out: &mut Bumped,
    ) -> Result<Vec<Mover>, Error> {
        let mut before = Vec::new();
        for backend in bump.backends.iter().copied() {
            before.push((backend, self.dated(backend, &Choice::Shipped)?));
        }
        let plans = || before.iter().map(|(_, old)| &old.plan);
        let is_there =
            |name: &&String| plans().any(|plan| plan.packages.iter().any(|p| is_named(p, name)));
        if let Some(name) = bump.packages.iter().find(|name| !is_there(name)) {
            return Err(self.no_package(plans(), name));
        }
        let mut movers = Vec::new();
        for (backend, old) in before {
            let is_meant = |p: &&Planned| {
                bump.packages.is_empty() || bump.packages.iter().any(|name| is_named(p, name))
            };
            let meant: Vec<&Planned> = old.plan.packages.iter().filter(is_meant).collect();
            let ids: BTreeSet<String> = meant
                .iter()
                .filter(|p| p.version < *version)
                .map(|p| p.id.clone())
                .collect();
            let shipped = &old.plan.version;
            let stays = if bump.packages.is_empty() {
                shipped >= version
            } else {
                ids.is_empty()
            };
            if stays {
                let own = meant
                    .iter()
                    .map(|p| &p.version)
                    .min()
                    .filter(|_| !bump.packages.is_empty());
                out.left.push((
                    backend.distro(),
                    own.unwrap_or(shipped).release().to_owned(),
                ));
            } else {
                movers.push(Mover { backend, old, ids });
            }
        }
        Ok(movers)
    }
}

/// Returns the record of a distribution that moved from the packages `old` to the packages `new`.
/// `ids` are the packages that move. `whole` is true if the distribution moves as a whole.
fn record(
    backend: Backend,
    old: &Dated,
    new: &Dated,
    ids: &BTreeSet<String>,
    whole: bool,
) -> ModelBump {
    let mut packages = Vec::new();
    for p in new.plan.packages.iter().filter(|p| ids.contains(&p.id)) {
        let Some(before) = old.plan.get(&p.id) else {
            continue;
        };
        let (from, to) = (printed(&old.plan, before), printed(&new.plan, p));
        if from != to {
            packages.push(BumpedPackage {
                id: p.id.clone(),
                name: p.name.clone(),
                from,
                to,
            });
        }
    }
    let before = ids
        .iter()
        .filter_map(|id| old.plan.get(id))
        .map(|p| &p.version)
        .min();
    let begun = before.filter(|_| !whole).unwrap_or(&old.plan.version);
    ModelBump {
        distro: backend.distro(),
        from: begun.release().to_owned(),
        packages,
    }
}

impl Bumped {
    /// Returns the differences between the edited profiles and the files in `folder`, which
    /// [`Bumped::write`] would write.
    ///
    /// # Errors
    /// If a file can't be read, or was changed since the profiles were read.
    pub fn differences(&self, folder: &Path) -> Result<Vec<Difference>, Error> {
        Ok(check(&self.output(folder)?, folder, &IN_PLACE)?)
    }

    /// Writes the edited profiles to `folder`. With an error, no file is changed.
    ///
    /// # Errors
    /// If a file was changed since the profiles were read, or if a file can't be written.
    pub fn write(&self, folder: &Path) -> Result<Report, Error> {
        Ok(write(&self.output(folder)?, folder, &IN_PLACE)?)
    }

    fn output(&self, folder: &Path) -> Result<FileTree, Error> {
        let mut tree = FileTree::default();
        for (path, text) in &self.files {
            let at = folder.join(path);
            if read_text(&at)?.as_ref() != self.read.get(path) {
                return Err(Error::profile(
                    at.display().to_string(),
                    "changed since it was read",
                ));
            }
            tree.insert(path.as_str(), text.as_bytes())?;
        }
        Ok(tree)
    }
}
