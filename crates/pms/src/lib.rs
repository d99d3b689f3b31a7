//! Gentoo's dependency language, as defined by the Package Manager Specification (PMS): reading,
//! printing, evaluating and solving.
//!
//! The language is that of EAPI 8 and 9. If the Specification is not definite, the crate does the
//! same as Portage.
//!
//! ```
//! use rocpkg_pms::{Atom, DepSpec, RequiredUse};
//!
//! let atom: Atom = ">=sci-libs/rocBLAS-7.2:0/7.2=[amdgpu_targets_gfx90a(-)?]".parse()?;
//! assert_eq!(atom.slot().and_then(|slot| slot.sub_slot()), Some("7.2"));
//!
//! let required: RequiredUse = "^^ ( cuda rocm ) test? ( rocm )".parse()?;
//! assert!(required.is_met(|flag| flag == "rocm"));
//! assert_eq!(required.unmet(|flag| flag == "test").to_string(), "^^ ( cuda rocm ) test? ( rocm )");
//!
//! let error = "sci-libs/rocFFT test? sci-libs/rocRAND".parse::<DepSpec>().unwrap_err();
//! assert_eq!(error.to_string(), "expected `(` after `test?`, got `sci-libs/rocRAND` (at byte 22)");
//! # Ok::<(), rocpkg_pms::SyntaxError>(())
//! ```
//!
//! Look first at [`Atom`], [`Spec`], the text of a dependency variable, and [`Problem`], which
//! finds the fewest flags to change. `README.md` of the crate lists the limitations.

mod atom;
mod cpv;
mod error;
mod iuse;
mod kinds;
mod name;
mod reduce;
mod required_use;
mod slot;
mod solve;
mod spec;
#[cfg(feature = "serde")]
mod stored;
mod version;

pub use atom::{Atom, Blocker, DefaultConflict, Operator, UseDep, UseDepKind, UseState};
pub use cpv::{Candidate, Cpv};
pub use error::SyntaxError;
pub use iuse::Iuse;
pub use kinds::{
    DepSpec, FlagState, License, LicenseSpec, RequiredUse, RestrictSpec, Restriction, SrcUri,
    SrcUriSpec,
};
pub use name::{Cpn, Flag};
pub use reduce::{EMPTY_ANY_OF, Item, flatten, use_reduce};
pub use required_use::UnknownFlag;
pub use slot::{Slot, SlotDep, SlotOperator};
pub use solve::{Change, Contradiction, Member, Problem, Reason, Solution, UseLine, Wish};
pub use spec::{Leaf, MAX_DEPTH, Node, Spec};
pub use version::Version;
