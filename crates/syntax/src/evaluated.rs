//! Values of variables, as far as they are known without running the recipe.

use crate::lists::fetched;
use crate::value::NormalText;
use std::collections::{BTreeMap, BTreeSet};

/// The value of a variable after the global scope of a recipe ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluated {
    /// The words of a text, or the elements of an array. Words with an open part are left out.
    /// Addresses are in their normal form; see [`fetched`].
    pub words: Vec<String>,
    /// The reason why a part of the value is open; `None` if the value is known as a whole.
    pub open: Option<String>,
}

impl Evaluated {
    /// Makes the value of `words`. `open` is the reason if a part of the value is open.
    pub fn new(words: impl IntoIterator<Item = String>, open: Option<String>) -> Self {
        let normal = |word: String| {
            if word.contains("://") {
                fetched(&word)
            } else {
                word
            }
        };
        Self {
            words: words.into_iter().map(normal).collect(),
            open,
        }
    }

    /// Returns true if both values are known and have the same words. The order makes no
    /// difference, except in values with groups, such as `hip? ( dev-util/hip )`.
    pub fn agrees(&self, other: &Self) -> bool {
        let is_known = self.open.is_none() && other.open.is_none();
        let has_groups = self.words.iter().any(|word| word == "(");
        is_known
            && if has_groups {
                self.words == other.words
            } else {
                let sorted = |of: &Self| {
                    let mut all = of.words.clone();
                    all.sort_unstable();
                    all
                };
                sorted(self) == sorted(other)
            }
    }
}

/// A command that a function of a recipe runs.
#[derive(Clone, Debug)]
pub struct RunCommand {
    /// The name of the function that the package manager calls.
    pub function: String,
    /// The name of the command and its words after evaluation. A word that is open contains the
    /// reason.
    pub words: Vec<String>,
    /// The path of the folder in which the command runs; `None` if it is not certain.
    pub folder: Option<String>,
    /// Set if the command may not run.
    pub is_conditional: bool,
    /// The first byte of the command.
    pub at: usize,
}

impl RunCommand {
    /// Returns true if both commands do the same. Folders that are not certain make no difference,
    /// and neither do the spellings of what a link leads to.
    pub fn is(&self, other: &Self) -> bool {
        let folders = self.folder.as_ref().zip(other.folder.as_ref());
        let words = |of: &'_ Self| match of.words.as_slice() {
            [name, .., link] if name == "dosym" => vec![name.clone(), link.clone()],
            words => words.to_vec(),
        };
        (&self.function, words(self), self.is_conditional)
            == (&other.function, words(other), other.is_conditional)
            && folders.is_none_or(|(one, other)| one == other)
    }
}

/// The values of the variables of a recipe, by their names.
pub type Values = BTreeMap<String, Evaluated>;

/// Returns true if the item at a path of keys is the variable `name`, or a part of it. An attribute
/// of Nix is named by its path: `derivation.src.rev`.
pub fn is_part_of<'k>(path: impl IntoIterator<Item = &'k str>, name: &str) -> bool {
    let keys: Vec<&str> = path.into_iter().map(NormalText::base).collect();
    let mut ends = 1..=keys.len();
    keys.contains(&name) || name.contains('.') && ends.any(|end| keys[..end].join(".") == name)
}

/// Returns the names of the variables whose values agree.
pub fn agreed(one: &Values, other: &Values) -> BTreeSet<String> {
    let both = one.iter().filter(|(name, value)| {
        let other = other.get(*name);
        other.is_some_and(|other| other.agrees(value))
    });
    both.map(|(name, _)| name.clone()).collect()
}
