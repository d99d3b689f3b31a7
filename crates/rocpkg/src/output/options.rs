//! Options for writing a tree.

use super::checkout::Checkout;
use rocpkg_resolve::Choice;
use std::path::PathBuf;

/// The treatment of rocm.eclass in an existing Gentoo repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eclass {
    /// The eclass is not written, since a master of the repository has it.
    None,
    /// The rows of GPU targets are brought up to date, and the rest of the file stays.
    Rows,
    /// The whole eclass is written.
    Whole,
}

/// Options for writing a tree. By default, existing recipes of a checkout are edited, and nothing
/// is removed.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Set if files that rocpkg wrote and no longer renders are removed. In a checkout, nothing is
    /// removed.
    pub prune: bool,
    /// Set if recipes are written anew, and existing recipes are ignored.
    pub whole: bool,
    /// Set if recipes may go back to an older release than the one that they state.
    pub older: bool,
    /// The release of recipes that state a version which the model does not have.
    pub from: Option<Choice>,
    /// The folder with local patches and other companions of recipes.
    pub files: Option<PathBuf>,
    /// The checkout, if the folder is one of a distribution's own repository. Its packages have the
    /// same paths as upstream, packages of other distributions are left out, and files that rocpkg
    /// did not write stay.
    pub checkout: Option<Checkout>,
    /// The treatment of the eclass in a checkout of a Gentoo repository. By default, the eclass is
    /// left to a master of the repository, if the repository has a master.
    pub eclass: Option<Eclass>,
}
