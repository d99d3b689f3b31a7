//! The typed recipe: what package.yml, monitoring.yaml and files/series are printed from.

use rocpkg_render::Pinned;
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::Builds;

/// A script of a recipe, in the order in which ypkg runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Stands before each of the others.
    Environment,
    /// After the sources are unpacked: patches, configuration.
    Setup,
    /// Compiles.
    Build,
    /// What a build is profiled by.
    Profile,
    /// Installs below `$installdir`.
    Install,
    /// Tests.
    Check,
}

impl Step {
    /// All of them, in the order in which a recipe states them.
    pub const ALL: [Self; 6] = [
        Self::Environment,
        Self::Setup,
        Self::Build,
        Self::Profile,
        Self::Install,
        Self::Check,
    ];

    /// The key.
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

    /// The step that a phase of another build system's naming is part of.
    pub(crate) fn of_phase(name: &str) -> Option<Self> {
        Some(match name {
            "prepare" | "configure" => Self::Setup,
            "compile" => Self::Build,
            "test" => Self::Check,
            own => return Self::ALL.into_iter().find(|s| s.name() == own),
        })
    }
}

/// A source: its address, with `git|` before that of a repository and `#name` behind that of a file
/// saved under another name, and its SHA-256 or its tag or commit.
pub type Source = (String, String);

/// Words of one subpackage: `main`, `devel` for `NAME-devel`, `^other` for one called `other`.
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
    /// `source`
    pub sources: Vec<Source>,
    /// The sums of them that nobody knows.
    pub pinned: Vec<Pinned>,
    /// `homepage`
    pub homepage: String,
    /// `license`
    pub licence: Vec<String>,
    /// `component`
    pub component: String,
    /// Those of subpackages.
    pub components: Vec<Words>,
    /// `summary`
    pub summary: String,
    /// Those of subpackages.
    pub summaries: Vec<Words>,
    /// `description`
    pub description: String,
    /// What the whole is about, printed above it.
    pub comment: Option<String>,
    /// Keys that are true or false.
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
    /// What upstream's build is given for GPU targets.
    pub builds: Builds,
    /// The lines of `files/series`; no such file when empty.
    pub series: Vec<String>,
    /// The project's number at release-monitoring.org.
    pub monitored: Option<u64>,
    /// The feed of new releases.
    pub feed: String,
}
