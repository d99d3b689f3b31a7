//! Recipes of a checkout that are not of the stack, and whose dependencies exclude the versions to
//! which its packages move: a virtual package with `~sci-libs/hipRAND-7.2.0`.

use super::existing_recipe::{ExistingRecipe, RecipePaths};
use super::forks::{folders, newest_recipe};
use super::line_ends::read_text;
use super::todo::{RecipeReport, Todo, TodoKind};
use crate::backend::Backend;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Returns a report on each recipe in the folder `out` whose dependencies exclude one of
/// `versions`. The versions are those of the packages that move, by the names that dependencies
/// have of them, such as `sci-libs/hipRAND`. Recipes in `known` have reports already. A recipe that
/// can't be read is left out.
pub(super) fn dependents(
    backend: Backend,
    out: &Path,
    versions: &BTreeMap<String, String>,
    known: &BTreeSet<&str>,
) -> Vec<RecipeReport> {
    let mut all = Vec::new();
    for folder in folders(backend, out) {
        let Some(place) = newest_recipe(backend, out, &folder) else {
            continue;
        };
        let Ok(Some(text)) = read_text(&out.join(&place)) else {
            continue;
        };
        let is_named = versions.keys().any(|name| text.contains(name.as_str()));
        if known.contains(place.as_str()) || !is_named {
            continue;
        }
        let Ok(outline) = ExistingRecipe::read(backend, &place, &text) else {
            continue;
        };
        let paths = RecipePaths {
            path: &place,
            place: &place,
        };
        let recipe = ExistingRecipe::new(paths, backend, "", outline);
        let mut report = RecipeReport::of_file(backend, &place);
        report.name = folder;
        let own = backend.implementation();
        for own in own.excluded(&recipe.outline, &place, versions) {
            let text = format!(
                "`{}` excludes {}, to which {} moves",
                own.dependency, own.version, own.package
            );
            let (line, column) = recipe.outline.place(own.at.start);
            report.add(Todo::new(&place, TodoKind::Unasked, text).at(line, column));
        }
        if !report.todos.is_empty() {
            all.push(report);
        }
    }
    all
}
