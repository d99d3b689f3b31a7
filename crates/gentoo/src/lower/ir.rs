//! A lowered package, that is, one that was converted to an ebuild: the ebuild, and the facts from
//! which its `metadata.xml` and Manifest are written.

use crate::value::ebuild::Ebuild;
use indexmap::IndexMap;
use rocpkg_render::Pinned;
use rocpkg_resolve::{Builds, Planned};

/// A package of a plan, lowered to an ebuild.
pub(crate) struct Lowered<'a> {
    pub(crate) p: &'a Planned,
    pub(crate) ebuild: Ebuild,
    /// The names of the files in the package's folder `files` that the ebuild refers to.
    pub(crate) files: Vec<String>,
    /// The files that the ebuild fetches to DISTDIR, with their checksums where known.
    pub(crate) distfiles: Vec<Distfile>,
    /// Upstream's repository on GitHub, as `owner/repository`.
    pub(crate) remote: Option<String>,
    /// The local USE flags with their descriptions.
    pub(crate) flags: IndexMap<String, String>,
    /// The GPU targets that are passed to upstream's build; `None` if the package has no device
    /// code.
    pub(crate) builds: Option<Builds>,
    /// Set if the ebuild requires its dependencies to be built for its own GPU targets.
    pub(crate) hands_on: bool,
}

impl Lowered<'_> {
    pub(crate) fn folder(&self) -> &str {
        self.ebuild.cpv.cpn.as_str()
    }
}

/// A file that the ebuild fetches to DISTDIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distfile {
    pub(crate) name: String,
    /// The size in bytes, and BLAKE2B and SHA512 in hexadecimal, if all three are known.
    pub(crate) sums: Option<(u64, String, String)>,
    /// The record of the file for the list of checksums that are stated or missing.
    pub(crate) pinned: Pinned,
}
