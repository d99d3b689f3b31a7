//! What is rendered.

use crate::backend::Backend;
use rocpkg_model::Maintainer;
use rocpkg_resolve::Choice;

/// What is rendered: by default what each distribution ships, and nothing of which a fact is
/// guessed or a checksum is missing that the recipe can't do without.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// For these distributions; for all that the profiles know where none is named.
    pub backends: Vec<Backend>,
    /// The version: what each distribution ships where none is named, or one release for all.
    /// Several stand side by side where the distribution keeps them so: Gentoo. Where none is named
    /// and no checksum may be missing, it is the release of which the distribution's file says that
    /// checksums are known (`rendered`).
    pub choices: Vec<Choice>,
    /// Only these packages, by any of their names; all where none is named. A name that none has is
    /// an error.
    pub packages: Vec<String>,
    /// What depends on these packages, or on these things outside, is built again: it counts one
    /// more than the recipes that lie where the tree is written. [`crate::Tree::rebuilt`] tells
    /// which.
    pub rebuild: Vec<String>,
    /// Everything is built for these GPUs and no others: targets, families or products, between
    /// commas.
    pub targets: Option<String>,
    /// Recipes are rendered although a checksum is unknown, which is a warning then: what no file
    /// sums up to stands in for it, and a Manifest lacks the archive's line. Otherwise they are
    /// left out of a whole stack, and refused when they are asked for.
    pub allow_missing: bool,
    /// What becomes of unknown checksums is decided when the tree is written: the files that lie
    /// there may state them.
    pub decide_when_written: bool,
    /// Packages that rest on guesses are rendered too. They are left out otherwise, and refused
    /// when they are asked for.
    pub allow_guesses: bool,
    /// Who maintains packages that are new to a checkout: they stand in the place of those who
    /// maintain the distribution's own.
    pub maintainers: Option<Vec<Maintainer>>,
    /// The packages' overlays are left out but for what a package is and is called: what the shared
    /// model gives alone. What is not known of an archive, and what the proof finds, is a warning
    /// then.
    pub bare: bool,
    /// What packages are built without is noted, and what recipes leave out.
    pub review: bool,
}

impl Options {
    /// All that is known of what ships: what rests on guesses and what lacks a checksum too.
    pub fn everything() -> Self {
        Self {
            allow_missing: true,
            allow_guesses: true,
            ..Self::default()
        }
    }

    /// Whether what is not known of an archive is a warning. A bare tree lacks what overlays say of
    /// archives, too.
    pub(crate) fn allows_missing(&self) -> bool {
        self.allow_missing || self.bare
    }
}
