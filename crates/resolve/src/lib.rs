//! From written to meant: layers, versions, dependencies, sources, GPU targets become a [`Plan`].

mod bare;
mod conditions;
mod habits;
mod load;
mod names;
mod plan;
mod proof;
mod registry;
mod release;
mod sources;
mod tree;

pub use load::{DISTROS, Model};
pub use names::TargetNames;
pub use plan::{Choice, Dependency, Plan, Planned, ResolvedEdge, ResolvedTargets};
pub use proof::{KnownHole, PROOF_CODES, Proof, prove};
pub use registry::{read_registry, triple};
pub use release::{Range, Release, ReleaseError, fits_pattern};
pub use sources::{ResolvedSource, with_version};
