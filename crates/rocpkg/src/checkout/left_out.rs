//! Recipes of the stack in a checkout that are neither edited nor compared, each with the reason.

use rocpkg_render::escape_toml;
#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};
use std::fmt;

/// A recipe of the stack that is neither edited nor compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct LeftOut {
    /// The folder of the recipe, relative to the checkout. If the checkout has only this recipe,
    /// the recipe's name.
    pub folder: String,
    /// The reason. In JSON, its text.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text"))]
    pub reason: LeftOutReason,
}

/// The reason why a recipe is left out. As text, a clause about the recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// The recipe builds a single package, which in the model is a part of another package's
    /// recipe: `comgr`, a part of rocm-llvm.
    Part {
        /// The id of the package whose recipe contains this package in the model.
        package: String,
    },
    /// The recipe fetches the newest commit.
    Live,
    /// The recipe fetches packages that somebody else built.
    Built,
    /// The recipe is named like a package, and fetches from no repository that the package was ever
    /// fetched from.
    OtherSource {
        /// The name of the package.
        package: String,
    },
    /// The recipe fetches from the repository of packages, and has the name of none.
    OtherName {
        /// The name of the package that the recipe most likely builds. None if there are several.
        package: Option<String>,
    },
    /// The name of the recipe begins with that of a package, and so do those of other recipes: each
    /// may build a part of the package.
    OneOfSeveral {
        /// The name of the package.
        package: String,
    },
    /// The model has the component, and no recipe of it for this distribution.
    NotPackaged {
        /// The component.
        component: String,
        /// The distribution's name.
        distribution: String,
    },
    /// The recipe fetches from a repository of upstream that the model does not know.
    UnknownRepository(String),
    /// The recipe builds an application that uses the stack. The model has no recipe of it.
    Application,
    /// The recipe can't be read. The text is the reason.
    Unreadable(String),
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part { package } => write!(
                f,
                "the model builds this package with {package}, and has no separate recipe for it"
            ),
            Self::Live => f.write_str("a live recipe, which is of no release"),
            Self::Built => {
                f.write_str("it fetches built packages, and the model has recipes that build")
            }
            Self::OtherSource { package } => write!(
                f,
                "it fetches from no repository that {package} was ever fetched from"
            ),
            Self::OtherName { .. } => f.write_str(
                "its name is that of no package that is fetched from the same repository",
            ),
            Self::OneOfSeveral { package } => write!(
                f,
                "the names of several recipes begin with {package}, so each may build a part of it"
            ),
            Self::NotPackaged {
                component,
                distribution,
            } => write!(
                f,
                "the model has the component {component}, and no recipe of it for {distribution}"
            ),
            Self::UnknownRepository(name) => {
                write!(f, "the model has no package from the repository {name}")
            }
            Self::Application => {
                f.write_str("an application that uses the stack; the model has no recipe of it")
            }
            Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}

impl LeftOut {
    /// Returns the line of the table `[recipes]` in `rocpkg.toml` by which the recipe is edited as
    /// that of a package: `"lib32-rocblas" = "rocblas"`. None if no line would help.
    pub fn setting(&self) -> Option<String> {
        let package = match &self.reason {
            LeftOutReason::OtherName { package, .. } => package.as_deref().unwrap_or("PACKAGE"),
            LeftOutReason::OtherSource { package } | LeftOutReason::OneOfSeveral { package } => {
                package
            }
            _ => return None,
        };
        let words = [self.folder.as_str(), package].map(escape_toml);
        Some(words.join(" = "))
    }

    /// Returns the reason with the line of `rocpkg.toml` that would take the recipe, if any.
    pub(super) fn advice(&self) -> String {
        let line = self
            .setting()
            .map(|line| format!("; the line `{line}` below [recipes] in rocpkg.toml takes it"));
        format!("left as it is: {}{}", self.reason, line.unwrap_or_default())
    }

    /// Returns true if a bump of the whole checkout mentions the recipe: a person may expect that
    /// the recipe moves along.
    pub(super) fn is_expected_to_move(&self) -> bool {
        matches!(
            self.reason,
            LeftOutReason::Built
                | LeftOutReason::Part { .. }
                | LeftOutReason::Live
                | LeftOutReason::OtherName { .. }
                | LeftOutReason::OneOfSeveral { .. }
                | LeftOutReason::Unreadable(_)
        )
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.folder, self.advice())
    }
}

#[cfg(feature = "serde")]
fn as_text<S: Serializer>(reason: &LeftOutReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(reason)
}
