//! Nix expressions of packages as typed values, and the scope that calls them by `callPackage`.
//! They are made from code, or from a plan of packages:
//!
//! ```
//! use rocpkg_nix::{Binding, Expression, NixExpr};
//!
//! let read = |text: &str| NixExpr::read(text).map_err(|faults| format!("{faults:?}"));
//! let source = read("fetchurl { url = \"https://example.org/a.tar.gz\"; hash = lib.fakeHash; }")?;
//! let expression = Expression::package("hipthing", "1.2", source)
//!     .inputs("buildInputs", ["rocblas"])
//!     .attribute(Binding::new("doCheck", read("true")?))
//!     .meta("Things for GPUs", "https://example.org", ["mit"]);
//! expression.check()?;
//! // The arguments are the names that the expression uses.
//! assert!(expression.to_string().contains("  fetchurl,\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Look first at [`Expression`], [`NixExpr`] and [`Binding`]. `README.md` of the crate lists the
//! limitations.

mod check;
mod distribution;
#[cfg(feature = "checkout")]
mod existing;
mod lower;
mod value;

pub use rocpkg_model::{Finding, Severity, Span};
pub use rocpkg_render::{Refused, Unprintable};
pub use rocpkg_syntax::{Checked, Fault, Missing, Surroundings, Unchecked, place};

pub use check::check;
pub use value::accept::{check_style, format};
pub use value::expr::{Argument, Binding, BindingKind, Item, NixExpr, Operator, Part, Pattern};
pub use value::expression::Expression;
pub use value::text::Verbatim;

/// Items that the other crates of rocpkg call. They are no part of the promise: they change without
/// notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::check::local_files;
    pub use crate::distribution::Nixpkgs;
    #[cfg(feature = "checkout")]
    pub use crate::existing::values::{one_derivation, values};
    #[cfg(feature = "checkout")]
    pub use crate::existing::{
        FileCall, JoinedScope, Literal, Within, defines_scope, file_calls, formatted,
        head_arguments, join_scope, literals, reading, sums_from,
    };
    pub use crate::lower::capabilities::CAPABILITIES;
    pub use crate::lower::names::feature;
    pub use crate::lower::package::lower;
    pub use crate::lower::render::render;
    pub use crate::lower::scope::{calls, scope};
    pub use crate::lower::source::NO_HASH;
    pub use crate::lower::{Lowered, NixFile, Tables, attribute, expression_path};
}
