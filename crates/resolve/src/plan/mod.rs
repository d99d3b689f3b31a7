//! Planning: a tree becomes a package of a plan. Only the choices of users are left open: features
//! and GPU targets.
//!
//! The input is the merged tree of a package. Planning answers everything that the distribution
//! decides: the version (a version that no release line lists is refused), conditions over fixed
//! features and over targets that nobody can choose, the address of each source and the key of its
//! checksum, the dependency that each edge leads to, the GPU targets, and the build order.
//!
//! Each list of targets is written in one place: in `targets.yaml`, in the distribution's
//! `targets`, or in a component's `supports` and `excludes`. Recipes derive all their targets from
//! these lists. Over a dependency edge, a recipe can only pass on the targets for which both
//! packages have flags. So a condition on a target that nobody can choose is answered here: a
//! recipe must not name a flag that it does not have. A checksum is never invented, and never kept
//! for a different file (`checksums.rs`).

pub(crate) mod absent;
pub(crate) mod bundles;
pub(crate) mod checksums;
mod conflicts;
pub(crate) mod constraints;
mod consumers;
pub(crate) mod cycles;
pub(crate) mod defaults;
pub(crate) mod edges;
pub(crate) mod fetching;
pub(crate) mod llvm;
pub(crate) mod order;
pub(crate) mod package;
pub(crate) mod packages;
pub(crate) mod places;
pub(crate) mod planned;
pub(crate) mod sources;
pub(crate) mod targets;
pub(crate) mod versions;

use crate::plan::packages::Packages;
use crate::plan::planned::Planned;
use crate::read::files::Depths;
use crate::read::release::Release;
use indexmap::IndexMap;
use rocpkg_model::{Day, Distro, External, Maintainer, Node, Owner, ReleaseLine, Span};
use rocpkg_targets::Registry;
use std::collections::{BTreeMap, BTreeSet};

/// A package that does not exist at the release of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Absent {
    /// The components of the package.
    pub components: Vec<String>,
    /// The reason, as a clause: `it is made for ROCm >=7.1`.
    pub reason: String,
}

/// All packages of a distribution in build order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The distribution's name, such as `nixpkgs`.
    pub distro_name: String,
    /// The distribution's file, as read.
    pub distro: Distro,
    /// The distribution's file as a tree. Findings take the places of keys from it.
    pub distro_node: Option<Node>,
    /// The ids of the packages that a user's folder adds to those of the first folder.
    pub added: BTreeSet<String>,
    /// The email addresses of the maintainers that the first folder lists in the distribution's
    /// file.
    pub keepers: BTreeSet<String>,
    /// The number of the folder that contains each file.
    pub depths: Depths,
    /// The component that builds the stack's own LLVM, if `upstream.yaml` names one.
    pub llvm: Option<String>,
    /// Set if the distribution does not have AMD's fork of LLVM, and builds packages with plain LLVM.
    pub plain_llvm: bool,
    /// The major versions of plain LLVM that are released, each with the day of its first release.
    pub llvm_releases: IndexMap<String, Day>,
    /// The release lines (`releases/LINE.yaml`) by name, such as `7.2`.
    pub lines: IndexMap<String, ReleaseLine>,
    /// The version of the stack: the distribution's version, or the version that was requested.
    pub version: Release,
    /// Set if upstream's development version is planned, with the facts that are known of
    /// `version`.
    pub live: bool,
    /// The packages in build order.
    pub packages: Packages,
    /// The packages that are built on the stack, and for which no recipe is rendered, in the order
    /// of
    /// `consumers.yaml`.
    pub consumers: Vec<Planned>,
    /// The packages that were removed from the plan because they rest on guesses, or refer to such
    /// a package. Only plans of a scope lack packages for this reason.
    pub left_out: Vec<Planned>,
    /// The distribution's packages that do not exist at the plan's release, by id: those made for
    /// other releases, and those that need such a package.
    pub absent: BTreeMap<String, Absent>,
    /// All GPU targets. `None` if no file lists them.
    pub registry: Option<Registry>,
    /// All external dependencies by their names in the profiles, with this distribution's name for
    /// each.
    pub externals: IndexMap<String, External>,
    /// The only targets that recipes build, if the user limits the plan to some GPUs, in the
    /// registry's order. If the list is empty, the distribution's targets are used.
    pub narrowed: Vec<String>,
    /// Set if overlays were left out. Facts that overlays would state are then not reported as
    /// missing.
    pub bare: bool,
    /// The names of the distribution's packages and components that could not be read. The cause is
    /// reported by a finding of its own.
    pub unread: BTreeSet<String>,
}

impl Plan {
    /// Returns the package with this id.
    pub fn get(&self, id: &str) -> Option<&Planned> {
        self.packages.by_id(id)
    }

    /// Returns the last day on which the distribution was seen to ship the plan's release. Returns
    /// `None` if no such day is known.
    pub fn seen(&self) -> Option<&Day> {
        self.all_seen()
            .find_map(|(release, day)| (release == self.version).then_some(day))
    }

    /// Returns the newest release that the distribution was seen to ship, and the day, if that
    /// release is later than the plan's.
    pub fn seen_later(&self) -> Option<(Release, &Day)> {
        self.all_seen()
            .filter(|(release, _)| *release > self.version)
            .max_by(|(a, _), (b, _)| a.cmp(b))
    }

    /// Returns the releases that the distribution was seen to ship, each with its last day.
    fn all_seen(&self) -> impl Iterator<Item = (Release, &Day)> {
        let read = |(text, day): (&String, _)| Some((text.parse().ok()?, day));
        self.distro.seen.iter().filter_map(read)
    }

    /// Returns the prefix under which everything is installed: the distribution's setting `prefix`,
    /// or else `/usr`.
    pub fn prefix(&self) -> &str {
        self.distro
            .settings
            .get("prefix")
            .map_or("/usr", |prefix| &prefix.value)
    }

    /// Returns the owner of findings about the package `id`: a value that states which package a
    /// finding concerns.
    pub fn owner(&self, id: &str) -> Owner {
        Owner::package(&self.distro_name, id)
    }

    /// Returns true if a statement about all packages applies to the package `id`. `span` is the
    /// place of the statement. A statement of the first folder applies to the packages of that
    /// folder. A statement of a user's folder applies to the packages that users' folders add.
    pub fn is_meant(&self, id: &str, span: Span) -> bool {
        self.added.contains(id) == (self.depths.of(span) > 0)
    }

    /// Returns true if a fact about a package was read at the planned version of that package. An
    /// example of a fact is the revision of an ebuild. `span` is the place of the fact. If its
    /// folder does not state the release at which its facts were read, they apply to the shipped
    /// version.
    pub fn is_of_version(&self, p: &Planned, span: Span) -> bool {
        p.checked_at
            .get(&self.depths.of(span))
            .map_or(p.is_shipped, |checked_at| *checked_at == p.version)
    }

    /// Returns the maintainers of a package.
    pub fn maintainers<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Maintainer> {
        let named = move |m: &&Maintainer| match m.packages.is_empty() {
            true if self.added.contains(id) => self.is_meant(id, m.email.span),
            // A maintainer of the lowest layer still maintains its packages if a higher layer names
            // them too.
            true => self.keepers.contains(&m.email.value),
            false => m.packages.iter().any(|own| own.value == id),
        };
        self.distro.maintainers.iter().filter(named)
    }

    /// Returns true if the profiles use `name` for a package, a component or an external dependency
    /// of this distribution.
    pub fn knows(&self, name: &str) -> bool {
        self.externals.contains_key(name) || self.packages.named(name).is_some()
    }
}
