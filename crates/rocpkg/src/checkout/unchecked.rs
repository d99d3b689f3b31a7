//! The questions that the check of a recipe could not decide, such as the flags of a missing
//! eclass.

use super::existing_recipe::ExistingRecipe;
use rocpkg_syntax::{Checked, place};
#[cfg(feature = "serde")]
use serde::Serialize;

/// A question about a recipe that its check could not decide, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct NotChecked {
    /// The package's id.
    pub package: String,
    /// The path of the recipe.
    pub path: String,
    /// The line of the recipe that the question is about, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The subject that is not checked, such as `USE flags`.
    pub subject: String,
    /// The reason, such as `foo.eclass was not found`.
    pub reason: String,
}

impl ExistingRecipe {
    /// Returns the questions of `checked`, the result of a check, with their places in `text`, in
    /// the order of the text. `text` is the existing or the new text of the recipe, and `path` its
    /// path.
    pub(super) fn not_checked(&self, path: &str, text: &str, checked: &Checked) -> Vec<NotChecked> {
        let all = checked.unchecked.iter().map(|question| {
            let (line, column) = place(text, question.at);
            NotChecked {
                package: self.id.clone(),
                path: path.to_owned(),
                line,
                column,
                subject: question.subject.clone(),
                reason: question.reason.clone(),
            }
        });
        let mut all: Vec<NotChecked> = all.collect();
        all.sort();
        all
    }
}
