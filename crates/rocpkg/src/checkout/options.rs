//! Options for writing a tree.

use super::folder_kind::Checkout;
use rocpkg_resolve::Choice;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The treatment of rocm.eclass in an existing Gentoo repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eclass {
    /// The eclass is not written, since a master of the repository has it.
    None,
    /// The existing eclass gets the rows of GPU targets that it lacks, and the rest of the file
    /// stays.
    Rows,
    /// The whole eclass is written.
    Whole,
}

/// A patch to remove from a recipe, because upstream's sources contain its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpstreamedPatch {
    /// The name of the patch's file, or the address of a commit.
    pub patch: String,
    /// The names by which the recipe refers to the patch.
    pub names: BTreeSet<String>,
    /// The path of the patch, relative to the recipe's folder; none if the patch is fetched.
    pub file: Option<String>,
}

/// Options for writing a tree. By default, existing recipes of a checkout are edited, and nothing
/// is removed.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Set if files are removed that rocpkg wrote in an earlier run and no longer renders. It has
    /// no effect in a checkout.
    pub prune: bool,
    /// Set if recipes are written anew. Manual edits in existing recipes are lost, and only
    /// counters such as `pkgrel` continue.
    pub whole: bool,
    /// Set if a recipe may go back to an older release than the one that it states. Otherwise that
    /// is an error.
    pub older: bool,
    /// Set if recipes that state a newer release are left as they are, and reported.
    #[doc(hidden)]
    pub leaves_newer: bool,
    /// The release at which the model is compared with the existing recipes, for recipes whose
    /// version the model does not have. If `None`, each recipe states its release.
    pub from: Option<Choice>,
    /// The paths, relative to the folder, of files that must not be changed, such as files with
    /// changes that are not committed. A path that ends with a slash is a folder with all of its
    /// files. If one of the files would change, nothing is written.
    #[doc(hidden)]
    pub protected: BTreeSet<String>,
    /// The folder from which files are taken that recipes name and the user supplies, such as local
    /// patches.
    pub files: Option<PathBuf>,
    /// The checkout, if the folder is one of a distribution's own repository. Files then get the
    /// paths that they have in this repository, packages of other distributions are left out, and
    /// files that rocpkg did not write stay.
    pub checkout: Option<Checkout>,
    /// The patches to remove from edited recipes of a checkout, by the path of the existing recipe.
    #[doc(hidden)]
    pub upstreamed: BTreeMap<String, Vec<UpstreamedPatch>>,
    /// The patches of existing recipes that were tried on upstream's sources, by the path of the
    /// recipe and the name of the patch, each with the reason why it does not apply. `None` for a
    /// patch that applies.
    #[doc(hidden)]
    pub tried: BTreeMap<String, BTreeMap<String, Option<String>>>,
    /// The treatment of the eclass in a checkout of a Gentoo repository. If `None`, it is
    /// [`Eclass::None`] for a repository that has a master. Otherwise it is [`Eclass::Rows`] if the
    /// eclass exists, and [`Eclass::Whole`] if not.
    pub eclass: Option<Eclass>,
    /// Set if makepkg may run the PKGBUILDs that can't be evaluated without bash, to make their
    /// `.SRCINFO`. Otherwise nothing of a recipe runs.
    pub run_makepkg: bool,
}
