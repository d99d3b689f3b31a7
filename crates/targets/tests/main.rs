//! The tests of this package. Each subject has a file, and all files are linked as one program.
#![allow(clippy::print_stdout, reason = "figures are for people to read")]

mod laws;
mod names;
mod registry;
