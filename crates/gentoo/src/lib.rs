//! Ebuilds, eclasses and `metadata.xml` as typed values. They are made from code, from a plan of
//! packages, or read from files that others wrote. An edit changes what changed, and keeps every
//! other byte:
//!
//! ```
//! use rocpkg_gentoo::{DependVariable, Ebuild};
//!
//! let old = "EAPI=8\nSLOT=\"0\"\nIUSE=\"doc\"\nRDEPEND=\"dev-libs/a\" # ours\n";
//! let mut ebuild = Ebuild::read(old)?;
//! assert_eq!(ebuild.text("SLOT").as_deref(), Some("0"));
//! ebuild.add_flag(&"rocm".parse()?)?;
//! ebuild.add_depend(DependVariable::Run, &"rocm? ( dev-util/hip )".parse()?)?;
//! let new = ebuild.written_into(old, "dev-libs/b/b-1.ebuild")?.text;
//! assert!(new.contains("IUSE=\"doc rocm\"") && new.ends_with("# ours\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Look first at [`Ebuild`], which is made from code, [`EbuildFile`], which was read, and
//! [`Eclass`]. `README.md` of the crate lists the limitations.

mod check;
mod distribution;
mod existing;
mod lower;
mod value;

/// Statements and words of bash, of which ebuilds and eclasses are made.
pub use rocpkg_bash as bash;
#[cfg(feature = "checkout")]
pub use rocpkg_edit::{ItemConflict, MergeResult};
pub use rocpkg_model::{Finding, Severity, Span};
pub use rocpkg_render::{Refused, Unprintable};
pub use rocpkg_shell::Undecided;
pub use rocpkg_syntax::{
    Checked, Fault, Missing, Reason, Surroundings, Unchecked, Unreadable, place,
};

pub use check::{ExcludedVersion, check, excluded_versions};
pub use lower::package_use::{Added, PackageUse, Wanted};
pub use value::dep::{Dep, Required, Written};
pub use value::ebuild::{Eapi, Ebuild, Phase, Variable};
pub use value::ebuild_file::{DependVariable, EbuildFile, EclassFile};
pub use value::eclass::{Eclass, EclassFunction, EclassVariable};
pub use value::manifest::{Manifest, ManifestLine};
pub use value::markup::Markup;
pub use value::metadata::{Metadata, Tracker};
pub use value::open::{Call, Open};

/// Items that the other crates of rocpkg call. They are no part of the promise: they change without
/// notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::check::{
        default_phases, distfiles, eclass_record, local_files, may_have_flag, values,
    };
    pub use crate::distribution::Gentoo;
    #[cfg(feature = "checkout")]
    pub use crate::existing::ebuild::predecessor;
    #[cfg(feature = "checkout")]
    pub use crate::existing::eclass::{eclass_targets, has_targets, join_eclass};
    #[cfg(feature = "checkout")]
    pub use crate::existing::metadata::join_metadata;
    pub use crate::existing::reading::{reading, version_of, whole_version};
    pub use crate::lower::capabilities::CAPABILITIES;
    pub use crate::lower::context::category;
    pub use crate::lower::expand::Expand;
    pub use crate::lower::package_use::package_use;
    pub use crate::lower::repository::render;
    pub use crate::lower::solver::members;
    pub use crate::value::TEMPLATES;
    pub use crate::value::manifest::{JoinedManifest, join_manifest};
    pub use rocpkg_shell::Edition;
}
