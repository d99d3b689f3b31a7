//! The conformance harness: runs Portage, pkgcheck, makepkg and Nix over rendered trees, each in a scratch folder.
//!
//! A missing tool is a failure with the command that installs it, never a skipped test.
#![allow(
    clippy::disallowed_methods,
    reason = "the ban on running programs and on plain writes is for what rocpkg ships; this crate only tests it"
)]

mod arch;
mod built;
mod copy;
mod gentoo;
mod git;
mod many;
mod nix;
mod phases;
mod recipes;
mod schema;
mod stack;
mod tools;

pub use arch::{ArchWorld, give_away, pkgbases, printsrcinfo, unprivileged};
pub use built::{debians, library};
pub use copy::copy_tree;
pub use gentoo::{Finding, GentooWorld, Level, Pretend};
pub use git::{commit, git};
pub use many::many;
pub use nix::{NixTree, companion, nix_instantiate};
pub use phases::{Phased, Phases};
pub use recipes::{EbuildText, Given, ebuild_targets, package_targets, pkgbuild_targets};
pub use schema::check_schema;
pub use stack::{Rendered, laid, rendered};
pub use tools::{engine, portage_tool, portage_venv, system_tool};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The distributions that a profile is read for: a distribution's own file for it alone.
pub fn readers(path: &str) -> Vec<rocpkg::Backend> {
    let own = |b: &rocpkg::Backend| path.starts_with(&format!("distros/{}", b.distro()));
    let one = rocpkg::Backend::ALL.into_iter().find(own);
    one.map_or(rocpkg::Backend::ALL.to_vec(), |b| vec![b])
}

/// A file or folder of this crate: a sample tree or a stand-in.
pub fn fixture(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The texts of all files below a folder that have one of these endings (any, when none is named), by path inside it.
///
/// # Panics
/// When something can't be read.
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

/// The profiles that ship with rocpkg, without those of the distributions not named.
///
/// # Panics
/// When one can't be read.
pub fn profiles(distros: &[&str]) -> BTreeMap<String, String> {
    let mut all = texts(&fixture("../profiles"), &["yaml"]);
    all.retain(|path, _| {
        path.strip_prefix("distros/").is_none_or(|rest| {
            let name = rest.split(['/', '.']).next().unwrap_or_default();
            distros.is_empty() || distros.contains(&name)
        })
    });
    all
}

/// The templates of one backend, by path such as `gentoo/ebuild.j2`.
///
/// # Panics
/// When one can't be read.
pub fn templates(backend: &str) -> BTreeMap<String, String> {
    let all = texts(&fixture("../templates").join(backend), &["j2"]);
    all.into_iter()
        .map(|(path, text)| (format!("{backend}/{path}"), text))
        .collect()
}
