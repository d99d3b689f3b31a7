//! Packs the crates that are published, and checks the packages: their metadata, their size, and
//! that they can be built from what is packed. Before a release, the command that is built from
//! them must also render what the command of the repository renders.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use crate::{
    members,
    scratch::Scratch,
    tools::{self, FEATURES, Outcome},
};

/// The options with which both commands render everything in the model.
const RENDER: [&str; 4] = ["render", "--allow-missing", "--allow-guesses", "--out"];

/// The greatest size of a package in bytes. Registries refuse packages above ten times as much.
const LARGEST: u64 = 1024 * 1024;

/// The keys that the manifest of each published crate states.
const METADATA: [&str; 7] = [
    "description",
    "license",
    "documentation",
    "readme",
    "keywords",
    "categories",
    "rust-version",
];

/// The files that each package contains, beside its code.
const FILES: [&str; 3] = ["Cargo.lock", "LICENSE", "README.md"];

/// Packs all crates in the order in which they can be published, and checks the packages: that they
/// compile together, as CI does, or with `is_whole` each by itself with the features that it asks
/// for, and what they render.
pub(crate) fn run(root: &Path, is_whole: bool) -> Outcome {
    let members = members::all(root)?;
    let packed = root.join("target/package");
    if packed.exists() {
        fs::remove_dir_all(&packed).map_err(|e| e.to_string())?;
    }
    let mut pack = tools::cargo(root, &["package", "--workspace", "--no-verify"]);
    pack.args(["--allow-dirty", "--quiet", "--locked"]);
    for member in members
        .iter()
        .filter(|m| !m.is_published && m.package != FEATURES)
    {
        pack.args(["--exclude", &member.package]);
    }
    tools::succeed(&mut pack)?;
    let scratch = Scratch::new("packed")?;
    unpack(root, &scratch.0)?;
    let published = members.iter().filter(|member| member.is_published);
    let published: Vec<&str> = published.map(|member| member.package.as_str()).collect();
    metadata(&scratch.0, &packed, &published)?;
    let check = |package: &str, more: &[&str], target: &str| {
        let check = ["check", "--quiet", "-p", package];
        let mut check = tools::cargo(&scratch.0, &check);
        tools::succeed(check.args(more).env("CARGO_TARGET_DIR", root.join(target)))
    };
    if !is_whole {
        // The crates of others are those that the lints were checked with.
        return check("rocpkg-cli", &["-p", FEATURES], "target");
    }
    for name in &published {
        check(name, &[], "target/packed")?;
        println!("    {name} is built from its package");
    }
    for backend in ["gentoo", "arch", "nix", "solus"] {
        let alone = ["--no-default-features", "--features", backend];
        check("rocpkg", &alone, "target/packed")?;
        println!("    rocpkg is built with {backend} alone");
    }
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

/// Checks the manifests, files and sizes of the packages, and prints their sizes.
fn metadata(scratch: &Path, packed: &Path, published: &[&str]) -> Outcome {
    let mut faults = Vec::new();
    let mut sizes = BTreeMap::new();
    for name in published {
        let version = env!("CARGO_PKG_VERSION");
        let folder = scratch.join(format!("{name}-{version}"));
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        let manifest = manifest.map_err(|e| format!("{name}: {e}"))?;
        for key in METADATA {
            if !manifest
                .lines()
                .any(|line| line.starts_with(&format!("{key} = ")))
            {
                faults.push(format!("{name}: Cargo.toml states no `{key}`"));
            }
        }
        let lacks = FILES.iter().filter(|file| !folder.join(file).is_file());
        faults.extend(lacks.map(|file| format!("{name}: {file} is not packed")));
        let size = fs::metadata(packed.join(format!("{name}-{version}.crate")));
        let size = size.map_err(|e| format!("{name}: {e}"))?.len();
        if size > LARGEST {
            faults.push(format!("{name}: {size} bytes, more than {LARGEST}"));
        }
        sizes.insert(*name, size);
    }
    for (name, size) in sizes {
        println!("    {name}: {} KiB", size.div_ceil(1024));
    }
    match faults.as_slice() {
        [] => Ok(()),
        faults => Err(faults.join("\n")),
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
    // The profiles are copied, or cargo would build the crates of others once more.
    let profiles = manifest.find("[profile.").map_or("", |at| &manifest[at..]);
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"rocpkg*-*\"]\n\n[patch.crates-io]\n{patches}\n{profiles}"
    );
    fs::write(scratch.join("Cargo.toml"), text).map_err(io)?;
    fs::copy(root.join("Cargo.lock"), scratch.join("Cargo.lock"))
        .map(|_| ())
        .map_err(io)
}
