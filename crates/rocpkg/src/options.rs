//! What is rendered.

use crate::backend::Backend;
use rocpkg_model::Propagation;
use rocpkg_resolve::Choice;

/// What is rendered: by default what each distribution ships, and nothing of which a fact is guessed or a checksum is missing that
/// the recipe can't do without.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// For these distributions; for all that the profiles know when there is none.
    pub backends: Vec<Backend>,
    /// The versions: what each distribution ships, or one release for all.
    pub choice: Choice,
    /// Only these packages, by any of their names; all when there is none. A name that no package has is an error.
    pub packages: Vec<String>,
    /// Everything is built for these GPUs and no others: targets, families or products, between commas.
    pub targets: Option<String>,
    /// How Gentoo's dependencies hand on GPU targets, instead of what the profile says.
    pub propagation: Option<Propagation>,
    /// A PKGBUILD or package.yml is rendered although a checksum is unknown, and a Manifest that does not know all archives.
    pub allow_missing: bool,
    /// Packages that rest on guesses are rendered too. They are left out otherwise, and refused when they are asked for.
    pub allow_guesses: bool,
    /// The packages' overlays are left out but for what a package is and is called: what the shared model gives alone. What is not
    /// known of an archive, and what the proof finds, is a warning then.
    pub bare: bool,
    /// What packages are built without is noted, and what recipes leave out.
    pub review: bool,
}

impl Options {
    /// All that is known of what ships: what rests on guesses and what lacks a checksum too.
    pub fn everything() -> Self {
        Self { allow_missing: true, allow_guesses: true, ..Self::default() }
    }

    /// Whether what is not known of an archive is a warning. A bare tree lacks what overlays say of archives, too.
    pub(crate) fn allows_missing(&self) -> bool {
        self.allow_missing || self.bare
    }
}
