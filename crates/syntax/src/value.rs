//! Texts in normal form: different spellings of the same text become equal.

/// A text in normal form, without quotes and wrapping. Its three forms differ in the variables.
/// With `_name=hip`, the word `"${_name}-${PV}"` has the forms `${_name}-${PV}`, `hip-VERSION` and
/// `hip-7.2.4`, where VERSION is the sign [`VERSION`](crate::words::VERSION).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NormalText {
    /// The text with variables as they are written.
    pub written: String,
    /// The text with the values of variables, and with a sign in place of the recipe's version, so
    /// that the text is the same for each version.
    pub open: String,
    /// The text with the values of variables and with the version.
    pub real: String,
}

impl NormalText {
    /// Returns a value with the same text in all forms.
    pub fn plain(text: impl Into<String>) -> Self {
        let open = text.into();
        Self {
            written: open.clone(),
            real: open.clone(),
            open,
        }
    }

    /// Returns the value with each of its forms replaced by the result of `change`.
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

    /// Returns values joined by blanks.
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

    /// Returns the text of a key without the number that distinguishes items of the same key:
    /// `make #2` → `make`.
    pub fn base(text: &str) -> &str {
        text.split(" #").next().unwrap_or_default()
    }

    /// Returns true if two texts mean the same: with the values of variables, and with or without
    /// the version.
    pub fn is(&self, other: &Self) -> bool {
        self.open == other.open || self.real == other.real
    }

    /// Returns true if the text is a checksum in the form of subresource integrity, such as
    /// `sha256-…`.
    pub fn is_sri(&self) -> bool {
        let text = self.real.trim_matches('"');
        ["sha256-", "sha512-"]
            .iter()
            .any(|kind| text.starts_with(kind))
            && !text.contains([' ', '$'])
    }

    /// Returns true if the text is a checksum of zero bits only, such as `sha256-AAAA…=`. It stands
    /// for an unknown checksum.
    pub fn is_unknown_sri(&self) -> bool {
        self.is_sri() && self.real.trim_matches(['"', 'A', '=']).ends_with('-')
    }

    /// Returns true if two texts mean the same, or are written the same way.
    pub fn is_like(&self, other: &Self) -> bool {
        self.is(other) || self.written == other.written
    }
}
