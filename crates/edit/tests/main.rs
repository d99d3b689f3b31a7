//! The tests of this package, one file for each subject, linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod ebuild;
mod lists;
mod nix;
mod pkgbuilds;
mod removed;
mod solus;
mod spellings;
