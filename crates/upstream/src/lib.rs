//! What upstream publishes: fetched, summed by the rules of those who use it, and compared between two releases.
//!
//! This is the only crate that touches the network, and no other library crate knows it. Nothing that it fetches is run.

pub mod cmake;
pub mod diff;
pub mod probe;
pub mod tree;
