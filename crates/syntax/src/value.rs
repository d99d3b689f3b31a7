//! A text in normal form: what two spellings of one thing have in common.

/// A text in normal form: without quotes, wrapping and spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// With variables as they are written.
    pub written: String,
    /// With the values of variables, and the version of the recipe left open, so that it is the
    /// same at each.
    pub open: String,
    /// With the version too.
    pub real: String,
}

impl Value {
    /// The same text in all forms.
    pub fn plain(text: impl Into<String>) -> Self {
        let open = text.into();
        Self {
            written: open.clone(),
            real: open.clone(),
            open,
        }
    }

    /// What becomes of each form.
    #[must_use]
    pub fn map(&self, change: impl Fn(&str) -> String) -> Self {
        Self {
            written: change(&self.written),
            open: change(&self.open),
            real: change(&self.real),
        }
    }

    /// Adds another text to each form.
    pub fn push(&mut self, other: &Self) {
        self.written.push_str(&other.written);
        self.open.push_str(&other.open);
        self.real.push_str(&other.real);
    }

    /// Texts with blanks between them.
    pub fn joined<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut out = Self::default();
        for (i, value) in all.into_iter().enumerate() {
            if i > 0 {
                out.push(&Self::plain(" "));
            }
            out.push(value);
        }
        out
    }

    /// The text of a key without the number that tells items of one key apart.
    pub fn base(text: &str) -> &str {
        text.split(" #").next().unwrap_or_default()
    }

    /// Whether two texts mean the same.
    pub fn is(&self, other: &Self) -> bool {
        self.open == other.open || self.real == other.real
    }

    /// Whether it is a checksum in the form of subresource integrity.
    pub fn is_sri(&self) -> bool {
        let text = self.real.trim_matches('"');
        ["sha256-", "sha512-"]
            .iter()
            .any(|kind| text.starts_with(kind))
            && !text.contains([' ', '$'])
    }

    /// Whether it is one that stands for a checksum that nobody knows.
    pub fn is_unknown_sri(&self) -> bool {
        self.is_sri() && self.real.trim_matches(['"', 'A', '=']).ends_with('-')
    }

    /// Whether they mean the same, or are written alike.
    pub fn is_like(&self, other: &Self) -> bool {
        self.is(other) || self.written == other.written
    }
}
