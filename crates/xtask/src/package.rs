//! Checks the crates as cargo packs them: the command is built from them outside of the repository,
//! and must render what the command of the repository renders.

use std::{fs, path::Path, process::Command};

use crate::{
    members,
    scratch::Scratch,
    tools::{self, FEATURES, Outcome},
};

/// The options with which both commands render everything in the model.
const RENDER: [&str; 4] = ["render", "--allow-missing", "--allow-guesses", "--out"];

/// Packs all crates, unpacks them in another folder, builds the command there, and compares its
/// rendered files with those of the repository's command.
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
    // The lock file of a single crate would name crates that no registry has yet.
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
            "the packed crates do not render the same files: {e}"
        )),
    }
}

/// Unpacks the packed crates into a new workspace. Its crates depend on each other by path, and on
/// the versions of other crates that Cargo.lock states.
fn unpack(root: &Path, scratch: &Path) -> Outcome {
    let io = |e: std::io::Error| e.to_string();
    let tar = rocpkg_programs::find("tar")?;
    let mut patches = String::new();
    for entry in fs::read_dir(root.join("target/package")).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_none_or(|e| e != "crate") {
            continue;
        }
        // `m` gives the unpacked files the present time, so that cargo builds them again.
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
    // The profiles are copied, or cargo would build the crates of others once more. Our own crates
    // are left out, since their programs are run only once.
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
