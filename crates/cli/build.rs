//! Tells the command where git notes its commits.
#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]
#![allow(
    clippy::disallowed_methods,
    reason = "git is asked while rocpkg is built, and a file for cargo alone is written"
)]

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).map(PathBuf::from);
    // Without git, or unpacked into a repository of something else, there is no commit.
    let log = log.filter(|log| log.is_file() && git(&["ls-files", "--error-unmatch", "build.rs"]).is_some());
    // The log itself is watched by the command alone, which reads it as it is compiled: a commit makes the library no other.
    if let Some(head) = log.as_ref().and_then(|log| Some(log.parent()?.parent()?.join("HEAD"))) {
        println!("cargo::rerun-if-changed={}", head.display());
    }
    let log = log.and_then(|log| log.canonicalize().ok()).unwrap_or_else(|| {
        let none = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("no-commits");
        // Where it can't be written, the compiler says so.
        let _ = std::fs::write(&none, "");
        none
    });
    println!("cargo::rustc-env=ROCPKG_COMMITS={}", log.display());
}

/// What git says in the crate's folder.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}
