//! A distribution: what it ships, how it names things, and its habits.

use crate::decode::{OneOrMore, Spanned, choice, record};
use crate::ebuild::{EbuildEclass, Propagation};
use crate::habits::Habits;
use crate::maintainer::Maintainer;
use crate::nixpkg::NixScope;
use crate::package::Fetch;
use crate::ypkg::{YpkgMonitoring, YpkgRelease};
use indexmap::IndexMap;

choice! {
    /// How a distribution names a package made from one component.
    pub enum Naming {
        /// Upstream's spelling: `rocBLAS`.
        Title = "title",
        /// The component's name: `rocblas`.
        Component = "component",
    }
}

record! {
    /// One distribution, `distros/NAME.yaml`.
    pub struct Distro {
        /// The version it ships, unless a package is pinned.
        version: Spanned<String>,
        /// The release that is rendered where none is named and no checksum may be missing: a later
        /// one, of which more are known.
        rendered: Option<Spanned<String>>,
        /// The release at which its facts were read from upstream's files and from recipes; the
        /// version that the same file states when absent, `~` where nobody knows. A version moves
        /// without it: what nobody looked at since is named then.
        read_at: Option<Spanned<String>>,
        /// The same of packages whose facts were read at another release, by id.
        packages_read_at: IndexMap<String, Spanned<String>>,
        /// The versions it ships side by side, where it keeps several (Gentoo), `9999` for what
        /// upstream works on; `version` alone when absent.
        versions: Vec<Spanned<String>>,
        /// Its packages: `default` for those versions, the version a package is pinned to, or a
        /// list of the versions that it has.
        packages: IndexMap<String, OneOrMore<Spanned<String>>>,
        /// How packages are named.
        naming: Naming,
        /// How sources are fetched.
        fetch: Fetch,
        /// SPDX licence to the distribution's name for it.
        licences: IndexMap<String, Spanned<String>>,
        /// GPU targets by range of versions, the first that fits; on by default, then the others.
        targets: Vec<TargetDefaults>,
        /// GPU targets that have a flag and stand in no row of `targets`: packages with a list of
        /// their own may offer them.
        further_targets: Vec<Spanned<String>>,
        /// What a menu says of a GPU target, one line; its generation, chips and products when
        /// absent (Gentoo).
        target_descriptions: IndexMap<String, Spanned<String>>,
        /// The eclass that offers flags for them (Gentoo).
        eclass: Option<EbuildEclass>,
        /// Which LLVM packages are built with, where that is not the one that a release is made
        /// with, the first row that fits (Gentoo).
        llvm: Vec<BuiltWithLlvm>,
        /// The command that prints the list of targets while a package is built, where `targets`
        /// states none.
        target_tool: Option<TargetTool>,
        /// How targets are handed on over dependency edges.
        propagation: Option<Propagation>,
        /// Who maintains the packages, in the order in which they are named.
        maintainers: Vec<Maintainer>,
        /// Who wrote what stands beside the packages: Gentoo's eclass.
        authors: Vec<Maintainer>,
        /// Who worked on a package before, by its id, as `Name <address>`: Arch's `# Contributor:`
        /// lines.
        contributors: IndexMap<String, Vec<Spanned<String>>>,
        /// What the recipes of a package said, by its id, then by upstream's release: Solus'
        /// counter, which no version sets back. A recipe for another release counts on from the
        /// highest.
        history: IndexMap<String, IndexMap<String, YpkgRelease>>,
        /// Where new releases of a package are looked for, by its id: Solus' `monitoring.yaml`.
        monitoring: IndexMap<String, YpkgMonitoring>,
        /// What nixpkgs' scope holds beside its packages.
        scope: Option<NixScope>,
        /// The year of the copyright line.
        year: Option<Spanned<String>>,
        /// Findings that stand in the real tree, with the reason why they may stay.
        known: Vec<KnownFinding>,
        /// What it does everywhere.
        habits: Option<Habits>,
        /// Repository-wide settings by name, such as `keywords` or `category`.
        settings: IndexMap<String, Spanned<String>>,
    }
}

record! {
    /// A distribution's GPU targets for a range of versions.
    pub struct TargetDefaults {
        /// A range of releases, of which the first that holds counts: `>=6.4, <7`; `*` for all;
        /// `live` for the live version, which has the targets of the newest release where it lists
        /// none.
        releases: Spanned<String>,
        /// Built unless the user says otherwise.
        default: Vec<Spanned<String>>,
        /// Offered, off by default.
        offered: Vec<Spanned<String>>,
    }
}

record! {
    /// The LLVM of a distribution's own that packages are built with.
    pub struct BuiltWithLlvm {
        /// A range of releases, of which the first that holds counts.
        releases: Spanned<String>,
        /// Its major version; the one that the release is made with when absent.
        slot: Option<Spanned<String>>,
        /// The eclass that chooses it; `llvm-r2` when absent.
        eclass: Option<Spanned<String>>,
    }
}

record! {
    /// A command that prints a list of GPU targets while a package is built.
    pub struct TargetTool {
        /// Its name.
        command: Spanned<String>,
        /// The option that leaves one target out; none where what it prints is all there is.
        exclude: Option<Spanned<String>>,
        /// The package that brings it, in the distribution's spelling; it is there in every build
        /// when absent.
        package: Option<Spanned<String>>,
        /// Its version, where `list` says what that version prints.
        version: Option<Spanned<String>>,
        /// What it prints, where that is known.
        list: Vec<Spanned<String>>,
    }
}

record! {
    /// A finding that the distribution really has.
    pub struct KnownFinding {
        /// The finding's code.
        code: Spanned<String>,
        /// The packages it is about, by id; all when empty.
        packages: Vec<Spanned<String>>,
        /// The targets it is about; a finding about more is not known. All when empty.
        targets: Vec<Spanned<String>>,
        /// Why it stands.
        reason: Spanned<String>,
    }
}

impl TargetDefaults {
    /// A row of the table: a range of releases, the targets that are on by default, and those that
    /// are offered beside them.
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
