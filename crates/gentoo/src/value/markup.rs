//! Texts of `metadata.xml` that name packages (GLEP 68).

use minijinja::Value;
use rocpkg_pms::Cpn;
use rocpkg_render::{escape_xml, ready};
use std::fmt::Write as _;

/// A text of `metadata.xml` that may name packages and categories. A `&str` is converted to a text
/// without such names.
///
/// ```
/// use rocpkg_gentoo::{Markup, Metadata};
///
/// let text = Markup::from("Build the clients, tested against ").package(&"sci-libs/rocBLAS".parse()?);
/// let metadata = Metadata::default().flag("benchmark", text);
/// assert!(metadata.to_string().contains("against <pkg>sci-libs/rocBLAS</pkg></flag>"));
/// # Ok::<(), rocpkg_pms::SyntaxError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup {
    /// The text with its XML elements. Special characters of XML are escaped.
    xml: String,
}

impl Markup {
    /// Adds plain text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.xml += &escape_xml(text);
        self
    }

    /// Adds the name of a package: `<pkg>sci-libs/rocBLAS</pkg>`.
    #[must_use]
    pub fn package(mut self, package: &Cpn) -> Self {
        let _ = write!(self.xml, "<pkg>{package}</pkg>");
        self
    }

    /// Adds the name of a category: `<cat>sci-libs</cat>`.
    #[must_use]
    pub fn category(mut self, category: &str) -> Self {
        let _ = write!(self.xml, "<cat>{}</cat>", escape_xml(category));
        self
    }

    pub(crate) fn value(&self) -> Value {
        ready(self.xml.as_str())
    }
}

impl From<&str> for Markup {
    fn from(text: &str) -> Self {
        Self::default().text(text)
    }
}

impl From<String> for Markup {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}
