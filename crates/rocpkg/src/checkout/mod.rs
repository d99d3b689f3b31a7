//! Merging a rendered tree with the files of the folder that it is written to. [`Stack::write`] is
//! the entry, and [`bump`] moves a checkout to another release.

mod asked;
mod bump_request;
mod committed;
mod companions;
mod compilers;
mod counters;
mod dependents;
mod earlier_bump;
mod ebuilds;
mod existing_recipe;
mod fetched;
mod folder_kind;
mod forks;
mod gate;
mod grades;
mod left_out;
mod leftovers;
mod line_ends;
mod listed;
mod makepkg;
mod manifests;
mod masters;
mod moved_lines;
mod nix_files;
mod nix_pin;
mod nix_pins;
mod nix_tables;
mod older_sources;
mod options;
mod other_files;
mod own_files;
// Without the feature `upstream`, no patch is tried.
#[cfg_attr(not(feature = "upstream"), allow(dead_code))]
pub(crate) mod patches;
mod ranges;
mod recipe_bump;
mod renderings;
mod reports;
mod repository;
mod review;
mod run;
mod scope;
mod srcinfo;
mod stale;
mod surroundings;
mod todo;
mod unchecked;
mod unmade;
mod upstreamed;

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
#[cfg(feature = "upstream")]
pub use crate::probe::SourceTrees;
#[cfg(feature = "upstream")]
use crate::probe::{TriedPatch, try_patches};
use crate::select::Stopped;
use crate::stack::Stack;
use crate::sums;
use crate::tree::Tree;
pub use bump_request::BumpRequest;
use existing_recipe::{Conflict, ExistingRecipe, RecipePaths};
pub use folder_kind::Checkout;
pub use forks::Fork;
pub use grades::Grade;
pub use left_out::{LeftOut, LeftOutReason};
#[doc(hidden)]
pub use options::UpstreamedPatch;
pub use options::{Eclass, Output};
use recipe_bump::{Edited, Kept, Stated};
pub use review::{Reviewed, Row};
use rocpkg_model::Findings;
use rocpkg_render::{Companion, WriteOptions, check, read, write};
pub use rocpkg_render::{Difference, DifferenceKind, Report, WriteError};
use rocpkg_resolve::{Choice, Planned, Release};
pub use run::{BumpReport, RecipeEdits, bump};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use surroundings::folder;
pub use todo::{Ending, RecipeReport, Todo, TodoKind, TodoPlace, UnmadeChange, ending};
pub use unchecked::NotChecked;
#[doc(hidden)]
pub use upstreamed::RemovedPatch;

/// The result of [`Stack::write`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// The files that were written.
    pub report: Report,
    /// The packages' ids by the paths of their files, whether these were written or not. Files of a
    /// whole distribution are absent.
    pub owners: BTreeMap<String, String>,
    /// The facts about the run that do not depend on writing.
    pub merged: Merged,
}

/// The result of [`Stack::compare`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Compared {
    /// The differences between the existing files and the files that would be written.
    pub differences: Vec<Difference>,
    /// The other facts about the run.
    pub merged: Merged,
}

/// The facts about a tree that was merged with the files of a folder.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Merged {
    /// A report on each recipe, with all that is left.
    pub recipes: Vec<RecipeReport>,
    /// The number of packages of each distribution, without those that were left out.
    #[doc(hidden)]
    pub packages: BTreeMap<Backend, usize>,
    /// The packages that were left out, because a fact of theirs is a guess: distributions and ids.
    #[doc(hidden)]
    pub guessed: BTreeSet<(Backend, String)>,
    /// The packages that were left out, because a checksum is unknown: distributions and ids.
    #[doc(hidden)]
    pub without_sums: BTreeSet<(Backend, String)>,
    /// The ids of the packages that each package needs to be built or to run, by distribution and
    /// id.
    #[doc(hidden)]
    pub needs: BTreeMap<(Backend, String), BTreeSet<String>>,
    /// The files that recipes name and nobody supplied. A file of a whole distribution has no
    /// package.
    #[doc(hidden)]
    pub missing: Vec<Companion>,
    /// Questions that the checks of the recipes could not decide.
    pub unchecked: Vec<NotChecked>,
    /// The existing ebuilds that new ebuilds were made from, by the paths of the new ebuilds. Paths
    /// are relative to the checkout. Empty for other distributions than Gentoo.
    #[doc(hidden)]
    pub bases: BTreeMap<String, String>,
    /// The patches that were removed from recipes, as [`Output::upstreamed`] requests.
    #[doc(hidden)]
    pub removed_patches: Vec<RemovedPatch>,
    /// Notes about files of the checkout that are no recipes.
    pub notes: Vec<String>,
    /// Warnings and notes of the tree. Warnings about unknown checksums are included, except for
    /// checksums that the existing files state.
    pub findings: Findings,
    /// Packages that were requested by name and not written, because they, or a package that they
    /// need, have an error. Unlike [`Tree::stopped`], the list contains the packages that lack a
    /// checksum in the existing files too.
    pub stopped: Vec<Stopped>,
    /// The errors of the packages in [`Merged::stopped`].
    pub faults: Findings,
}

/// A tree that is merged with the files of a folder and ready to be written.
struct Ready {
    tree: Tree,
    options: WriteOptions,
    conflicts: Vec<Conflict>,
    /// Further todos, by the paths of their recipes.
    remarks: Vec<Todo>,
    /// As in [`Edited::rendered`].
    rendered: BTreeMap<String, String>,
    /// As in [`Edited::left`].
    left: BTreeMap<String, String>,
    /// As in [`Edited::stated`].
    stated: BTreeMap<String, Stated>,
    bases: BTreeMap<String, String>,
    removed_patches: Vec<RemovedPatch>,
    unchecked: Vec<NotChecked>,
    kept: BTreeMap<String, Kept>,
    notes: Vec<String>,
}

impl Ready {
    /// Returns the facts about the run. `changed` are the paths of the files that change.
    ///
    /// # Errors
    /// When a release of the tree can't be planned.
    fn merged<'p>(
        mut self,
        stack: &Stack,
        out: &Path,
        output: &Output,
        changed: impl Iterator<Item = &'p str>,
    ) -> Result<Merged, Error> {
        let checkout = output.checkout.as_ref();
        let mut recipes = reports::reports(stack, &mut self, out, checkout, &output.tried)?;
        let changed: BTreeSet<&str> = changed.collect();
        for report in &mut recipes {
            let home = folder(&report.recipe);
            let is_part = |path: &&str| {
                !report.backend.keeps_several()
                    && folder(path) == home
                    && report.backend.is_recipe(path)
            };
            report.is_changed =
                changed.contains(report.recipe.as_str()) || changed.iter().any(is_part);
        }
        let Tree {
            packages,
            guessed,
            without_sums,
            needs,
            companions,
            findings,
            stopped,
            faults,
            ..
        } = self.tree;
        Ok(Merged {
            recipes,
            packages,
            guessed,
            without_sums,
            needs,
            missing: companions,
            unchecked: self.unchecked,
            bases: self.bases,
            removed_patches: self.removed_patches,
            notes: self.notes,
            findings,
            stopped,
            faults,
        })
    }
}

impl Stack {
    /// Writes `tree` into the folder `out`: all files or none. Existing files are merged: recipes
    /// of a checkout are edited and keep manual edits, and a Manifest keeps the lines that tools
    /// added.
    ///
    /// # Errors
    /// When an existing file must not be replaced, a file that the user supplies has another
    /// checksum than its recipe states, a checksum is unknown and must be known, or the system
    /// refuses to read or write a file.
    pub fn write(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Written, Error> {
        let ready = self.ready(tree, out, output)?;
        if !output.protected.is_empty() {
            let changed = check(&ready.tree.files, out, &ready.options)?;
            protect(&changed, "", &output.protected)?;
        }
        let report = write(&ready.tree.files, out, &ready.options)?;
        let owned = ready.tree.owners.iter();
        let owners = owned.map(|(path, (_, id))| (path.clone(), id.clone()));
        let owners = owners.collect();
        let changed: Vec<String> = report.written.clone();
        let changed = changed.iter().map(String::as_str);
        Ok(Written {
            merged: ready.merged(self, out, output, changed)?,
            report,
            owners,
        })
    }

    /// Returns the differences between the files of the folder `out` and the files that
    /// [`Stack::write`] would write into it. Nothing is written.
    ///
    /// # Errors
    /// The errors of [`Stack::write`], except those of writing.
    pub fn compare(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Compared, Error> {
        let ready = self.ready(tree, out, output)?;
        let mut differences = check(&ready.tree.files, out, &ready.options)?;
        for (path, base, _, _) in recipe_bump::places(&ready.tree, out) {
            let new = differences.iter_mut().find(|d| d.path == path);
            if let (Some(new), Some(bytes)) = (new, ready.tree.files.get(path))
                && base != path
            {
                // A new ebuild is a copy of an older one.
                let old = read(&out.join(&base))?.unwrap_or_default();
                *new = Difference::copy(path, &base, &old, bytes);
            }
        }
        let changed: Vec<String> = differences.iter().map(|d| d.path.clone()).collect();
        let changed = changed.iter().map(String::as_str);
        Ok(Compared {
            merged: ready.merged(self, out, output, changed)?,
            differences,
        })
    }

    /// Returns the packages that have a recipe in `checkout`, whose folder is `out`, by their ids,
    /// each with the paths of its recipes. A
    /// package whose ebuilds are all newer than the release that `options` request is left out.
    /// Errors in the profiles of other packages don't matter here.
    ///
    /// # Errors
    /// When no package has the release that `options` request, or the packages can't be rendered.
    #[doc(hidden)]
    pub fn recipes_there(
        &self,
        options: &Options,
        out: &Path,
        checkout: &Checkout,
    ) -> Result<BTreeMap<String, Vec<String>>, Error> {
        let tree = self.placed(options, out, checkout)?;
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (_, place, _, id) in recipe_bump::places(&tree, out) {
            all.entry(id.to_owned()).or_default().push(place);
        }
        Ok(all)
    }

    /// Returns the model's releases that recipes in `checkout`, whose folder is `out`, state, each
    /// with the number of packages. A package counts with its newest recipe.
    ///
    /// # Errors
    /// When the packages can't be rendered.
    #[doc(hidden)]
    pub fn releases_there(
        &self,
        out: &Path,
        checkout: &Checkout,
    ) -> Result<BTreeMap<Release, usize>, Error> {
        let backend = checkout.backend();
        let options = Options {
            backends: vec![backend],
            choices: self
                .model()
                .newest()
                .map(Choice::Release)
                .into_iter()
                .collect(),
            ..Options::everything()
        };
        let pins = nix_pins::pins(self, out, checkout)?;
        let stated = |id: &str, path: &String| {
            let text = rocpkg_render::read_text(&out.join(path)).ok()??;
            let recipe = backend.reading(path).read(&text).ok()?;
            let release = fetched::fetched(self, backend, &recipe);
            let paths = RecipePaths { path, place: path };
            let existing = ExistingRecipe::new(paths, backend, id, recipe);
            let existing = nix_tables::with_pin(existing, &pins);
            self.release_of(existing.version.as_deref()).or(release)
        };
        let mut all = BTreeMap::new();
        for (id, paths) in self.recipes_there(&options, out, checkout)? {
            if let Some(release) = paths.iter().filter_map(|path| stated(&id, path)).max() {
                *all.entry(release).or_default() += 1;
            }
        }
        Ok(all)
    }

    /// Renders the packages that `options` request, with their paths in `checkout`, whose folder is
    /// `out`. Packages without a folder in the checkout may be left out.
    fn placed(&self, options: &Options, out: &Path, checkout: &Checkout) -> Result<Tree, Error> {
        let backend = checkout.backend();
        let there = self.with_folders(options, out, checkout);
        let tree = if there.is_empty() {
            self.make_tree(&*self.changed(options)?, &[backend], options)?
        } else {
            self.make_only(backend, options, &there)?
        };
        if tree.owners.is_empty() {
            // If no package is of the release, rendering reports that as an error.
            self.render(options)?;
        }
        checkout.placed(tree)
    }

    /// Returns the ids of the packages that have a folder in `checkout`, whose folder is `out`, and
    /// of those that have a fork there. Returns none for a checkout of a single package, and for a
    /// scope, in which packages may be elsewhere.
    fn with_folders(&self, options: &Options, out: &Path, checkout: &Checkout) -> BTreeSet<String> {
        let backend = checkout.backend();
        if checkout.package().is_some() || backend.needs_all() {
            return BTreeSet::new();
        }
        let forks = checkout.forks().iter();
        let mut all: BTreeSet<String> = forks.map(|fork| fork.package.clone()).collect();
        let choices = match options.choices.as_slice() {
            [] => &[Choice::Shipped],
            choices => choices,
        };
        for choice in choices {
            let plan = self
                .loaded()
                .plan(backend, choice, &mut Findings::default());
            let Some(plan) = plan else { continue };
            let has_folder = |p: &&Planned| {
                let home = backend.implementation().package_folder(&plan, p);
                out.join(backend.in_checkout(&format!("{home}/"))).exists()
            };
            let there = plan.packages.iter().filter(has_folder);
            all.extend(there.map(|p| p.id.clone()));
        }
        all
    }

    /// Tries the patches that the existing recipes of `checkout` apply, on upstream's sources of
    /// the release that `options` request. `out` is the folder of the checkout. Recipes that can't
    /// be read are left out.
    ///
    /// # Errors
    /// When the packages can't be rendered, or a source can't be read.
    #[cfg(feature = "upstream")]
    pub(crate) fn try_patches(
        &self,
        options: &Options,
        checkout: &Checkout,
        out: &Path,
        trees: &SourceTrees,
    ) -> Result<Vec<TriedPatch>, Error> {
        let tree = self.placed(options, out, checkout)?;
        let choice = options.choices.first().unwrap_or(&Choice::Shipped);
        let plan = self.plan(checkout.backend(), choice)?;
        let mut all = Vec::new();
        for (_, path, backend, id) in recipe_bump::places(&tree, out) {
            let Ok(Some(text)) = rocpkg_render::read_text(&out.join(&path)) else {
                continue;
            };
            let recipe = patches::RecipeText {
                backend,
                id: id.to_owned(),
                path,
                text,
            };
            all.extend(try_patches(&recipe, &plan, out, trees)?);
        }
        Ok(all)
    }

    /// Brings the rendered `tree` in line with the existing files in `out`. All that is written or
    /// compared passes through here:
    ///
    /// 1. Paths of a checkout, or the shared files of an output folder that exist already.
    /// 2. Files that the user supplies, such as patches.
    /// 3. Recipes: edited in a checkout, else only their counters continue. This is before
    ///    checksums are missed, since an edited recipe may not need one.
    /// 4. Manifests keep the lines of other versions. Checksums that existing files state are taken
    ///    over, and packages that still lack one are dropped. A scope is rendered again without
    ///    them.
    /// 5. `.SRCINFO` follows its PKGBUILD, and the scope of nixpkgs its packages.
    /// 6. Line ends become those of the existing files.
    /// 7. In a checkout, files that must not be written are taken out.
    ///
    /// # Errors
    /// When a file can't be read or is missing, and all that [`recipe_bump::edit`] refuses.
    fn ready(&self, tree: &Tree, out: &Path, output: &Output) -> Result<Ready, Error> {
        let mut tree = tree.clone();
        let mut options = WriteOptions {
            checkout: output.checkout.is_some(),
            prune: output.prune && output.checkout.is_none(),
            ..WriteOptions::default()
        };
        if let Some(checkout) = &output.checkout {
            tree = checkout.placed(tree)?;
            let paths = tree.files.iter().map(|(path, _)| path.as_str());
            options.read = gate::seen(out, paths);
        }
        let ours = options.manifest(out)?;
        let (mut notes, mut remarks) = (Vec::new(), Vec::new());
        let mut eclass = None;
        let backend = output.checkout.as_ref().map(Checkout::backend);
        let has_repository = backend.is_some_and(|b| b.implementation().has_repository());
        if let Some(backend) = backend.filter(|_| has_repository) {
            eclass = repository::fit(self, backend, &mut tree, out, output.eclass, &mut options)?;
        } else if backend.is_none() {
            take_shared(&mut tree, out)?;
        }
        let mut findings = Findings::default();
        let present = companions::take(
            output.files.as_deref(),
            out,
            output.checkout.is_some(),
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
            mut conflicts,
            unchecked,
            by_hand,
            rendered,
            stated,
            bases,
            removed_patches,
            kept,
            made_from_crlf,
            mut left,
            tables,
            ..
        } = match &output.checkout {
            Some(checkout) => {
                recipe_bump::edit(self, &mut tree, out, checkout, output, &mut options)?
            }
            None => counters::count(&mut tree, out)?,
        };
        remarks.extend(eclass.iter().flat_map(|eclass| eclass.lacking(&tree)));
        manifests::join(&mut tree, out, &ours, &mut options)?;
        if let Some(allowed) = tree.open {
            sums::take_stated(&mut tree, &lacking);
            if let Some(next) = self.without_lacking(&tree, allowed)? {
                return self.ready(&next, out, output);
            }
            let lacking = sums::findings(tree.lacking(), allowed);
            tree.stop(lacking)
                .map_err(|findings| self.wrong(findings))?;
        }
        let stale = srcinfo::follow(&mut tree, out, &by_hand, &mut options, output.run_makepkg)?;
        remarks.extend(stale.into_iter().map(|stale| {
            let (line, column) = stale.place;
            Todo::new(&stale.recipe, TodoKind::File, stale.to_string()).at(line, column)
        }));
        if let Some(checkout) = output.checkout.as_ref().filter(|c| c.backend().needs_all()) {
            let joined = scope::join(self, &mut tree, out, checkout)?;
            notes.extend(joined.notes);
            conflicts.extend(joined.conflicts);
            for (path, text) in tables {
                tree.files.replace(path, text)?;
            }
        }
        if output.checkout.is_some() {
            conflicts.extend(listed::stale(&tree, out, &by_hand)?);
        }
        line_ends::restore(&mut tree, out, &made_from_crlf, &options)?;
        if has_repository {
            remarks.extend(repository::unlisted(&tree, out)?);
        }
        if output.checkout.is_some() {
            remarks.extend(gate::pass(&mut tree, out, &mut options, &bases, &mut left)?);
        }
        tree.scope.extend(moved(&tree, ours.paths()));
        options.scope.clone_from(&tree.scope);
        options.last = tree.recipes().map(|(path, _)| path.to_owned()).collect();
        Ok(Ready {
            tree,
            options,
            conflicts,
            remarks,
            rendered,
            left,
            stated,
            bases,
            removed_patches,
            unchecked,
            kept,
            notes,
        })
    }
}

/// Returns an error if one of the files that would change is in `protected`, or in a folder there,
/// whose path ends with a slash. `folder` precedes the paths of `changed`, with a slash at its end,
/// or is empty.
pub(crate) fn protect(
    changed: &[Difference],
    folder: &str,
    protected: &BTreeSet<String>,
) -> Result<(), Error> {
    let paths = changed.iter().map(|d| format!("{folder}{}", d.path));
    let is_protected = |path: &String| {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..=at]);
        protected.contains(path) || folders.any(|folder| protected.contains(folder))
    };
    let paths: Vec<String> = paths.filter(is_protected).collect();
    if paths.is_empty() {
        Ok(())
    } else {
        Err(Error::Protected(paths))
    }
}

/// Returns the folders of packages that rocpkg wrote into the output under a category that the
/// packages no longer have. `ours` are the paths of the files that rocpkg wrote. A folder that
/// now belongs to a package which was not requested is left out.
fn moved<'p>(tree: &Tree, ours: impl Iterator<Item = &'p str>) -> BTreeSet<String> {
    let has_categories = |b: &Backend| b.implementation().layout().has_categories();
    let all: Vec<Backend> = Backend::ALL.into_iter().filter(has_categories).collect();
    let name = |home: &str| {
        let (folder, below) = home.split_once('/')?;
        let is_known = all.iter().any(|backend| backend.folder() == folder);
        Some(below.split_once('/')?.1.to_owned()).filter(|_| is_known)
    };
    let asked: BTreeSet<String> = tree.scope.iter().filter_map(|home| name(home)).collect();
    let homes = ours.filter_map(|path| path.match_indices('/').nth(2).map(|(end, _)| &path[..end]));
    let moved = homes.filter(|home| name(home).is_some_and(|name| asked.contains(&name)));
    moved
        .filter(|home| !tree.others.contains(*home))
        .map(str::to_owned)
        .collect()
}

/// Adds the files in `tree.shared`, such as `metadata/layout.conf`, to the files of the tree,
/// unless they exist in the folder `out`.
fn take_shared(tree: &mut Tree, out: &Path) -> Result<(), Error> {
    let top = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let shared = std::mem::take(&mut tree.shared);
    let folders: BTreeSet<String> = tree.files.iter().map(|(p, _)| top(p.as_str())).collect();
    for (path, bytes) in &shared {
        // A distribution without packages in the tree gets no shared files.
        if folders.contains(&top(path.as_str())) && !out.join(path.as_str()).exists() {
            tree.files.insert(path.as_str(), bytes)?;
        }
    }
    Ok(())
}
