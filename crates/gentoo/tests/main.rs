//! The tests of this package, one file for each subject, linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod check;
mod code;
mod ebuild_file;
mod ebuilds;
mod eclass;
mod generated;
mod manifest;
mod metadata;
mod propagation;
mod setters;
