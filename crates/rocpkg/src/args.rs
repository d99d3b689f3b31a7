//! The command line.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use rocpkg::Backend;
use rocpkg::model::{FileKind, Propagation};
use rocpkg::resolve::Choice;
use std::path::{Path, PathBuf};

/// One model of the ROCm packages, printed for Gentoo, Arch, nixpkgs and Solus.
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
    /// List every finding of the model, with the proof that GPU targets agree over every dependency.
    Check(CheckArgs),
    /// Ask about GPU targets: names, support, what a build reaches, the fewest to build.
    Targets(TargetsArgs),
    /// Find the fewest USE flags to set in Gentoo so that a package and all that it needs fit together.
    ///
    /// They are counted from the defaults of IUSE, or from the GPU targets asked for; what a profile or make.conf sets is not
    /// known here.
    Use(UseArgs),
    /// Print the JSON Schemas of the profile files, for editors.
    Schema(SchemaArgs),
    /// Answer questions about Gentoo's dependency language: JSON lines of at most 16 MiB on standard input.
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

#[derive(Clone, Debug, Args)]
pub(crate) struct ModelArgs {
    /// Lay a folder of profiles over the built-in ones; a later one changes an earlier one.
    #[arg(long, value_name = "DIR")]
    pub(crate) profiles: Vec<PathBuf>,
    /// Leave the built-in profiles out: only the folders of --profiles count.
    #[arg(long)]
    pub(crate) no_builtin: bool,
    /// List every warning, also where many are alike.
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Which packages are planned.
#[derive(Clone, Debug, Args)]
pub(crate) struct PlanArgs {
    /// `shipped` for what each distribution ships, or one release for all, such as 7.2.4.
    #[arg(long, default_value = "shipped")]
    release: String,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

impl PlanArgs {
    /// The versions.
    pub(crate) fn choice(&self) -> Result<Choice, String> {
        match self.release.as_str() {
            "shipped" => Ok(Choice::Shipped),
            text => Ok(Choice::Release(text.parse().map_err(|e| format!("--release: {e}"))?)),
        }
    }
}

impl RenderArgs {
    /// The folder to write to, and the backend of whose distribution it is a checkout, where it is one.
    pub(crate) fn folder(&self) -> (&Path, Option<Backend>) {
        match (&self.solus_dir, &self.out) {
            (Some(dir), _) => (dir, Some(Backend::Solus)),
            (None, Some(out)) => (out, None),
            (None, None) => (Path::new("."), None),
        }
    }

    /// Whether what is not known of an archive is a warning. A bare tree lacks what overlays say of archives, too.
    pub(crate) fn allows_missing(&self) -> bool {
        self.allow_missing || self.bare
    }
}

impl Distro {
    /// Its backend.
    pub(crate) fn backend(self) -> Backend {
        match self {
            Self::Gentoo => Backend::Gentoo,
            Self::Arch => Backend::Arch,
            Self::Nix => Backend::Nix,
            Self::Solus => Backend::Solus,
        }
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RenderArgs {
    /// What to write; all of them when none is named.
    #[arg(value_enum)]
    pub(crate) distros: Vec<Distro>,
    /// The folder to write to.
    #[arg(long, value_name = "DIR", required_unless_present = "solus_dir")]
    out: Option<PathBuf>,
    /// Write Solus' recipes into this checkout of its repository, as packages/r/rocblas/package.yml, and nothing else.
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    solus_dir: Option<PathBuf>,
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
    /// Leave files that were changed by hand or are not ours as they are, tell them, and write the others.
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
    /// Let a PKGBUILD be written although a checksum is unknown, and a Manifest that does not know all archives.
    #[arg(long)]
    allow_missing: bool,
    /// Write packages that rest on facts nobody saw; they are left out otherwise, and refused when named by --package.
    #[arg(long)]
    pub(crate) allow_guesses: bool,
    /// Leave the packages' overlays out but for what a package is and is called: what the shared model gives alone, to be looked
    /// at. It implies --allow-missing, and what the proof finds is a warning.
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
    /// Build everything for these GPUs and, where that can be, for no others: targets, families or products, between commas.
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
