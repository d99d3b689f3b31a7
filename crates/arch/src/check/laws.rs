//! E0832: commands of functions that contradict each other or the sources.

use super::recipe::Recipe;
use super::sources::{Folders, Source};
use rocpkg_bash::evaluate::{Facts, Step, faults};
use rocpkg_syntax::Checked;
use std::collections::BTreeSet;

/// Reports the contradictions in the commands of each function.
pub(super) fn check(recipe: &Recipe, steps: &[Vec<Step>], out: &mut Checked) {
    let archives = &recipe.surroundings.archives;
    let mut tops = BTreeSet::new();
    for source in recipe.sources.iter().flatten() {
        match source.folders(&[], archives) {
            Folders::Named(names) | Folders::Generated(names, _) => tops.extend(names),
            Folders::Unknown => {}
        }
    }
    let is_known = |all: &Vec<_>| all.iter().all(Source::is_known);
    let sources = recipe.sources.as_ref().filter(|all| is_known(all));
    let has_checkout = sources.map(|all| all.iter().any(Source::is_checkout));
    let facts = Facts {
        code: "E0832",
        tops: &tops,
        has_checkout,
        rivals: &recipe.surroundings.rivals,
    };
    out.faults.extend(faults(steps, facts));
}
