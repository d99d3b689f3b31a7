//! The command line of `rocpkg bump` and `rocpkg changes`.

use super::{
    ALLOWED, ComputedArgs, EclassMode, ModelArgs, SHOWN, VERSIONS, WHAT, WHERE, choice, distro,
    package_name, release,
};
use clap::{Args, ValueEnum};
use rocpkg::Backend;
use rocpkg::internal::resolve::{Choice, Release};
use std::path::PathBuf;

/// The release to which `rocpkg bump` moves.
#[derive(Clone, Debug)]
pub(crate) enum BumpTarget {
    /// A stated release.
    Release(Release),
    /// The newest release in upstream's repositories.
    Latest,
}

fn target(text: &str) -> Result<BumpTarget, String> {
    match text {
        "latest" => Ok(BumpTarget::Latest),
        text => release(text).map(BumpTarget::Release),
    }
}

/// The packages that `--commit` commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommitMode {
    /// Packages with nothing left to do.
    Done,
    /// All packages that were written.
    All,
}

#[derive(Debug, Args)]
pub(crate) struct BumpArgs {
    /// The release to move to, such as 10.0.0. A line or a release that no file lists yet is added.
    /// `latest` is the newest release that all repositories have from which the packages are
    /// fetched.
    #[arg(value_parser = target, value_name = "VERSION|latest")]
    pub(crate) version: BumpTarget,
    /// In a checkout with rocpkg.toml, the packages to move; by default those of rocpkg.toml, or
    /// else all existing ones. Elsewhere, the distributions; by default all.
    #[arg(value_parser = package_name(), value_name = "PACKAGE|DISTRO")]
    pub(crate) words: Vec<String>,
    /// Move only this package; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) package: Vec<String>,
    /// Take checksums from this file: rows of YAML as in a release's table, by the keys of the
    /// sources.
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    pub(crate) sums: Option<PathBuf>,
    /// Move only the model itself: a folder with all of its profiles. By default, the recipes of
    /// the checkout around the working folder move; what the model lacks is written to the last
    /// folder of --profiles. Outside of a checkout, only that folder moves.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["profiles", "no_builtin"], help_heading = WHERE)]
    pub(crate) into: Option<PathBuf>,
    /// In a Gentoo checkout, treat rocm.eclass like this, as in `rocpkg render`; by default `none`
    /// if a master of the repository has one.
    #[arg(long, value_enum, value_name = "MODE", help_heading = WHERE)]
    pub(crate) eclass: Option<EclassMode>,
    /// In a checkout, the release that the recipes come from: if they state one that the model does
    /// not know, or to print the conflicts of an earlier bump again.
    #[arg(long, value_parser = choice, value_name = "RELEASE", help_heading = VERSIONS)]
    pub(crate) from: Option<Choice>,
    /// In a checkout, also edit packages that depend on guesses.
    #[arg(long, help_heading = ALLOWED)]
    pub(crate) allow_guesses: bool,
    /// In a checkout, let makepkg run a PKGBUILD if only bash can evaluate it, to make its .SRCINFO.
    /// Otherwise nothing of a recipe runs.
    #[arg(long, help_heading = ALLOWED)]
    pub(crate) run_makepkg: bool,
    #[command(flatten)]
    pub(crate) computed: ComputedArgs,
    /// In a checkout, commit what was written by git: one commit for each package, and one for all
    /// of nixpkgs. Packages with something left to do, and those that need such a package, are not
    /// committed, except with `--commit=all`. Nothing is pushed.
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true,
        default_missing_value = "done", conflicts_with_all = ["dry_run", "profiles"], help_heading = WHERE)]
    pub(crate) commit: Option<CommitMode>,
    /// In a checkout, write what was done and what is left to this file, as Markdown for a pull
    /// request. Its name ends in `.md`.
    #[arg(long, value_name = "FILE", help_heading = SHOWN)]
    pub(crate) report: Option<PathBuf>,
    /// Write nothing; print what would change. In a checkout, the exit status is that of the real
    /// run; elsewhere it is 1 when something would change.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) dry_run: bool,
    /// With --dry-run, print the number of changed lines of each file instead of the diff.
    #[arg(long, requires = "dry_run", help_heading = SHOWN)]
    pub(crate) stat: bool,
    /// Print the diff without a pager; by default, a terminal gets it through git's.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) no_pager: bool,
    /// Print JSON; `rocpkg schema bump` prints its schema.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ChangesArgs {
    /// The old release, or `shipped` for what each distribution ships.
    #[arg(value_parser = choice, help_heading = VERSIONS)]
    pub(crate) old: Choice,
    /// The new release, or `shipped`.
    #[arg(value_parser = choice, help_heading = VERSIONS)]
    pub(crate) new: Choice,
    /// The distributions; all of them when none is named.
    #[arg(value_parser = distro())]
    pub(crate) distros: Vec<Backend>,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}
