//! The tests of this package, one file for each subject, linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod check;
mod code;
mod common;
mod evaluate;
mod generated;
mod pkgbuild_file;
mod pkgbuilds;
mod present;
mod srcinfo;
mod verdicts;
