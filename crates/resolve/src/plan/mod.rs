//! Planning: a tree becomes a package of a plan, with nothing left open but features and targets.
//!
//! It takes the tree that the layers make, and answers what the distribution decides: the version
//! (one that no line lists is refused), conditions over fixed features and over targets that nobody
//! can choose, where each source is fetched and under which key its checksum stands, where each
//! edge leads, which GPU targets there are, and the order of building.
//!
//! A target list is never typed twice: it stands in `targets.yaml`, in the distribution's `targets`
//! or in a component's `supports` and `excludes`, and all that recipes say of targets comes of
//! these. An edge hands on what both of its ends have flags for, so a condition on a target that
//! nobody can choose is answered here: no recipe may name a flag which it does not have. A checksum
//! is never invented, and none is kept for something else (`checksums.rs`).

pub(crate) mod checksums;
mod conflicts;
pub(crate) mod constraints;
pub(crate) mod defaults;
pub(crate) mod edges;
pub(crate) mod fetching;
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
use rocpkg_model::{Distro, External, Maintainer, Node, Owner, ReleaseLine, Span};
use rocpkg_targets::Registry;
use std::collections::BTreeSet;

/// All packages of a distribution in build order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The distribution's name, such as `nixpkgs`.
    pub distro_name: String,
    /// Its habits.
    pub distro: Distro,
    /// Its file, for places.
    pub distro_node: Option<Node>,
    /// The packages that layers add to those of the lowest.
    pub added: BTreeSet<String>,
    /// The addresses of those who maintain what the lowest lists.
    pub keepers: BTreeSet<String>,
    /// The folder that each file is of.
    pub depths: Depths,
    /// The component that makes the stack's own LLVM.
    pub llvm: Option<String>,
    /// The release lines.
    pub lines: IndexMap<String, ReleaseLine>,
    /// The version of the stack: the distribution's, or the one asked for.
    pub version: Release,
    /// It is of what upstream works on, with what is known of that release.
    pub live: bool,
    /// The packages in build order.
    pub packages: Packages,
    /// All GPU targets; absent where no file lists them.
    pub registry: Option<Registry>,
    /// Everything outside, by neutral name, as this distribution has it.
    pub externals: IndexMap<String, External>,
    /// The only targets that recipes are to build, in the registry's order; the distribution's when
    /// empty.
    pub narrowed: Vec<String>,
    /// Overlays were left out, so what they would say is no fault where it lacks.
    pub bare: bool,
    /// Names of the distribution's that could not be read, which is a finding of its own: its
    /// packages and their components.
    pub unread: BTreeSet<String>,
}

impl Plan {
    /// The package with this id.
    pub fn get(&self, id: &str) -> Option<&Planned> {
        self.packages.by_id(id)
    }

    /// Where everything is installed, by the distribution's setting.
    pub fn prefix(&self) -> &str {
        self.distro
            .settings
            .get("prefix")
            .map_or("/usr", |prefix| &prefix.value)
    }

    /// What a finding about a package is about.
    pub fn owner(&self, id: &str) -> Owner {
        Owner::package(&self.distro_name, id)
    }

    /// Whether what is said of all packages is meant for this one: what the lowest layer says, for
    /// its own; what is laid over that, for those that are added.
    pub fn is_meant(&self, id: &str, span: Span) -> bool {
        self.added.contains(id) == (self.depths.of(span) > 0)
    }

    /// Whether what is said of a package at a place was seen of its very version, as the counter of
    /// a recipe is. A folder that does not tell speaks of what is shipped.
    pub fn is_of_version(&self, p: &Planned, span: Span) -> bool {
        p.read_at
            .get(&self.depths.of(span))
            .map_or(p.is_shipped, |read_at| *read_at == p.version)
    }

    /// Who looks after a package.
    pub fn maintainers<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Maintainer> {
        let named = move |m: &&Maintainer| match m.packages.is_empty() {
            true if self.added.contains(id) => self.is_meant(id, m.email.span),
            // Whom a layer names as well still looks after theirs.
            true => self.keepers.contains(&m.email.value),
            false => m.packages.iter().any(|own| own.value == id),
        };
        self.distro.maintainers.iter().filter(named)
    }

    /// True for the neutral name of a package, of a component or of something outside.
    pub fn knows(&self, name: &str) -> bool {
        self.externals.contains_key(name) || self.packages.named(name).is_some()
    }
}
