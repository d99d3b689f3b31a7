//! Words that the model adds to a value or removes from it, and that an edit left: in a loop, or
//! under a condition.

use super::existing_recipe::{Conflict, ExistingRecipe};
use super::patches::is_patch;
use rocpkg_edit::ItemConflict;
use rocpkg_syntax::{Evaluated, List, Node, NormalText, Values, is_part_of, repository};
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
    /// Of the rendering of the old release, at the old version.
    pub(super) before: Values,
    /// Of the rendering of the old release, at the new version.
    pub(super) moved: Values,
    /// Of the existing recipe, at the new version.
    pub(super) existing: Values,
    pub(super) own: Values,
    /// Of the rendering at the new release.
    pub(super) after: Values,
    /// Set if the recipe may fetch an archive of the model. Otherwise its folders are its own.
    pub(super) is_of_model: bool,
}

impl ThreeValues {
    /// Returns a conflict for each word that the model removes and `text`, the edited recipe, still
    /// has, and for each package or other word that the model adds and the recipe lacks. A package
    /// that an edit adds to a list, and the model does not, is a conflict too. If the value of a
    /// list is open, a removed word that is written in the global scope counts as one of the list.
    /// Variables about which `known` has a conflict are left out.
    pub(super) fn unmade(
        &self,
        existing: &ExistingRecipe,
        text: &str,
        known: &[Conflict],
    ) -> Vec<Conflict> {
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
        let none = Evaluated::default();
        let mut all = Vec::new();
        for (name, own) in &self.own {
            let Some(old) = self.before.get(name) else {
                continue;
            };
            // A list that the model removes is empty.
            let new = self.after.get(name).unwrap_or(&none);
            if is_free(name) || is_known(name) {
                continue;
            }
            let keys = |of: &Evaluated| of.words.iter().map(|w| key(w)).collect::<BTreeSet<_>>();
            if matches!(rules.list(name), Some(List::Packages | List::Spec)) {
                let had = self.existing.get(name).into_iter();
                let known: BTreeSet<_> = had.chain([old, new]).flat_map(keys).collect();
                for word in own.words.iter().filter(|word| !known.contains(&key(word))) {
                    let reason = format!("`{word}` is added with another list, not by the model");
                    all.push(conflict(existing, name, word, reason));
                }
            }
            if old == new {
                continue;
            }
            let has = |of: &Evaluated, word: &String| of.words.contains(word);
            let moved = self.moved.get(name).into_iter();
            let gone = moved.chain([old]).flat_map(|old| &old.words);
            // Conditions and brackets count with the words in them.
            let is_item = |word: &&String| !word.ends_with(['?', '(', ')', '|', '^']);
            for word in gone.filter(is_item).collect::<BTreeSet<_>>() {
                let is_left = || own.open.is_some() && self.is_only_written(existing, text, word);
                if !has(new, word) && (has(own, word) || is_left()) {
                    let reason = format!("the model removes `{word}`, and the recipe keeps it");
                    all.push(conflict(existing, name, word, reason));
                }
            }
            if own.open.is_some() {
                continue;
            }
            let (old, own) = (keys(old), keys(own));
            for word in new.words.iter().filter(is_item) {
                if !old.contains(&key(word)) && !own.contains(&key(word)) {
                    let reason = format!("the model adds `{word}`, and the recipe lacks it");
                    all.push(conflict(existing, name, word, reason));
                }
            }
        }
        all
    }

    /// Returns a conflict for each commit in the edited recipe from which it fetches a source of
    /// the model. A commit is that of one release, and the model has no such commit.
    pub(super) fn commits(&self, existing: &ExistingRecipe) -> Vec<Conflict> {
        let of = |values| addresses(existing, values).into_iter();
        let home = |address: &String| repository(address).map(str::to_ascii_lowercase);
        let known: BTreeSet<_> = of(&self.before)
            .chain(of(&self.after))
            .filter_map(home)
            .collect();
        let model: BTreeSet<&str> = of(&self.after).filter_map(|word| commit(word)).collect();
        let is_of_model =
            |address: &&String| home(address).is_some_and(|home| known.contains(&home));
        let own = of(&self.own).filter(is_of_model);
        let own: BTreeSet<&str> = own.filter_map(|word| commit(word)).collect();
        let own = own.difference(&model);
        let own = own.filter_map(|id| Some((id, existing.outline.text.find(id)?)));
        own.map(|(id, at)| {
            let reason =
                format!("the source is fetched at commit `{id}`, as at the release before");
            existing.conflict(ItemConflict {
                path: existing.outline.keys_at(at),
                at,
                reason: Some(reason),
                ..ItemConflict::default()
            })
        })
        .collect()
    }

    /// Returns true if a word that no list of the model has any more is written in the global scope
    /// of `text`.
    fn is_only_written(&self, existing: &ExistingRecipe, text: &str, word: &String) -> bool {
        let Ok(recipe) = existing.outline.reading.read(text) else {
            return false;
        };
        let nodes = recipe.root.nodes.iter();
        let mut nodes = nodes.filter(|node| !node.key.open.ends_with("()"));
        let is_written = |node: &Node| text[node.at.clone()].split(is_end).any(|own| own == word);
        let mut all = self.after.values();
        !all.any(|value| value.words.contains(word)) && nodes.any(is_written)
    }
}

/// Returns the addresses of sources, without those of patches.
fn addresses<'a>(existing: &ExistingRecipe, values: &'a Values) -> Vec<&'a String> {
    let rules = existing.outline.reading.rules;
    let is_list = |name: &str| matches!(rules.list(name), Some(List::Addresses | List::Sources));
    let lists = values.iter().filter(|(name, _)| is_list(name));
    let words = lists.flat_map(|(_, list)| &list.words);
    words.filter(|word| !is_patch(word)).collect()
}

/// Returns the commit in an address: 40 hexadecimal digits.
fn commit(address: &str) -> Option<&str> {
    let mut parts = address.split(|c: char| !c.is_ascii_alphanumeric());
    parts.find(|part| part.len() == 40 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Returns true if a character ends a word of bash, whatever quotes it is in.
pub(super) fn is_end(c: char) -> bool {
    c.is_whitespace() || "\"'()`;|&<".contains(c)
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
    let name_of_word = key(word);
    let ends = |text: &'_ str| -> Vec<String> {
        let ends = text.match_indices(['/', '-']);
        let ends = ends.map(|(at, _)| text[at + 1..].to_owned());
        std::iter::once(text.to_owned()).chain(ends).collect()
    };
    let written = [word, &name_of_word]
        .into_iter()
        .flat_map(ends)
        .find_map(|end| {
            let is_long = end.len() > 2;
            text.find(&end).filter(|_| is_long)
        });
    let set = existing.outline.root.nodes.iter();
    let mut set = set.filter(|node| NormalText::base(&node.key.open) == name);
    let at = written.or(set.next().map(|node| node.at.start));
    existing.conflict(ItemConflict {
        path: name.split('.').map(str::to_owned).collect(),
        at: at.unwrap_or_default(),
        reason: Some(reason),
        ..ItemConflict::default()
    })
}
