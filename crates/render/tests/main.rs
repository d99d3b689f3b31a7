//! The tests of this package, one file for each subject, linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod bash;
mod bash_literals;
mod bash_read;
mod common;
mod faults;
mod refused;
mod shell_text;
mod text;
mod writer;
