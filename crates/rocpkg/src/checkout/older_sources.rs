//! Recipes that still fetch from the repository which a component left at an earlier release.
//!
//! At the new release, the old repository has no tag. So the model's sources replace those of the
//! recipe: a merge compares them with the sources of the earlier release.

use super::existing_recipe::ExistingRecipe;
use super::renderings::Renderings;
use crate::error::Error;
use crate::stack::Stack;
use rocpkg_resolve::{Choice, Release};
use rocpkg_syntax::{List, Outline, Surroundings, Values};
use std::collections::BTreeSet;

/// The greatest number of earlier release lines whose sources are compared.
const MOST_LINES: usize = 3;

/// Returns `before`, the rendering at the release of the existing recipe `t`, with the sources of
/// an earlier release. Returns `None` if the recipe fetches what `before` fetches, or if it does
/// not fetch what an earlier rendering fetches. `was` are the files beside the recipe.
///
/// # Errors
/// When the model can't be rendered at an earlier release.
pub(super) fn with_older_sources(
    stack: &Stack,
    t: &ExistingRecipe,
    before: &Outline,
    renderings: &mut Renderings,
    was: &Surroundings,
) -> Result<Option<Outline>, Error> {
    let values = |text: &str| t.backend.implementation().values(text, was);
    let own = addresses(&t.outline, &t.values(was));
    let Some(release) = stack.release_of(t.version.as_deref()) else {
        return Ok(None);
    };
    let known = addresses(before, &values(&before.text));
    if own.is_superset(&known) {
        return Ok(None);
    }
    for earlier in earlier(stack, &release) {
        let Some((text, place)) = renderings.before(t, None, Some(&Choice::Release(earlier)))?
        else {
            continue;
        };
        let older = ExistingRecipe::read(t.backend, &place, &text)?;
        let old = addresses(&older, &values(&text));
        let has = |of: &BTreeSet<String>, but: &BTreeSet<String>| {
            of.difference(but).any(|address| own.contains(address))
        };
        if has(&old, &known) && !has(&known, &old) {
            let text = with_sources_of(before, &older);
            return ExistingRecipe::read(t.backend, &t.place, &text).map(Some);
        }
    }
    Ok(None)
}

/// Returns the newest release of each line before that of `release`, the newest first.
fn earlier(stack: &Stack, release: &Release) -> Vec<Release> {
    let lines = stack.model().lines.values();
    let newest = lines.filter_map(|line| line.versions.keys().filter_map(|v| v.parse().ok()).max());
    let mut all: Vec<Release> = newest
        .filter(|other: &Release| other < release && other.line() != release.line())
        .collect();
    all.sort();
    all.into_iter().rev().take(MOST_LINES).collect()
}

/// Returns the addresses that a recipe fetches.
fn addresses(recipe: &Outline, values: &Values) -> BTreeSet<String> {
    let rules = recipe.reading.rules;
    let lists = values
        .iter()
        .filter(|(name, _)| matches!(rules.list(name), Some(List::Addresses | List::Sources)));
    let words = lists.flat_map(|(_, list)| &list.words);
    words.filter(|word| word.contains("://")).cloned().collect()
}

/// Returns the text of a rendering in which the variables of sources are those of `older`.
fn with_sources_of(rendering: &Outline, older: &Outline) -> String {
    let rules = rendering.reading.rules;
    let is_of_sources = |name: &str| {
        matches!(rules.list(name), Some(List::Addresses | List::Sources))
            || name != "HOMEPAGE" && rules.is_of_sources(name)
    };
    let mut text = rendering.text.clone();
    let nodes = rendering.root.nodes.iter().rev();
    for node in nodes.filter(|node| is_of_sources(&node.key.open)) {
        if let Some(old) = older.root.find(&node.key) {
            text.replace_range(node.at.clone(), &older.text[old.at.clone()]);
        }
    }
    text
}
