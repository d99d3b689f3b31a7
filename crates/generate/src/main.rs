//! The parts of `cargo xtask` that need the crates of the product. They are a program of their own,
//! so that xtask builds without the product.
//!
//! `documents.rs` implements `cargo xtask generate`, `shared.rs` implements `cargo xtask shared`, and
//! `eclasses.rs` implements `cargo xtask eclasses`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the bans are for what rocpkg ships: this program writes files and prints"
)]

mod api;
mod documents;
mod eclasses;
mod files;
mod reference;
mod references;
mod shared;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

const USAGE: &str = "\
The part of `cargo xtask` that needs the product; call it by `cargo xtask generate [--check]`, `cargo xtask shared` and `cargo xtask eclasses FOLDER`.";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let root = workspace();
    let outcome = match arguments[..] {
        ["generate"] => documents::run(&root, documents::Mode::Write),
        ["generate", "--check"] => documents::run(&root, documents::Mode::Check),
        ["shared"] => shared::run(),
        ["eclasses", folder] => eclasses::run(&root, folder),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the folder that contains the workspace's Cargo.toml.
fn workspace() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder
        .ancestors()
        .nth(2)
        .expect("this crate is in crates/")
        .to_owned()
}
