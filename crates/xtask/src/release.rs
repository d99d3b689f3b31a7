//! The command as it is handed on: it names no folder of the machine that built it, and two builds of one commit are the
//! same, byte for byte.

use crate::tools::{self, Outcome};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where it is built, below a workspace: cargo would build everything anew for other flags.
const TARGET: &str = "target/handed-on";

/// Builds it, and says where it is.
pub(crate) fn run(root: &Path) -> Outcome {
    let built = build(root)?;
    println!("{}", built.display());
    Ok(())
}

/// Builds the commit in another folder too, and compares.
pub(crate) fn twice(root: &Path) -> Outcome {
    let scratch = tempfile::Builder::new().prefix("rocpkg-elsewhere-").tempdir();
    let elsewhere = scratch.as_ref().map_err(ToString::to_string)?.path().join("a/deeper/folder");
    tools::succeed(Command::new("git").args(["clone", "--quiet"]).arg(root).arg(&elsewhere))?;
    let clean = Command::new("git").args(["status", "--porcelain"]).current_dir(root).output();
    if !clean.map_err(|e| e.to_string())?.stdout.is_empty() {
        return Err(
            "the checkout has changes that no commit holds: only a commit can be built elsewhere".to_owned()
        );
    }
    let (here, there) = (build(root)?, build(&elsewhere)?);
    let read = |path: &Path| fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    if read(&here)? == read(&there)? {
        println!("    two builds, one in another folder, are the same {} bytes", read(&here)?.len());
        return Ok(());
    }
    Err("the same commit, built in two folders, gives two different commands".to_owned())
}

fn build(root: &Path) -> Result<PathBuf, String> {
    let home = env::var_os("HOME").map(PathBuf::from).ok_or("HOME is not set")?;
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let target = root.join(TARGET);
    // Of two that fit, rustc takes the last.
    let renamed = [(&home, "/home"), (&cargo, "/cargo"), (&root.to_owned(), "/rocpkg")]
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let mut command = tools::cargo(root, &["build", "--release", "--locked", "--package", "rocpkg"]);
    // An environment of the caller's own would make it another command.
    command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", renamed.join("\u{1f}"));
    tools::succeed(command.arg("--target-dir").arg(&target))?;
    let built = target.join("release/rocpkg");
    let bytes = fs::read(&built).map_err(|e| format!("{}: {e}", built.display()))?;
    for folder in [&home, &cargo, &root.to_owned()] {
        let name = folder.as_os_str().as_encoded_bytes();
        if name.len() > 1 && bytes.windows(name.len()).any(|w| w == name) {
            return Err(format!("the command holds the path {}", folder.display()));
        }
    }
    Ok(built)
}
