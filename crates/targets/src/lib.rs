//! GPU targets as people know them: names, products, hardware, and who promises that a GPU works.
//!
//! The crate reads no files and knows no distribution: its caller parses `profiles/targets.yaml`
//! and gets a [`Registry`], which is the core's registry with what the file says besides.

mod find;
mod near;
mod products;
mod registry;
mod support;
mod words;

pub use find::{Found, NotFound, Why};
pub use products::{Carrier, Products, Reported};
pub use registry::{Hardware, Registry};
pub use rocpkg_core::{Kind, Target, TargetIdError, TargetSet, Via};
pub use support::OnDevice;
