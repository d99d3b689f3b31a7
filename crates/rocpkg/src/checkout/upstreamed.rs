//! Removes patches from recipes whose changes upstream's sources contain.

use super::existing_recipe::{Conflict, ExistingRecipe};
use super::options::Output;
use super::recipe_bump::Edited;
use super::surroundings::folder;
use crate::backend::Backend;
use rocpkg_edit::{Checks, ItemConflict};
use rocpkg_syntax::Surroundings;
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
    /// The path of the existing recipe, relative to the checkout. In Gentoo, this is the ebuild
    /// from which the new one is made.
    pub path: String,
    /// The name of the patch's file, or the address of a commit.
    pub patch: String,
    /// The path of the patch, relative to the recipe's folder; none if the patch is fetched.
    pub file: Option<String>,
    /// The reason why the patch's file stays, as a clause: `PKGBUILD-git names it`. None if the
    /// file is removed too, or in Gentoo, where older ebuilds use it.
    pub file_stays: Option<String>,
}

/// Removes the patches of [`Output::upstreamed`] from `text`, the new text of the recipe `t`, and
/// adds them to `done`. `beside` are the files beside the new recipe. A patch stays if it can't be
/// removed for certain. Returns the rest, and the comments that went with the patches.
pub(super) fn without(
    t: &ExistingRecipe,
    mut text: String,
    output: &Output,
    beside: &Surroundings,
    done: &mut Edited,
) -> (String, Vec<Conflict>) {
    let mut gone = Vec::new();
    for patch in output.upstreamed.get(&t.place).into_iter().flatten() {
        let Ok(outline) = ExistingRecipe::read(t.backend, &t.path, &text) else {
            continue;
        };
        let checks = Checks {
            before: &t.backend.check(&text, beside),
            check: &|text| t.backend.check(text, beside),
            ..Checks::NONE
        };
        if let Some(rest) = rocpkg_edit::remove(&outline, &patch.names, checks) {
            text = rest.text;
            let comments = rest.conflicts.into_iter().map(|comment| {
                // The comment is in the existing recipe too.
                let (line, column) = outline.place(comment.at);
                let old = comment
                    .existing
                    .as_ref()
                    .and_then(|c| t.outline.text.find(c));
                let (line, column) = old.map_or((line, column), |at| t.outline.place(at));
                Conflict {
                    line,
                    column,
                    ..t.conflict(ItemConflict { at: 0, ..comment })
                }
            });
            gone.extend(comments);
            done.removed_patches.push(RemovedPatch {
                package: t.id.clone(),
                path: t.place.clone(),
                patch: patch.patch.clone(),
                file: patch.file.clone(),
                file_stays: None,
            });
        }
    }
    (text, gone)
}

/// Returns the paths of the files of removed patches that nothing else in the checkout `out` uses.
/// Sets [`RemovedPatch::file_stays`] of the others. In Gentoo, older ebuilds use the files, so none
/// is returned.
pub(super) fn unused_files(
    out: &Path,
    backend: Backend,
    removed: &mut [RemovedPatch],
) -> BTreeSet<String> {
    let mut unused = BTreeSet::new();
    if backend.keeps_several() {
        return unused;
    }
    for patch in removed {
        let Some(file) = &patch.file else {
            continue;
        };
        let path = format!("{}/{file}", folder(&patch.path));
        let path = path.trim_start_matches('/').to_owned();
        match out.join(&path).symlink_metadata() {
            Err(_) => continue,
            Ok(found) if !found.is_file() => {
                patch.file_stays = Some("it is no plain file".to_owned());
            }
            Ok(_) => {
                patch.file_stays =
                    user(out, backend, patch, &path).map(|user| format!("{user} names it"));
            }
        }
        if patch.file_stays.is_none() {
            unused.insert(path);
        }
    }
    unused
}

/// Returns the path of a file in the checkout `out` that may use the patch at `file`; none if there
/// is none. Expressions of nixpkgs may use the files of any other package.
fn user(out: &Path, backend: Backend, patch: &RemovedPatch, file: &str) -> Option<String> {
    let home = folder(&patch.path);
    let name = file.rsplit('/').next().unwrap_or_default();
    // A recipe may write the beginning of the name as a variable.
    let package = home.rsplit('/').next().unwrap_or_default();
    let end = name.strip_prefix(package).unwrap_or(name);
    let end = end.trim_start_matches(['-', '_']);
    let is_of_all = backend.needs_all();
    let around = if is_of_all { "" } else { home };
    let is_of_git = |name: &std::ffi::OsStr| name == ".git";
    let inside = WalkDir::new(out.join(around))
        .sort_by_file_name()
        .into_iter();
    let inside = inside.filter_entry(|entry| !is_of_git(entry.file_name()));
    // `.SRCINFO` follows the PKGBUILD, and REUSE.toml states licences only.
    let passive = [".SRCINFO", "REUSE.toml"];
    for entry in inside.flatten().filter(|entry| entry.file_type().is_file()) {
        let below = entry.path().strip_prefix(out).unwrap_or(entry.path());
        let is_recipe = backend.is_recipe(&below.to_string_lossy());
        let is_passive = passive.iter().any(|name| entry.file_name() == *name);
        let is_own = below == Path::new(&patch.path) || below == Path::new(file);
        if is_own || is_passive || is_of_all && !is_recipe {
            continue;
        }
        let text = fs::read(entry.path()).unwrap_or_default();
        if String::from_utf8_lossy(&text).contains(end) {
            return Some(below.display().to_string());
        }
    }
    None
}
