//! From written to meant: layers, versions, dependencies, sources, GPU targets become a [`Plan`].

mod bare;
mod checked;
mod checksums;
mod conditions;
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
mod tree;

pub use checksums::is_sri;
pub use identity::Kind;
pub use layers::{Depths, History, Laid, Layers, Removed};
pub use load::{DISTROS, Model};
pub use names::TargetNames;
pub use plan::{Choice, Dependency, Plan, Planned, ResolvedEdge, ResolvedTargets};
pub use proof::{KnownHole, PROOF_CODES, Proof, prove};
pub use registry::{read_registry, triple};
pub use release::{LIVE, Range, Release, ReleaseError, target_row};
pub use sources::{ResolvedSource, with_version};
