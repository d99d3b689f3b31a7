//! The errors of rendering, of queries about the model, and of writing.

use crate::backend::Backend;
use rocpkg_model::{Findings, Sources};
use rocpkg_render::{TemplateError, TreeError};
use rocpkg_targets::NotFound;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why something is not rendered, answered or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The profiles contain errors, or their contents can't be rendered.
    #[error("{0}")]
    Findings(Box<Problems>),
    /// No package has this name.
    #[error("{said}")]
    UnknownPackage {
        /// The unknown name.
        name: String,
        /// The most similar known name, if there is one.
        nearest: Option<String>,
        /// The message. It names the distributions that have the package, or gives a hint.
        said: String,
    },
    /// The package exists, but not at the requested version.
    #[error("{} has no such version of `{package}`: expected {known}", .distribution.distro())]
    UnknownVersion {
        /// The package's id.
        package: String,
        /// The distribution.
        distribution: Backend,
        /// The known versions, as text.
        known: String,
    },
    /// The distribution has the package, but not at this release of ROCm.
    #[error("{distribution} has no `{package}` at ROCm {release}: {reason}")]
    Absent {
        /// The package's id.
        package: String,
        /// The name of the distribution's profile, such as `nixpkgs`.
        distribution: String,
        /// The release.
        release: String,
        /// The reason, as a clause: `it is made for ROCm >=7.1`.
        reason: String,
    },
    /// No GPU target has these names.
    #[error("{}", .0.iter().map(NotFound::explained).collect::<Vec<_>>().join("\n"))]
    UnknownTarget(Vec<NotFound>),
    /// These GPU targets can't be chosen in the distribution.
    #[error("{} does not offer {}", .distribution.distro(), .targets.join(", "))]
    NotOffered {
        /// The distribution.
        distribution: Backend,
        /// The targets.
        targets: Vec<String>,
    },
    /// No profile describes the distribution.
    #[error("no profile describes {}: distros/{}.yaml is missing", .0.distro(), .0.distro())]
    UnknownDistribution(Backend),
    /// The library was built without the Cargo feature of the distribution's backend.
    #[error("rocpkg was built without support for {}", .0.distro())]
    NotBuilt(Backend),
    /// Several releases, or the live version, were requested of a distribution that keeps one
    /// release of each package.
    #[error("{} has one release of each package: only gentoo supports several releases and the live version 9999", .0.distro())]
    OneRelease(Backend),
    /// Existing recipes have newer versions than the requested release. Each string is the message
    /// about one recipe.
    #[error("{}", .0.join("\n"))]
    Older(Vec<String>),
    /// The existing eclass has no table of targets by release, so it can't be updated.
    #[error("{0}: no table of GPU targets by release found")]
    NoTable(String),
    /// A folder or a file of a checkout is not as expected.
    #[error("{}: {said}", .path.display())]
    Place {
        /// The folder or file.
        path: PathBuf,
        /// The message: the difference from what was expected.
        said: String,
    },
    /// A checkout has no recipe of the packages that are to move.
    #[error("{}: no recipe of {} is in this folder; `rocpkg render --package {}` makes one", .folder.display(), .package.as_deref().unwrap_or("the stack"), .package.as_deref().unwrap_or("NAME"))]
    NoRecipe {
        /// The folder of the checkout.
        folder: PathBuf,
        /// The name of the package; `None` if there is no recipe of any package.
        package: Option<String>,
    },
    /// Files that must not be changed would change. Each string is a path in the checkout.
    #[error("nothing is written, because files with uncommitted changes would be changed: {}", .0.join(", "))]
    Protected(Vec<String>),
    /// An existing recipe can't be read. The text has its place and the reason.
    #[error("{0}")]
    Recipe(String),
    /// Existing Manifests state other checksums than the model. Each string is the reason for one
    /// Manifest.
    #[error("{}", .0.join("\n"))]
    Manifests(Vec<String>),
    /// Rows of a table of test runners are wrong. Each string is the reason for one row.
    #[error("{}", .0.join("\n"))]
    Runners(Vec<String>),
    /// Names of GPUs that may mean several targets each. Each string is the message about one name.
    #[error("{}", .0.join("\n"))]
    AmbiguousTargets(Vec<String>),
    /// A list of GPU targets is empty. The string is an example of a target.
    #[error("no GPU target named: expected names such as `{0}`, separated by commas")]
    NoTarget(String),
    /// Recipes would be built for other GPU targets than the chosen ones.
    #[error("these packages can't be built for {targets} alone:{}", .recipes.iter().map(|recipe| format!("\n  {recipe}")).collect::<String>())]
    NotNarrowed {
        /// The chosen targets, separated by spaces.
        targets: String,
        /// The recipes, each with its targets, as text.
        recipes: Vec<String>,
    },
    /// The profiles hold no table of GPU targets.
    #[error("targets.yaml, which lists the GPU targets, is missing from the profiles")]
    NoRegistry,
    /// The recipes of the distribution have no release number that counts rebuilds.
    #[error("{distribution} has no counter for rebuilds: {reason}")]
    NoRebuilds {
        /// The distribution's name.
        distribution: String,
        /// The way in which this distribution builds dependents again.
        reason: &'static str,
    },
    /// A text is not a valid USE flag.
    #[cfg(feature = "gentoo")]
    #[error(transparent)]
    Flag(#[from] rocpkg_pms::SyntaxError),
    /// The stack has no layer of this name.
    #[error("{0}: no such folder of profiles")]
    UnknownProfiles(String),
    /// A file of profiles, or a table of checksums, can't be updated.
    #[error("{place}: {reason}")]
    Profile {
        /// The file, or a place in it.
        place: String,
        /// The fault, in words.
        reason: String,
    },
    /// A file can't be read or written.
    #[cfg(feature = "checkout")]
    #[error(transparent)]
    Write(#[from] rocpkg_render::WriteError),
    /// A template and the data that it prints do not match.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Upstream's files can't be fetched or read.
    #[cfg(feature = "upstream")]
    #[error(transparent)]
    Upstream(#[from] rocpkg_upstream::Failure),
    /// A tree of upstream's sources can't be read.
    #[cfg(feature = "upstream")]
    #[error(transparent)]
    Sources(#[from] rocpkg_upstream::tree::TreeError),
    /// Two files would be written to one path, or a path leads out of the output folder.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl Error {
    pub(crate) fn profile(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Profile {
            place: place.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn place(path: &Path, said: impl Into<String>) -> Self {
        Self::Place {
            path: path.to_owned(),
            said: said.into(),
        }
    }

    /// Returns the error for a failed operation on the folder or file `path`. `source` is the
    /// system's error.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        #[cfg(feature = "checkout")]
        return rocpkg_render::WriteError::Io {
            path: path.to_owned(),
            source,
        }
        .into();
        #[cfg(not(feature = "checkout"))]
        Self::place(path, source.to_string())
    }

    /// Returns the findings of [`Error::Findings`]. None for all other errors.
    pub fn findings(&self) -> Option<&Findings> {
        match self {
            Self::Findings(problems) => Some(&problems.findings),
            _ => None,
        }
    }
}

/// Findings with at least one error, and the texts that they refer to.
pub struct Problems {
    /// All findings.
    pub findings: Findings,
    /// The texts of the profiles.
    pub sources: Sources,
}

/// Prints the findings as the command does, without colours.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.findings.summary(&self.sources, false).trim_end())
    }
}

/// Prints the same text as `Display`, because a `main` that returns an error prints it by `Debug`.
impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}
