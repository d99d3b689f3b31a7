//! Recipes of Solus as typed values. They are made from code, or from a plan of packages, and print
//! a `package.yml`, a `monitoring.yaml` and the list of patches:
//!
//! ```
//! use rocpkg_solus::{Recipe, Step, bash};
//!
//! let summary = ("Things for GPUs", "Things for GPUs of all kinds.");
//! let recipe = Recipe::new(("hipthing", "1.0", 1), "programming.library", ["MIT"], summary)
//!     .homepage("https://example.org/hipthing")
//!     .source("https://example.org/hipthing-1.0.tar.gz", &"0".repeat(64))
//!     .builddeps(["rocm-clr-devel"])
//!     .step(Step::Build, vec![bash::run("make", [bash::Word::lit("all")])]);
//! recipe.check()?;
//! assert!(recipe.to_string().contains("release    : 1\n"));
//! # Ok::<(), rocpkg_solus::Refused>(())
//! ```
//!
//! Look first at [`Recipe`], [`Step`] and [`check`], which returns the contradictions of an
//! existing recipe. `README.md` of the crate lists the limitations.

mod check;
mod distribution;
mod existing;
mod lower;
mod value;

/// Statements and words of bash, of which steps are made.
pub use rocpkg_bash as bash;
pub use rocpkg_model::{Finding, Severity, Span};
pub use rocpkg_render::{Refused, Unprintable};
pub use rocpkg_syntax::{Checked, Fault, Missing, Surroundings, Unchecked, place};

pub use check::check;
pub use value::ir::{Recipe, Source, Step, Words};
pub use value::macros::{all as macros, expand, is_macro};
pub use value::print::{STYLE, monitoring, package_yml, script};

/// Items that the other crates of rocpkg call. They are no part of the promise: they change without
/// notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::check::local_files;
    pub use crate::distribution::Solus;
    pub use crate::existing::reading::reading;
    pub use crate::lower::capabilities::CAPABILITIES;
    pub use crate::lower::lower;
    pub use crate::lower::render::render;
}
