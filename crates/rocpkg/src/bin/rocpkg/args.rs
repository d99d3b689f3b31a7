//! The command line.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use rocpkg::model::{FileKind, Propagation};
use rocpkg::resolve::Choice;
use rocpkg::{Backend, Error, Stack};
use std::path::PathBuf;

/// One model of the ROCm packages, printed for Gentoo, Arch, nixpkgs and Solus.
#[derive(Debug, Parser)]
#[command(name = "rocpkg", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Tell more: each warning, notes, what is known, and lists that are only counted otherwise.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the packages of one distribution or of all.
    Render(RenderArgs),
    /// List packages, releases, distributions and GPU targets.
    List(ListArgs),
    /// Tell where every fact of a package comes from.
    Explain(ExplainArgs),
    /// Check the model, and prove that GPU targets agree over every dependency.
    Check(CheckArgs),
    /// Answer questions about GPU targets.
    Targets(TargetsArgs),
    /// Find the fewest USE flags to set in Gentoo so that a package and its dependencies fit together.
    ///
    /// They are counted from the defaults of IUSE, or from the GPU targets asked for. What a profile or make.conf sets is not
    /// known here.
    Use(UseArgs),
    /// Print the JSON Schemas of the profile files, for editors.
    Schema(SchemaArgs),
    /// Answer questions about Gentoo's dependency language, one JSON object a line.
    Pms,
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
    /// Recipes for ypkg: package.yml with monitoring.yaml.
    Solus,
}

impl From<Distro> for Backend {
    fn from(distro: Distro) -> Self {
        match distro {
            Distro::Gentoo => Self::Gentoo,
            Distro::Arch => Self::Arch,
            Distro::Nix => Self::Nix,
            Distro::Solus => Self::Solus,
        }
    }
}

/// The kinds of profile files, by their words.
fn file_kind() -> impl TypedValueParser<Value = FileKind> {
    PossibleValuesParser::new(FileKind::ALL.iter().map(|kind| kind.word()))
        .try_map(|word| FileKind::ALL.iter().find(|kind| kind.word() == word).copied().ok_or("no such kind"))
}

/// The words of `--propagation`, which are those of a profile.
fn propagation() -> impl TypedValueParser<Value = Propagation> {
    PossibleValuesParser::new(Propagation::ALL.iter().map(|mode| mode.word())).try_map(|word| {
        Propagation::ALL.iter().find(|mode| mode.word() == word).copied().ok_or("no such way")
    })
}

/// The versions.
fn choice(text: &str) -> Result<Choice, String> {
    match text {
        "shipped" => Ok(Choice::Shipped),
        text => Ok(Choice::Release(text.parse().map_err(|e| format!("{e}"))?)),
    }
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// Lay a folder of profiles over the built-in ones; may be given again.
    #[arg(long, value_name = "DIR")]
    pub(crate) profiles: Vec<PathBuf>,
    /// Use the folders of --profiles alone.
    #[arg(long, requires = "profiles")]
    no_builtin: bool,
}

impl ModelArgs {
    /// The model.
    pub(crate) fn stack(&self) -> Result<Stack, Error> {
        let below = if self.no_builtin { Stack::empty() } else { Stack::shipped() };
        self.profiles.iter().try_fold(below?, Stack::layer)
    }
}

/// Which packages are planned.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// `shipped` for what each distribution ships, or one release for all, such as 7.2.4.
    #[arg(long, default_value = "shipped", value_parser = choice)]
    pub(crate) release: Choice,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// What to write; all of them when none is named.
    #[arg(value_enum)]
    pub(crate) distros: Vec<Distro>,
    /// The folder to write to.
    #[arg(long, value_name = "DIR", required_unless_present = "solus_dir")]
    pub(crate) out: Option<PathBuf>,
    /// Write Solus' recipes alone, into this checkout of its repository.
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(crate) solus_dir: Option<PathBuf>,
    /// Write only this package; may be given again.
    #[arg(long, value_name = "NAME")]
    pub(crate) package: Vec<String>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Take local patches and other companions from this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) files: Option<PathBuf>,
    /// Replace files that were changed by hand or are not ours.
    #[arg(long)]
    pub(crate) force: bool,
    /// Leave such files as they are, and write the others.
    #[arg(long, conflicts_with = "force")]
    pub(crate) keep: bool,
    /// Remove files of ours that are no longer written.
    #[arg(long)]
    pub(crate) prune: bool,
    /// Write nothing; print what would change, and exit with 1 when something would.
    #[arg(long)]
    pub(crate) check: bool,
    /// How Gentoo's dependencies hand on GPU targets, instead of what the profile says: by slots alone (`none`), by
    /// `[${ROCM_USEDEP}]` (`eclass`), by atoms with at most eight flags each (`chunked`), by an atom for each target (`conditional`).
    #[arg(long, value_parser = propagation(), value_name = "MODE")]
    pub(crate) propagation: Option<Propagation>,
    /// Build everything for these GPUs and no others: targets, families or products, between commas.
    #[arg(long, value_name = "LIST")]
    pub(crate) targets: Option<String>,
    /// Write recipes although a checksum is unknown.
    #[arg(long)]
    pub(crate) allow_missing: bool,
    /// Write packages of which a fact is guessed.
    #[arg(long)]
    pub(crate) allow_guesses: bool,
    /// Leave out what packages' overlays say: the shared model alone, to be looked at. Implies --allow-missing.
    #[arg(long)]
    pub(crate) bare: bool,
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

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The kind of file; all kinds, in one object by kind, when none is named.
    #[arg(value_parser = file_kind(), value_name = "KIND")]
    pub(crate) kind: Option<FileKind>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// In one distribution only.
    #[arg(long, value_enum)]
    pub(crate) distro: Option<Distro>,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// The package, by any of its names.
    pub(crate) package: String,
    /// Build everything for these GPUs and, where that can be, no others: targets, families or products, between commas.
    #[arg(long)]
    pub(crate) targets: Option<String>,
    /// A USE flag of the package that is to be on, or off behind a hyphen; may be given again.
    #[arg(long, value_name = "[-]FLAG", allow_hyphen_values = true)]
    pub(crate) flag: Vec<String>,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

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
    /// List the GPUs that a build for some targets serves, by package.
    Reach(TargetsReachArgs),
    /// Find a smallest set of targets that serves some GPUs across all packages.
    Cover(TargetsCoverArgs),
}

/// What the questions about packages are asked of.
#[derive(Debug, Args)]
pub(crate) struct StackArgs {
    /// The distribution whose packages are meant.
    #[arg(long, value_enum, default_value = "gentoo")]
    pub(crate) distro: Distro,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsListArgs {
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsShowArgs {
    /// A target, family or product, as people write it.
    pub(crate) name: String,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TargetsMatrixArgs {
    #[command(flatten)]
    pub(crate) stack: StackArgs,
    /// As comma-separated values.
    #[arg(long, conflicts_with = "json")]
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
