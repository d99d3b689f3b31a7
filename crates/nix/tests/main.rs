//! The tests of this package, one file for each subject, linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod broken;
mod check;
mod code;
mod common;
mod generated;
mod present;
mod render;
mod text;
mod updater;
mod values;
