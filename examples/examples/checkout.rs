//! An update in a checkout: the existing recipe moves to the next release, and its manual edits are
//! kept.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that answers, and edits as hands do"
)]

use rocpkg::checkout::Output;
use rocpkg::{Backend, Choice, Options, Stack};
use std::collections::BTreeMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stack = Stack::shipped()?;
    let options = |release: Choice| Options {
        backends: vec![Backend::Solus],
        choices: vec![release],
        packages: vec!["rocm-cmake".into()],
        ..Options::everything()
    };
    let folder = tempfile::tempdir()?;
    let checkout = Some(stack.checkout(Backend::Solus, folder.path(), &BTreeMap::new())?);
    let output = Output {
        checkout,
        ..Output::default()
    };
    stack.write(
        &stack.render(&options("7.1.1".parse()?))?,
        folder.path(),
        &output,
    )?;

    let recipe = folder.path().join("packages/r/rocm-cmake/package.yml");
    let by_hand = std::fs::read_to_string(&recipe)?
        .replace("build      : |", "# Ours\nnetworking : yes\nbuild      : |");
    std::fs::write(&recipe, by_hand)?;

    let written = stack.write(
        &stack.render(&options("7.2.0".parse()?))?,
        folder.path(),
        &output,
    )?;
    print!("{}", std::fs::read_to_string(&recipe)?);
    let left = written.merged.recipes.iter().map(|r| r.blocking().count());
    println!("left to you: {}", left.sum::<usize>());
    Ok(())
}
