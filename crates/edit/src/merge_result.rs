//! The result of an edit.

/// The only key in [`ItemConflict::path`] of a comment that was removed with the item below it.
pub(crate) const COMMENT: &str = "comment";

/// The result of applying changes to a text. A change that contradicts the recipe, or that depends
/// on one that was left out, is left out too, and is a conflict.
#[derive(Clone, Debug, Default)]
#[must_use = "`conflicts` lists the changes that are not in `text`"]
pub struct MergeResult {
    /// The text with the changes that could be applied.
    pub text: String,
    /// The changes that could not be applied. They are left to the maintainer.
    pub conflicts: Vec<ItemConflict>,
}

/// A change that was not applied. Either the item of the existing recipe is neither as in the old
/// rendering nor as in the new one, or `reason` states why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemConflict {
    /// The keys of the item and of the items around it, the outermost first:
    /// `["makedepends", "git"]`.
    pub path: Vec<String>,
    /// The first byte of the item in the existing recipe. If the recipe lacks the item, the first
    /// byte of the list, function or set that would contain it.
    pub at: usize,
    /// The item's text in the old rendering; none if the item is new.
    pub before: Option<String>,
    /// The item's text in the new rendering; none if the item was removed.
    pub after: Option<String>,
    /// The item's text in the existing recipe; none if the recipe lacks the item.
    pub existing: Option<String>,
    /// The reason why the change was left out: the contradiction that the recipe would have with
    /// it, or the change that it depends on and that was left out too. None if the item of the
    /// existing recipe differs from both renderings, or has no place in the recipe.
    pub reason: Option<String>,
}
