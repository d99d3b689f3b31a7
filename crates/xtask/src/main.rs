//! `cargo xtask`: the checks of CI, and other work around the code.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the bans are for what rocpkg ships: running programs, writing files and printing is what xtask is for"
)]

mod ci;
mod fresh;
mod install;
mod machine;
mod map;
mod members;
mod packages;
mod pages;
mod publish;
mod scratch;
mod structure;
mod tidy;
mod tools;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

const USAGE: &str = "\
cargo xtask COMMAND

  ci                   formatting, lints, tidy, generate --check, shared, all tests, and packages
  whole [PART...]      the checks of which ci runs a sample, in full, or a part: dependencies, portage, tests, pages
  fresh                README's commands on a minimal Debian in a temporary folder; needs root and the network
  t CRATE [NAME]       the tests of a crate, or those whose names contain NAME: `cargo xtask t model laws`
  install-tools        install the programs of crates/programs/src/table.rs where they are missing, and run each once
  generate [--check]   write the generated parts of the documents, the schemas and the reference of profiles/, and
                       tests/golden; or list those that are out of date
  publish --dry-run    pack the crates, check their metadata and sizes, build each from its package, and compare
                       what the packed command renders
  pages                check the pages of `rocpkg report` with an HTML parser and a browser (installed by pip and npm)
  shared               count the facts in components, and in overlays by distribution
  eclasses FOLDER      compare the table of ::gentoo's common eclasses with the texts of eclasses in a folder
  tidy [--list]        check the project's rules that no other tool checks";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let root = workspace();
    let outcome = match arguments[..] {
        ["ci"] => ci::run(&root),
        ["whole", ref wanted @ ..] => ci::whole(&root, wanted),
        ["fresh"] => return fresh::run(),
        ["fresh-inside", folder] => fresh::inside(&root, Path::new(folder)),
        ["t", name, ref arguments @ ..] => ci::test(&root, name, arguments),
        ["install-tools"] => install::run(),
        ["generate"] => tools::generate(&root, &["generate"]),
        ["generate", "--check"] => tools::generate(&root, &["generate", "--check"]),
        ["publish", "--dry-run"] => publish::run(&root, true),
        ["pages"] => pages::run(&root),
        ["shared"] => tools::generate(&root, &["shared"]),
        ["eclasses", folder] => tools::generate(&root, &["eclasses", folder]),
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

/// Returns the folder that contains the workspace's Cargo.toml.
fn workspace() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder
        .ancestors()
        .nth(2)
        .expect("xtask stands in crates/")
        .to_owned()
}
