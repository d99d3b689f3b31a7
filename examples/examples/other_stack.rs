//! The stack of another vendor, without anything of ROCm. The same code renders it for all four
//! distributions.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::{Error, Options, Stack};

fn main() -> Result<(), Error> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/other-stack");
    let tree = Stack::empty()?.layer(folder)?.render(&Options {
        allow_missing: true,
        ..Options::default()
    })?;
    for (path, bytes) in &tree.files {
        println!(
            "{path}: {} lines",
            String::from_utf8_lossy(bytes).lines().count()
        );
    }
    for finding in &tree.findings {
        println!("{}: {}", finding.code, finding.message);
    }
    Ok(())
}
