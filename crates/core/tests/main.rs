//! Tests of the crate, as one program.

mod laws;
mod solver;
