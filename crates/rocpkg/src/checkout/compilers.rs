//! The todos about the versions of LLVM that recipes name.

use super::existing_recipe::ExistingRecipe;
use super::todo::{RecipeReport, Todo, TodoKind};
use crate::plain_llvm::PlainLlvm;
use crate::tree::Tree;

/// The versions of LLVM that a recipe names after a bump.
pub(super) struct Bumped {
    /// The existing recipe, with the new versions.
    pub(super) recipe: ExistingRecipe,
    variable: &'static str,
    new: Vec<u64>,
}

impl Bumped {
    /// Returns the versions of a recipe that is moved between the renderings `before` and `after`:
    /// those of the recipe that work at the new release, and those that the model adds. Returns
    /// `None` if the recipe names none, or none are known, or the recipe can't be edited.
    pub(super) fn of(
        existing: &ExistingRecipe,
        tree: &Tree,
        (before, after): (&str, &str),
    ) -> Option<Self> {
        let own = existing.backend.implementation();
        let release = tree.version_of(existing.backend, &existing.id);
        let is_its = |of: &&PlainLlvm| of.is_of(existing.backend, &existing.id, release.as_deref());
        let of = tree.compilers.iter().find(is_its)?;
        let (variable, old) = own.llvm(&existing.outline.text, &existing.place)?;
        let of_model = |text: &str| own.llvm(text, &existing.place).unwrap_or_default().1;
        let (was, is) = (of_model(before), of_model(after));
        let added = is.iter().filter(|major| !was.contains(major));
        let mut new = of.kept(&old);
        new.extend(added);
        if new.is_empty() {
            new = if is.is_empty() {
                of.works().to_vec()
            } else {
                is
            };
        }
        if own.names_highest_llvm(variable) {
            let highest = of.kept(&old).last().copied().or(of.highest());
            new = highest.into_iter().collect();
        }
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return None;
        }
        let text = own.set_llvm(&existing.outline.text, &existing.place, &new)?;
        let recipe = existing.with_text(&text).ok()?;
        Some(Self {
            recipe,
            variable,
            new,
        })
    }

    /// Returns a rendering with the new versions, so that a merge does not change them.
    pub(super) fn unchanged(&self, rendered: &str) -> String {
        let own = self.recipe.backend.implementation();
        own.with_llvm(rendered, self.variable, &self.new)
    }
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
    let place = outline
        .get(&[variable])
        .map(|node| outline.place(node.at.start));
    for (text, blocks) in of.left(&majors) {
        let todo = Todo::new(&report.recipe, TodoKind::Compiler, text);
        let todo = place.map_or(todo.clone(), |(line, column)| todo.at(line, column));
        // An existing recipe may know better.
        let blocks = blocks && (report.from.is_none() || report.from != report.version);
        report.add(Todo { blocks, ..todo });
    }
}
