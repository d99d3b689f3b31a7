//! Makes a new profile or template reach the next build: a macro embeds their folders, and cargo sees only the files
//! that were there when it ran. And sums up what the program is made of, which `render --cache` asks.
#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// The top of the workspace.
const TOP: &str = "../..";

fn main() -> io::Result<()> {
    let profiles = ["components", "distros", "releases", "externals.yaml", "targets.yaml", "upstream.yaml"];
    let mut parts: Vec<PathBuf> = profiles.iter().map(|inside| Path::new("profiles").join(inside)).collect();
    parts.extend(["templates", "Cargo.lock", "Cargo.toml"].map(PathBuf::from));
    for entry in fs::read_dir(Path::new(TOP).join("crates"))? {
        // Tests are no part of the program, and what tends the repository is none.
        let here = Path::new("crates").join(entry?.file_name());
        if !here.ends_with("xtask") {
            parts.extend([here.join("src"), here.join("Cargo.toml")]);
        }
    }
    let mut files = BTreeMap::new();
    for part in parts.iter().filter(|part| Path::new(TOP).join(part).exists()) {
        println!("cargo::rerun-if-changed={TOP}/{}", part.display());
        read(part, &mut files)?;
    }
    // The same in every folder: paths are those inside the workspace, and stand in their order.
    let mut sum = DefaultHasher::new();
    files.hash(&mut sum);
    println!("cargo::rustc-env=ROCPKG_SOURCES={:016x}", sum.finish());
    Ok(())
}

/// The bytes of a file, or of all in a folder, by path; what editors leave there begins with a dot.
fn read(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    let place = Path::new(TOP).join(path);
    if place.is_dir() {
        for entry in fs::read_dir(place)? {
            let name = entry?.file_name();
            if !name.to_string_lossy().starts_with('.') {
                read(&path.join(name), files)?;
            }
        }
    } else {
        files.insert(path.to_owned(), fs::read(place)?);
    }
    Ok(())
}
