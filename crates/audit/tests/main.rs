//! The tests of this package, a file a subject, linked as one program.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests run programs and write files plainly, and panic when they can't go on"
)]

mod clang;
mod common;
mod formats;
mod hostile;
