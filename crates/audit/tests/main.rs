//! The tests of this package. Each subject has a file, and all files are linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod clang;
mod common;
mod formats;
mod hostile;
