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

mod capabilities;
mod check;
mod check_reqs;
mod configure;
mod context;
mod dep;
mod depends;
mod distribution;
mod distro_file;
mod ebuild;
mod ebuild_file;
mod ebuild_setters;
mod eclass;
mod eclass_targets;
mod expand;
mod flag_edits;
mod flags;
mod helpers;
mod ir;
mod line;
mod live;
mod llvm;
mod lower;
mod manifest;
mod markup;
mod mentions;
mod metadata;
mod open;
mod optional;
mod package_use;
mod patterns;
mod phases;
#[cfg(feature = "checkout")]
mod present;
#[cfg(feature = "checkout")]
mod present_eclass;
#[cfg(feature = "checkout")]
mod present_metadata;
mod present_targets;
mod print;
mod profile;
mod programs;
mod propagation;
mod python;
mod reading;
mod repository;
mod solver;
mod sources;
mod steps;
mod testing;
mod tokens;
mod uses;
mod variable_names;
mod vocabulary;

/// Statements and words of bash, of which ebuilds and eclasses are made.
pub use rocpkg_render::{Refused, Unprintable, bash};
pub use rocpkg_syntax::{Checked, LocalFile, Surroundings, Unreadable};

pub use capabilities::CAPABILITIES;
pub use check::{
    ExcludedVersion, check, default_phases, distfiles, eclass_record, excluded_versions,
    local_files, may_have_flag, values,
};
pub use context::category;
pub use dep::{Dep, Required, Written};
pub use distribution::Gentoo;
pub use ebuild::{Eapi, Ebuild, Phase, Variable};
pub use ebuild_file::{DependVariable, EbuildFile, EclassFile};
pub use eclass::{Eclass, EclassFunction, EclassVariable};
pub use expand::Expand;
pub use manifest::{JoinedManifest, Manifest, ManifestLine, join_manifest};
pub use markup::Markup;
pub use metadata::{Metadata, Tracker};
pub use open::{Call, Open};
pub use package_use::{Added, PackageUse, Wanted, package_use};
#[cfg(feature = "checkout")]
pub use present::predecessor;
#[cfg(feature = "checkout")]
pub use present_eclass::{eclass_targets, has_targets, join_eclass};
#[cfg(feature = "checkout")]
pub use present_metadata::join_metadata;
pub use profile::{NewsItem, ProfileList};
pub use reading::{reading, version_of, whole_version};
pub use repository::render;
pub use rocpkg_shell::{Edition, Undecided};
pub use solver::members;

use rocpkg_render::{Embedded, embedded};

/// The templates of this crate.
pub static TEMPLATES: Embedded = embedded!("gentoo":
    "categories.j2" "ebuild.j2" "eapi.j2" "eclass.j2" "eclass-tests.sh.j2" "layout.conf.j2" "metadata.xml.j2" "repo_name.j2"
    "target-globals.j2" "target-list.j2" "targets.desc.j2"
);
