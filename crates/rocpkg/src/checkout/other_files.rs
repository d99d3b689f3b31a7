//! Files of packages that are no recipes and no lists: patches, `metadata.xml`, texts of licences.

use super::existing_recipe::{Conflict, ExistingRecipe};
use super::line_ends::{is_crlf, with_lf};
use super::renderings::Renderings;
use super::surroundings::folder;
use super::todo::TodoKind;
use crate::backend::Backend;
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_render::{WriteOptions, read};
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the recipe of the package that is in the folder of the file `path`, or else any recipe
/// of the package. Recipes that state a version are preferred. Returns None if the checkout has no
/// recipe of the package.
pub(super) fn beside<'a>(
    recipes: &'a [ExistingRecipe],
    package: &str,
    path: &str,
) -> Option<&'a ExistingRecipe> {
    let own: Vec<&ExistingRecipe> = recipes.iter().filter(|t| t.id == package).collect();
    let states = |t: &&&ExistingRecipe| t.version.is_some();
    let beside = own.iter().filter(states);
    let beside = beside.clone().find(|t| folder(&t.path) == folder(path));
    let any = beside.or_else(|| own.iter().rfind(states)).or(own.first());
    any.copied()
}

/// Returns the paths of `metadata.xml` in folders in which no recipe changes. Such a `metadata.xml`
/// is not changed either. `recipes` contains all recipes, with true for each that changes.
pub(super) fn unchanged_beside<'a>(
    recipes: impl Iterator<Item = (&'a ExistingRecipe, bool)> + Clone,
) -> BTreeSet<String> {
    let beside = |t: &ExistingRecipe| -> Option<String> {
        let (folder, _) = t.path.rsplit_once('/')?;
        Some(format!("{folder}/metadata.xml"))
    };
    let changed = recipes.clone().filter(|(_, is_changed)| *is_changed);
    let changed: BTreeSet<String> = changed.filter_map(|(t, _)| beside(t)).collect();
    let all = recipes.filter_map(|(t, _)| beside(t));
    all.filter(|path| !changed.contains(path)).collect()
}

/// Removes files from the tree that the maintainers of existing recipes chose not to have: a
/// `metadata.xml`, a `.SRCINFO` or the text of a licence that is not in the checkout.
pub(super) fn without_new_companions(
    tree: &mut Tree,
    out: &Path,
    recipes: &[ExistingRecipe],
    options: &mut WriteOptions,
) {
    let is_existing = |id: &str| recipes.iter().any(|t| t.id == id);
    let is_companion = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or_default();
        matches!(file, "metadata.xml" | ".SRCINFO") && !out.join(path).exists()
    };
    let owners = tree.owners.iter();
    let new = owners.filter(|(path, (_, id))| is_companion(path) && is_existing(id));
    for path in new.map(|(path, _)| path.clone()).collect::<Vec<_>>() {
        if tree.files.remove(&path) {
            options.present.insert(path);
        }
    }
    // The texts of licences are needed only beside a REUSE.toml.
    tree.companions.retain(|c| {
        let folder = c.path.split_once("LICENSES/").map(|(folder, _)| folder);
        let is_asked = |folder: &str| out.join(folder).join("REUSE.toml").exists();
        !is_existing(&c.package) || folder.is_none_or(is_asked)
    });
}

/// Decides about files of packages that are no recipes and no lists, such as patches of the model.
/// An existing file with the model's old content gets the new content. Any other existing file
/// stays, and is a conflict if the model's content changes. A missing file is written only if the
/// model did not have it at the release of the recipe.
///
/// `since` returns the version that a recipe had before an earlier bump, if it is of the requested
/// release. Returns the conflicts.
///
/// # Errors
/// When a file can't be read.
pub(super) fn others(
    tree: &mut Tree,
    out: &Path,
    renderings: &mut Renderings,
    recipes: &[ExistingRecipe],
    options: &mut WriteOptions,
    since: &dyn Fn(&ExistingRecipe) -> Option<String>,
) -> Result<Vec<Conflict>, Error> {
    let mut conflicts = Vec::new();
    let is_other = |path: &str, backend: Backend| {
        !backend.is_recipe(path)
            && !["Manifest", "metadata.xml", ".SRCINFO"]
                .iter()
                .any(|f| path.ends_with(f))
    };
    let all: Vec<(String, Backend, String)> = tree
        .owners
        .iter()
        .filter(|(path, (backend, _))| tree.files.get(path).is_some() && is_other(path, *backend))
        .map(|(path, (backend, id))| (path.clone(), *backend, id.clone()))
        .collect();
    for (path, backend, id) in all {
        let present = read(&out.join(&path))?.map(|bytes| match String::from_utf8(bytes) {
            Ok(text) if is_crlf(&text) => with_lf(&text).into_bytes(),
            Ok(text) => text.into_bytes(),
            Err(e) => e.into_bytes(),
        });
        let now = tree.files.get(&path).unwrap_or_default().to_vec();
        if present.as_ref() == Some(&now) {
            continue;
        }
        let stated = beside(recipes, &id, &path);
        let stated = stated.map(|t| since(t).or_else(|| t.version.clone()));
        let before = match &stated {
            // If the recipe states no release, the files that are new since then are not known.
            Some(None) => Some(now.clone()),
            Some(Some(version)) => {
                let tree = renderings.of(backend, &id, version)?;
                // If the model does not have the recipe's release, no file counts as new.
                tree.map_or_else(
                    || Some(now.clone()),
                    |t| t.files.get(&path).map(<[u8]>::to_vec),
                )
            }
            None => None,
        };
        let Some(present) = present else {
            // The model has this file at the release of the recipe too, so the maintainer left it
            // out.
            if before.is_some() {
                tree.files.remove(&path);
                options.present.insert(path);
            }
            continue;
        };
        if before.as_ref() == Some(&present) {
            continue;
        }
        tree.files.remove(&path);
        options.present.insert(path.clone());
        if before.is_some_and(|before| before != now)
            && stated.is_some_and(|stated| tree.version_of(backend, &id) != stated)
        {
            let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
            conflicts.push(Conflict {
                kind: TodoKind::Conflict,
                package: id,
                path,
                line: 1,
                column: 1,
                item: vec!["file".to_owned()],
                before: None,
                after: text(&now),
                existing: text(&present),
                reason: None,
            });
        }
    }
    Ok(conflicts)
}
