//! The typed recipe. `print.rs` prints package.yml, monitoring.yaml and files/series from it.

use rocpkg_render::Pinned;
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::Builds;

/// A script of a recipe. The variants are in the order in which ypkg runs the scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Runs before each of the other scripts.
    Environment,
    /// Runs after the sources are unpacked: patches, configuration.
    Setup,
    /// Compiles.
    Build,
    /// Runs a workload for profile-guided optimisation (PGO).
    Profile,
    /// Installs below `$installdir`.
    Install,
    /// Runs the tests.
    Check,
}

impl Step {
    /// All steps, in the order in which a recipe lists them.
    pub const ALL: [Self; 6] = [
        Self::Environment,
        Self::Setup,
        Self::Build,
        Self::Profile,
        Self::Install,
        Self::Check,
    ];

    /// Returns the key of the script in a recipe, such as `setup`.
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

    /// Returns the script that a phase of the model belongs to, or `None` for an unknown phase. The
    /// phase may have a name that Gentoo or Arch uses: `configure` -> `Setup`, `compile` ->
    /// `Build`.
    pub(crate) fn of_phase(name: &str) -> Option<Self> {
        Some(match name {
            "prepare" | "configure" => Self::Setup,
            "compile" => Self::Build,
            "test" => Self::Check,
            own => return Self::ALL.into_iter().find(|s| s.name() == own),
        })
    }
}

/// A source of a recipe. The first text is its address, the second is its SHA-256, tag or commit.
/// The address of a repository begins with `git|`. The address of a file that is saved under
/// another name ends with `#name`.
pub type Source = (String, String);

/// The words of one package of a recipe, such as its run-time dependencies. The first text names
/// the package: `main`, or `devel` for `NAME-devel`, or `^other` for a package with the full name
/// `other`.
pub type Words = (String, Vec<String>);

/// A recipe of Solus. A field whose comment is only a key has the value of that key in
/// `package.yml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// `name`
    pub name: String,
    /// `version`
    pub version: String,
    /// `release`
    pub release: u64,
    /// `source`: the address of each source, with its checksum, tag or commit.
    pub sources: Vec<Source>,
    /// The checksums that the sources need. Each is marked as known or unknown. This field is not
    /// printed.
    #[doc(hidden)]
    pub pinned: Vec<Pinned>,
    /// `homepage`
    pub homepage: String,
    /// `license`
    pub licence: Vec<String>,
    /// `component`
    pub component: String,
    /// `component` of subpackages.
    pub components: Vec<Words>,
    /// `summary`
    pub summary: String,
    /// `summary` of subpackages.
    pub summaries: Vec<Words>,
    /// `description`
    pub description: String,
    /// The comment at the beginning of the file, below the line for ypkg's schema.
    pub comment: Option<String>,
    /// Keys of `package.yml` whose value is true or false, such as `clang`, with their values.
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
    /// The scripts, with the statements of each.
    pub steps: Vec<(Step, Vec<Stmt>)>,
    /// The GPU targets that the scripts pass to upstream's build. The proof reads this field, and
    /// it is not printed.
    #[doc(hidden)]
    pub builds: Builds,
    /// The lines of `files/series`: the names of patches, in the order in which `%apply_patches`
    /// applies them. The file is not written if there are none.
    pub series: Vec<String>,
    /// `releases.id` in `monitoring.yaml`: the project's number at release-monitoring.org, or
    /// `None` if it is not known.
    pub monitored: Option<u64>,
    /// `releases.rss` in `monitoring.yaml`: the address of a feed of new releases.
    pub feed: String,
}
