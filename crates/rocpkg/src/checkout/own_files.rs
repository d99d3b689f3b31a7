//! Files beside edited recipes, such as patches. The user has to supply the files that the edited
//! recipes name, not those that the model's recipes name.

use super::line_ends::read_text;
use super::patches::local_files;
use super::surroundings::folder;
use crate::backend::Backend;
use crate::tree::Tree;
use rocpkg_render::Companion;
use rocpkg_syntax::LocalFile;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A recipe of a package with an edited recipe, with its new text.
struct OwnRecipe<'t> {
    path: &'t str,
    id: &'t str,
    text: &'t str,
    /// The files beside the recipe that it uses. None if they can't be determined.
    files: Option<Vec<LocalFile>>,
}

impl OwnRecipe<'_> {
    /// Returns a path relative to the recipe's folder. Returns none for a file outside of that
    /// folder.
    fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        match self.path.rsplit_once('/') {
            Some((folder, _)) => path.strip_prefix(folder)?.strip_prefix('/'),
            None => Some(path),
        }
    }

    /// Returns true if the recipe uses the file `path`. Also returns true if that can't be
    /// determined.
    fn may_use(&self, path: &str) -> bool {
        let (Some(files), Some(inside)) = (&self.files, self.inside(path)) else {
            return true;
        };
        let name = inside.rsplit('/').next().unwrap_or_default();
        // REUSE needs the texts of licences, not the recipe.
        let is_licence = inside.starts_with("LICENSES/");
        is_licence || files.iter().any(|file| file.is(inside)) || self.text.contains(name)
    }
}

/// Updates `tree.companions`, the files that the user has to supply, for packages with an edited
/// recipe. Files that no recipe of the package uses are removed. Missing files that only an edited
/// recipe uses are added. `edited` has the path of each edited recipe.
pub(super) fn follow(tree: &mut Tree, out: &Path, edited: &BTreeMap<String, String>) {
    let ids: BTreeSet<&str> = edited
        .keys()
        .filter_map(|path| Some(tree.owners.get(path)?.1.as_str()))
        .collect();
    let recipe = |(path, backend): (_, Backend)| {
        let id = tree.owners.get(path)?.1.as_str();
        let text = tree.text(path).filter(|_| ids.contains(id))?;
        let read = |file: &str| beside(tree, out, path, file);
        let files = local_files(backend, (path, text), &read);
        Some(OwnRecipe {
            path,
            id,
            text,
            files,
        })
    };
    let recipes: Vec<OwnRecipe> = tree.recipes().filter_map(recipe).collect();
    let is_used = |c: &Companion| {
        let mut of = recipes.iter().filter(|r| r.id == c.package).peekable();
        of.peek().is_none() || of.any(|r| r.may_use(&c.path))
    };
    let used = tree.companions.iter().filter(|c| is_used(c));
    let mut companions: Vec<Companion> = used.cloned().collect();
    for recipe in recipes.iter().filter(|r| edited.contains_key(r.path)) {
        for file in recipe.files.iter().flatten() {
            let path = [folder(recipe.path), &file.path].join("/");
            let path = path.trim_start_matches('/');
            let is_new = !out.join(path).exists()
                && tree.files.get(path).is_none()
                && !companions.iter().any(|c| c.path == path);
            if is_new && file.is_known() && !file.path.contains("..") {
                companions.push(Companion {
                    path: path.to_owned(),
                    package: recipe.id.to_owned(),
                    ..Companion::default()
                });
            }
        }
    }
    companions.sort();
    tree.companions = companions;
}

/// Returns the text of a file in the folder of the recipe `path`, as it is after the run.
pub(super) fn beside(tree: &Tree, out: &Path, path: &str, file: &str) -> Option<String> {
    let path = [folder(path), file].join("/");
    let path = path.trim_start_matches('/');
    let existing = || read_text(&out.join(path)).ok().flatten();
    tree.text(path).map(str::to_owned).or_else(existing)
}
