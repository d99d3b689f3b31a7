//! What is rendered.

use crate::backend::Backend;
use crate::sums::Decision;
use rocpkg_model::Propagation;
use rocpkg_resolve::Choice;

/// What is rendered: by default what each distribution ships, and nothing of which a fact is guessed or a checksum is missing that
/// the recipe can't do without.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    pub(crate) backends: Vec<Backend>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) packages: Vec<String>,
    pub(crate) rebuild: Vec<String>,
    pub(crate) targets: Option<String>,
    pub(crate) propagation: Option<Propagation>,
    pub(crate) allow_missing: bool,
    pub(crate) decided: Decision,
    pub(crate) allow_guesses: bool,
    pub(crate) bare: bool,
    /// What packages are built without is noted, and what recipes leave out.
    pub(crate) review: bool,
}

impl Options {
    /// All that is known of what ships: what rests on guesses and what lacks a checksum too.
    pub fn everything() -> Self {
        Self::default().allow_missing(true).allow_guesses(true)
    }

    /// For these distributions; for all that the profiles know otherwise.
    #[must_use]
    pub fn backends(mut self, backends: impl IntoIterator<Item = Backend>) -> Self {
        self.backends = backends.into_iter().collect();
        self.backends.sort_unstable();
        self.backends.dedup();
        self
    }

    /// The version: what each distribution ships, or one release for all.
    #[must_use]
    pub fn choice(self, choice: Choice) -> Self {
        self.choices([choice])
    }

    /// Several versions side by side, where the distribution keeps them so: Gentoo.
    #[must_use]
    pub fn choices(mut self, choices: impl IntoIterator<Item = Choice>) -> Self {
        self.choices = choices.into_iter().collect();
        self
    }

    /// Only these packages, by any of their names. A name that none has is an error.
    #[must_use]
    pub fn packages<S: Into<String>>(mut self, packages: impl IntoIterator<Item = S>) -> Self {
        self.packages = packages.into_iter().map(Into::into).collect();
        self
    }

    /// What depends on these packages, or on these things outside, is built again: it counts one more than the recipes that lie where
    /// the tree is written. [`crate::Tree::rebuilt`] tells which.
    #[must_use]
    pub fn rebuild<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.rebuild = names.into_iter().map(Into::into).collect();
        self
    }

    /// Everything is built for these GPUs and no others: targets, families or products, between commas.
    #[must_use]
    pub fn targets(mut self, targets: impl Into<String>) -> Self {
        self.targets = Some(targets.into());
        self
    }

    /// How Gentoo's dependencies hand on GPU targets, instead of what the profile says.
    #[must_use]
    pub fn propagation(mut self, propagation: Propagation) -> Self {
        self.propagation = Some(propagation);
        self
    }

    /// Recipes are rendered although a checksum is unknown, which is a warning then: what no file sums up to stands in for it, and a
    /// Manifest lacks the archive's line.
    #[must_use]
    pub fn allow_missing(mut self, allow: bool) -> Self {
        self.allow_missing = allow;
        self
    }

    /// What becomes of unknown checksums is decided when the tree is written: the files that lie there may state them.
    #[must_use]
    pub fn decide_when_written(mut self) -> Self {
        self.decided = Decision::Written;
        self
    }

    /// Packages that rest on guesses are rendered too. They are left out otherwise, and refused when they are asked for.
    #[must_use]
    pub fn allow_guesses(mut self, allow: bool) -> Self {
        self.allow_guesses = allow;
        self
    }

    /// The packages' overlays are left out but for what a package is and is called: what the shared model gives alone. What is not
    /// known of an archive, and what the proof finds, is a warning then.
    #[must_use]
    pub fn bare(mut self, bare: bool) -> Self {
        self.bare = bare;
        self
    }

    /// What packages are built without is noted, and what recipes leave out.
    #[must_use]
    pub fn review(mut self, review: bool) -> Self {
        self.review = review;
        self
    }

    /// Whether what is not known of an archive is a warning. A bare tree lacks what overlays say of archives, too.
    pub(crate) fn allows_missing(&self) -> bool {
        self.allow_missing || self.bare
    }
}
