//! The crates as cargo packs them: built outside of the repository, they render what the repository renders.

use rocpkg::render::{self, WriteOptions};
use rocpkg::{Options, Stack};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::tools::{self, Outcome};

/// Crates that are for this repository alone.
const OWN: [&str; 5] = [
    "rocpkg-examples",
    "rocpkg-programs",
    "rocpkg-test-support",
    "rocpkg-tests",
    "xtask",
];

/// Packs all crates, unpacks them elsewhere, builds the command there and compares what it renders.
pub(crate) fn run(root: &Path) -> Outcome {
    let mut pack = tools::cargo(
        root,
        &[
            "package",
            "--workspace",
            "--no-verify",
            "--allow-dirty",
            "--quiet",
        ],
    );
    // A lock file of each would name crates that no registry has yet.
    pack.args(["--exclude-lockfile", "--locked"])
        .args(OWN.iter().flat_map(|name| ["--exclude", name]));
    tools::succeed(&mut pack)?;
    let scratch = tempfile::Builder::new()
        .prefix("rocpkg-packed-")
        .tempdir()
        .map_err(|e| e.to_string())?;
    unpack(root, scratch.path())?;
    // What others wrote is built already.
    let mut build = tools::cargo(
        scratch.path(),
        &["build", "--package", "rocpkg-cli", "--quiet"],
    );
    // With the features that the tests turn on.
    build.args(["--package", "rocpkg-features"]);
    tools::succeed(build.env("CARGO_TARGET_DIR", root.join("target")))?;
    let (command, out) = (root.join("target/debug/rocpkg"), scratch.path().join("out"));
    let words = ["render", "--allow-missing", "--allow-guesses", "--out"];
    let said = Command::new(&command).args(words).arg(&out).output();
    let said = said.map_err(|e| format!("{}: {e}", command.display()))?;
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).into_owned());
    }
    let tree = Stack::shipped().and_then(|stack| stack.render(&Options::everything()));
    let tree = tree.map_err(|e| e.to_string())?;
    let differs =
        render::check(&tree.files, &out, &WriteOptions::default()).map_err(|e| e.to_string())?;
    match differs.first() {
        Some(first) => Err(format!(
            "{} files differ where it was packed, the first is {}",
            differs.len(),
            first.path
        )),
        None => Ok(()),
    }
}

/// Puts the packed crates into a workspace of their own, which takes each other's and the same versions of all else.
fn unpack(root: &Path, scratch: &Path) -> Outcome {
    let io = |e: std::io::Error| e.to_string();
    let mut patches = String::new();
    for entry in fs::read_dir(root.join("target/package")).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_none_or(|e| e != "crate") {
            continue;
        }
        // What is unpacked is new: an earlier build is no build of it.
        tools::succeed(
            Command::new("tar")
                .arg("xzmf")
                .arg(&path)
                .arg("-C")
                .arg(scratch),
        )?;
        let folder = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let name = folder
            .rsplit_once('-')
            .map_or(folder.as_str(), |(name, _)| name);
        patches.push_str(&format!("{name} = {{ path = \"{folder}\" }}\n"));
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).map_err(io)?;
    // The crates of others are built as here, or they would be built once more; ours are run once.
    let profiles = manifest
        .lines()
        .skip_while(|line| !line.starts_with("[profile."));
    let profiles: String = profiles
        .filter(|line| !line.starts_with("rocpkg"))
        .map(|line| format!("{line}\n"))
        .collect();
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"rocpkg*-*\"]\n\n[patch.crates-io]\n{patches}\n{profiles}"
    );
    fs::write(scratch.join("Cargo.toml"), text).map_err(io)?;
    fs::copy(root.join("Cargo.lock"), scratch.join("Cargo.lock"))
        .map(|_| ())
        .map_err(io)
}
