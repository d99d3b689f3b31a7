//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// One model of the ROCm packages, printed for Gentoo, Arch and nixpkgs.
#[derive(Debug, Parser)]
#[command(name = "rocpkg", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the packages of one distribution or of all.
    Render(RenderArgs),
    /// List packages, releases, distributions and GPU targets.
    List(ListArgs),
    /// Tell where every fact of a package comes from.
    Explain(ExplainArgs),
}

/// A distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Distro {
    /// Ebuilds with rocm.eclass, as a repository.
    Gentoo,
    /// PKGBUILDs with .SRCINFO.
    Arch,
    /// A scope of Nix expressions.
    #[value(alias = "nixpkgs")]
    Nix,
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// Lay a folder of profiles over the built-in ones; a later one changes an earlier one.
    #[arg(long, value_name = "DIR")]
    pub(crate) profiles: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// What to write; all of them when none is named.
    #[arg(value_enum)]
    pub(crate) distros: Vec<Distro>,
    /// The folder to write to.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// `shipped` for what each distribution ships, or one release for all, such as 7.2.4.
    #[arg(long, default_value = "shipped")]
    pub(crate) release: String,
    /// Write only this package; may be given again.
    #[arg(long, value_name = "NAME")]
    pub(crate) package: Vec<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Take templates from this folder before the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// Take local patches and other companions from this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) files: Option<PathBuf>,
    /// Replace files that were changed by hand or are not ours.
    #[arg(long)]
    pub(crate) force: bool,
    /// Remove files of ours that are no longer written.
    #[arg(long)]
    pub(crate) prune: bool,
    /// Write nothing; print what would change, and exit with 1 when something would.
    #[arg(long)]
    pub(crate) check: bool,
    /// Let a PKGBUILD be written although a checksum is unknown.
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Count the lines by where they come from.
    #[arg(long)]
    pub(crate) stats: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The package, by any of its names.
    pub(crate) package: String,
    /// In one distribution only.
    #[arg(long, value_enum)]
    pub(crate) distro: Option<Distro>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}
