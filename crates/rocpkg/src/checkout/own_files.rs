//! Files beside edited recipes, such as patches. The user has to supply the files that the edited
//! recipes name, not those that the model's recipes name.

use super::surroundings::folder;
use crate::backend::Backend;
use crate::tree::Tree;
use rocpkg_render::Companion;
use rocpkg_syntax::{LocalFile, place};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The code of the warning about a patch that nobody checked for the release.
const UNCHECKED: &str = "W0220";

/// A patch that a recipe of a checkout applies, in the recipe's folder or below.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct OwnPatch {
    /// The path of the recipe, relative to the checkout.
    pub path: String,
    /// The line of the recipe that names the patch, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The path of the patch, relative to the recipe's folder.
    pub file: String,
    /// Set if the model's recipe at this release uses no file of this name.
    pub is_own: bool,
}

/// A recipe of a package with an edited recipe, with its new text.
struct Recipe<'t> {
    path: &'t str,
    backend: Backend,
    id: &'t str,
    text: &'t str,
    /// The files beside the recipe that it uses. None if they can't be determined.
    files: Option<Vec<LocalFile>>,
}

impl Recipe<'_> {
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

    /// Returns the names of the files that the recipe uses. Returns none if they can't be
    /// determined.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let files = self.files.iter().flatten();
        files.map(|file| file.name().to_owned())
    }
}

/// Updates `tree.companions`, the files that the user has to supply, for packages with an edited
/// recipe. Files that no recipe of the package uses are removed. Missing files that only an edited
/// recipe uses are added. `edited` maps the path of each edited recipe to the text that the model
/// has for it.
///
/// Returns the patches that the edited recipes apply, by the package's id. The result has no entry
/// for a package without an edited recipe, or with one whose files can't be determined.
pub(super) fn follow(
    tree: &mut Tree,
    out: &Path,
    edited: &BTreeMap<String, String>,
) -> BTreeMap<String, Vec<OwnPatch>> {
    let ids: BTreeSet<&str> = edited
        .keys()
        .filter_map(|path| Some(tree.owners.get(path)?.1.as_str()))
        .collect();
    let recipe = |(path, backend): (_, Backend)| {
        let id = tree.owners.get(path)?.1.as_str();
        let text = tree.text(path).filter(|_| ids.contains(id))?;
        let files = backend.implementation().local_files(text, path);
        Some(Recipe {
            path,
            backend,
            id,
            text,
            files,
        })
    };
    let recipes: Vec<Recipe> = tree.recipes().filter_map(recipe).collect();
    let is_used = |c: &Companion| {
        let mut of = recipes.iter().filter(|r| r.id == c.package).peekable();
        of.peek().is_none() || of.any(|r| r.may_use(&c.path))
    };
    let used = tree.companions.iter().filter(|c| is_used(c));
    let mut companions: Vec<Companion> = used.cloned().collect();
    let mut patches: BTreeMap<String, Vec<OwnPatch>> = BTreeMap::new();
    let mut unused = BTreeSet::new();
    for (recipe, rendered) in recipes
        .iter()
        .filter_map(|r| Some((r, edited.get(r.path)?)))
    {
        let Some(files) = &recipe.files else {
            continue;
        };
        let theirs = recipe
            .backend
            .implementation()
            .local_files(rendered, recipe.path);
        let theirs: BTreeSet<String> = theirs
            .iter()
            .flatten()
            .map(|f| f.name().to_owned())
            .collect();
        unused.extend(
            theirs
                .iter()
                .filter(|name| !files.iter().any(|f| f.name() == *name))
                .cloned(),
        );
        let own = patches.entry(recipe.id.to_owned()).or_default();
        for file in files {
            let path = [folder(recipe.path), &file.path].join("/");
            let path = path.trim_start_matches('/');
            let is_new = !out.join(path).exists()
                && tree.files.get(path).is_none()
                && !companions.iter().any(|c| c.path == path);
            if is_new && file.is_known() && !file.path.contains("..") {
                companions.push(Companion {
                    path: path.to_owned(),
                    package: recipe.id.to_owned(),
                    sum: None,
                    address: None,
                });
            }
            if file.is_patch() {
                let (line, column) = place(recipe.text, file.at.start);
                own.push(OwnPatch {
                    path: recipe.path.to_owned(),
                    line,
                    column,
                    file: file.path.clone(),
                    is_own: !theirs.contains(file.name()),
                });
            }
        }
    }
    let others: BTreeSet<String> = recipes.iter().flat_map(Recipe::names).collect();
    unused.retain(|name| !others.contains(name));
    companions.sort();
    tree.companions = companions;
    // Nobody needs to check a patch that no recipe applies.
    tree.findings.retain(|finding| {
        let name = finding.message.split('`').nth(1).unwrap_or_default();
        let name = name.rsplit('/').next().unwrap_or_default();
        finding.code != UNCHECKED || !unused.contains(name)
    });
    patches
}
