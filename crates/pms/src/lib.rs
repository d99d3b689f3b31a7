//! Gentoo's dependency language after the Package Manager Specification: read, print, evaluate and solve.

mod atom;
mod cpv;
mod error;
mod kinds;
mod name;
mod spec;
mod version;

pub use atom::{
    Atom, Blocker, DefaultConflict, Operator, Slot, SlotDep, SlotOperator, UseDep, UseDepKind, UseState,
};
pub use cpv::{Candidate, Cpv};
pub use error::SyntaxError;
pub use kinds::{
    DepSpec, FlagState, License, LicenseSpec, RequiredUse, RestrictSpec, Restriction, SrcUri, SrcUriSpec,
};
pub use name::{Cpn, Flag};
pub use spec::{Leaf, MAX_DEPTH, Node, Spec};
pub use version::Version;
