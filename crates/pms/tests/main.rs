//! The tests of this package, one file for each subject, linked as one program.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "figures are for people to read, and a test that can't go on panics"
)]

mod common;
mod language;
mod laws;
mod portage_oracle;
mod solve;
