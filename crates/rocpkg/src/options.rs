//! The options of rendering.

use crate::backend::Backend;
use rocpkg_model::Maintainer;
use rocpkg_resolve::Choice;

/// The options of rendering. By default, each distribution is rendered at the version that it
/// ships. Packages that rest on a guessed fact are left out. So are packages whose recipe needs a
/// checksum that is unknown.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The distributions to render. If empty, all distributions that the profiles describe.
    pub backends: Vec<Backend>,
    /// The versions to render: the shipped ones, a release, or the live version. Gentoo keeps
    /// several versions side by side, the other distributions only one. If the list is empty, the
    /// shipped versions are rendered. There is one exception: if no checksum may be missing, and
    /// the distribution's setting `rendered` names a newer release, all of whose checksums are
    /// known, then that release is rendered.
    pub choices: Vec<Choice>,
    /// The packages to render, by any of their names: id, distribution's name or component. If
    /// empty, all packages. A name that no package has is an error.
    pub packages: Vec<String>,
    /// Packages or external dependencies that changed. Packages that depend on them are built
    /// again: their release number is one higher than that of the existing recipe in the output
    /// folder. [`crate::Tree::rebuilt`] lists these packages.
    pub rebuild: Vec<String>,
    /// The only GPUs that packages are built for: targets, families or products, separated by
    /// commas. If `None`, each recipe has its usual targets.
    pub targets: Option<String>,
    /// Set if recipes are rendered although a checksum is unknown, with a warning. The recipe then
    /// contains a stand-in that is no file's checksum, such as zeros, and a Manifest lacks the
    /// archive's line. If not set, packages with an unknown checksum are left out of a whole stack,
    /// and are errors if they were requested by name.
    pub allow_missing: bool,
    /// Set if unknown checksums are handled when the tree is written, and not when it is rendered.
    /// The existing recipes in the output folder may state these checksums.
    pub decide_when_written: bool,
    /// Set if packages that rest on guesses are rendered too. If not set, they are left out of a
    /// whole stack, and are errors if they were requested by name.
    pub allow_guesses: bool,
    /// The maintainers to write into packages. They replace the maintainers in the shipped
    /// profiles. Maintainers that a layer of the user names are kept. If `None`, nobody is
    /// replaced.
    #[doc(hidden)]
    pub maintainers: Option<Vec<Maintainer>>,
    /// Set if the packages' overlays, the facts of one distribution, are left out. Only the
    /// components and the names of a package are kept. The rendering shows the shared model alone.
    /// Unknown checksums, and disagreements about GPU targets, are warnings then.
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

    /// Returns true if an unknown checksum is a warning, and no error. In a bare tree
    /// ([`Options::bare`]) it always is, since the overlays with the facts about archives are left
    /// out.
    pub(crate) fn allows_missing(&self) -> bool {
        self.allow_missing || self.bare
    }
}
