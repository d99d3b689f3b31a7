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
pub struct Output {
    /// Files that were changed by hand or are not ours are replaced.
    pub force: bool,
    /// Such files stay as they are, and the others are written. They stop the run otherwise.
    pub keep: bool,
    /// Files of ours that are no longer rendered are removed.
    pub prune: bool,
    /// Changes by hand and the new rendering are brought together, as git merges them. What was rendered last has to be in git.
    pub merge: bool,
    /// Files that others wrote become ours where git has them as they lie there.
    pub adopt: bool,
    /// Local patches and other companions of recipes are taken from this folder.
    pub files: Option<PathBuf>,
    /// The folder is a checkout of this distribution's own repository: its packages lie there as they do upstream, the others' are
    /// left out, and what is not ours stays.
    pub checkout: Option<Checkout>,
    /// What becomes of the eclass in a checkout of Gentoo's; by default it is left to a master of the repository, where it has one.
    pub eclass: Option<Eclass>,
}
