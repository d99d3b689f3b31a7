//! The Gentoo backend: a plan becomes a repository of ebuilds with their `rocm.eclass`.

mod accept;
mod check;
mod configure;
mod context;
mod depends;
mod flag_edits;
mod flags;
mod ir;
mod live;
mod llvm;
mod lower;
mod manifest;
mod members;
mod named;
mod needs;
mod optional;
mod own_names;
mod package_use;
mod patterns;
mod phases;
mod print;
mod programs;
mod propagation;
mod python;
mod repository;
mod requirements;
mod review;
mod sources;
mod steps;
mod testing;
mod unsaid;
mod vocabulary;
mod words;

pub use flags::{target_of, targets_of};
pub use ir::{Dep, Dependencies, Distfile, Ebuild, Generator, Live, Required, Uri, Value, Variable};
pub use manifest::{JoinedManifest, join_manifest};
pub use members::members;
pub use package_use::{Added, PackageUse, Wanted, package_use};
pub use repository::{Options, lower_all, render};

/// What the numbers of its findings begin with.
pub const CODES: &str = "03";

/// The settings of a distribution's file that it reads.
pub const SETTINGS: [&str; 7] =
    ["category", "global-flags", "gpu-flag", "keywords", "python", "repository", "use-expand"];

/// The habits of a distribution that no other backend reads.
pub const OWN_HABITS: [&str; 1] = ["live"];
