//! A package, planned: its facts, its sources, where its edges lead, its GPU targets.

use crate::layer::laid::History;
use crate::plan::sources::ResolvedSource;
use crate::read::release::Release;
use indexmap::IndexMap;
use rocpkg_model::{Edge, Node, Package, Span};
use std::collections::BTreeMap;

/// What a dependency is in the distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// A package of the plan, by its id.
    Package(String),
    /// Something outside, by the distribution's name for it.
    External(String),
}

/// A dependency edge with its end decided.
#[derive(Clone, Debug)]
pub struct ResolvedEdge {
    /// The neutral name it is written under.
    pub name: String,
    /// What it leads to.
    pub to: Dependency,
    /// The edge as written.
    pub edge: Edge,
}

/// The GPU targets of a package, all names of processors or generics, in the distribution's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedTargets {
    /// Offered and on by default.
    pub default: Vec<String>,
    /// Offered, off by default.
    pub offered: Vec<String>,
    /// The package's list differs from the distribution's.
    pub own: bool,
    /// The targets that it can be built for at this release; empty means no limit is known.
    pub supports: Vec<String>,
    /// The targets that it can't be built for at this release.
    pub excludes: Vec<String>,
    /// What upstream builds when it is given no list; empty when that is not known.
    pub upstream: Vec<String>,
    /// At least one of these must be among those asked for; no such need when empty.
    pub needs: Vec<String>,
}

/// A package, planned.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its id: the name of its profile file, or of its component.
    pub id: String,
    /// The distribution's name for it.
    pub name: String,
    /// The components it is made of.
    pub components: Vec<String>,
    /// Its version: the release, and its own version where it has one.
    pub version: Release,
    /// The release whose list of the distribution's targets it takes.
    pub listed: Release,
    /// The distribution ships this very version.
    pub is_shipped: bool,
    /// The releases at which what is said of it was seen, by the folder in which that stands.
    pub read_at: BTreeMap<usize, Release>,
    /// Its facts, merged and with every known condition answered.
    pub package: Package,
    /// The merged tree, for provenance.
    pub node: Node,
    /// The files of its overlay, by their numbers.
    pub own_files: Vec<u32>,
    /// What the layers said that the tree no longer holds.
    pub history: History,
    /// Its sources.
    pub sources: Vec<ResolvedSource>,
    /// The components it is made of, each by itself; for those who split it again.
    pub pieces: IndexMap<String, Package>,
    /// Components of it whose source the main one brings along, with their folders in that
    /// repository.
    pub carried: IndexMap<String, String>,
    /// Its dependencies.
    pub depends: Vec<ResolvedEdge>,
    /// Its GPU targets; absent when it holds no device code.
    pub targets: Option<ResolvedTargets>,
    /// What its components can't be built without, and an overlay took back.
    pub taken_back: Vec<String>,
    /// The variables for GPU targets that upstream's build reads, with the range of releases; empty
    /// when not known.
    pub known_variables: IndexMap<String, Option<String>>,
}

impl Planned {
    /// Whether upstream's build takes GPU targets by this variable, at some release.
    pub fn reads(&self, variable: &str) -> bool {
        let written = self.package.targets.iter().flat_map(|t| &t.variable.0);
        self.known_variables.contains_key(variable)
            || written.into_iter().any(|v| v.value == variable)
    }

    /// Whether a layer says by `~` that a CMake project is not given this variable.
    pub fn withholds(&self, project: &str, variable: &str) -> bool {
        let path = format!("cmake.{project}.arguments.{variable}");
        self.history
            .removed
            .iter()
            .any(|removed| removed.path == path)
    }

    /// The source of this name.
    pub fn source(&self, name: &str) -> Option<&ResolvedSource> {
        self.sources.iter().find(|s| s.name == name)
    }
}

/// Where the key `name` of the mapping under `section` stands.
pub(crate) fn key_span(node: &Node, section: &str, name: &str) -> Span {
    node.get(section)
        .and_then(|n| n.key(name))
        .map_or(node.span, |key| key.span)
}
