//! The options of rendering.

use crate::backend::Backend;
use rocpkg_model::Maintainer;
use rocpkg_resolve::Choice;

/// The options of rendering. By default, the versions that each distribution ships are rendered.
/// Packages that rest on a guessed fact are left out. So are packages whose recipe can't do without
/// a checksum that is unknown.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The distributions to render. If empty, all distributions that the profiles describe.
    pub backends: Vec<Backend>,
    /// The versions to render: the shipped ones, a release, or the live version. Gentoo keeps
    /// several versions side by side, the other distributions only one. If the list is empty, the
    /// shipped versions are rendered. But if no checksum may be missing, and the release in the
    /// distribution's setting `rendered` is newer, that release is rendered. Its checksums are
    /// known.
    pub choices: Vec<Choice>,
    /// The packages to render, by any of their names. If empty, all packages. A name that no
    /// package has is an error.
    pub packages: Vec<String>,
    /// Packages or external dependencies that changed. Packages that depend on them are built
    /// again: their release number is one higher than that of the existing recipe in the output
    /// folder. [`crate::Tree::rebuilt`] lists these packages.
    pub rebuild: Vec<String>,
    /// The only GPUs that packages are built for: targets, families or products, separated by
    /// commas.
    pub targets: Option<String>,
    /// Set if recipes are rendered although a checksum is unknown. That is a warning then. A
    /// stand-in that no file can have takes the place of the checksum, and a Manifest lacks the
    /// archive's line. If not set, such packages are left out of a whole stack. If they were
    /// requested by name, they are errors.
    pub allow_missing: bool,
    /// Set if unknown checksums are handled when the tree is written. The existing recipes in the
    /// output folder may state these checksums.
    pub decide_when_written: bool,
    /// Set if packages that rest on guesses are rendered too. If not set, they are left out of a
    /// whole stack. If they were requested by name, they are errors.
    pub allow_guesses: bool,
    /// The maintainers of packages that are new to a checkout. They replace the maintainers in the
    /// shipped profiles. Maintainers that a layer of the user names are kept.
    pub maintainers: Option<Vec<Maintainer>>,
    /// Set if the packages' overlays are left out, except for a package's kind and its names. The
    /// rendering shows the shared model alone. Unknown facts of an archive, and findings of the
    /// proof, are warnings then.
    pub bare: bool,
    /// Set if notes for reviewers are added. They list the dependencies that packages are built
    /// without, and the facts that recipes leave out.
    pub review: bool,
}

impl Options {
    /// Returns options that render as much as possible: also packages that rest on guesses or lack
    /// a checksum.
    pub fn everything() -> Self {
        Self {
            allow_missing: true,
            allow_guesses: true,
            ..Self::default()
        }
    }

    /// Returns true if unknown checksums are warnings. They always are in a bare tree, since it
    /// lacks the overlays' facts about archives.
    pub(crate) fn allows_missing(&self) -> bool {
        self.allow_missing || self.bare
    }
}
