//! From written to meant: layers, versions, dependencies, sources, GPU targets become a [`Plan`].

mod bare;
mod builds;
mod checked;
mod checksums;
mod compat;
mod conditions;
mod habit_names;
mod habits;
mod identity;
mod known;
mod layers;
mod load;
mod names;
mod package;
mod plan;
mod proof;
mod registry;
mod release;
mod releases;
mod sources;
mod taken_back;
mod test_data;
mod tree;
mod upstream;

pub use builds::{Asked, Builds, Chooser, Given, Nothing, Recipes};
pub use checksums::{SRI_FORM, is_sri};
pub use identity::Kind;
pub use layers::{Depths, History, Laid, Layers, Removed};
pub use load::{DISTROS, Model};
pub use names::TargetNames;
pub use plan::{Choice, Dependency, Plan, Planned, ResolvedEdge, ResolvedTargets};
pub use proof::{Built, Held, KnownHole, PROOF_CODES, Proof, Unproved, prove};
pub use registry::{read_registry, triple};
pub use release::{LIVE, Range, Release, ReleaseError, target_row};
pub use sources::{LINE, ResolvedSource, with_version};
pub use taken_back::taken_back;
