//! What upstream publishes: fetched, summed by the rules of those who use it, and compared between
//! two releases.
//!
//! This is the only crate that touches the network, and no other library crate knows it. Nothing
//! that it fetches is run.

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

use std::io::{self, Seek, Write};
use std::process::{Command, Output};

/// What a program makes of a text.
fn fed(command: &mut Command, text: &[u8]) -> io::Result<Output> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text)?;
    file.rewind()?;
    command.stdin(file).output()
}
