//! The todos about the versions of LLVM that recipes name.

use super::existing_recipe::ExistingRecipe;
use super::todo::{RecipeReport, Todo, TodoKind};
use crate::plain_llvm::PlainLlvm;
use crate::tree::Tree;

/// Returns the two renderings between which a recipe is merged, so that the merge removes the
/// versions of LLVM that the new release can't be built with. `before` and `after` are the model's
/// texts. The versions that only the recipe names are added to the old text. A recipe that names its
/// highest version only keeps it, if it works.
pub(super) fn with_own(
    existing: &ExistingRecipe,
    tree: &Tree,
    (before, after): (String, String),
) -> (String, String) {
    let own = existing.backend.implementation();
    let release = tree.version_of(existing.backend, &existing.id);
    let is_its = |of: &&PlainLlvm| of.is_of(existing.backend, &existing.id, release.as_deref());
    let of = tree.compilers.iter().find(is_its);
    let named = own.llvm(&existing.outline.text, &existing.place);
    let (Some(of), Some((variable, named))) = (of, named) else {
        return (before, after);
    };
    let kept = of.kept(&named);
    if let Some((all, mut model)) = own.llvm(&before, &existing.place)
        && all == variable
    {
        model.extend(named.iter().filter(|major| !kept.contains(major)));
        model.sort_unstable();
        model.dedup();
        return (own.with_llvm(&before, variable, &model), after);
    }
    let highest = kept.last().copied().or(of.highest());
    let new: Vec<u64> = highest.into_iter().collect();
    (own.with_llvm(&before, variable, &named), own.with_llvm(&after, variable, &new))
}

/// Adds a todo for each version of LLVM that the recipe names and that is not released, or not known
/// to build the package, and for each part that plain LLVM can't compile.
pub(super) fn add_to(report: &mut RecipeReport, tree: &Tree) {
    let Some(text) = tree.text(&report.recipe) else {
        return;
    };
    let backend = report.backend;
    let Ok(outline) = backend.reading(&report.recipe).read(text) else {
        return;
    };
    let stated = backend.stated(&outline, &report.recipe);
    let is_its = |of: &&PlainLlvm| of.is_of(backend, &report.package, stated.as_deref());
    let Some(of) = tree.compilers.iter().find(is_its) else {
        return;
    };
    let named = backend.implementation().llvm(text, &report.recipe);
    let (variable, majors) = named.unwrap_or_default();
    let place = outline.get(&[variable]).map(|node| outline.place(node.at.start));
    for (text, blocks) in of.left(&majors) {
        let todo = Todo::new(&report.recipe, TodoKind::Compiler, text);
        let todo = place.map_or(todo.clone(), |(line, column)| todo.at(line, column));
        // An existing recipe may know better.
        let blocks = blocks && (report.from.is_none() || report.from != report.version);
        report.add(Todo { blocks, ..todo });
    }
}
