//! The typed recipe, from which package.yml, monitoring.yaml and files/series are printed.

use rocpkg_render::Pinned;
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::Builds;

/// A script of a recipe, in the order in which ypkg runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Runs before each of the other scripts.
    Environment,
    /// Runs after the sources are unpacked: patches, configuration.
    Setup,
    /// Compiles.
    Build,
    /// Runs a workload to profile the build.
    Profile,
    /// Installs below `$installdir`.
    Install,
    /// Runs the tests.
    Check,
}

impl Step {
    /// All steps, in the order of a recipe.
    pub const ALL: [Self; 6] = [
        Self::Environment,
        Self::Setup,
        Self::Build,
        Self::Profile,
        Self::Install,
        Self::Check,
    ];

    /// Returns the step's key in a recipe.
    pub fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Setup => "setup",
            Self::Build => "build",
            Self::Profile => "profile",
            Self::Install => "install",
            Self::Check => "check",
        }
    }

    /// Returns the step that a phase belongs to. The phase may have the name that another build
    /// system gives it.
    pub(crate) fn of_phase(name: &str) -> Option<Self> {
        Some(match name {
            "prepare" | "configure" => Self::Setup,
            "compile" => Self::Build,
            "test" => Self::Check,
            own => return Self::ALL.into_iter().find(|s| s.name() == own),
        })
    }
}

/// A source: its address, and its SHA-256, tag or commit. The address of a repository begins with
/// `git|`. The address of a file that is saved under another name ends with `#name`.
pub type Source = (String, String);

/// The words of one package of a recipe. The package is `main`, `devel` for `NAME-devel`, or
/// `^other` for one with the name `other`.
pub type Words = (String, Vec<String>);

/// A recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// `name`
    pub name: String,
    /// `version`
    pub version: String,
    /// `release`
    pub release: u64,
    /// The checksums of the sources, known or not.
    pub sources: Vec<Source>,
    /// The checksums of sources that are not known.
    pub pinned: Vec<Pinned>,
    /// `homepage`
    pub homepage: String,
    /// `license`
    pub licence: Vec<String>,
    /// `component`
    pub component: String,
    /// The components of subpackages.
    pub components: Vec<Words>,
    /// `summary`
    pub summary: String,
    /// The summaries of subpackages.
    pub summaries: Vec<Words>,
    /// `description`
    pub description: String,
    /// The comment above the recipe.
    pub comment: Option<String>,
    /// The keys whose value is true or false.
    pub switches: Vec<(String, bool)>,
    /// `optimize`
    pub optimize: Vec<String>,
    /// `patterns`
    pub patterns: Vec<Words>,
    /// `builddeps`
    pub builddeps: Vec<String>,
    /// `checkdeps`
    pub checkdeps: Vec<String>,
    /// `rundeps`
    pub rundeps: Vec<Words>,
    /// `replaces`
    pub replaces: Vec<Words>,
    /// `conflicts`
    pub conflicts: Vec<Words>,
    /// The scripts.
    pub steps: Vec<(Step, Vec<Stmt>)>,
    /// The GPU targets that upstream's build is given.
    pub builds: Builds,
    /// The lines of `files/series`. The file is not written if there are none.
    pub series: Vec<String>,
    /// The project's number at release-monitoring.org.
    pub monitored: Option<u64>,
    /// The feed of new releases.
    pub feed: String,
}
