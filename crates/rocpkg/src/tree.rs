//! The result of rendering: files by path, and facts about them.

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::package_output::Run;
#[cfg(feature = "checkout")]
use crate::plain_llvm::PlainLlvm;
use crate::rebuilds::{Rebuild, rebuilds};
use crate::select::{Packages, RenderRun, Selection, Stopped, Unfit, stopped_whole};
use crate::sums;
use rocpkg_model::{Findings, Owner, Severity};
use rocpkg_render::{Companion, FileTree, Listing, Pinned, Rendered};
use rocpkg_resolve::{Absent, Proof};
use std::collections::{BTreeMap, BTreeSet};

/// The rendered files of one distribution or of several, with the findings about them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Tree {
    /// The files by path. The first folder is that of the distribution: `arch/rocblas/PKGBUILD`.
    pub files: FileTree,
    /// Warnings and notes. A tree of [`Stack::render`](crate::Stack::render) has no errors here,
    /// but in [`Tree::faults`].
    pub findings: Findings,
    /// The number of packages of each distribution. Packages that turn out to lack a checksum are
    /// counted too.
    pub packages: BTreeMap<Backend, usize>,
    /// Files that recipes name and the user supplies, such as local patches. Paths are as in
    /// `files`.
    pub companions: Vec<Companion>,
    /// The sources and other files whose checksums are unknown. Paths are as in `files`.
    #[doc(hidden)]
    pub unknown_sums: Vec<(Backend, Pinned)>,
    /// Set if unknown checksums are handled when the tree is written, as
    /// [`Options::decide_when_written`] requests. `Some(true)` if recipes may lack checksums, and
    /// `Some(false)` if that is an error.
    pub(crate) open: Option<bool>,
    /// The proof of GPU targets of each distribution.
    #[doc(hidden)]
    pub proofs: Vec<(Backend, Proof)>,
    /// The packages that are built again because of [`Options::rebuild`], in build order.
    pub rebuilt: Vec<(Backend, Rebuild)>,
    /// The distribution and the id of the package that each file belongs to, by the file's path.
    /// Files of a whole distribution are absent.
    pub(crate) owners: BTreeMap<String, (Backend, String)>,
    /// The rendered path of each file, by its path in the checkout: `rocblas-gfx803/PKGBUILD` ->
    /// `arch/rocblas/PKGBUILD`. Empty for a tree that is not placed in a checkout.
    #[cfg(feature = "checkout")]
    pub(crate) origins: BTreeMap<String, String>,
    /// Packages that were left out, because they rest on guesses.
    pub(crate) guessed: Packages,
    /// Packages that were left out, because a checksum is unknown.
    pub(crate) without_sums: Packages,
    /// Packages that were left out, because they do not exist at the release, or can't be built for
    /// the requested GPUs, each with the reason.
    pub(crate) absent: BTreeMap<(Backend, String), String>,
    /// The packages of [`Tree::absent`] that can't be built for the requested GPUs.
    pub(crate) unfit: Unfit,
    /// The versions of plain LLVM that packages can be built with, for distributions without AMD's
    /// fork.
    #[cfg(feature = "checkout")]
    pub(crate) compilers: Vec<PlainLlvm>,
    /// The ids of the packages that each package needs to be built or to run.
    pub(crate) needs: BTreeMap<(Backend, String), BTreeSet<String>>,
    /// The folders that this rendering covers. If old files are removed, then only files in these
    /// folders that are no longer rendered.
    pub(crate) scope: Vec<String>,
    /// The folders of packages that were rendered, but not requested. They are not in `files`.
    pub(crate) others: BTreeSet<String>,
    /// Files of a distribution as a whole, such as the eclass, if only some packages were
    /// requested. The packages need these files, so they are written if they do not exist yet.
    pub(crate) shared: FileTree,
    /// Files with a line for each archive, such as Manifests. Paths are as in `files`.
    pub(crate) listings: Vec<Listing>,
    /// Set if all packages of the distributions were requested.
    pub(crate) whole: bool,
    /// The options that the tree was rendered with.
    pub(crate) asked: Options,
    /// Packages that were requested by name and are not in the tree, because they, or a package
    /// that they need, have an error.
    pub stopped: Vec<Stopped>,
    /// The errors of the packages in [`Tree::stopped`].
    pub faults: Findings,
}

impl Tree {
    /// Returns the tree of the requested packages in `render_run`, without those that rest on
    /// guesses.
    ///
    /// # Errors
    /// When [`Options::rebuild`] names neither a package nor an external dependency, when the
    /// distribution counts no rebuilds, or when two files have the same path.
    pub(crate) fn of(mut render_run: RenderRun, options: &Options) -> Result<Self, Error> {
        let left_out = std::mem::take(&mut render_run.left_out);
        render_run.drop(&left_out);
        let unfit = std::mem::take(&mut render_run.unfit);
        let asked = options.clone();
        let mut out = Self {
            guessed: left_out,
            absent: unfit.clone(),
            unfit,
            findings: render_run.findings,
            asked,
            ..Self::default()
        };
        for run in render_run.runs {
            let backend = run.backend;
            let needs = run.needs(render_run.model).into_iter();
            out.needs
                .extend(needs.map(|(id, needs)| ((backend, id.to_owned()), needs)));
            out.take_without_sums(&run);
            out.take_absent(&run, render_run.asked.all);
            if let Some(edition) = run.editions.first() {
                let again = rebuilds(render_run.model, backend, &edition.plan, &options.rebuild)?
                    .into_iter();
                let written = |r: &Rebuild| render_run.asked.has(backend, &r.id);
                out.rebuilt
                    .extend(again.filter(written).map(|again| (backend, again)));
                out.packages
                    .insert(backend, render_run.asked.of(backend).count());
                out.take(run, &render_run.asked)?;
            }
        }
        Ok(out)
    }

    /// Returns the text of a file, such as `arch/rocblas/PKGBUILD`.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files
            .get(path)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// Returns the files whose checksums are unknown, each with its distribution.
    pub(crate) fn lacking(&self) -> impl Iterator<Item = (Backend, &Pinned)> {
        self.unknown_sums.iter().map(|(backend, u)| (*backend, u))
    }

    /// Returns the paths of the recipes, each with its distribution.
    pub fn recipes(&self) -> impl Iterator<Item = (&str, Backend)> {
        let owned = self
            .owners
            .iter()
            .map(|(path, (backend, _))| (path.as_str(), *backend));
        owned.filter(|(path, backend)| backend.is_recipe(path) && self.files.get(path).is_some())
    }

    /// Returns the recipes of the package `id` in a distribution: the path and the text of each.
    pub fn recipes_of<'a>(
        &'a self,
        distro: &'a str,
        id: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let owned = self
            .owners
            .iter()
            .filter(move |(_, (b, of))| b.distro() == distro && of == id);
        owned
            .filter(|(path, (b, _))| b.is_recipe(path))
            .filter_map(|(path, _)| Some((path.as_str(), self.text(path)?)))
    }

    /// Returns the path at which a file was rendered, before the tree was placed in a checkout. A
    /// recipe has to be parsed by this path, since the path of a fork contains other names than the
    /// model's recipe.
    #[cfg(feature = "checkout")]
    pub(crate) fn origin<'a>(&'a self, path: &'a str) -> &'a str {
        self.origins.get(path).map_or(path, String::as_str)
    }

    /// Returns true if the package `id` is to be rebuilt, as in [`Tree::rebuilt`].
    #[cfg(feature = "checkout")]
    pub(crate) fn is_rebuilt(&self, backend: Backend, id: &str) -> bool {
        let mut all = self.rebuilt.iter();
        all.any(|(of, again)| *of == backend && again.id == id)
    }

    /// Returns the version that the recipe of a package states. Returns None if the tree has no
    /// recipe of the package, or if the recipe states none.
    #[cfg(feature = "checkout")]
    pub(crate) fn version_of(&self, backend: Backend, id: &str) -> Option<String> {
        self.recipes_of(backend.distro(), id)
            .find_map(|(path, text)| {
                let read = backend.reading(path).read(text).ok()?;
                backend.stated(&read, path)
            })
    }

    /// Returns the files that belong to a distribution as a whole and to no package, with their
    /// paths.
    pub fn of_all(&self) -> Vec<(String, Vec<u8>)> {
        let all = self.files.iter().chain(self.shared.iter());
        let all = all.filter(|(path, _)| !self.owners.contains_key(path.as_str()));
        all.map(|(path, bytes)| (path.as_str().to_owned(), bytes.to_vec()))
            .collect()
    }

    /// Renames the file `path` of a package to `to`.
    ///
    /// # Errors
    /// When the tree has a file `to` already.
    pub(crate) fn rename(&mut self, path: &str, to: &str) -> Result<(), Error> {
        let bytes = self.files.get(path).unwrap_or_default().to_vec();
        self.files.insert(to, bytes)?;
        self.files.remove(path);
        if let Some(owner) = self.owners.remove(path) {
            self.owners.insert(to.to_owned(), owner);
        }
        Ok(())
    }

    /// Adds the packages that the plans of a run leave out because of an unknown checksum, with a
    /// warning.
    fn take_without_sums(&mut self, run: &Run) {
        let mut unfit = BTreeMap::new();
        let mut lacking = run.without_sums.clone();
        lacking.retain(|id, needs| {
            // Follow the packages that refer to each other to the one with the fault.
            let mut at = id;
            while let Some(Some(next)) = run.without_sums.get(at) {
                at = next;
            }
            let key = |id: &String| (run.backend, id.clone());
            let is_unfit = self.unfit.contains_key(&key(at));
            if let (true, Some(needs)) = (is_unfit, needs) {
                unfit.insert(key(id), format!("it needs {needs}"));
            }
            !is_unfit
        });
        for (key, reason) in unfit {
            self.absent.entry(key).or_insert(reason);
        }
        if lacking.is_empty() {
            return;
        }
        let name = |(id, needs): (&String, &Option<String>)| match needs {
            Some(needs) => format!("{id} (needs {needs})"),
            None => id.clone(),
        };
        let names: Vec<String> = lacking.iter().map(name).collect();
        self.findings.append(sums::left_out(run.backend, &names));
        let ids = lacking.into_keys();
        self.without_sums.extend(ids.map(|id| (run.backend, id)));
    }

    /// Adds the packages that exist in none of the run's plans, if a whole stack is requested.
    fn take_absent(&mut self, run: &Run, is_whole: bool) {
        let plans = run.editions.iter().map(|edition| &edition.plan);
        let all = plans.clone().flat_map(|plan| &plan.absent);
        let is_absent = |id: &String| plans.clone().all(|plan| plan.absent.contains_key(id));
        let all = all.filter(|(id, _)| is_whole && is_absent(id));
        let row =
            |(id, absent): (&String, &Absent)| ((run.backend, id.clone()), absent.reason.clone());
        self.absent.extend(all.map(row));
    }

    /// Returns the packages that a plan has to leave out, because a checksum is unknown and because
    /// other packages refer to them in one scope: those that the tree left out already, and those
    /// of its packages that lack a checksum. None if the tree has no such package.
    pub(crate) fn left_out_of_scope(&self) -> Option<Packages> {
        let lacking = self.lacking().filter(|(b, _)| self.whole && b.needs_all());
        let gone: Packages = lacking.map(|(b, u)| (b, u.package.clone())).collect();
        let is_more = !gone.is_empty() && !gone.is_subset(&self.without_sums);
        is_more.then(|| &gone | &self.without_sums)
    }

    /// Adds the files and facts of a run to the tree, limited to the packages of `asked`.
    ///
    /// # Errors
    /// When two files have the same path.
    fn take(&mut self, run: Run, asked: &Selection) -> Result<(), Error> {
        let Run {
            backend,
            rendered,
            proofs,
            editions,
            ..
        } = run;
        #[cfg(feature = "checkout")]
        for edition in &editions {
            let of_plan = PlainLlvm::of(backend, &edition.plan);
            self.compilers
                .extend(of_plan.filter(|of| asked.has(backend, &of.package)));
        }
        #[cfg(not(feature = "checkout"))]
        drop(editions);
        self.whole = asked.all;
        let folder = backend.folder();
        let Rendered {
            tree,
            owners,
            companions,
            listings,
            pinned,
            ..
        } = rendered;
        let wanted = |id: &str| asked.has(backend, id);
        if asked.all {
            self.scope.push(folder.to_owned());
        }
        for (path, bytes) in &tree {
            let (owner, at) = (owners.get(path.as_str()), format!("{folder}/{path}"));
            if owner.is_some_and(|id| wanted(id)) {
                if let Some((home, _)) = at.rsplit_once('/')
                    && !asked.all
                    && !self.scope.iter().any(|s| s == home)
                {
                    self.scope.push(home.to_owned());
                }
                self.files.insert(at, bytes)?;
            } else if owner.is_some() {
                self.others
                    .extend(at.rsplit_once('/').map(|(home, _)| home.to_owned()));
            } else {
                let files = if asked.all {
                    &mut self.files
                } else {
                    &mut self.shared
                };
                files.insert(at, bytes)?;
            }
        }
        let owners = owners.into_iter().filter(|(_, id)| wanted(id));
        self.owners
            .extend(owners.map(|(path, id)| (format!("{folder}/{path}"), (backend, id))));
        let listings = listings.into_iter().filter(|l| wanted(&l.package));
        self.listings.extend(listings.map(|l| Listing {
            path: format!("{folder}/{}", l.path),
            ..l
        }));
        let unknown = pinned
            .into_iter()
            .filter(|u| !u.known && wanted(&u.package));
        let placed = |u: Pinned| {
            (
                backend,
                Pinned {
                    path: format!("{folder}/{}", u.path),
                    ..u
                },
            )
        };
        self.unknown_sums.extend(unknown.map(placed));
        let companions = companions
            .into_iter()
            .filter(|c| c.package.is_empty() || wanted(&c.package));
        self.companions.extend(companions.map(|c| Companion {
            path: format!("{folder}/{}", c.path),
            ..c
        }));
        self.proofs.extend(proofs.into_iter().map(|mut proof| {
            proof.built.retain(|id, _| wanted(id));
            (backend, proof)
        }));
        Ok(())
    }

    /// Removes the packages that have an error in `findings`, which are about unknown checksums. If
    /// packages were requested by name, these packages are added to `stopped`. In a whole stack,
    /// they are left out with a warning; if none remains, the tree has no files. A scope of Nix has
    /// to be rendered without them before; see [`Tree::left_out_of_scope`].
    ///
    /// # Errors
    /// The findings, if no requested package would remain, if other packages refer to one of these
    /// in a scope, or if an error is not only about packages.
    pub(crate) fn stop(&mut self, mut findings: Findings) -> Result<(), Findings> {
        let mut gone = Packages::new();
        for owner in findings
            .owned()
            .filter(|(f, _)| f.severity == Severity::Error)
            .flat_map(|(_, o)| o)
        {
            if let Owner::Package { distribution, id } = owner
                && let Some(backend) = Backend::ALL
                    .into_iter()
                    .find(|b| b.distro() == distribution)
            {
                gone.insert((backend, id.clone()));
            }
        }
        let is_gone = |backend: Backend, id: &String| gone.contains(&(backend, id.clone()));
        let in_scope = gone.iter().any(|(backend, _)| backend.needs_all());
        let nothing_left = self
            .owners
            .values()
            .all(|(backend, id)| is_gone(*backend, id));
        let is_stuck = if self.whole {
            in_scope && !nothing_left
        } else {
            nothing_left
        };
        if findings.has_errors() && (is_stuck || stopped_whole(&findings)) {
            return Err(findings);
        }
        if findings.has_errors() && nothing_left {
            // The files of the distribution as a whole are of no use without packages.
            self.files = FileTree::default();
            self.scope.clear();
        }
        let files: Vec<String> = self
            .owners
            .iter()
            .filter(|(_, (b, id))| is_gone(*b, id))
            .map(|(path, _)| path.clone())
            .collect();
        for path in files {
            self.files.remove(&path);
            self.owners.remove(&path);
        }
        self.companions
            .retain(|c| !gone.iter().any(|(_, id)| *id == c.package));
        self.listings
            .retain(|l| !gone.iter().any(|(_, id)| *id == l.package));
        self.unknown_sums.retain(|(b, u)| !is_gone(*b, &u.package));
        let errors = findings.split_off_errors();
        self.findings.append(findings);
        if self.whole {
            for of in Vec::from_iter(&gone).chunk_by(|a, b| a.0 == b.0) {
                let names: Vec<String> = of.iter().map(|(_, id)| id.clone()).collect();
                self.findings.append(sums::left_out(of[0].0, &names));
            }
            self.without_sums.extend(gone);
            return Ok(());
        }
        self.faults.append(errors);
        let stopped = |(backend, package)| Stopped {
            backend,
            package,
            needs: None,
        };
        self.stopped.extend(gone.into_iter().map(stopped));
        Ok(())
    }
}
