//! The request of a bump in a checkout.

use super::Eclass;
use crate::backend::Backend;
#[cfg(feature = "upstream")]
use crate::gathered::SumSources;
#[cfg(feature = "upstream")]
use crate::probe::SourceTrees;
use crate::seen_tag::SeenTag;
use rocpkg_model::Maintainer;
use rocpkg_resolve::{Choice, Release};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A request to move the recipes of a checkout to a release.
#[derive(Debug)]
pub struct BumpRequest {
    /// The distribution of the checkout.
    pub backend: Backend,
    /// The folder of the checkout.
    pub folder: PathBuf,
    /// The folder of profiles to which the model's changes are written. It need not exist.
    pub layer: PathBuf,
    /// The release to move to.
    pub version: Release,
    /// The tag of the release, as in [`Bump::tag`](crate::bump::Bump::tag).
    pub tag: Option<SeenTag>,
    /// The packages, by any of their names, or by the folders of forks. If empty, all packages with
    /// an existing recipe.
    pub packages: Vec<String>,
    /// Set if a person named the packages for this run. A named recipe that is newer than the
    /// release is then left to the person, instead of being only mentioned.
    #[doc(hidden)]
    pub is_named: bool,
    /// The packages of recipes in folders of other names, as for
    /// [`Stack::checkout`](crate::Stack::checkout).
    pub recipes: BTreeMap<String, String>,
    /// The GPUs that packages are built for, as in [`Options::targets`](crate::Options::targets).
    pub targets: Option<String>,
    /// The maintainers of new packages, as in `Options::maintainers`.
    #[doc(hidden)]
    pub maintainers: Option<Vec<Maintainer>>,
    /// The release of recipes whose version the model does not have, as in
    /// [`Output::from`](super::Output::from).
    pub from: Option<Choice>,
    /// The treatment of the eclass, as in [`Output::eclass`](super::Output::eclass).
    pub eclass: Option<Eclass>,
    /// Set if packages that rest on guesses are edited too.
    pub allow_guesses: bool,
    /// Set if makepkg may run, as in [`Output::run_makepkg`](super::Output::run_makepkg).
    pub run_makepkg: bool,
    /// Set if nothing is written.
    pub dry_run: bool,
    /// The paths of files that must not be changed, relative to the checkout, as in
    /// `Output::protected`. They may be in the layer.
    #[doc(hidden)]
    pub protected: BTreeSet<String>,
    /// Checksums to add to the release's table, as in [`Bump::sums`](crate::bump::Bump::sums).
    pub known_sums: Vec<(String, String)>,
    /// The places from which unknown checksums are gathered first. If `None`, none are gathered.
    #[cfg(feature = "upstream")]
    pub sums: Option<SumSources>,
    /// Upstream's sources, on which the steps of the recipes are tried. If `None`, none are tried.
    #[cfg(feature = "upstream")]
    pub sources: Option<SourceTrees>,
}

impl BumpRequest {
    /// Makes a request to move all recipes of the checkout in `folder` to the release `version`,
    /// with the model's changes in `layer`. Nothing is fetched, and recipes with guesses are left
    /// out.
    pub fn new(backend: Backend, folder: PathBuf, layer: PathBuf, version: Release) -> Self {
        Self {
            backend,
            folder,
            layer,
            version,
            tag: None,
            packages: Vec::new(),
            is_named: false,
            recipes: BTreeMap::new(),
            targets: None,
            maintainers: None,
            from: None,
            eclass: None,
            allow_guesses: false,
            run_makepkg: false,
            dry_run: false,
            protected: BTreeSet::new(),
            known_sums: Vec::new(),
            #[cfg(feature = "upstream")]
            sums: None,
            #[cfg(feature = "upstream")]
            sources: None,
        }
    }
}
