//! The command line: the arguments that commands share, and those of the small commands.

mod bump;
mod plan;
mod sums;
mod upstream;

pub(crate) use bump::*;
pub(crate) use plan::*;
pub(crate) use sums::*;
pub(crate) use upstream::*;

use crate::error::Error;
use crate::outcome::Verbosity;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use rocpkg::checkout::Eclass;
use rocpkg::internal::model::{FileKind, Propagation};
use rocpkg::internal::resolve::{Choice, Release, ReleaseError};
use rocpkg::{Backend, Stack};
use serde::Deserialize;
use std::path::{Path, PathBuf};

// The groups of `--help`.
const WHAT: &str = "What to render";
const PROFILES: &str = "Which profiles";
const VERSIONS: &str = "Which versions";
const WHERE: &str = "Where to write";
const ALLOWED: &str = "What is allowed";
const SHOWN: &str = "What is shown";

/// One model of the ROCm packages, printed for Gentoo, Arch, nixpkgs and Solus.
#[derive(Debug, Parser)]
#[command(name = "rocpkg", version, about, max_term_width = 100, after_help = concat!("Exit status:\n", include_str!("../exit.txt")))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print more: each warning, notes, known findings, and lists that are otherwise only counted.
    #[arg(short, long, global = true, help_heading = SHOWN)]
    pub(crate) verbose: bool,
    /// Print errors and what fails, and leave out summaries, warnings, notes and diffs. What is
    /// printed for programs, such as JSON, stays. The exit status is the same.
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = SHOWN)]
    pub(crate) quiet: bool,
    /// Print in colours. `auto` does so on a terminal, unless the variable `NO_COLOR` is set.
    #[arg(long, value_name = "WHEN", default_value_t, hide_possible_values = false, global = true, help_heading = SHOWN)]
    pub(crate) color: ColorChoice,
}

impl Cli {
    /// Returns the amount of text that the command line requests.
    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write the packages of one distribution or of all.
    Render(RenderArgs),
    /// Write rocpkg.toml, the settings of a checkout, with which `render`, `render --check` and
    /// `check` need no argument there.
    Init(InitArgs),
    /// List packages, releases, distributions and GPU targets.
    List(ListArgs),
    /// Show where every fact of a package comes from, or what the code of an error means.
    Explain(ExplainArgs),
    /// Compare the recipes of a checkout with the model at the releases that they state, and take
    /// over selected differences. It also reads recipes that were written by hand.
    ///
    /// Rows that break a build come first. Rows that are only spelled differently are counted, and
    /// shown with `-v`.
    Compare(CompareArgs),
    /// Check the model, and prove that GPU targets agree over every dependency.
    Check(CheckArgs),
    /// Show what runs on a GPU in each distribution, package by package, and what to do next.
    ///
    /// Without a name, report on the GPUs that the kernel lists for this machine.
    Gpu(GpuArgs),
    /// Show what built files contain, and where they differ from the recipes: libraries, kernel
    /// files, folders and packages.
    ///
    /// With a distribution before the paths, the files are compared with its recipes.
    Audit(AuditArgs),
    /// Write HTML pages about what runs where: one for each GPU, package and distribution, with
    /// JSON beside each page.
    Report(ReportArgs),
    /// Compare upstream's releases, and try the steps of recipes on upstream's sources.
    #[command(subcommand)]
    Upstream(UpstreamCommand),
    /// Find the fewest USE flags to set in Gentoo so that a package and its dependencies fit
    /// together.
    ///
    /// The flags are compared with the defaults of IUSE, or with the requested GPU targets. What a
    /// profile or make.conf sets is not read. The feature that carries the GPU targets stays on.
    /// Ebuilds that require the same targets of their dependencies are rendered by `rocpkg render
    /// gentoo --propagation`.
    Use(UseArgs),
    /// Show in which order a distribution's packages are built, and what depends on a change.
    Order(OrderArgs),
    /// List what must be fetched and which of its checksums are unknown; compute them, or take them
    /// from other files.
    Sums(SumsArgs),
    /// Move packages to another release in a folder of profiles or a checkout, and list what a
    /// person has to look at.
    Bump(BumpArgs),
    /// List what users of a distribution notice between two releases.
    Changes(ChangesArgs),
    /// Plan builds on machines, and tests on runners with GPUs, for engines that run them.
    #[command(subcommand)]
    Plan(PlansCommand),
    /// Print what programs read that watch upstream for new releases: nvchecker, Renovate, or the
    /// update scripts of nixpkgs.
    Trackers(TrackersArgs),
    /// Print the JSON Schemas of the profile files, for editors, or of what `bump --json` prints.
    Schema(SchemaArgs),
    /// Print the completions for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder.
    Man(ManArgs),
}

/// Returns the parser of distributions' names: `gentoo`, `arch`, `nix` and `solus`. The help text
/// of a name states the files that are written for the distribution.
fn distro() -> impl TypedValueParser<Value = Backend> {
    let words = Backend::ALL.map(|backend| {
        let word = PossibleValue::new(backend.folder());
        match backend {
            Backend::Gentoo => {
                word.help("Ebuilds with the eclass of their GPU targets, as a repository")
            }
            Backend::Arch => word.help("PKGBUILDs with .SRCINFO"),
            Backend::Nix => word
                .help("A scope of Nix expressions")
                .alias(backend.distro()),
            Backend::Solus => word.help("Recipes for ypkg: package.yml with monitoring.yaml"),
        }
    });
    PossibleValuesParser::new(words).try_map(|word| {
        let named = Backend::ALL
            .into_iter()
            .find(|b| [b.folder(), b.distro()].contains(&word.as_str()));
        named.ok_or("no such distribution")
    })
}

/// Splits the words of a command into a distribution and the other words: `arch PATH` gives Arch
/// and `PATH`. If the first word is not the name of a distribution, the result is `None` and all
/// words.
pub(crate) fn words(all: &[String]) -> (Option<Backend>, Vec<String>) {
    let named = |word: &String| {
        Backend::ALL
            .into_iter()
            .find(|b| [b.folder(), b.distro()].contains(&word.as_str()))
    };
    match all.first().and_then(named) {
        Some(backend) => (Some(backend), all[1..].to_vec()),
        None => (None, all.to_vec()),
    }
}

/// The treatment of the eclass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EclassMode {
    /// Write no eclass: a master of the repository has one.
    None,
    /// Add the rows of GPU targets that the existing eclass lacks.
    Rows,
    /// Write the whole eclass.
    Whole,
}

impl From<EclassMode> for Eclass {
    fn from(mode: EclassMode) -> Self {
        match mode {
            EclassMode::None => Self::None,
            EclassMode::Rows => Self::Rows,
            EclassMode::Whole => Self::Whole,
        }
    }
}

/// The method by which ebuilds pass GPU targets to their dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PropagationMode {
    /// Dependencies name no GPU targets: the user keeps packages consistent, as in `::gentoo`.
    None,
    /// Dependencies have the USE dependency of the eclass, `[${ROCM_USEDEP}]`.
    Eclass,
    /// Dependencies repeat the atom, each time with at most eight flags.
    Chunked,
}

impl From<PropagationMode> for Propagation {
    fn from(mode: PropagationMode) -> Self {
        match mode {
            PropagationMode::None => Self::None,
            PropagationMode::Eclass => Self::Eclass,
            PropagationMode::Chunked => Self::Chunked,
        }
    }
}

/// The name of the schema that describes the output of `bump --json`.
pub(crate) const BUMP: &str = "bump";

/// Returns the parser of packages' names. Shells complete the name of a package's folder:
/// `./rocblas/` is `rocblas`.
fn package_name() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().try_map(|text| {
        let name = text.trim_start_matches("./").trim_end_matches('/');
        let is_recipe = |file: &str| Backend::ALL.iter().any(|backend| backend.is_recipe(file));
        let folder = name.rsplit_once('/').filter(|(_, file)| is_recipe(file));
        if folder.is_some() && !Path::new(&text).is_file() {
            return Err("no such file");
        }
        let name = folder.map_or(name, |(folder, _)| folder);
        Ok(if name.is_empty() {
            text
        } else {
            name.to_owned()
        })
    })
}

/// Returns the parser of the names of schemas: the kinds of profile files, and [`BUMP`].
fn kind() -> PossibleValuesParser {
    PossibleValuesParser::new(FileKind::ALL.iter().map(|kind| kind.word()).chain([BUMP]))
}

/// Parses the release to plan: `shipped` for the versions that each distribution ships, or a
/// release such as `7.2.4`.
pub(crate) fn choice(text: &str) -> Result<Choice, String> {
    text.parse().map_err(|e| meant(text, &e))
}

/// Parses a release.
fn release(text: &str) -> Result<Release, String> {
    text.parse().map_err(|e| meant(text, &e))
}

fn meant(text: &str, error: &ReleaseError) -> String {
    // The word may be a tag with a prefix.
    let number = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let meant = number
        .parse::<Release>()
        .map(|_| format!("; did you mean {number}?"));
    format!("{error}{}", meant.unwrap_or_default())
}

#[derive(Debug, Default, Args)]
pub(crate) struct ModelArgs {
    /// Merge a folder of profiles over the built-in ones; may be given again.
    #[arg(long, value_name = "DIR", help_heading = PROFILES)]
    pub(crate) profiles: Vec<PathBuf>,
    /// Use only the folders of --profiles.
    #[arg(long, requires = "profiles", help_heading = PROFILES)]
    no_builtin: bool,
}

impl ModelArgs {
    /// Reads the model.
    pub(crate) fn stack(&self) -> Result<Stack, Error> {
        self.stack_over(&[])
    }

    /// Reads the model. `folders` are further folders of profiles. Those of the command line are
    /// merged over them.
    pub(crate) fn stack_over(&self, folders: &[PathBuf]) -> Result<Stack, Error> {
        self.stack_of(folders.iter().chain(&self.profiles))
    }

    /// Reads the model from `folders` alone, or from the built-in profiles with `folders` merged
    /// over them, as the command line says.
    pub(crate) fn stack_of<'f>(
        &self,
        folders: impl IntoIterator<Item = &'f PathBuf>,
    ) -> Result<Stack, Error> {
        let below = if self.no_builtin {
            Stack::empty()
        } else {
            Stack::shipped()
        };
        Ok(folders.into_iter().try_fold(below?, Stack::layer)?)
    }
}

/// Which packages are planned.
#[derive(Debug, Default, Args)]
pub(crate) struct PlanArgs {
    /// The release, such as 7.2.4, or `shipped` for what each distribution ships, which is the
    /// default. For Gentoo, several releases separated by commas, or the option given again; 9999
    /// is the live version. If the distribution's file names a release with known checksums,
    /// `render` uses that by default, unless checksums may be missing.
    #[arg(long, value_delimiter = ',', value_parser = choice, value_name = "RELEASE", help_heading = VERSIONS)]
    pub(crate) release: Vec<Choice>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

impl PlanArgs {
    /// Returns the release of the command line, or [`Choice::Shipped`] if none is given. Several
    /// releases are an error.
    pub(crate) fn choice(&self) -> Result<&Choice, Error> {
        match self.release.as_slice() {
            [] => Ok(&Choice::Shipped),
            [one] => Ok(one),
            _ => Err(Error::Usage("--release: expected one release".to_owned())),
        }
    }

    /// Returns the options as they are written in a shell, each after a space: ` --release 7.2.4`.
    pub(crate) fn shown(&self) -> String {
        let releases = self.release.iter();
        let said = |choice: &Choice| match choice {
            Choice::Shipped => " --release shipped".to_owned(),
            Choice::Release(release) => format!(" --release {release}"),
            Choice::Live => " --release 9999".to_owned(),
        };
        let mut out: String = releases.map(said).collect();
        for folder in &self.model.profiles {
            out += &format!(" --profiles {}", in_shell(&folder.to_string_lossy()));
        }
        if self.model.no_builtin {
            out += " --no-builtin";
        }
        out
    }
}

/// Returns a word as it is written in a shell, in quotes if it needs them.
pub(crate) fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[derive(Debug, Default, Args)]
pub(crate) struct RenderArgs {
    /// Render these distributions; all of them if none is named.
    #[arg(value_parser = distro())]
    pub(crate) distros: Vec<Backend>,
    /// Write only this package; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) package: Vec<String>,
    /// In Arch and Solus, increase the release number of all packages that link this package or are
    /// built from it; may be given again. The name may be that of an external package, such as fmt.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) rebuild: Vec<String>,
    /// Build everything for these GPUs and no others: targets, families or products, separated by
    /// commas.
    #[arg(long, value_name = "LIST", help_heading = WHAT)]
    pub(crate) targets: Option<String>,
    /// Leave out the packages' overlays, to show the shared model alone. Implies --allow-missing.
    #[arg(long, help_heading = WHAT)]
    pub(crate) bare: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// Write each distribution into a folder of its own in this one.
    #[arg(long, value_name = "DIR", help_heading = WHERE)]
    pub(crate) out: Option<PathBuf>,
    /// Write one distribution into this checkout: the root of a Gentoo repository, a folder of Arch
    /// packages or one package's checkout, nixpkgs or its rocm-modules, Solus' packages. Files that
    /// rocpkg did not write are kept.
    #[arg(long, value_name = "DIR", conflicts_with = "out", help_heading = WHERE)]
    pub(crate) into: Option<PathBuf>,
    /// Treat rocm.eclass in a Gentoo repository like this; by default `none` if a master of the
    /// repository has one.
    #[arg(long, value_enum, value_name = "MODE", help_heading = WHERE)]
    pub(crate) eclass: Option<EclassMode>,
    /// Pass GPU targets to the dependencies of ebuilds like this; by default as the model says,
    /// which is `none`.
    #[arg(long, value_enum, value_name = "MODE", help_heading = WHAT)]
    pub(crate) propagation: Option<PropagationMode>,
    /// Take local patches and other companions from this folder.
    #[arg(long, value_name = "DIR", help_heading = WHERE)]
    pub(crate) files: Option<PathBuf>,
    /// Write the recipes of a checkout anew; by default, existing recipes are edited.
    #[arg(long, help_heading = ALLOWED)]
    pub(crate) whole: bool,
    /// Allow a release that is older than that of the existing recipes.
    #[arg(long, help_heading = ALLOWED)]
    pub(crate) older: bool,
    /// The release that the recipes of a checkout come from, if they state one that the model does
    /// not know.
    #[arg(long, value_parser = choice, value_name = "RELEASE", help_heading = VERSIONS)]
    pub(crate) from: Option<Choice>,
    /// Remove the files in the folder of --out that rocpkg wrote and no longer renders.
    #[arg(long, requires = "out", help_heading = ALLOWED)]
    pub(crate) prune: bool,
    /// Write recipes even if a checksum is unknown.
    #[arg(long, help_heading = ALLOWED)]
    pub(crate) allow_missing: bool,
    /// Write packages even if they depend on guesses.
    #[arg(long, help_heading = ALLOWED)]
    pub(crate) allow_guesses: bool,
    /// Let makepkg run a PKGBUILD if only bash can evaluate it, to make its .SRCINFO. Otherwise
    /// nothing of a recipe runs.
    #[arg(long, help_heading = ALLOWED)]
    pub(crate) run_makepkg: bool,
    /// Write nothing; print what would change, and exit with 1 when something would.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) check: bool,
    /// With --check, print the number of changed lines of each file instead of diffs.
    #[arg(long, requires = "check", help_heading = SHOWN)]
    pub(crate) stat: bool,
    /// Print diffs without a pager; by default, a terminal gets them through git's.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) no_pager: bool,
    /// Print what was done, what can be built and what is missing as JSON; with --check, what
    /// differs.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
}

/// The format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// SARIF 2.1.0, for tools that show remarks beside code.
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The distribution, unless rocpkg.toml states it, followed by packages by any of their names;
    /// by default all existing recipes.
    #[arg(value_parser = package_name(), value_name = "DISTRO|PACKAGE")]
    pub(crate) words: Vec<String>,
    /// The checkout; by default the one around the working folder.
    #[arg(long, value_name = "DIR", help_heading = WHERE)]
    pub(crate) into: Option<PathBuf>,
    /// The release that the recipes come from, if they state one that the model does not know.
    #[arg(long, value_parser = choice, value_name = "RELEASE", help_heading = VERSIONS)]
    pub(crate) from: Option<Choice>,
    /// Take over the model's text in these rows: `all`, a file, or a place as it is printed; may be
    /// given again.
    #[arg(long, value_name = "PLACE", help_heading = ALLOWED)]
    pub(crate) take: Vec<String>,
    /// Print the rows in this format.
    #[arg(long, value_enum, default_value = "text", help_heading = SHOWN)]
    pub(crate) format: RowFormat,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The distribution.
    #[arg(value_parser = distro())]
    pub(crate) distro: Backend,
    /// The checkout; by default the working folder.
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// List the licences with their packages, and the packages that are troublesome to ship: not
    /// free, binary, without a licence, or useless without a kernel module.
    #[arg(long, help_heading = WHAT)]
    pub(crate) licences: bool,
    /// In one distribution only.
    #[arg(long, value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The package, by any of its names; or a code, such as E0205.
    #[arg(value_parser = package_name(), value_name = "PACKAGE|CODE")]
    pub(crate) subject: String,
    /// In one distribution only.
    #[arg(long, value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// The release, such as 7.2.4, or `shipped`. Facts that were not checked for it are marked.
    #[arg(long, default_value = "shipped", value_parser = choice, value_name = "RELEASE", help_heading = VERSIONS)]
    pub(crate) release: Choice,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

/// The program that watches upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Watcher {
    /// `nvchecker.toml`.
    Nvchecker,
    /// `renovate.json`, for recipes that state the version in the text: not for Gentoo.
    Renovate,
    /// The attribute `updateScript` of each package of nixpkgs, by nix-update.
    Nix,
}

#[derive(Debug, Args)]
pub(crate) struct TrackersArgs {
    /// The distribution whose packages are watched; by default that of the checkout.
    #[arg(value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// The program; by default the update scripts for nixpkgs, and nvchecker for the others.
    #[arg(long, value_enum, value_name = "PROGRAM", help_heading = SHOWN)]
    pub(crate) format: Option<Watcher>,
    /// Only this package; may be given again. By default all packages, or in a checkout those that
    /// it has.
    #[arg(value_parser = package_name(), long, value_name = "NAME", help_heading = WHAT)]
    pub(crate) package: Vec<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The kind of file; all kinds, in one object by kind, when none is named.
    #[arg(value_parser = kind(), value_name = "KIND")]
    pub(crate) kind: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write one page for each command into this folder.
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// In one distribution only.
    #[arg(long, value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// Check ebuilds that pass GPU targets to their dependencies like this, as in `rocpkg render`.
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) propagation: Option<PropagationMode>,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// The package, by any of its names.
    #[arg(value_parser = package_name())]
    pub(crate) package: String,
    /// Build everything for these GPUs and, if possible, no others: targets, families or products,
    /// separated by commas.
    #[arg(long)]
    pub(crate) targets: Option<String>,
    /// Turn a USE flag of the package on, or off with a hyphen before its name; may be given again.
    #[arg(long, value_name = "[-]FLAG", allow_hyphen_values = true)]
    pub(crate) flag: Vec<String>,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GpuArgs {
    /// A product, a chip, a processor with graphics, a target, a version, or a PCI id or line of
    /// `lspci -nn`.
    pub(crate) names: Vec<String>,
    /// Only this distribution; by default that of the checkout, or all outside of one.
    #[arg(long, value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// Also show which GPUs the libraries in a folder have code for; by default the libraries of
    /// this machine.
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "an option with a value that may be left out"
    )]
    pub(crate) installed: Option<Option<PathBuf>>,
    /// The targets that `rocm-supported-gfx` of Arch prints, or `-` to read them from standard input.
    /// Packages are built for these targets.
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub(crate) supported_gfx: Option<String>,
    /// Read the kernel's files about this machine from this folder, instead of from /sys.
    #[arg(long, value_name = "DIR", conflicts_with = "names")]
    pub(crate) sysfs: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// A distribution, and files, folders or packages.
    #[arg(value_name = "[DISTRO] PATH", required = true)]
    pub(crate) words: Vec<String>,
    /// The package of the files, if neither a library's name nor the file name tells it.
    #[arg(value_parser = package_name(), long, value_name = "NAME")]
    pub(crate) package: Option<String>,
    /// The targets that were chosen for the build, separated by commas; by default those of the
    /// distribution.
    #[arg(long, value_name = "LIST")]
    pub(crate) targets: Option<String>,
    /// Show how each library runs on this GPU, by any of its names.
    #[arg(long, value_name = "NAME")]
    pub(crate) gpu: Option<String>,
    /// Print the contents and the differences in this format.
    #[arg(long, value_enum, default_value = "text", help_heading = SHOWN)]
    pub(crate) format: RowFormat,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct OrderArgs {
    /// The distribution; by default that of the checkout, or gentoo outside of one.
    #[arg(value_parser = distro())]
    pub(crate) distro: Option<Backend>,
    /// Show only the packages that depend on this package, directly or through others; may be given
    /// again. The name may be that of an external package, such as fmt.
    #[arg(value_parser = package_name(), long, value_name = "NAME")]
    pub(crate) changed: Vec<String>,
    /// Show this package and everything that it needs to be built and run, directly or through
    /// others, each with its licence and whether it contains device code; may be given again.
    #[arg(value_parser = package_name(), long, value_name = "NAME", conflicts_with = "changed")]
    pub(crate) needs: Vec<String>,
    /// Print JSON.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) json: bool,
    /// Print a graph for Graphviz.
    #[arg(long, conflicts_with = "json", help_heading = SHOWN)]
    pub(crate) dot: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The folder to write to.
    #[arg(long, value_name = "DIR", help_heading = WHERE)]
    pub(crate) out: PathBuf,
    /// Show the test results in this folder: `*.json` files, each with one record of a test or a
    /// list of records.
    #[arg(long, value_name = "DIR", help_heading = SHOWN)]
    pub(crate) results: Option<PathBuf>,
    /// Show the runners of the tests and their contacts, from a file as for `plan test`.
    #[arg(long, value_name = "FILE", help_heading = SHOWN)]
    pub(crate) runners: Option<PathBuf>,
    /// End with 1 if a backend lacks what its maturity demands, or if a benchmark crosses its
    /// limit, by the file of `--runners`. The pages are written all the same.
    #[arg(long, requires = "runners")]
    pub(crate) gate: bool,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}
