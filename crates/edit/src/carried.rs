//! What comes of an edit.

/// The path of a comment that went with an item.
pub(crate) const COMMENT: &str = "comment";

/// What became of a text.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// The text with the changes that could be made.
    pub text: String,
    /// What could not be: it is the maintainer's.
    pub left: Vec<Left>,
}

/// A change that a text has no place for, since what lies there is neither as before nor as after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// The keys of the item, from the margin inwards.
    pub path: Vec<String>,
    /// The byte of the text where it would be, or of what it would stand in.
    pub at: usize,
    /// What the rendering had before; none for what is new.
    pub before: Option<String>,
    /// What it has now; none for what went.
    pub after: Option<String>,
    /// What lies there.
    pub there: Option<String>,
    /// The contradiction that the recipe would have with the change; none for a change that has no
    /// place.
    pub reason: Option<String>,
}
