//! Why something is not rendered, answered or written.

use crate::backend::Backend;
use rocpkg_model::{Findings, Sources};
use rocpkg_render::{TemplateError, TreeError};
use rocpkg_targets::NotFound;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why something is not rendered, answered or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The profiles are wrong, or what they say can't be rendered.
    #[error("{0}")]
    Findings(Box<Problems>),
    /// No package is called so.
    #[error("{said}")]
    UnknownPackage {
        /// The name.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// Who carries it instead, or what was meant, in words.
        said: String,
    },
    /// A package is there, and not at the version that is asked for.
    #[error("no such version is known of `{package}` in {}, which has {known}", .distribution.distro())]
    UnknownVersion {
        /// The package's id.
        package: String,
        /// The distribution.
        distribution: Backend,
        /// What there is of it, in words.
        known: String,
    },
    /// These names stand for no GPU target.
    #[error("{}", .0.iter().map(NotFound::explained).collect::<Vec<_>>().join("\n"))]
    UnknownTarget(Vec<NotFound>),
    /// A distribution offers no such targets.
    #[error("{} offers no {}", .distribution.distro(), .targets.join(", "))]
    NotOffered {
        /// The distribution.
        distribution: Backend,
        /// The targets.
        targets: Vec<String>,
    },
    /// No profile tells what a distribution ships.
    #[error("no profile tells what {} ships: distros/{}.yaml is missing", .0.distro(), .0.distro())]
    UnknownDistribution(Backend),
    /// This build of the library can't render for a distribution: its feature is off.
    #[error("rocpkg was built without its feature for {}", .0.distro())]
    NotBuilt(Backend),
    /// A distribution keeps one release of a package, and several, or the live version, were asked
    /// of it.
    #[error("{} keeps one release of a package: several side by side, and the live version 9999, are asked of gentoo alone", .0.distro())]
    OneRelease(Backend),
    /// Recipes lie there, at newer versions than the ones that are asked for.
    #[error("{}", .0.join("\n"))]
    Older(Vec<String>),
    /// An eclass that lies there has no table of targets that could be brought up to date.
    #[error("{0}: no table of targets by release is found in it")]
    NoTable(String),
    /// A folder or a file is not what is expected there.
    #[error("{}: {said}", .path.display())]
    Place {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong with it.
        said: String,
    },
    /// An existing recipe can't be read, with its place and the reason.
    #[error("{0}")]
    Recipe(String),
    /// Existing Manifests state other checksums than the model: a reason for each.
    #[error("{}", .0.join("\n"))]
    Manifests(Vec<String>),
    /// Rows of a table of test runners are wrong: a reason for each.
    #[error("{}", .0.join("\n"))]
    Runners(Vec<String>),
    /// Names of GPUs stand for several targets each: a line for each name.
    #[error("{}", .0.join("\n"))]
    AmbiguousTargets(Vec<String>),
    /// No GPU target is named where one is needed. The field is an example of a target.
    #[error("no GPU target is named: expected names such as `{0}`, between commas")]
    NoTarget(String),
    /// Recipes would be built for other targets than the ones that were chosen.
    #[error("not narrowed to {targets}:{}", .recipes.iter().map(|recipe| format!("\n  {recipe}")).collect::<String>())]
    NotNarrowed {
        /// The chosen targets, between spaces.
        targets: String,
        /// The recipes, each with its targets, in words.
        recipes: Vec<String>,
    },
    /// The profiles hold no table of GPU targets.
    #[error("the profiles hold no targets.yaml, which lists the GPU targets")]
    NoRegistry,
    /// A distribution has no number of rebuilds.
    #[error("{distribution} counts no rebuilds: {reason}")]
    NoRebuilds {
        /// The distribution's name.
        distribution: String,
        /// The way in which it rebuilds.
        reason: &'static str,
    },
    /// A text is no USE flag.
    #[cfg(feature = "gentoo")]
    #[error(transparent)]
    Flag(#[from] rocpkg_pms::SyntaxError),
    /// The stack was read without this folder of profiles.
    #[error("{0}: no such folder of profiles is laid")]
    UnknownProfiles(String),
    /// A file of profiles, or a table of checksums, can't be brought up to date.
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
    /// A template that is built in does not fit what is printed with it.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Two files would be written to one place, or a path leads out.
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

    /// What the system says of a folder or a file.
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

    /// The findings, where the profiles are wrong.
    pub fn findings(&self) -> Option<&Findings> {
        match self {
            Self::Findings(problems) => Some(&problems.findings),
            _ => None,
        }
    }
}

/// Findings of which one at least is an error, with the texts that they point into.
pub struct Problems {
    /// All of them.
    pub findings: Findings,
    /// The texts.
    pub sources: Sources,
}

/// As the command shows them, without colours.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.findings.summary(&self.sources, false).trim_end())
    }
}

/// The same: a `main` that returns an error prints it so.
impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}
