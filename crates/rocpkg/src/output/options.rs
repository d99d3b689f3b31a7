//! How a tree is written.

use super::checkout::Checkout;
use std::path::PathBuf;

/// What becomes of rocm.eclass in a Gentoo repository that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eclass {
    /// It is not written, as a master of the repository has one.
    None,
    /// The rows of GPU targets are brought up to date, and all else of the file stays.
    Rows,
    /// It is written whole.
    Whole,
}

/// How a tree is written: by default nothing that was changed by hand is replaced, and nothing is removed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Output {
    pub(super) force: bool,
    pub(super) keep: bool,
    pub(super) prune: bool,
    pub(super) merge: bool,
    pub(super) adopt: bool,
    pub(super) files: Option<PathBuf>,
    pub(super) checkout: Option<Checkout>,
    pub(super) eclass: Option<Eclass>,
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

    /// Local patches and other companions of recipes are taken from this folder.
    #[must_use]
    pub fn files(mut self, folder: impl Into<PathBuf>) -> Self {
        self.files = Some(folder.into());
        self
    }

    /// Changes by hand and the new rendering are brought together, as git merges them. What was rendered last has to be in git.
    #[must_use]
    pub fn merge(mut self, merge: bool) -> Self {
        self.merge = merge;
        self
    }

    /// Files that others wrote become ours where git has them as they lie there.
    #[must_use]
    pub fn adopt(mut self, adopt: bool) -> Self {
        self.adopt = adopt;
        self
    }

    /// The folder is a checkout of this distribution's own repository: its packages lie there as they do upstream, the others' are
    /// left out, and what is not ours stays.
    #[must_use]
    pub fn checkout(mut self, checkout: Checkout) -> Self {
        self.checkout = Some(checkout);
        self
    }

    /// What becomes of the eclass in a checkout of Gentoo's; by default it is left to a master of the repository, where it has one.
    #[must_use]
    pub fn eclass(mut self, eclass: Eclass) -> Self {
        self.eclass = Some(eclass);
        self
    }
}
