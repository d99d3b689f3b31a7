//! The library that people depend on: the crates of rocpkg under one name, and the model that ships with it.

pub use rocpkg_arch as arch;
pub use rocpkg_gentoo as gentoo;
pub use rocpkg_model as model;
pub use rocpkg_nix as nix;
pub use rocpkg_pms as pms;
pub use rocpkg_render as render;
pub use rocpkg_resolve as resolve;
pub use rocpkg_solus as solus;
pub use rocpkg_targets as targets;

mod backend;
mod guesses;
mod schema;
mod shipped;
mod stack;

pub use backend::Backend;
pub use schema::schema;
pub use shipped::{profiles, templates};
pub use stack::{Stack, StackError, StackOptions, StackTree};
