//! The command line of `rocpkg upstream`.

use super::{ModelArgs, PROFILES, PlanArgs, SHOWN, VERSIONS, WHAT, distro, mirror, package_name};
use clap::{Args, Subcommand};
use rocpkg::Backend;
use rocpkg::internal::resolve::Release;
use std::path::PathBuf;

const WHERE: &str = "Where the sources are";

#[derive(Debug, Subcommand)]
pub(crate) enum UpstreamCommand {
    /// List what changed upstream between two releases, component by component: options, GPU
    /// targets, required packages, parts, licences.
    ///
    /// The exit status is 1 if recipes pass an option that no CMake file names, or if a component
    /// is gone. An option that a patch or a step of the recipe may add is not checked, unless a
    /// component lists it.
    Diff(UpstreamDiffArgs),
    /// Try the patches, replacements, scripts, files and picked commits of recipes on upstream's
    /// sources.
    ///
    /// They are tried in memory, in the order of the recipe. Nothing of the sources is run. The
    /// exit status is 1 if something no longer fits.
    Probe(UpstreamProbeArgs),
    /// List the newest release in each of upstream's repositories, by their tags.
    ///
    /// A repository that has a release of the last two lines and not the newest one is named: the
    /// release is partly tagged. Exit status 1 when it is, or when a repository can't be read. In a
    /// checkout, only the repositories of its packages are read, unless others are named.
    Latest(UpstreamLatestArgs),
}

#[derive(Debug, Args)]
pub(crate) struct UpstreamLatestArgs {
    /// The distributions whose packages are looked at; outside of a checkout, all of them when none
    /// is named.
    #[arg(value_parser = distro())]
    pub(crate) distros: Vec<Backend>,
    /// Only the repositories of this package; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) package: Vec<String>,
    /// Read repositories at another address than GitHub's, in which `{owner}` and `{repository}`
    /// are filled in, such as `file:///srv/git/{owner}/{repository}.git`.
    #[arg(long, value_parser = mirror, value_name = "TEMPLATE", help_heading = WHERE)]
    pub(crate) mirror: Option<String>,
    /// As JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct UpstreamDiffArgs {
    /// The older side: a folder of source trees, or with --mirror a release such as 7.2.4, a tag or
    /// a branch.
    #[arg(value_name = "A")]
    pub(crate) from: String,
    /// The newer side.
    #[arg(value_name = "B")]
    pub(crate) to: String,
    /// Only this component, or the components of this package; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) package: Vec<String>,
    /// Take A and B from git repositories: one, a folder of them, or a path with `{repository}` and
    /// `{owner}` in it.
    #[arg(long, value_name = "DIR|TEMPLATE", help_heading = WHERE)]
    pub(crate) mirror: Option<String>,
    /// The release of B, if its name does not state it. The options that recipes pass at this
    /// release are looked up.
    #[arg(long, value_name = "RELEASE", help_heading = VERSIONS)]
    pub(crate) release: Option<Release>,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Default, Args)]
pub(crate) struct UpstreamProbeArgs {
    /// The distributions whose recipes are tried; all of them when none is named.
    #[arg(value_parser = distro())]
    pub(crate) distros: Vec<Backend>,
    /// Only this package; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) package: Vec<String>,
    /// A folder of source trees, or one tree.
    #[arg(long, value_name = "DIR", required_unless_present = "mirror", conflicts_with = "mirror", help_heading = WHERE)]
    pub(crate) tree: Option<PathBuf>,
    /// Git repositories that have the release's tags: one, a folder of them, or a path with
    /// `{repository}` and `{owner}` in it.
    #[arg(long, value_name = "DIR|TEMPLATE", help_heading = WHERE)]
    pub(crate) mirror: Option<String>,
    /// Folders with the distributions' patches, found by their names at any depth; may be given
    /// again.
    #[arg(long, value_name = "DIR", help_heading = PROFILES)]
    pub(crate) patches: Vec<PathBuf>,
    /// Print what to write beside each fact that fits and was not checked for this release yet.
    #[arg(long, help_heading = SHOWN, conflicts_with = "json")]
    pub(crate) rows: bool,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}
