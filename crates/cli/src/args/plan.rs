//! The command line of `rocpkg plan`.

use super::{PlanArgs, SHOWN, distro, package_name};
use clap::{Args, Subcommand, ValueEnum};
use rocpkg::Backend;
use rocpkg_answers::plans::Builder;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum PlansCommand {
    /// List the builds in their order, with their commands and the resources that they need;
    /// nothing is run.
    Build(PlanBuildArgs),
    /// Assign tests to runners with the fewest runs, and list the tests that no runner covers.
    Test(PlanTestArgs),
}

/// The format of a plan of builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildFormat {
    /// For people.
    Text,
    /// For ninja, on one machine.
    Ninja,
    /// For Snakemake: one machine, Slurm or Kubernetes by its executors.
    Snakemake,
    /// A workflow of GitHub Actions on runners of your own, whose labels are the names of the
    /// machines.
    Github,
    /// The jobs of a jobset of Hydra, for nixpkgs.
    Hydra,
    /// All that is known.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct PlanBuildArgs {
    /// The distribution whose packages are built; by default that of the checkout, of whose
    /// packages builds are listed.
    #[arg(value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// Build only this package and the packages that depend on it, directly or through others; may
    /// be given again. The name may be that of an external package, such as fmt.
    #[arg(value_parser = package_name(), long, value_name = "NAME")]
    pub(crate) changed: Vec<String>,
    /// Build everything for these GPUs and no others: targets, families or products, separated by
    /// commas. The recipes must be rendered with the same targets.
    #[arg(long, value_name = "LIST")]
    pub(crate) targets: Option<String>,
    /// A machine, such as `cpus=16,memory=64G,disk=500G`. `name=` names it, and `builds=` is the
    /// number of packages that it builds at once, each with an equal share. May be given again.
    #[arg(
        long,
        value_name = "MACHINE",
        default_value = "name=default,cpus=16,memory=64G,disk=500G"
    )]
    pub(crate) machine: Vec<Builder>,
    /// Write the plan in this format.
    #[arg(long, value_enum, default_value = "text", help_heading = SHOWN)]
    pub(crate) format: BuildFormat,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

/// The format of a plan of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people.
    Text,
    /// A matrix for GitHub Actions.
    Github,
    /// All that is known.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct PlanTestArgs {
    /// The file with the runners: their labels, GPUs, memory and contacts. It may also state
    /// backends with their maturity and people, and limits of benchmarks. `rocpkg schema runners`
    /// has its schema.
    #[arg(long, value_name = "FILE")]
    pub(crate) runners: PathBuf,
    /// Compare the test results in this folder with the demands on backends, and with the limits:
    /// `*.json` files, as for `report`.
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Option<PathBuf>,
    /// End with 1 if a backend lacks what its maturity demands, or if a benchmark crosses its
    /// limit.
    #[arg(long)]
    pub(crate) gate: bool,
    /// In one distribution only; by default that of the checkout, or all outside of one.
    #[arg(long, value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// Test only this package; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME")]
    pub(crate) package: Vec<String>,
    /// Write the plan in this format.
    #[arg(long, value_enum, default_value = "text", help_heading = SHOWN)]
    pub(crate) format: TestFormat,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}
