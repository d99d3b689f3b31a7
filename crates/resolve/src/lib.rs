//! Unstable, no promise: this crate changes with each release of rocpkg;
//! `rocpkg` is the promised way to it.
//!
//! Resolves profiles into the [`Plan`] of a distribution, in five stages.
//!
//! The stages are reading, layering, planning, validating and proving. Each stage is a folder, and
//! only uses the stages before it. Between reading and layering, misspelt names are replaced by the
//! names that were probably meant (`recover.rs`). `stages.rs` calls the stages in this order.

mod layer;
mod plan;
mod prove;
mod read;
mod recover;
mod stages;
mod validate;

pub use layer::identity::Kind;
pub use layer::merged::{History, Merged, Removed};
pub use layer::model::Model;
pub use layer::steps::STANDARD;
pub use plan::bundles::{Bundles, CompatibleCode, Packed};
pub use plan::constraints::{Alternatives, Group};
pub use plan::cycles::KnownCycle;
pub use plan::defaults::TEST;
pub use plan::packages::Packages;
pub use plan::planned::{Dependency, NearbyDefaults, Planned, ResolvedEdge, ResolvedTargets};
pub use plan::sources::{ResolvedSource, Saved, check_folder, check_saved};
pub use plan::versions::{Choice, editions, live, several};
pub use plan::{Absent, Plan};
pub use prove::builds::{Builds, ChoiceEffect, Chooser, Nothing, PassedTargets, Recipes};
pub use prove::{Built, KnownHole, Proof, Unproved, prove};
pub use read::checksums::{SRI_FORM, is_checksum, is_sri};
pub use read::files::{DISTROS, Depths, Layers};
pub use read::registry::{official, patch_sites, read_registry};
pub use read::release::{LIVE, LIVE_VERSION, Range, Release, ReleaseError, llvm_row, target_row};
pub use read::spellings::{Spellings, bare};
pub use read::texts::{LINE, tag_by, tag_scheme, tag_schemes, with_version};
pub use recover::Guesses;
pub use validate::capabilities::{
    AppliesTo, Capabilities, LeftOut, Unsupported, UnsupportedFacts, unread_settings,
    unsupported_habits,
};
pub use validate::checked::Unchecked;
