//! What recipes pass to upstream's build as GPU targets, read off the [`Recipe`]s that are printed.

use crate::ir::Recipe;
use rocpkg_resolve::{Plan, Recipes};

/// What the recipes pass on, each with the id of its package. Packages without device code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, &'a Recipe)>) -> Recipes {
    let bodies = |recipe: &'a Recipe| recipe.steps.iter().map(|(_, body)| body.as_slice()).collect();
    rocpkg_shell::recipes(plan, all.into_iter().map(|(id, recipe)| (id, bodies(recipe))))
}
