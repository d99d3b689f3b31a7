//! A lowered package: its ebuild, with the facts of its `metadata.xml` and Manifest, which are
//! written from the same value.

use crate::ebuild::Ebuild;
use indexmap::IndexMap;
use rocpkg_render::Pinned;
use rocpkg_resolve::{Builds, Planned};

/// A package of a plan as an ebuild.
pub(crate) struct Lowered<'a> {
    pub(crate) p: &'a Planned,
    pub(crate) ebuild: Ebuild,
    /// Patch files of the `files` folder.
    pub(crate) files: Vec<String>,
    /// What the sources are stored as in DISTDIR, with their checksums where known.
    pub(crate) distfiles: Vec<Distfile>,
    /// `owner/repository` on GitHub.
    pub(crate) remote: Option<String>,
    /// Local USE flags and what they do.
    pub(crate) flags: IndexMap<String, String>,
    /// What upstream's build is given for GPU targets; nothing where the package has no device
    /// code.
    pub(crate) builds: Option<Builds>,
    /// It asks dependencies to be built for what it is built for.
    pub(crate) hands_on: bool,
}

impl Lowered<'_> {
    pub(crate) fn folder(&self) -> &str {
        self.ebuild.cpv.cpn.as_str()
    }
}

/// A file in DISTDIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distfile {
    pub(crate) name: String,
    /// Size in bytes, BLAKE2B and SHA512 in hexadecimal, when all three are known.
    pub(crate) sums: Option<(u64, String, String)>,
    /// What the Manifest states of it.
    pub(crate) pinned: Pinned,
}
