//! GPU targets: which exist, what people call them, and which code loads on which GPU.
//!
//! The crate reads no files and knows no distribution: its caller parses `profiles/targets.yaml` and gets a [`Registry`], from which
//! every other value is made.

mod find;
mod id;
mod loads;
mod near;
mod products;
mod registry;
mod set;
mod support;
mod words;

pub use find::{Found, NotFound, Why};
pub use id::TargetIdError;
pub use loads::Via;
pub use products::{Carrier, Products, Reported};
pub use registry::{Hardware, Kind, Registry};
pub use set::{Target, TargetSet};
pub use support::OnDevice;
