//! Removes patches from recipes whose changes upstream's sources contain.

use super::existing_recipe::ExistingRecipe;
use super::options::UpstreamedPatch;
use super::surroundings::{CheckoutFiles, folder};
use crate::backend::Backend;
use rocpkg_edit::Checks;
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// A patch that was removed from a recipe, because upstream's sources contain its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct RemovedPatch {
    /// The package's id.
    pub package: String,
    /// The path of the recipe, relative to the checkout.
    pub path: String,
    /// The name of the patch's file, or the address of a commit.
    pub patch: String,
}

/// Removes `patches` from `text`, the new text of the recipe `t`. Returns the text and the patches
/// that were removed. A patch stays if the recipe would contradict itself without it.
pub(super) fn without<'p>(
    t: &ExistingRecipe,
    mut text: String,
    patches: &'p [UpstreamedPatch],
    files: CheckoutFiles,
) -> (String, Vec<&'p UpstreamedPatch>) {
    let is = files.of(&t.path);
    let mut removed = Vec::new();
    for patch in patches {
        let Ok(outline) = ExistingRecipe::read(t.backend, &t.path, &text) else {
            continue;
        };
        let checks = Checks {
            before: &t.backend.check(&text, &is),
            check: &|text| t.backend.check(text, &is),
        };
        if let Some(rest) = rocpkg_edit::remove(&outline, &patch.names, checks) {
            text = rest;
            removed.push(patch);
        }
    }
    (text, removed)
}

/// Returns the paths of the files of removed patches that nothing beside the recipe at `path` names
/// any more. `out` is the checkout. In Gentoo, older ebuilds of the package use the files, so none
/// is returned.
pub(super) fn unused_files(
    out: &Path,
    path: &str,
    backend: Backend,
    removed: &[&UpstreamedPatch],
) -> BTreeSet<String> {
    let home = folder(path);
    // Expressions of nixpkgs use files of other packages of the scope.
    let around = match backend {
        Backend::Gentoo => return BTreeSet::new(),
        Backend::Nix => folder(home),
        Backend::Arch | Backend::Solus => home,
    };
    let is_named = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or_default();
        let files = WalkDir::new(out.join(around)).into_iter().flatten();
        let mut others = files.filter(|entry| {
            let below = entry.path().strip_prefix(out).unwrap_or(entry.path());
            let is_own = below == Path::new(path) || below == Path::new(file);
            entry.file_type().is_file() && !is_own && entry.file_name() != ".SRCINFO"
        });
        others.any(|entry| {
            let text = fs::read(entry.path()).unwrap_or_default();
            String::from_utf8_lossy(&text).contains(name)
        })
    };
    let files = removed.iter().filter_map(|patch| patch.file.as_ref());
    let paths = files.map(|file| format!("{home}/{file}").trim_start_matches('/').to_owned());
    paths
        .filter(|file| out.join(file).is_file() && !is_named(file))
        .collect()
}
