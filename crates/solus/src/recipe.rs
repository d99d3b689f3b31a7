//! What recipes pass to upstream's build as GPU targets, read off the [`Recipe`]s that are printed.

use crate::ir::Recipe;
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::{Chooser, Plan, Recipes};

/// What the recipes pass on, each with the id of its package. Packages without device code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, &'a Recipe)>) -> Recipes {
    let mut out = Recipes { chooser: Chooser::Packager, ..Recipes::default() };
    for (id, recipe) in all {
        if let Some(p) = plan.get(id).filter(|p| p.targets.is_some()) {
            let bodies: Vec<&[Stmt]> = recipe.steps.iter().map(|(_, body)| body.as_slice()).collect();
            out.builds.insert(id.to_owned(), rocpkg_shell::builds(plan, p, &bodies));
        }
    }
    out
}
