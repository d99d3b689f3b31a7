//! Unstable, no promise: this crate changes with each release of rocpkg;
//! `rocpkg::profile` makes the same facts from code.
//!
//! The records of the YAML files below `profiles/`: packages, distributions, releases and GPU
//! targets. Every value has its place in a file.
//!
//! Start with `package.rs`, the record of a package. `node.rs` parses YAML into trees, and
//! `decode.rs` reads records from trees.

mod codes;
mod command;
mod cond;
mod consumer;
mod day;
mod decode;
mod describe;
mod distro;
mod ebuild;
mod encode;
mod external;
mod finding;
mod habits;
mod kind;
mod layers;
mod llvm;
mod maintainer;
mod nixpkg;
mod node;
mod obstacle;
mod package;
mod package_paths;
mod pkgbuild;
mod products;
mod project;
mod release;
mod resources;
mod runner;
mod source;
mod step;
mod step_paths;
mod targets;
mod text;
mod type_mismatch;
mod typos;
mod upstream;
mod ypkg;

pub use codes::{Code, codes};
pub use cond::{Cond, When};
pub use consumer::{Consumer, Consumers, KnownPackage};
pub use day::Day;
pub use decode::{Decode, OneOrMany, OneOrMore, Spanned};
pub use describe::{Book, Definition, Field, Shape, Word};
pub use distro::{
    BuiltWithLlvm, CarriedSites, Distro, KnownFinding, LikelyTargets, Naming, TargetDefaults,
    TargetTool,
};
pub use ebuild::*;
pub use external::{External, ExternalRow, Externals};
pub use finding::{
    Finding, Findings, MAX_SHOWN, Owner, Severity, did_you_mean, is_a_letter_off, misspelt,
    nearest, slip, unknown_name,
};
pub use habits::*;
pub use indexmap::IndexMap;
pub use kind::{FileKind, NATIVE};
pub use llvm::{LlvmFails, LlvmWorks, PackageLlvm};
pub use maintainer::{Maintainer, Proxied};
pub use nixpkg::*;
pub use node::{Key, MAX_DEPTH, MAX_FILE_BYTES, Node, Value, parse};
pub use obstacle::{Cycle, Obstacle, ObstacleKind};
pub use package::*;
pub use package_paths::check_paths;
pub use pkgbuild::*;
pub use products::*;
pub use project::{
    Argument, ArgumentValue, EnvironmentVariable, FLAG_KINDS, FlagAction, FlagEdit, Project,
};
pub use release::{Checksum, ReleaseLine, Shipped, Version};
pub use resources::{Knob, Resources};
pub use runner::{
    Level as LevelEntry, Limit as LimitEntry, Runner as RunnerEntry, Runners, TestedBackend,
};
pub use smol_str::SmolStr;
pub use source::{Files, Inset, Position, Source as SourceFile, Sources, Span, legible};
pub use step::{
    ACTIONS, Action, ConfigFile, Each, FromTo, Inside, Licence, NO_STANDARD, Replace, RunWith, Sed,
    Step,
};
pub use targets::{
    BundleSettingsEntry, CompatEntry, CompatGroupEntry, DeclaredEntry, GenericEntry, MachineEntry,
    OfficialEntry, OverrideEntry, OverrideOutcome, PackagesFor, PatchSiteEntry, ProcessorEntry,
    ProcessorKind, PseudoEntry, ReadOnlyEntry, ReadOnlyPackage, ReadOnlyRuntime, RemovedEntry,
    ScheduledEntry, SupportEntry, TargetsFile, WorkaroundEntry,
};
pub use text::{Piece, Text, is_identifier};
pub use upstream::*;
pub use ypkg::*;
