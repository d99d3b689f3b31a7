//! Words that the model adds to a value or removes from it, and that an edit left: in a loop, or
//! under a condition.

use super::existing_recipe::{Conflict, ExistingRecipe};
use rocpkg_edit::ItemConflict;
use rocpkg_syntax::{Evaluated, List, Value, Values, is_part_of};
use std::collections::BTreeSet;

/// The variables that describe a package. Each distribution writes its own texts.
pub(super) const DESCRIPTIONS: &[&str] = &[
    "pkgdesc",
    "DESCRIPTION",
    "description",
    "longDescription",
    "summary",
];

/// The values of the variables of three recipes.
pub(super) struct ThreeValues {
    /// Of the rendering at the old release.
    pub(super) before: Values,
    /// Of the edited recipe.
    pub(super) own: Values,
    /// Of the rendering at the new release.
    pub(super) after: Values,
    /// Set if the recipe may fetch an archive of the model. Otherwise its folders are its own.
    pub(super) is_of_model: bool,
}

impl ThreeValues {
    /// Returns a conflict for each word that the model removes and the edited recipe still has, and
    /// for each package or other word that the model adds and the recipe lacks. Variables about
    /// which `known` has a conflict are left out.
    pub(super) fn unmade(&self, existing: &ExistingRecipe, known: &[Conflict]) -> Vec<Conflict> {
        let rules = existing.outline.reading.rules;
        let is_known = |name: &String| {
            let mut all = known.iter().map(|conflict| conflict.item.iter());
            all.any(|item| is_part_of(item.map(String::as_str), name))
        };
        let is_free = |name: &str| {
            rules.list(name) == Some(List::Sums)
                || name == rules.version
                || !self.is_of_model && rules.is_of_sources(name)
                || name.starts_with('_')
                || DESCRIPTIONS.contains(&name)
                || existing.backend.implementation().counters().contains(&name)
        };
        let mut all = Vec::new();
        for (name, own) in &self.own {
            let (Some(old), Some(new)) = (self.before.get(name), self.after.get(name)) else {
                continue;
            };
            if old == new || is_free(name) || is_known(name) {
                continue;
            }
            let has = |of: &Evaluated, word: &String| of.words.contains(word);
            for word in &old.words {
                if !has(new, word) && has(own, word) {
                    let reason = format!("the model removes `{word}`, and the recipe keeps it");
                    all.push(conflict(existing, name, word, reason));
                }
            }
            if own.open.is_some() {
                continue;
            }
            let keys = |of: &Evaluated| of.words.iter().map(|w| key(w)).collect::<BTreeSet<_>>();
            let (old, own) = (keys(old), keys(own));
            for word in &new.words {
                if !old.contains(&key(word)) && !own.contains(&key(word)) {
                    let reason = format!("the model adds `{word}`, and the recipe lacks it");
                    all.push(conflict(existing, name, word, reason));
                }
            }
        }
        all
    }
}

/// Returns the name in a dependency, without its bounds and its slot. Of any other word, returns
/// the part before the first digit.
fn key(word: &str) -> String {
    let name = word.trim_start_matches(['<', '>', '=', '~', '!']);
    let end = name
        .find([':', '[', '<', '>', '='])
        .filter(|_| !word.contains("://"));
    let name = &name[..end.unwrap_or(name.len())];
    let end = name.find(|c: char| c.is_ascii_digit()).filter(|end| {
        let head = &name[..*end];
        head.ends_with(['-', '.', '_'])
    });
    name[..end.unwrap_or(name.len())].to_owned()
}

/// Returns the conflict about `word` of the variable `name`. Its place is that of the word in the
/// recipe, or that of the variable.
fn conflict(existing: &ExistingRecipe, name: &str, word: &str, reason: String) -> Conflict {
    let text = &existing.outline.text;
    let ends = word
        .match_indices(['/', '-'])
        .map(|(at, _)| &word[at + 1..]);
    let written = std::iter::once(word).chain(ends).find_map(|end| {
        let is_long = end.len() > 2;
        text.find(end).filter(|_| is_long)
    });
    let set = existing.outline.root.nodes.iter();
    let mut set = set.filter(|node| Value::base(&node.key.open) == name);
    let at = written.or(set.next().map(|node| node.at.start));
    existing.conflict(ItemConflict {
        path: name.split('.').map(str::to_owned).collect(),
        at: at.unwrap_or_default(),
        reason: Some(reason),
        ..ItemConflict::default()
    })
}
