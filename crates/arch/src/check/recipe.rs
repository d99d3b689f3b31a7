//! The input of the checks of a PKGBUILD: its text, its script, its sources and its commands.

use super::sources::Source;
use super::steps::PathStep;
use super::values::{Element, Values};
use rocpkg_syntax::{Listing, Script, Surroundings};
use std::ops::Range;

/// A PKGBUILD with the values that the checks use.
pub(super) struct Recipe<'a> {
    pub(super) text: &'a str,
    pub(super) script: &'a Script,
    pub(super) listing: &'a Listing,
    /// The values of variables at the end of the global scope. Checks of values use
    /// [`Recipe::value`].
    pub(super) margin: &'a Values,
    /// The elements of all arrays of sources; `None` if only bash can compute their number.
    pub(super) sources: Option<Vec<Source>>,
    /// The commands of all functions, in order.
    pub(super) steps: Vec<PathStep>,
    pub(super) surroundings: &'a Surroundings,
}

impl<'a> Recipe<'a> {
    /// Returns a recipe without sources and commands.
    pub(super) fn new(
        text: &'a str,
        script: &'a Script,
        listing: &'a Listing,
        margin: &'a Values,
        surroundings: &'a Surroundings,
    ) -> Self {
        Self {
            text,
            script,
            listing,
            margin,
            sources: None,
            steps: Vec::new(),
            surroundings,
        }
    }

    pub(super) fn slice(&self, at: &Range<usize>) -> &str {
        &self.text[at.clone()]
    }

    /// Returns true for a word that begins with `$pkgdir`.
    pub(super) fn is_in_package(&self, word: &Element) -> bool {
        let written = self.slice(&word.at).trim_start_matches('"');
        written.starts_with("$pkgdir") || written.starts_with("${pkgdir}")
    }

    /// Returns the range of bytes of the last assignment of a variable in the global scope; `None`
    /// for a variable that is not set there.
    pub(super) fn place(&self, name: &str) -> Option<Range<usize>> {
        let last = self.script.sets_at_margin(name).last();
        last.map(|set| set.at.clone())
    }

    /// Returns the first byte of the last assignment of a variable in the global scope; 0 for a
    /// variable that is not set there.
    pub(super) fn start(&self, name: &str) -> usize {
        self.place(name).map_or(0, |at| at.start)
    }
}
