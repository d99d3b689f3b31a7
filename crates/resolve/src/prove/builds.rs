//! The GPU targets that a recipe passes to upstream's build, as a backend records them.
//!
//! A backend records the targets when it writes an argument, from the value that it writes. So
//! targets that no recipe contains are not recorded. The proof reads these records. It only uses
//! the model for upstream's limits and for the requirements of edges. Real bash and Nix check the
//! records.

use std::collections::BTreeMap;

/// The GPU targets that a recipe gives to upstream's build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PassedTargets {
    /// These targets, by name.
    List(Vec<String>),
    /// The targets that an external tool prints while the package is built, without some of them:
    /// `rocm-supported-gfx -e gfx950`.
    Tool {
        /// The name of the tool, without its arguments: `rocm-supported-gfx`.
        command: String,
        /// The targets that the tool leaves out, by name.
        without: Vec<String>,
        /// The targets that are passed in addition, by name.
        further: Vec<String>,
    },
    /// No list is passed, so upstream builds its own default.
    #[default]
    Upstream,
    /// A value that the backend can't interpret: the text, as written.
    Unread(String),
}

impl PassedTargets {
    /// Returns the value that a recipe gives to all its variables for GPU targets. `passed` are the
    /// variables, each with its value. Returns `None` if `passed` is empty.
    ///
    /// # Errors
    /// If two variables have different values, the targets that are built are not known. The error
    /// is then [`PassedTargets::Unread`] with the names of both variables.
    pub fn alike<T: PartialEq>(
        passed: impl IntoIterator<Item = (String, T)>,
    ) -> Result<Option<T>, Self> {
        let mut passed = passed.into_iter();
        let Some((name, value)) = passed.next() else {
            return Ok(None);
        };
        match passed.find(|(_, other)| *other != value) {
            Some((other, _)) => Err(Self::Unread(format!("{name} and {other}"))),
            None => Ok(Some(value)),
        }
    }
}

/// The value that a recipe passes to upstream's build when the package can be built for none of the
/// targets that the user chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Nothing {
    /// The variable for GPU targets is passed with an empty list.
    #[default]
    Empty,
    /// The variable is not passed, so upstream's build uses its default list.
    Upstream,
    /// These targets are built instead, since a build needs at least one target.
    Instead(Vec<String>),
}

/// The effect of the user's choice of GPU targets on a recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ChoiceEffect {
    /// The recipe ignores the choice. [`Builds::unasked`] contains the targets that are built.
    #[default]
    Ignored,
    /// The recipe passes the chosen targets to upstream's build.
    Passed {
        /// The targets that the recipe passes if they are chosen. Other chosen targets are left
        /// out. `None` if all chosen targets are passed.
        within: Option<Vec<String>>,
        /// The value that is passed when no chosen target is left.
        nothing: Nothing,
    },
}

/// The GPU targets that one recipe passes to the build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Builds {
    /// The targets that the recipe passes when nobody chooses targets.
    pub unasked: PassedTargets,
    /// The effect of the user's choice of targets: by USE flags, by a Nix scope that is limited to
    /// some targets, or by a variable of the environment.
    pub asked: ChoiceEffect,
    /// The variables of upstream's build that receive the targets, in the order of the recipe.
    pub variables: Vec<String>,
    /// The targets that the user can choose for this package alone, those on by default first.
    /// Empty if the user chooses once for all packages.
    pub flags: Vec<String>,
    /// Set if at least one of `flags` must be chosen.
    pub required: bool,
    /// The targets for which the recipe refuses to be built if no other target is chosen:
    /// `meta.broken`.
    pub refuses: Vec<String>,
    /// The ids of dependencies that the recipe leaves out by itself if they refuse to be built
    /// (`meta.broken`).
    pub drops: Vec<String>,
}

/// The person who chooses GPU targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chooser {
    /// The user, by flags of each package.
    Flags {
        /// Set if a package requires its dependencies to be built for the targets that it is built
        /// for.
        handed_on: bool,
    },
    /// The user, by a Nix scope that is limited to some targets for all its packages.
    Scope,
    /// The packager: one list for everybody.
    #[default]
    Packager,
}

/// The GPU targets that the recipes of a distribution pass to upstream's builds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipes {
    /// The person who chooses the targets.
    pub chooser: Chooser,
    /// The targets of each recipe, by the package's id. Packages without device code are absent.
    pub builds: BTreeMap<String, Builds>,
    /// The parts of `REQUIRED_USE` that the default flags of an ebuild break, by the package's id.
    /// Packages whose defaults are consistent are absent.
    pub broken_defaults: BTreeMap<String, Vec<String>>,
}
