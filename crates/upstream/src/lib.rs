//! Unstable, no promise: this crate changes with each release of rocpkg;
//! `rocpkg` is the promised way to it.
//!
//! Reads what upstream publishes: fetches it, computes its checksums by the rules of the
//! distributions, and compares two of its releases.
//!
//! This is the only crate that uses the network. Of the other library crates, only `rocpkg` depends
//! on this crate, and only with its feature `upstream`. Nothing that is fetched is run.

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
pub use fetch::{Limits, Policy};
pub use sums::{ChecksumSubject, Reference, Sums, Upstream, sums_of_file};

use std::fs::File;
use std::io::{self, Seek, Write};
use std::process::{Command, Output};

/// Returns a temporary file that contains `text`, as the standard input of a program.
fn file_of(text: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}

/// Runs a program with `text` as its standard input, and returns its output.
fn fed(command: &mut Command, text: &[u8]) -> io::Result<Output> {
    command.stdin(file_of(text)?).output()
}
