//! From written to meant: layers, versions, dependencies, sources, GPU targets become a [`Plan`].

mod layer;
mod plan;
mod prove;
mod read;
mod validate;

pub use layer::habit_steps::STANDARD;
pub use layer::identity::Kind;
pub use layer::laid::{Depths, History, Laid, Layers, Removed};
pub use plan::checksums::{SRI_FORM, is_sri};
pub use plan::packages::Packages;
pub use plan::planned::{Choice, Dependency, Plan, Planned, ResolvedEdge, ResolvedTargets};
pub use plan::settled::TEST;
pub use plan::sources::{LINE, ResolvedSource, Saved, check_folder, check_saved, with_version};
pub use plan::taken_back::taken_back;
pub use prove::builds::{Asked, Builds, Chooser, Given, Nothing, Recipes};
pub use prove::{Built, Held, KnownHole, PROOF_CODES, Proof, Unproved, prove};
pub use read::load::{DISTROS, Model};
pub use read::names::TargetNames;
pub use read::registry::{read_registry, triple};
pub use read::release::{LIVE, Range, Release, ReleaseError, target_row};
pub use validate::constraints::{Alternatives, Group};
pub use validate::unread::{unheard, unread_settings};
pub use validate::unsaid::{LeftOut, Unfetched, Unsaid, elements};
