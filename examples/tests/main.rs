//! The tests of this package, one file for each subject, linked into one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod programs;
mod render;
