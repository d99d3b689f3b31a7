//! The tests of this package: one file for each subject, linked as one program.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

mod about;
mod accidents;
mod advice;
mod audit;
mod aur;
mod automation;
mod bump;
mod checkout;
mod command;
mod commit;
mod compare;
mod counts;
mod done;
mod eclass;
mod forks;
mod gpu;
mod hooks;
mod latest;
mod line_ends;
mod mistakes;
mod needs;
mod other_words;
mod own_patches;
mod package_use;
mod pkgbuild_checkout;
mod plan_build;
mod plan_test;
mod report;
mod sums;
mod targets;
mod terminal;
mod todos;
mod unasked;
mod upstream;
mod writes;
