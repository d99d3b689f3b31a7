//! The tests of this package, a file a subject, linked as one program.
#![allow(clippy::print_stdout, reason = "figures are for people to read")]

mod laws;
mod names;
mod registry;
