//! What upstream publishes: fetched, summed by the rules of those who use it, and compared between two releases.
//!
//! This is the only crate that touches the network, and no other library crate knows it. Nothing that it fetches is run.

pub mod cmake;
pub mod diff;
mod failure;
mod fetch;
mod git;
mod nar;
pub mod probe;
mod sums;
pub mod tree;

pub use failure::Failure;
pub use fetch::Policy;
pub use sums::{Reference, Sums, Thing, Upstream, sums_of_file};
