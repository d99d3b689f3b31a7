//! The tests of the crate, linked into one program.

mod laws;
mod solver;
