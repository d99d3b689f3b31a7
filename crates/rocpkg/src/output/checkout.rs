//! Where a rendered file lies in a distribution's own repository.

use super::line_ends::read_text;
use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_render::{Companion, FileTree, Listing, Pinned};
use std::fs;
use std::path::Path;

/// A checkout of a distribution's own repository, or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    backend: Backend,
    /// The folders between the checkout and the distribution's files, with a slash behind.
    pub(super) prefix: String,
    /// The recipe that the folder is the checkout of, where it is one's alone.
    package: Option<String>,
}

impl Stack {
    /// Finds out what a folder is: the root of a Gentoo repository; a folder of Arch packages or the checkout of one; nixpkgs, or
    /// its folder of the scope; Solus' packages. A folder that is not there yet or is empty becomes one.
    ///
    /// # Errors
    /// When the folder is something else, or can't be read.
    pub fn checkout(&self, backend: Backend, folder: &Path) -> Result<Checkout, Error> {
        let mut checkout = Checkout {
            backend,
            prefix: String::new(),
            package: None,
        };
        match backend {
            Backend::Gentoo => {
                let files = fs::read_dir(folder).into_iter().flatten().flatten();
                if files
                    .map(|f| f.path())
                    .any(|f| f.extension().is_some_and(|e| e == "ebuild"))
                {
                    let said = "a package's folder; name the root of its repository, in which `profiles` and `metadata` lie";
                    return Err(Error::place(folder, said));
                }
            }
            Backend::Arch => {
                if let Some(text) = read_text(&folder.join("PKGBUILD"))? {
                    let name = rocpkg_arch::base(&text).ok_or_else(|| {
                        let said =
                            "neither pkgbase nor pkgname is a plain word in it, so its package is not known";
                        Error::place(&folder.join("PKGBUILD"), said)
                    })?;
                    checkout.package = Some(name);
                }
            }
            Backend::Nix => {
                let distro = self.model().distros.get(backend.distro());
                let scope = distro.and_then(|distro| distro.scope.as_ref()?.folder.as_ref());
                if let Some(scope) = scope.filter(|scope| folder.join(&scope.value).is_dir()) {
                    checkout.prefix = format!("{}/", scope.value.trim_end_matches('/'));
                }
            }
            Backend::Solus => {}
        }
        Ok(checkout)
    }
}

impl Checkout {
    /// The distribution.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The package that the folder is the checkout of, where it is one's alone.
    pub fn package(&self) -> Option<&str> {
        self.package.as_deref()
    }

    /// Where a rendered file lies in the checkout; none for what it has no place for.
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
        Some(format!("{}{}", self.prefix, self.backend.in_checkout(path)))
    }

    /// A tree as it lies in the checkout; the files of other distributions fall away.
    ///
    /// # Errors
    /// When two files meet.
    pub(super) fn placed(&self, mut tree: Tree) -> Result<Tree, Error> {
        let all = tree.scope.iter().any(|s| s == self.backend.folder());
        for files in [&mut tree.files, &mut tree.shared] {
            let mut moved = FileTree::default();
            for (path, bytes) in files.iter() {
                if let Some(path) = self.place(path.as_str()) {
                    moved.insert(path, bytes)?;
                }
            }
            *files = moved;
        }
        let owners = std::mem::take(&mut tree.owners).into_iter();
        tree.owners = owners
            .filter_map(|(path, owner)| Some((self.place(&path)?, owner)))
            .collect();
        let companions = std::mem::take(&mut tree.companions).into_iter();
        tree.companions = companions
            .filter_map(|c| {
                Some(Companion {
                    path: self.place(&c.path)?,
                    ..c
                })
            })
            .collect();
        let unknown = std::mem::take(&mut tree.unknown_sums).into_iter();
        tree.unknown_sums = unknown
            .filter_map(|(b, u)| {
                Some((
                    b,
                    Pinned {
                        path: self.place(&u.path)?,
                        ..u
                    },
                ))
            })
            .collect();
        let listings = std::mem::take(&mut tree.listings).into_iter();
        tree.listings = listings
            .filter_map(|l| {
                Some(Listing {
                    path: self.place(&l.path)?,
                    ..l
                })
            })
            .collect();
        // Of the whole distribution, all that the manifest names is spoken of; else the packages' folders.
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
