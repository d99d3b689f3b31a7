//! The crates as cargo packs them: built outside of the repository, they render what the repository
//! renders.

use std::{fs, path::Path, process::Command};

use crate::{
    members,
    scratch::Scratch,
    tools::{self, FEATURES, Outcome},
};

/// The options with which both commands render everything that is known.
const RENDER: [&str; 4] = ["render", "--allow-missing", "--allow-guesses", "--out"];

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
    pack.args(["--exclude-lockfile", "--locked"]);
    let members = members::all(root)?;
    for member in members
        .iter()
        .filter(|m| !m.is_published && m.package != FEATURES)
    {
        pack.args(["--exclude", &member.package]);
    }
    tools::succeed(&mut pack)?;
    let scratch = Scratch::new("packed")?;
    unpack(root, &scratch.0)?;
    let out = scratch.0.join("out");
    let render = |workspace: &Path, more: &[&str]| {
        let mut command = tools::rocpkg(root, workspace)?;
        tools::output(command.args(RENDER).arg(&out).args(more))
    };
    render(&scratch.0, &[])?;
    match render(root, &["--check"]) {
        Ok(_) => Ok(()),
        Err(e) => Err(format!(
            "the packed crates render something else than these: {e}"
        )),
    }
}

/// Puts the packed crates into a workspace of their own, which takes each other's and the same
/// versions of all else.
fn unpack(root: &Path, scratch: &Path) -> Outcome {
    let io = |e: std::io::Error| e.to_string();
    let tar = rocpkg_programs::find("tar")?;
    let mut patches = String::new();
    for entry in fs::read_dir(root.join("target/package")).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_none_or(|e| e != "crate") {
            continue;
        }
        // What is unpacked is new: an earlier build is no build of it.
        tools::succeed(
            Command::new(&tar)
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
