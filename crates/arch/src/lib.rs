//! PKGBUILDs as typed values, and their `.SRCINFO`. The values are made from code, from a plan of
//! packages, or read from files that others wrote. An edit changes what changed, and keeps every
//! other byte:
//!
//! ```
//! use rocpkg_arch::{Field, Pkgbuild};
//!
//! let old = "pkgname=a\npkgver=1\npkgrel=1\narch=(any)\ndepends=(glibc)  # ours\n";
//! let mut pkgbuild = Pkgbuild::read(old)?;
//! pkgbuild.set(Field::Pkgver, "2")?;
//! pkgbuild.add(Field::Depends, "hip-runtime-amd")?;
//! let new = pkgbuild.written_into(old)?.text;
//! assert!(new.contains("depends=(glibc hip-runtime-amd)  # ours\n"));
//! let srcinfo = Pkgbuild::read(&new)?.srcinfo()?;
//! assert!(srcinfo.to_string().contains("pkgver = 2\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Look first at [`Pkgbuild`], which is made from code, [`PkgbuildFile`], which was read, and
//! [`evaluate`], which runs nothing. `README.md` of the crate lists the limitations.

mod check;
mod distribution;
mod existing;
mod lower;
mod value;

/// Statements and words of bash, of which PKGBUILDs are made.
pub use rocpkg_bash as bash;
#[cfg(feature = "checkout")]
pub use rocpkg_edit::{ItemConflict, MergeResult};
pub use rocpkg_model::{Finding, Severity, Span};
pub use rocpkg_render::{Refused, Sum, Unprintable};
pub use rocpkg_shell::Undecided;
pub use rocpkg_syntax::{
    Checked, Fault, Missing, Reason, Surroundings, Unchecked, Unreadable, place,
};

pub use check::check;
pub use value::evaluate::evaluate;
pub use value::ir::{Field, Fields, Pkgbuild, SplitPackage, Variable};
pub use value::pkgbuild::Function;
pub use value::pkgbuild_file::PkgbuildFile;
pub use value::srcinfo::{Section, Srcinfo, read_srcinfo};

/// Items that the other crates of rocpkg call. They are no part of the promise: they change without
/// notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::check::{local_files, values};
    pub use crate::distribution::Arch;
    #[cfg(feature = "checkout")]
    pub use crate::existing::pkgbuild::{StatedSum, base, counted, reading, stated_sums};
    pub use crate::lower::capabilities::CAPABILITIES;
    pub use crate::lower::render::render;
    pub use crate::lower::{Lowered, lower};
    pub use crate::value::TEMPLATES;
    pub use crate::value::ir::all_of;
    pub use crate::value::print::STYLE;
}
