//! The command line of `rocpkg targets`.

use super::{Distro, ModelArgs, PlanArgs, SHOWN};
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct TargetsArgs {
    #[command(subcommand)]
    pub(crate) command: TargetsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TargetsCommand {
    /// List every target.
    List(TargetsListArgs),
    /// Show a GPU: its targets, families, products, generic target, and what code it loads.
    Show(TargetsShowArgs),
    /// Show each package's support of each target, with the reason.
    Matrix(TargetsMatrixArgs),
    /// List the GPUs that a build for some targets serves, by package: what to build, not what runs on one GPU (`rocpkg gpu`).
    Reach(TargetsReachArgs),
    /// Find a smallest set of targets that serves some GPUs across all packages: what to build, not what is built (`rocpkg gpu`).
    Cover(TargetsCoverArgs),
}

/// What the questions about packages are asked of.
#[derive(Debug, Args)]
pub(crate) struct StackArgs {
    /// The distribution whose packages are meant.
    #[arg(long, value_enum, default_value = "gentoo")]
    pub(crate) distro: Distro,
    /// As JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsListArgs {
    /// As JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsShowArgs {
    /// A target, family or product, as people write it.
    pub(crate) name: String,
    /// As JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsMatrixArgs {
    #[command(flatten)]
    pub(crate) stack: StackArgs,
    /// As comma-separated values.
    #[arg(long, conflicts_with = "json", help_heading = SHOWN)]
    pub(crate) csv: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsReachArgs {
    /// Targets, families or products, between commas.
    pub(crate) targets: Option<String>,
    /// What a scope of nixpkgs is built for: `default`, a group such as `gfx11`, or a target.
    #[arg(long, value_name = "NAME", conflicts_with = "targets")]
    pub(crate) scope: Option<String>,
    /// Every place is patched that code for a compatible GPU needs, whatever the distribution carries.
    #[arg(long)]
    pub(crate) isa_compat: bool,
    /// Ask of this package and what it needs only.
    #[arg(long, value_name = "NAME")]
    pub(crate) package: Option<String>,
    #[command(flatten)]
    pub(crate) stack: StackArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsCoverArgs {
    /// The GPUs to serve: targets, families or products; `all` for every processor.
    #[arg(long, value_name = "NAME", required = true, num_args = 1..)]
    pub(crate) gpu: Vec<String>,
    /// Only what a scope of nixpkgs is built for: `default`, a group such as `gfx11`, or a target.
    #[arg(long, value_name = "NAME")]
    pub(crate) scope: Option<String>,
    /// Every place is patched that code for a compatible GPU needs, whatever the distribution carries.
    #[arg(long)]
    pub(crate) isa_compat: bool,
    /// Generic targets may be built.
    #[arg(long)]
    pub(crate) generic: bool,
    /// Ask of this package and what it needs only.
    #[arg(long, value_name = "NAME")]
    pub(crate) package: Option<String>,
    #[command(flatten)]
    pub(crate) stack: StackArgs,
}
