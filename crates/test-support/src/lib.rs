//! Test helpers for all crates of rocpkg. They depend on none of these crates but
//! `rocpkg-programs`, so that the tests of a crate don't build crates that depend on it.
//!
//! The tools Portage, pkgcheck, makepkg and Nix run on rendered trees, each in a scratch folder. If
//! a tool is missing, the test fails with the command that installs the tool. It is never skipped.
//! Helpers that render the shipped model are in `tests/src`.

mod arch;
mod built;
mod copy;
mod gentoo;
mod git;
mod many;
mod nix;
mod phases;
mod recipes;
mod sample;
mod schema;
mod server;
mod tools;

pub use arch::{ArchWorld, give_away, open_programs, pkgbases, printsrcinfo, unprivileged};
pub use built::{debians, library};
pub use copy::{copy_tree, write_file};
pub use gentoo::{Finding, GentooWorld, Level, Pretend};
pub use git::{commit, git};
pub use many::many;
pub use nix::{NixTree, companion, nix_instantiate};
pub use phases::{Phased, Phases};
pub use recipes::{EbuildText, Given, ebuild_targets, package_targets, pkgbuild_targets};
pub use sample::{is_whole, left_out, sample};
pub use schema::check_schema;
pub use server::{Server, TEXT};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Returns the path of a file or folder below `tests/` of the repository, such as a sample tree or
/// a stand-in for an external program.
pub fn fixture(path: &str) -> PathBuf {
    Path::new(ROOT).join("tests").join(path)
}

/// Returns the texts of all files below a folder, by their path in the folder. Only files whose
/// extension is in `endings` are read, such as `yaml`. If `endings` is empty, all files are read.
///
/// # Panics
/// When a file or folder can't be read.
pub fn texts(folder: &Path, endings: &[&str]) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        let at = folder.join(&inside);
        let entries = std::fs::read_dir(&at).unwrap_or_else(|e| panic!("{}: {e}", at.display()));
        for entry in entries.map(|e| e.expect("an entry of a folder that was just opened")) {
            let path = inside.join(entry.file_name());
            if entry.path().is_dir() {
                open.push(path);
            } else if endings.is_empty()
                || path
                    .extension()
                    .is_some_and(|e| endings.iter().any(|w| e == *w))
            {
                let text = std::fs::read_to_string(entry.path());
                let text = text.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                out.insert(path.to_string_lossy().into_owned(), text);
            }
        }
    }
    out
}

/// Returns the texts of the profiles that ship with rocpkg, by their path. Of the distributions,
/// only those in `distros` are included. If `distros` is empty, all are.
///
/// # Panics
/// When a profile can't be read.
pub fn profiles(distros: &[&str]) -> BTreeMap<String, String> {
    let mut all = texts(&Path::new(ROOT).join("profiles"), &["yaml"]);
    all.retain(|path, _| {
        path.strip_prefix("distros/").is_none_or(|rest| {
            let name = rest.split(['/', '.']).next().unwrap_or_default();
            distros.is_empty() || distros.contains(&name)
        })
    });
    all
}

/// Returns the texts of the templates of one backend, by paths such as `gentoo/ebuild.j2`.
///
/// # Panics
/// When a template can't be read.
pub fn templates(backend: &str) -> BTreeMap<String, String> {
    let all = texts(&Path::new(ROOT).join("templates").join(backend), &["j2"]);
    all.into_iter()
        .map(|(path, text)| (format!("{backend}/{path}"), text))
        .collect()
}
