//! A planned package: its facts, its sources, its resolved dependencies, and its GPU targets.

use crate::layer::merged::History;
use crate::plan::sources::ResolvedSource;
use crate::read::release::Release;
use indexmap::IndexMap;
use rocpkg_model::{Edge, EdgeKind, Node, Package, Span};
use std::collections::BTreeMap;

/// The package or external dependency that a dependency edge leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// A package of the plan, by its id.
    Package(String),
    /// An external dependency, by the distribution's name for it. If `externals.yaml` has no name
    /// for it, and its edges state the name themselves (`exact-name`), by its name in the profiles.
    External(String),
}

/// A dependency edge whose name is resolved.
#[derive(Clone, Debug)]
pub struct ResolvedEdge {
    /// The name of the dependency in the profiles.
    pub name: String,
    /// The package or external dependency that the edge leads to.
    pub to: Dependency,
    /// The edge as the profiles state it: its kinds, version and condition.
    pub edge: Edge,
}

/// The GPU targets of a package, in the distribution's order. All names are processors or generic
/// targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedTargets {
    /// The targets that are offered and on by default.
    pub default: Vec<String>,
    /// The targets that are offered and off by default.
    pub offered: Vec<String>,
    /// Set if the targets of `default` and `offered` are not the distribution's list.
    pub own: bool,
    /// The targets that the package can be built for at this release. Empty if no limit is known.
    pub supports: Vec<String>,
    /// The targets that the package can't be built for at this release.
    pub excludes: Vec<String>,
    /// The targets that upstream builds when it is given no list. Empty if they are not known.
    pub upstream: Vec<String>,
    /// The targets of upstream's default list, as it was read in a state of its sources. Empty if
    /// it was not read. The proof does not use it, because the release may have others.
    pub defaults: Vec<String>,
    /// The targets of which at least one must be chosen. Empty if the package has no such need.
    pub needs: Vec<String>,
}

/// The targets that upstream builds when it is given no list, at releases near the package's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearbyDefaults {
    /// The range of releases, as the component states it.
    pub releases: String,
    /// The targets.
    pub targets: Vec<String>,
}

/// A planned package.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The id of the package: the name of its profile file, or of its component.
    pub id: String,
    /// The distribution's name for the package.
    pub name: String,
    /// The components of the package.
    pub components: Vec<String>,
    /// The version: the release, and the package's own version if it has one.
    pub version: Release,
    /// The release whose list of targets in the distribution's file applies.
    pub listed: Release,
    /// Set if the distribution ships this version.
    pub is_shipped: bool,
    /// The releases at which the facts about the package were read, by the number of the folder
    /// that states the facts.
    pub checked_at: BTreeMap<usize, Release>,
    /// The merged facts of the package, with every known condition answered.
    pub package: Package,
    /// The merged tree. It contains the place of each fact in the profiles.
    pub node: Node,
    /// The numbers of the files that are the layers of the package's overlay.
    pub own_files: Vec<u32>,
    /// The values of layers that the merged tree no longer contains.
    pub history: History,
    /// The sources of the package.
    pub sources: Vec<ResolvedSource>,
    /// The components of the package, each by itself. Recipes that split the package again use
    /// them. Empty if the package has only one component.
    pub pieces: IndexMap<String, Package>,
    /// The components whose source is part of the main source's repository, each with its folder
    /// there.
    pub carried: IndexMap<String, String>,
    /// The dependencies of the package.
    pub depends: Vec<ResolvedEdge>,
    /// The GPU targets of the package. `None` if it contains no device code.
    pub targets: Option<ResolvedTargets>,
    /// The names of the dependencies that the components need to be built, and that a layer removed
    /// by `~`.
    pub taken_back: Vec<String>,
    /// The variables by which upstream's build takes GPU targets, each with the range of releases
    /// that read it. A range is `None` if every release does. Empty if the variables are not known.
    pub known_variables: IndexMap<String, Option<String>>,
    /// If it is not known what upstream builds without a list at this release: the last known list
    /// of an earlier release and the first of a later one, as far as they exist.
    pub nearby_defaults: Vec<NearbyDefaults>,
    /// The major versions of LLVM that the package can be built with in the distribution, in
    /// ascending order: that of AMD's fork if the distribution has it, else those of plain LLVM.
    /// Empty if they are not known.
    pub llvm: Vec<u64>,
}

impl Planned {
    /// Returns true if upstream's build takes GPU targets by this variable, at any release.
    pub fn reads(&self, variable: &str) -> bool {
        let written = self.package.targets.iter().flat_map(|t| &t.variable.0);
        self.known_variables.contains_key(variable)
            || written.into_iter().any(|v| v.value == variable)
    }

    /// Returns true if a layer removes `variable` from the arguments of the CMake project `project`
    /// by `~`.
    pub fn withholds(&self, project: &str, variable: &str) -> bool {
        let path = format!("cmake.{project}.arguments.{variable}");
        self.history
            .removed
            .iter()
            .any(|removed| removed.path == path)
    }

    /// Returns the key of the feature without which the package uses no other package of the stack,
    /// such as `rocm` of caffe2, and the value with which it uses them. Dependencies of the build's
    /// tools and of tests do not count. If some of the others hold by default, only these count.
    /// Returns `None` if the dependencies have no common feature, or if the distribution fixes the
    /// feature.
    pub fn stack_feature(&self) -> Option<(&str, bool)> {
        let is_used = |e: &&ResolvedEdge| {
            let others = [EdgeKind::Tool, EdgeKind::Test, EdgeKind::Conflict];
            let is_package = matches!(e.to, Dependency::Package(_));
            is_package && e.edge.kind.0.iter().any(|kind| !others.contains(kind))
        };
        let all: Vec<&ResolvedEdge> = self.depends.iter().filter(is_used).collect();
        let by_default = all.iter().filter(|e| self.settles(e.edge.when.as_ref()));
        let mut edges: Vec<&ResolvedEdge> = by_default.copied().collect();
        if edges.is_empty() {
            edges = all;
        }
        let mut switches = edges.iter().map(|e| {
            let when = e.edge.when.as_ref();
            when.map_or_else(Vec::new, |w| w.cond.switches())
        });
        let mut common = switches.next()?;
        for other in switches {
            common.retain(|switch| other.contains(switch));
        }
        let is_free = |(key, _): &(&str, bool)| {
            let feature = self.package.features.get(*key);
            feature.is_some_and(|f| f.fixed.is_none())
        };
        let (key, off) = common.into_iter().find(is_free)?;
        Some((key, !off))
    }

    /// Returns the name that users of the distribution set for the feature `key`.
    pub fn feature_name<'a>(&'a self, key: &'a str) -> &'a str {
        let named = self.package.features.get(key).and_then(|f| f.name.as_ref());
        named.map_or(key, |name| &name.value)
    }

    /// Returns the source of this name.
    pub fn source(&self, name: &str) -> Option<&ResolvedSource> {
        self.sources.iter().find(|s| s.name == name)
    }
}

/// Returns the place of the key `name` in the mapping under `section`, or of `node` if no such key
/// exists.
pub(crate) fn key_span(node: &Node, section: &str, name: &str) -> Span {
    node.get(section)
        .and_then(|n| n.key(name))
        .map_or(node.span, |key| key.span)
}
