//! How a tree is written.

use super::checkout::Checkout;
use rocpkg_resolve::Choice;
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

/// How a tree is written: by default recipes that lie in a checkout are edited, and nothing is
/// removed.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Files of ours that are no longer rendered are removed from a tree of our own.
    pub prune: bool,
    /// Recipes are written anew, whatever lies there.
    pub whole: bool,
    /// Recipes may go back to a release before the one that they state.
    pub older: bool,
    /// The release that recipes are of, where they state one that the model does not know.
    pub from: Option<Choice>,
    /// Local patches and other companions of recipes are taken from this folder.
    pub files: Option<PathBuf>,
    /// The folder is a checkout of this distribution's own repository: its packages lie there as
    /// they do upstream, the others' are left out, and what is not ours stays.
    pub checkout: Option<Checkout>,
    /// What becomes of the eclass in a checkout of Gentoo's; by default it is left to a master of
    /// the repository, where it has one.
    pub eclass: Option<Eclass>,
}
