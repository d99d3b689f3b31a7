//! Gentoo's dependency language after the Package Manager Specification: read, print, evaluate and solve.

mod answer;
mod atom;
mod cpv;
mod error;
mod iuse;
mod kinds;
mod name;
mod reduce;
mod required_use;
mod solve;
mod spec;
mod version;

pub use answer::{answer, answer_bytes};
pub use atom::{
    Atom, Blocker, DefaultConflict, Operator, Slot, SlotDep, SlotOperator, UseDep, UseDepKind, UseState,
};
pub use cpv::{Candidate, Cpv};
pub use error::SyntaxError;
pub use iuse::Iuse;
pub use kinds::{
    DepSpec, FlagState, License, LicenseSpec, RequiredUse, RestrictSpec, Restriction, SrcUri, SrcUriSpec,
};
pub use name::{Cpn, Flag};
pub use reduce::{Conditionals, EMPTY_ANY_OF, Item, Reduction, flatten, use_reduce};
pub use required_use::UnknownFlag;
pub use solve::{Change, Contradiction, Member, Problem, Reason, Solution, Wish};
pub use spec::{Leaf, MAX_DEPTH, Node, Spec};
pub use version::Version;
