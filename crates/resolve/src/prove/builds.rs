//! What a recipe passes to upstream's build as GPU targets, as a backend states it.
//!
//! A backend notes them where it writes an argument, from the value that it writes: what no recipe
//! says is not here either. The proof reads these, and the model only for what upstream can do and
//! what an edge asks. Real bash and Nix are asked whether that is so.

use std::collections::BTreeMap;

/// The GPU targets that a recipe gives to upstream's build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Given {
    /// These, by name.
    List(Vec<String>),
    /// What an outside tool prints while the package is built, less some: `rocm-supported-gfx -e
    /// gfx950`.
    Tool {
        /// The command without its arguments.
        command: String,
        /// What it is told to leave out, by name.
        without: Vec<String>,
        /// What is given beside it, by name.
        further: Vec<String>,
    },
    /// No list is passed, so upstream builds its own default.
    #[default]
    Upstream,
    /// Something is passed of which the backend does not know what it holds: the text, as written.
    Unread(String),
}

impl Given {
    /// What all variables of a recipe are given alike, `None` when there is none of them.
    ///
    /// # Errors
    /// They are given different things, so what is built can't be told: [`Given::Unread`] with the
    /// names of two.
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

/// What goes to the build when no target of a choice can be built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Nothing {
    /// The variable is passed with an empty list.
    #[default]
    Empty,
    /// No variable is passed, so upstream builds its default.
    Upstream,
    /// These are built instead, so that there is something to build.
    Instead(Vec<String>),
}

/// What becomes of a choice of targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// The recipe does not look at it: what is built stands in [`Builds::unasked`].
    #[default]
    Ignored,
    /// It is passed on.
    Passed {
        /// Of the choice, only these; all of it when absent.
        within: Option<Vec<String>>,
        /// What is passed when nothing is left.
        nothing: Nothing,
    },
}

/// What one recipe passes to the build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Builds {
    /// When nobody chooses.
    pub unasked: Given,
    /// When somebody does: by USE flags, by a narrowed scope, by a variable of the environment.
    pub asked: Asked,
    /// The variables of upstream's build that are given the targets, in the order of the recipe.
    pub variables: Vec<String>,
    /// The targets that the user chooses from at this package, those on by default first; empty
    /// where the choice is made once for all packages.
    pub flags: Vec<String>,
    /// Whether at least one of `flags` must be chosen, whatever else is.
    pub required: bool,
    /// The targets for which the recipe refuses to be built when they are all that is chosen:
    /// `meta.broken`.
    pub refuses: Vec<String>,
    /// The ids of dependencies that the recipe leaves out by itself where they refuse to be built.
    pub drops: Vec<String>,
}

/// Who chooses GPU targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chooser {
    /// The user, by flags of each package.
    Flags {
        /// A package asks its dependencies to be built for what it is built for.
        handed_on: bool,
    },
    /// The user, by a scope that is narrowed as a whole.
    Scope,
    /// The packager: one list for everybody.
    #[default]
    Packager,
}

/// What all recipes of a distribution pass on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipes {
    /// Who chooses.
    pub chooser: Chooser,
    /// By the package's id; packages without device code are absent.
    pub builds: BTreeMap<String, Builds>,
}
