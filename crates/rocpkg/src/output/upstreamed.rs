//! Removes patches from recipes whose changes upstream's sources contain.

use super::existing_recipe::ExistingRecipe;
use super::options::Output;
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
    /// The path of the patch, relative to the recipe's folder; none if the patch is fetched.
    pub file: Option<String>,
}

/// Removes the patches of [`Output::upstreamed`] from `text`, the new text of the recipe `t`, and
/// adds them to `removed`. A patch stays if the recipe would contradict itself without it.
pub(super) fn without(
    t: &ExistingRecipe,
    mut text: String,
    output: &Output,
    files: CheckoutFiles,
    removed: &mut Vec<RemovedPatch>,
) -> String {
    let is = files.of(&t.path);
    for patch in output.upstreamed.get(&t.id).into_iter().flatten() {
        let Ok(outline) = ExistingRecipe::read(t.backend, &t.path, &text) else {
            continue;
        };
        let checks = Checks {
            before: &t.backend.check(&text, &is),
            check: &|text| t.backend.check(text, &is),
        };
        if let Some(rest) = rocpkg_edit::remove(&outline, &patch.names, checks) {
            text = rest;
            removed.push(RemovedPatch {
                package: t.id.clone(),
                path: t.path.clone(),
                patch: patch.patch.clone(),
                file: patch.file.clone(),
            });
        }
    }
    text
}

/// Returns the paths of the files of removed patches that nothing beside their recipes names any
/// more. `out` is the checkout. In Gentoo, older ebuilds of the package use the files, so none is
/// returned.
pub(super) fn unused_files(
    out: &Path,
    backend: Backend,
    removed: &[RemovedPatch],
) -> BTreeSet<String> {
    let unused = |patch: &RemovedPatch| {
        let home = folder(&patch.path);
        // Expressions of nixpkgs use files of other packages of the scope.
        let around = match backend {
            Backend::Gentoo => return None,
            Backend::Nix => folder(home),
            Backend::Arch | Backend::Solus => home,
        };
        let path = format!("{home}/{}", patch.file.as_ref()?);
        let path = path.trim_start_matches('/').to_owned();
        let name = path.rsplit('/').next().unwrap_or_default();
        let inside = WalkDir::new(out.join(around)).into_iter().flatten();
        let mut others = inside.filter(|entry| {
            let below = entry.path().strip_prefix(out).unwrap_or(entry.path());
            let is_own = below == Path::new(&patch.path) || below == Path::new(&path);
            entry.file_type().is_file() && !is_own && entry.file_name() != ".SRCINFO"
        });
        let is_named = others.any(|entry| {
            let text = fs::read(entry.path()).unwrap_or_default();
            String::from_utf8_lossy(&text).contains(name)
        });
        (!is_named && out.join(&path).is_file()).then_some(path)
    };
    removed.iter().filter_map(unused).collect()
}
