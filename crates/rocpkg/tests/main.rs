//! The tests of this package, with one file for each subject, linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod shipped;
mod splices;
