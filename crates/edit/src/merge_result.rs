//! The result of an edit.

/// The path of a comment that was removed with an item.
pub(crate) const COMMENT: &str = "comment";

/// The result of applying changes to a text.
#[derive(Clone, Debug, Default)]
pub struct MergeResult {
    /// The text with the changes that could be applied.
    pub text: String,
    /// The changes that could not be applied. They are left to the maintainer.
    pub conflicts: Vec<Conflict>,
}

/// A change that can't be applied to a text, since the text's item is neither the old one nor the
/// new one of the renderings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflict {
    /// The keys of the item, from the margin inwards.
    pub path: Vec<String>,
    /// The byte of the text where the item is, or of the item that would contain it.
    pub at: usize,
    /// The item's text in the old rendering; none if the item is new.
    pub before: Option<String>,
    /// The item's text in the new rendering; none if the item was removed.
    pub after: Option<String>,
    /// The item's text in the existing recipe.
    pub existing: Option<String>,
    /// The contradiction that the recipe would have with the change; none for a change that has no
    /// place in the recipe.
    pub reason: Option<String>,
}
