//! From written to meant: profiles become the [`Plan`] of a distribution, in five stages.
//!
//! Reading, layering, planning, validating, proving: each is a folder, and uses those before it
//! alone; names are recovered between reading and layering (`recover.rs`). `stages.rs` calls them in
//! their order.

mod layer;
mod recover;
mod plan;
mod prove;
mod read;
mod stages;
mod validate;

pub use layer::identity::Kind;
pub use layer::laid::{History, Laid, Removed};
pub use layer::model::Model;
pub use layer::steps::STANDARD;
pub use plan::Plan;
pub use plan::constraints::{Alternatives, Group};
pub use plan::defaults::TEST;
pub use plan::packages::Packages;
pub use plan::planned::{Dependency, Planned, ResolvedEdge, ResolvedTargets};
pub use plan::sources::{ResolvedSource, Saved, check_folder, check_saved};
pub use plan::versions::{Choice, editions, live, several};
pub use recover::Guesses;
pub use prove::builds::{Asked, Builds, Chooser, Given, Nothing, Recipes};
pub use prove::{Built, KnownHole, Proof, Unproved, prove};
pub use read::checksums::{SRI_FORM, is_checksum, is_sri};
pub use read::files::{DISTROS, Depths, Layers};
pub use read::registry::{official, patch_sites, read_registry};
pub use read::release::{LIVE, LIVE_VERSION, Range, Release, ReleaseError, llvm_row, target_row};
pub use read::spellings::{Spellings, bare};
pub use read::texts::{LINE, with_version};
pub use validate::checked::Unchecked;
pub use validate::gaps::{Column, Gap, Gaps, LeftOut, Of, unheard, unread_settings};
