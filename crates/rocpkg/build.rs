//! Writes the tables of the profiles and templates that are built into the program. Their folders
//! here are links to those at the top of the repository. Cargo follows the links when it packs this
//! crate. The other files in profiles/ (schemas, documents) are for people and editors.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "cargo reads what a build script prints, and takes what it writes"
)]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for (top, name, ending) in [
        ("profiles", "profiles.rs", "yaml"),
        ("templates", "templates.rs", "j2"),
    ] {
        let mut files = Vec::new();
        find(&root.join(top), &mut files)?;
        files.retain(|file| file.extension().is_some_and(|e| e == ending));
        files.sort();
        let rows = files.iter().map(|file| {
            let path = file
                .strip_prefix(root.join(top))
                .unwrap_or(file)
                .to_string_lossy()
                .into_owned();
            format!("({path:?}, include_str!({:?})),\n", file.to_string_lossy())
        });
        fs::write(out.join(name), format!("&[\n{}]", rows.collect::<String>()))?;
        println!("cargo::rerun-if-changed={top}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
