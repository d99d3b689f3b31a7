//! The work around the code: `cargo xtask ci` and its parts.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the bans are for what rocpkg ships: running programs, writing files and printing is what xtask is for"
)]

mod bench;
mod ci;
mod dependencies;
mod fuzz;
mod generate;
mod idle;
mod reference;
mod release;
mod shared;
mod structure;
mod testing;
mod tidy;
mod tools;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

const USAGE: &str = "\
cargo xtask COMMAND

  ci                   all of the below, with formatting, lints, documentation and tests
  whole [PART...]      what ci asks a sample of, asked in full, or a part of it: advisories, portage, emerge, strings, shipped,
                       release
  bench                every ratio in one run: trees beside cp -r, growth, superflore, makepkg (ten minutes, nothing else running)
  install-tools        Portage, pkgcheck, makepkg and Nix, where they are missing
  generate [--check]   write the generated parts of the documents, the schemas and the reference of profiles/, and
                       tests/golden; or tell which are out of date
  release              the command as it is handed on: without a path of this machine in it
  shared [--list]      how many facts of the components reach how many distributions
  fuzz [--minutes N] [TARGET...]
                       texts that nobody expects for each reader of what comes from outside, guided by which code they reach:
                       an hour in all unless it is told; what breaks something is put into tests/fuzz/corpus
  idle                 the facts of overlays that change nothing
  dependencies         licences and origin of the crates that we depend on, and none of them twice
  tidy [--list]        the rules of the house that no other tool checks, and how many lines there are";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let root = workspace();
    let outcome = match arguments[..] {
        ["ci"] => ci::run(&root),
        ["whole", ref wanted @ ..] => ci::whole(&root, wanted),
        ["bench"] => bench::run(&root),
        ["install-tools"] => tools::install(&root),
        ["generate"] => generate::run(&root, generate::Mode::Write),
        ["generate", "--check"] => generate::run(&root, generate::Mode::Check),
        ["release"] => release::run(&root),
        ["shared"] => shared::run(false),
        ["shared", "--list"] => shared::run(true),
        ["fuzz", ref wanted @ ..] => fuzz::run(&root, wanted),
        ["idle"] => idle::run(),
        ["dependencies"] => dependencies::run(&root),
        ["tidy"] => tidy::run(&root, false),
        ["tidy", "--list"] => tidy::run(&root, true),
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

/// The folder of the workspace's Cargo.toml.
fn workspace() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(2).expect("xtask stands in crates/").to_owned()
}
