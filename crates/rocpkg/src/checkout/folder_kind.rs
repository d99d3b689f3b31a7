//! A checkout of a distribution's own repository, and the paths that rendered files have in it.

use super::forks::{self, Fork};
use super::left_out::LeftOut;
use super::line_ends::read_text;
use super::nix_files::NixPlaces;
use super::surroundings::{is_called, matching, names};
use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_render::{Companion, FileTree, Listing, Pinned};
use rocpkg_shell::{Landmark, TopRecipe};
use std::collections::BTreeMap;
use std::path::Path;

impl Backend {
    /// Returns the distribution of the recipes in a folder, by the names of its files. Returns None
    /// if there are none, or Nix expressions alone, which any project may have.
    #[doc(hidden)]
    pub fn of_checkout(folder: &Path) -> Option<Self> {
        let is_in = |backend: &Self| match backend.implementation().layout().landmark {
            Landmark::Folder(inside) => folder.join(inside).is_dir(),
            Landmark::Recipes(patterns) => patterns.iter().any(|pattern| {
                let mut folders = matching(folder, pattern).into_iter();
                folders.any(|inside| backend.is_recipe_in(&folder.join(inside)))
            }),
        };
        Self::ALL.into_iter().find(is_in)
    }

    /// Returns true if a recipe is directly in `folder`.
    pub(super) fn is_recipe_in(self, folder: &Path) -> bool {
        names(folder).iter().any(|file| self.is_recipe(file))
    }
}

/// A checkout of a distribution's own repository, or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    backend: Backend,
    /// The places of recipes in a checkout of Nix files. Empty for other distributions.
    pub(super) nix: NixPlaces,
    /// The package of the only recipe, if the folder is the checkout of a single package. None for
    /// a checkout of many packages.
    package: Option<String>,
    /// Recipes in folders of other names than their packages.
    forks: Vec<Fork>,
    /// Recipes of the stack that are neither edited nor compared.
    left_out: Vec<LeftOut>,
}

impl Stack {
    /// Finds out what kind of checkout a folder is: the root of a Gentoo repository; a folder of
    /// Arch packages or the checkout of one of them; nixpkgs, or any folder of Nix files; the
    /// packages of Solus. A folder that does not exist yet or that is empty becomes such a
    /// checkout.
    ///
    /// `recipes` maps folders of recipes to names of packages, for recipes whose folder has another
    /// name than the package, such as `rocblas-gfx803` for `rocblas`. Other forks are found by the
    /// contents of their recipes; see [`Checkout::forks`].
    ///
    /// # Errors
    /// When the folder is something else, or can't be read; when `recipes` names a package that the
    /// model does not have, or a folder without a recipe.
    pub fn checkout(
        &self,
        backend: Backend,
        folder: &Path,
        recipes: &BTreeMap<String, String>,
    ) -> Result<Checkout, Error> {
        let mut checkout = Checkout {
            backend,
            nix: NixPlaces::default(),
            package: None,
            forks: Vec::new(),
            left_out: Vec::new(),
        };
        let own = backend.implementation();
        match own.layout().top {
            TopRecipe::Refused(reason) if backend.is_recipe_in(folder) => {
                return Err(Error::place(folder, reason));
            }
            TopRecipe::Package(name) => {
                let path = folder.join(own.recipe_ending());
                if let Some(text) = read_text(&path)? {
                    let name = name(&text).map_err(|reason| Error::place(&path, reason))?;
                    let (known, reason) = match recipes.get(&name) {
                        Some(known) => (Some(known.clone()), None),
                        None => forks::package_of(self, backend, &text)?,
                    };
                    let folder = name.clone();
                    checkout
                        .left_out
                        .extend(reason.map(|reason| LeftOut { folder, reason }));
                    checkout.package = Some(known.unwrap_or(name));
                }
            }
            _ => {}
        }
        if backend.needs_all() {
            checkout.nix = self.nix_places(backend, folder)?;
        }
        if checkout.package.is_none() {
            let found = forks::find(self, backend, folder, recipes)?;
            (checkout.forks, checkout.left_out) = found;
        }
        Ok(checkout)
    }
}

impl Checkout {
    /// Returns the folder of the distribution's files, relative to the checkout: `pkgs/rocm-6`.
    /// Returns an empty text if the files are in the checkout itself.
    pub fn folder(&self) -> &str {
        self.nix.prefix.trim_end_matches('/')
    }

    /// Returns the recipes in a checkout of Nix files that are not at their usual place, such as
    /// `pkgs/by-name/ro/rocblas/package.nix`: the paths of their files, relative to the checkout,
    /// and the packages' names.
    pub fn recipes_elsewhere(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.nix.moved.values();
        all.map(|(path, name)| (path.as_str(), name.as_str()))
    }

    /// Returns the distribution.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Returns the package of the only recipe, if the folder is the checkout of a single package.
    /// Returns None for a checkout of many packages.
    pub fn package(&self) -> Option<&str> {
        self.package.as_deref()
    }

    /// Returns the recipes whose folders have other names than their packages: forks, and packages
    /// in another category.
    pub fn forks(&self) -> &[Fork] {
        &self.forks
    }

    /// Returns the recipes of the stack that are neither edited nor compared, each with the reason:
    /// live recipes, parts of other packages, recipes whose package is not certain.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Returns the checkout with fewer recipes: of a package with forks that `names` name by their
    /// folders, it keeps these forks alone. All recipes of a package that is named by itself stay.
    #[must_use]
    pub fn only(mut self, names: &[String]) -> Self {
        let is_named = |fork: &Fork| {
            let mut names = names
                .iter()
                .filter(|name| !name.eq_ignore_ascii_case(&fork.package));
            names.any(|name| is_called(&fork.folder, name))
        };
        let packages: Vec<String> = (self.forks.iter().filter(|fork| is_named(fork)))
            .map(|fork| fork.package.clone())
            .filter(|id| !names.iter().any(|name| name.eq_ignore_ascii_case(id)))
            .collect();
        self.forks
            .retain(|fork| !packages.contains(&fork.package) || is_named(fork));
        for fork in &mut self.forks {
            fork.is_only |= packages.contains(&fork.package);
        }
        self
    }

    /// Returns the id of the package whose fork is in `folder`. `folder` is the path of the folder
    /// or its last part. Returns None for a folder that is no fork.
    pub fn package_in(&self, folder: &str) -> Option<&str> {
        self.forks
            .iter()
            .find(|fork| is_called(&fork.folder, folder))
            .map(|fork| fork.package.as_str())
    }

    /// Returns the paths in the checkout of the rendered file `path`, which belongs to `package`:
    /// in the package's own folder, and in the folders of its forks. Returns no path if the
    /// checkout has no place for the file, since it belongs to another distribution or package.
    fn places(&self, path: &str, package: Option<&str>) -> Vec<String> {
        let Some(own) = self.place(path) else {
            return Vec::new();
        };
        // A recipe may be at the place of the scope.
        if package.is_none() && self.nix.is_moved(&own) {
            return Vec::new();
        }
        let forks: Vec<&Fork> = self
            .forks
            .iter()
            .filter(|fork| Some(fork.package.as_str()) == package)
            .collect();
        let mut all = Vec::new();
        for fork in &forks {
            // A fork's folder is as many levels deep as the package's own folder.
            let levels = fork.folder.split('/').count();
            let mut parts = own.splitn(levels + 1, '/');
            let name = parts.nth(levels - 1).unwrap_or_default();
            if let Some(file) = parts.next() {
                all.push(fork.path(self.backend, name, file));
            }
        }
        if all.is_empty() || !forks.iter().any(|fork| fork.is_only) {
            all.push(own);
        }
        all
    }

    /// Returns the path in the checkout of the rendered file `path`, in the package's own folder:
    /// `arch/rocblas/PKGBUILD` -> `rocblas/PKGBUILD`. Returns None if the checkout has no place for
    /// the file.
    fn place(&self, path: &str) -> Option<String> {
        let path = path
            .strip_prefix(self.backend.folder())?
            .strip_prefix('/')?;
        if let Some(package) = &self.package {
            return path
                .strip_prefix(package)?
                .strip_prefix('/')
                .map(str::to_owned);
        }
        Some(self.nix.place(&self.backend.in_checkout(path)))
    }

    /// Returns the tree with the paths that its files have in the checkout: `arch/rocblas/PKGBUILD`
    /// becomes `rocblas/PKGBUILD`. Files of other distributions are removed.
    ///
    /// # Errors
    /// When two files get the same path.
    pub(super) fn placed(&self, mut tree: Tree) -> Result<Tree, Error> {
        let all = tree.scope.iter().any(|s| s == self.backend.folder());
        let owners = std::mem::take(&mut tree.owners);
        let owner = |path: &str| owners.get(path).map(|(_, id)| id.as_str());
        for files in [&mut tree.files, &mut tree.shared] {
            let mut moved = FileTree::default();
            for (path, bytes) in files.iter() {
                for place in self.places(path.as_str(), owner(path.as_str())) {
                    moved.insert(place, bytes)?;
                }
            }
            *files = moved;
        }
        let mut by_place = BTreeMap::new();
        for (path, (backend, id)) in &owners {
            for place in self.places(path, Some(id)) {
                tree.origins.insert(place.clone(), path.clone());
                by_place.insert(place, (*backend, id.clone()));
            }
        }
        tree.owners = by_place;
        tree.companions = std::mem::take(&mut tree.companions)
            .into_iter()
            .flat_map(|c| {
                let places = self.places(&c.path, Some(&c.package)).into_iter();
                places.map(move |path| Companion { path, ..c.clone() })
            })
            .collect();
        tree.unknown_sums = std::mem::take(&mut tree.unknown_sums)
            .into_iter()
            .flat_map(|(backend, u)| {
                let places = self.places(&u.path, Some(&u.package)).into_iter();
                places.map(move |path| (backend, Pinned { path, ..u.clone() }))
            })
            .collect();
        tree.listings = std::mem::take(&mut tree.listings)
            .into_iter()
            .flat_map(|l| {
                let places = self.places(&l.path, Some(&l.package)).into_iter();
                places.map(move |path| Listing { path, ..l.clone() })
            })
            .collect();
        // For a whole distribution, the scope stays empty, which stands for all files. Otherwise
        // the scope lists the folders of the packages.
        tree.scope.clear();
        if !all {
            let homes = tree
                .files
                .iter()
                .filter_map(|(p, _)| Some(p.as_str().rsplit_once('/')?.0.to_owned()));
            tree.scope = homes.collect();
            tree.scope.dedup();
        }
        Ok(tree)
    }
}
