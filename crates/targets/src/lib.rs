//! Unstable, no promise: this crate changes with each release of rocpkg;
//! `rocpkg-core` and `rocpkg::gpu` are promised.
//!
//! GPU targets by the names that people use, with their products, their hardware, and upstream's
//! statements about support.
//!
//! The crate reads no files and contains nothing about distributions. Its caller parses
//! `profiles/targets.yaml` and gets a [`Registry`]: the registry of the crate `core`, with the
//! further facts in the file. Start with `registry.rs`, then read `find.rs`.

mod find;
mod nearest_name;
mod product_line;
mod products;
mod registry;
mod support;

pub use find::{Found, NotFound, Why};
pub use products::{Carrier, Products, Reported};
pub use registry::{Hardware, Registry};
pub use rocpkg_core::{Target, TargetIdError, TargetKind, TargetSet, Via};
pub use support::OnDevice;
