//! The records of a distribution's file: the versions that it ships, its naming rules, and its
//! habits.

use crate::day::Day;
use crate::decode::{OneOrMore, Spanned, choice, record};
use crate::ebuild::{EbuildEclass, Propagation};
use crate::habits::Habits;
use crate::maintainer::Maintainer;
use crate::nixpkg::NixScope;
use crate::package::Fetch;
use crate::ypkg::{YpkgMonitoring, YpkgRelease};
use indexmap::IndexMap;

choice! {
    /// The naming rule for packages that are made from one component.
    pub enum Naming {
        /// Upstream's spelling: `rocBLAS`.
        Title = "title",
        /// The component's name: `rocblas`.
        Component = "component",
    }
}

record! {
    /// A distribution: the content of its file `distros/NAME.yaml`.
    pub struct Distro {
        /// The version that the distribution ships of all packages without a version of their own
        /// in `packages`.
        version: Spanned<String>,
        /// The last day on which the distribution was seen to ship a release, by release. Later
        /// releases than `version` may be named: the facts in this folder are not of them.
        seen: IndexMap<String, Day>,
        /// The release that is rendered if the user requests none and forbids missing checksums. It
        /// must be later than `version`, and is chosen because more of its checksums are known.
        rendered: Option<Spanned<String>>,
        /// The release of the upstream files and recipes from which the facts in this folder were
        /// read. When absent, the `version` that the same file states; `~` if nobody knows. When
        /// `version` changes and `checked-at` does not, facts that nobody has checked for the new
        /// version are reported.
        checked_at: Option<Spanned<String>>,
        /// The release that replaces `checked-at` for packages whose facts were read at another
        /// release, by package id.
        packages_checked_at: IndexMap<String, Spanned<String>>,
        /// The versions that the distribution ships side by side (Gentoo). `9999` is upstream's
        /// development branch. Only `version` when absent.
        versions: Vec<Spanned<String>>,
        /// The distribution's packages by id. Each value is `default` for the distribution's
        /// versions, the version that the package is pinned to, or a list of the package's
        /// versions.
        packages: IndexMap<String, OneOrMore<Spanned<String>>>,
        /// The naming rule for the distribution's packages.
        naming: Naming,
        /// The method for fetching sources that state no method of their own.
        fetch: Fetch,
        /// The distribution's names for licences, by SPDX identifier: `{BSD-3-Clause: BSD}`.
        licences: IndexMap<String, Spanned<String>>,
        /// GPU targets by range of releases: the targets that are on by default, and the other
        /// offered targets. The first row whose range contains the release is used.
        targets: Vec<TargetDefaults>,
        /// GPU targets that have a USE flag and are in no row of `targets` (Gentoo). Packages with
        /// a target list of their own may offer them.
        further_targets: Vec<Spanned<String>>,
        /// One-line descriptions of GPU targets for menus, by target (Gentoo). When absent, the
        /// generation, chips and products of the target.
        target_descriptions: IndexMap<String, Spanned<String>>,
        /// The eclass that offers USE flags for GPU targets (Gentoo).
        eclass: Option<EbuildEclass>,
        /// The LLVM version that packages are built with, if it is not the version that a release
        /// is made with (Gentoo). The first row whose range contains the release is used.
        llvm: Vec<BuiltWithLlvm>,
        /// The command that prints the list of GPU targets while a package is built. It is used if
        /// `targets` states no list.
        target_tool: Option<TargetTool>,
        /// The method for passing GPU targets to dependencies (Gentoo).
        propagation: Option<Propagation>,
        /// Set if a recipe tests before each replacement that the file contains the text, and stops
        /// if it does not (Gentoo): `grep -qF -e TEXT FILE || die`.
        guards: bool,
        /// The maintainers of the packages, in the order in which recipes list them.
        maintainers: Vec<Maintainer>,
        /// The authors of files that are no recipes, such as Gentoo's eclass.
        authors: Vec<Maintainer>,
        /// Earlier contributors by package id, each as `Name <address>`: Arch's `# Contributor:`
        /// lines.
        contributors: IndexMap<String, Vec<Spanned<String>>>,
        /// Earlier recipes by package id, then by upstream's release (Solus). They state the
        /// `release` of `package.yml`, a counter that never decreases. A recipe for another release
        /// gets the highest counter plus one.
        history: IndexMap<String, IndexMap<String, YpkgRelease>>,
        /// The places that are monitored for new releases, by package id: `monitoring.yaml` of
        /// Solus.
        monitoring: IndexMap<String, YpkgMonitoring>,
        /// The contents of nixpkgs' package scope `rocmPackages` other than the rendered packages.
        scope: Option<NixScope>,
        /// The year of the copyright line in recipes, such as `"2026"`.
        year: Option<Spanned<String>>,
        /// Patch sites that the distribution patches in recipes which are not in this model.
        carries: Vec<CarriedSites>,
        /// Findings about the distribution's real recipes that are accepted, each with a reason.
        known: Vec<KnownFinding>,
        /// The rules that hold for all packages of the distribution.
        habits: Option<Habits>,
        /// Repository-wide settings by name, such as `keywords` or `category`.
        settings: IndexMap<String, Spanned<String>>,
    }
}

record! {
    /// Patch sites that a distribution patches, with the source of this fact.
    pub struct CarriedSites {
        /// The patch sites, as `targets.yaml` names them.
        sites: Vec<Spanned<String>>,
        /// The range of releases, such as `>=7.1`; all releases when absent.
        releases: Option<Spanned<String>>,
        /// The file or the page that states it.
        source: Spanned<String>,
    }
}

record! {
    /// A distribution's GPU targets for a range of releases.
    pub struct TargetDefaults {
        /// A range of releases, such as `>=6.4, <7`. `*` is all releases. `live` is upstream's
        /// development branch. If no row is for `live`, the development branch has the targets of
        /// the newest release. The first row whose range contains the release is used.
        releases: Spanned<String>,
        /// The targets that are on by default.
        default: Vec<Spanned<String>>,
        /// The targets that are offered to users and are off by default.
        offered: Vec<Spanned<String>>,
    }
}

record! {
    /// The distribution's own LLVM, with which packages are built (Gentoo).
    pub struct BuiltWithLlvm {
        /// A range of releases, such as `>=6.4, <7.2`. The first row whose range contains the
        /// release is used.
        releases: Spanned<String>,
        /// The major version of LLVM, such as `"20"`. When absent, the version that the release is
        /// made with.
        slot: Option<Spanned<String>>,
        /// The eclass that selects the LLVM version; `llvm-r2` when absent.
        eclass: Option<Spanned<String>>,
    }
}

record! {
    /// A command that prints a list of GPU targets while a package is built.
    pub struct TargetTool {
        /// The name of the command, such as `rocm-supported-gfx`.
        command: Spanned<String>,
        /// The option that excludes one target from the list, such as `-e`. Absent if the command
        /// has no such option.
        exclude: Option<Spanned<String>>,
        /// The package that contains the command, as the distribution names it. When absent, the
        /// command is available in every build.
        package: Option<Spanned<String>>,
        /// The version of the command whose output is in `list` or `known`.
        version: Option<Spanned<String>>,
        /// The targets that the command prints, if all of them are known.
        list: Vec<Spanned<String>>,
        /// The targets that the command is known to print, if the others are not known. Not used if
        /// `list` states all.
        known: Vec<Spanned<String>>,
        /// The targets that the command probably prints, by reason. They only answer questions about
        /// GPUs, and the answers are marked as guesses.
        likely: Vec<LikelyTargets>,
    }
}

record! {
    /// Targets that a command probably prints.
    pub struct LikelyTargets {
        /// The names of the targets.
        targets: Vec<Spanned<String>>,
        /// The reason for the guess, as a clause: `the recipe of hipblaslt names it`.
        reason: Spanned<String>,
    }
}

record! {
    /// An accepted finding: a known fault of the distribution's real recipes.
    pub struct KnownFinding {
        /// The finding's code, such as `E0608`.
        code: Spanned<String>,
        /// The ids of the packages that the finding is about; all packages when empty.
        packages: Vec<Spanned<String>>,
        /// The targets that the finding is about; all targets when empty. A finding about further
        /// targets is not accepted.
        targets: Vec<Spanned<String>>,
        /// The reason why the finding is accepted.
        reason: Spanned<String>,
    }
}

impl TargetDefaults {
    /// Creates a row from a range of releases, the targets that are on by default, and the targets
    /// that are offered and off by default.
    pub fn new(
        releases: &str,
        default: impl IntoIterator<Item = impl Into<String>>,
        offered: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            releases: releases.into(),
            default: default.into_iter().map(|t| t.into().into()).collect(),
            offered: offered.into_iter().map(|t| t.into().into()).collect(),
        }
    }
}
