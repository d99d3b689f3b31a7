//! The plan: every package of one distribution with nothing left open but features and targets.

use crate::layer::laid::History;
use crate::plan::package::{needs_itself, plan_package};
use crate::plan::packages::Packages;
use crate::plan::sources::ResolvedSource;
use crate::read::load::Model;
use crate::read::names::TargetNames;
use crate::read::release::{Release, read_range, read_release, target_row};
use crate::validate::known::{check_rows, is_known};
use indexmap::IndexMap;
use rocpkg_model::{
    Distro, Edge, External, Finding, Findings, Node, Package, ReleaseLine, Span, Spanned, TargetDefaults,
    TargetList, TargetRule,
};
use std::collections::{BTreeMap, BTreeSet};

/// Which versions are planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// What the distribution ships, pins included.
    Shipped,
    /// One release for every package.
    Release(Release),
}

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
    /// Its version.
    pub version: Release,
    /// The distribution ships this very version.
    pub is_shipped: bool,
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
    /// Components of it whose source the main one brings along, with their folders in that repository.
    pub carried: IndexMap<String, String>,
    /// Its dependencies.
    pub depends: Vec<ResolvedEdge>,
    /// Its GPU targets; absent when it holds no device code.
    pub targets: Option<ResolvedTargets>,
    /// The variables for GPU targets that upstream's build reads, with the range of releases; empty when not known.
    pub known_variables: IndexMap<String, Option<String>>,
}

impl Planned {
    /// Whether upstream's build takes GPU targets by this variable, at some release.
    pub fn reads(&self, variable: &str) -> bool {
        let written = self.package.targets.iter().flat_map(|t| &t.variable.0);
        self.known_variables.contains_key(variable) || written.into_iter().any(|v| v.value == variable)
    }

    /// The source of this name.
    pub fn source(&self, name: &str) -> Option<&ResolvedSource> {
        self.sources.iter().find(|s| s.name == name)
    }
}

/// All packages of a distribution in build order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The distribution's name, such as `nixpkgs`.
    pub distro_name: String,
    /// Its habits.
    pub distro: Distro,
    /// Its file, for places.
    pub distro_node: Option<Node>,
    /// The release lines.
    pub lines: IndexMap<String, ReleaseLine>,
    /// The version of the stack: the distribution's, or the one asked for.
    pub version: Release,
    /// The packages in build order.
    pub packages: Packages,
    /// The names and products of all GPU targets.
    pub target_names: TargetNames,
    /// Everything outside, by neutral name, as this distribution has it.
    pub externals: IndexMap<String, External>,
    /// The only targets that recipes are to build, in the registry's order; the distribution's when empty.
    pub narrowed: Vec<String>,
    /// Overlays were left out, so what they would say is no fault where it lacks.
    pub bare: bool,
    /// Names of the distribution's that could not be read, which is a finding of its own: its packages and their components.
    pub unread: BTreeSet<String>,
}

impl Plan {
    /// The package with this id.
    pub fn get(&self, id: &str) -> Option<&Planned> {
        self.packages.by_id(id)
    }

    /// True for the neutral name of a package, of a component or of something outside.
    pub fn knows(&self, name: &str) -> bool {
        self.externals.contains_key(name) || self.packages.named(name).is_some()
    }

    /// The distribution's targets for a version: those on by default, then those offered.
    pub fn distro_targets(&self, version: &Release) -> (Vec<String>, Vec<String>) {
        distro_targets(&self.distro, version)
    }

    /// The same without a word about what is wrong.
    pub(crate) fn quiet(model: &Model, distro_name: &str, choice: &Choice) -> Option<Self> {
        Self::new(model, distro_name, choice, &mut Findings::default())
    }

    /// Plans all packages of a distribution.
    ///
    /// # Errors
    /// All faults go to `findings`; `None` when the distribution itself can't be read, or a table that all packages share.
    pub fn new(model: &Model, distro_name: &str, choice: &Choice, findings: &mut Findings) -> Option<Self> {
        Self::planned(model, distro_name, choice, None, findings)
    }

    /// The same plan after something changed in the layers of some packages, by their ids; the others are taken over.
    ///
    /// # Errors
    /// As for [`Plan::new`], of what was planned again.
    pub fn again(
        &self,
        model: &Model,
        choice: &Choice,
        changed: &BTreeSet<String>,
        findings: &mut Findings,
    ) -> Option<Self> {
        Self::planned(model, &self.distro_name, choice, Some((self, changed)), findings)
    }

    fn planned(
        model: &Model,
        distro_name: &str,
        choice: &Choice,
        before: Option<(&Self, &BTreeSet<String>)>,
        findings: &mut Findings,
    ) -> Option<Self> {
        // Without the tables that all packages share, everything would be missed that they hold.
        if ["externals.yaml", "targets.yaml", "upstream.yaml"]
            .iter()
            .any(|table| model.broken.contains(*table))
        {
            return None;
        }
        let mut distro = model.distros.get(distro_name)?.clone();
        narrow(&mut distro, &model.narrowed);
        let shipped = read_release(&distro.version, findings)?;
        let version = match choice {
            Choice::Shipped => shipped.clone(),
            Choice::Release(r) => r.clone(),
        };
        let registry = model.targets.as_ref().map(TargetNames::from_node).unwrap_or_default();
        let targets: Vec<&str> = registry.names().collect();
        check_rows(&distro, findings);
        let mut planned = Vec::with_capacity(distro.packages.len());
        let mut unread = BTreeSet::new();
        // Of what such a package is made, nobody knows.
        let overlays = format!("distros/{distro_name}/");
        if model.broken.iter().any(|path| path.starts_with(&overlays)) {
            unread.extend(model.components.keys().cloned());
        }
        for (id, pin) in &distro.packages {
            let kept = before.filter(|(_, changed)| !changed.contains(id)).and_then(|(plan, _)| plan.get(id));
            if let Some(kept) = kept {
                planned.push(kept.clone());
                continue;
            }
            let own = match pin.value.as_str() {
                "default" => Some(shipped.clone()),
                _ => read_release(pin, findings),
            };
            // A pin that can't be read says nothing of the release that was asked for.
            let (Some(version), own) = (
                match choice {
                    Choice::Shipped => own.clone(),
                    Choice::Release(r) => Some(r.clone()),
                },
                own.unwrap_or_else(|| shipped.clone()),
            ) else {
                unread.extend(model.components_of(distro_name, id));
                unread.insert(id.clone());
                continue;
            };
            let place = match choice {
                Choice::Shipped if pin.value == "default" => Some(distro.version.span),
                Choice::Shipped => Some(pin.span),
                // Not written in a file.
                Choice::Release(_) => None,
            };
            let known = is_known(model, &version, place, findings);
            let read = known.then(|| {
                plan_package(model, distro_name, &distro, id, pin.span, version, &own, &targets, findings)
            });
            if let Some(p) = read.flatten() {
                planned.push(p);
            } else {
                unread.extend(model.components_of(distro_name, id));
                unread.insert(id.clone());
            }
        }
        let mut plan = Self {
            distro_name: distro_name.to_owned(),
            distro,
            distro_node: model.distro_nodes.get(distro_name).cloned(),
            lines: model.lines.clone(),
            version,
            packages: planned.into(),
            target_names: TargetNames::default(),
            externals: column(model, distro_name),
            narrowed: model.narrowed.clone(),
            bare: model.bare,
            unread,
        };
        plan.resolve_edges(findings);
        plan.resolve_targets(&registry, findings);
        plan.target_names = registry;
        plan.sort(findings);
        Some(plan)
    }

    fn resolve_edges(&mut self, findings: &mut Findings) {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for p in &self.packages {
            for c in &p.components {
                names.entry(c.clone()).or_insert_with(|| p.id.clone());
            }
        }
        // A package's own id always means that package, even where another one holds a component of that name.
        names.extend(self.packages.iter().map(|p| (p.id.clone(), p.id.clone())));
        for p in &mut self.packages {
            let mut edges = Vec::new();
            for (name, list) in &p.package.depends {
                let span = key_span(&p.node, "depends", name);
                if names.get(name) == Some(&p.id) {
                    findings.push(needs_itself(name, span));
                    continue;
                }
                let to = match (names.get(name), self.externals.get(name)) {
                    (Some(id), _) => Dependency::Package(id.clone()),
                    (None, Some(External::Named(spelt))) => Dependency::External(spelt.value.clone()),
                    // An edge that says how it is spelt needs no table.
                    (None, None) if list.0.iter().all(|e| e.spelt.is_some()) => {
                        Dependency::External(name.clone())
                    }
                    (None, Some(External::None)) if !list.0.iter().any(|e| e.spelt.is_some()) => continue,
                    (None, Some(External::None)) => Dependency::External(name.clone()),
                    // It is in the distribution, but could not be read: that was said already.
                    (None, _) if self.unread.contains(name) => continue,
                    (None, None) => {
                        let known = names.keys().chain(self.externals.keys()).map(String::as_str);
                        let finding = Finding::error("E0205", span, format!("unknown dependency `{name}`"))
                            .label(format!(
                                "neither a package of {0} nor a row of externals.yaml with a column `{0}`",
                                self.distro_name
                            ));
                        findings.push_nearest(finding, name, known);
                        continue;
                    }
                };
                // Where the distribution has none, only an edge that says itself how it is spelt is left.
                let has_one =
                    !matches!(self.externals.get(name), Some(External::None)) || names.contains_key(name);
                let kept = list.0.iter().filter(|e| has_one || e.spelt.is_some());
                edges.extend(kept.map(|e| ResolvedEdge {
                    name: name.clone(),
                    to: to.clone(),
                    edge: e.clone(),
                }));
            }
            p.depends = edges;
        }
    }

    fn resolve_targets(&mut self, registry: &TargetNames, findings: &mut Findings) {
        for p in &mut self.packages {
            let Some(t) = &p.package.targets else { continue };
            check_variables(&t.variable.0, findings);
            let supports = expand(&t.supports, &p.version, registry, findings);
            let excludes = expand(&t.excludes, &p.version, registry, findings);
            let unasked: Vec<TargetRule> = t.supports.iter().filter(|r| r.default).cloned().collect();
            let upstream = expand(&unasked, &p.version, registry, &mut Findings::default());
            let needs = expand(&t.needs, &p.version, registry, findings);
            let (default, offered) = distro_targets(&self.distro, &p.version);
            let fits = |n: &String| (supports.is_empty() || supports.contains(n)) && !excludes.contains(n);
            let (default, offered, own) = if t.list == TargetList::Own && !supports.is_empty() {
                let wanted = |n: &&String| self.narrowed.is_empty() || self.narrowed.contains(n);
                let own = supports.iter().filter(|n| !excludes.contains(n)).filter(wanted).cloned().collect();
                (own, Vec::new(), true)
            } else {
                let narrowed = default.iter().chain(&offered).any(|n| !fits(n));
                let keep = |l: Vec<String>| l.into_iter().filter(fits).collect();
                (keep(default), keep(offered), narrowed)
            };
            p.targets = Some(ResolvedTargets { default, offered, own, supports, excludes, upstream, needs });
        }
    }

    /// Puts packages in build order; ties keep the distribution's order.
    fn sort(&mut self, findings: &mut Findings) {
        use petgraph::algo::{kosaraju_scc, toposort};
        use petgraph::graph::DiGraph;
        use rocpkg_model::EdgeKind as K;
        let mut graph = DiGraph::<usize, ()>::new();
        let nodes: Vec<_> = (0..self.packages.len()).map(|i| graph.add_node(i)).collect();
        let index: BTreeMap<&str, usize> =
            self.packages.iter().enumerate().map(|(i, p)| (p.id.as_str(), i)).collect();
        for (i, p) in self.packages.iter().enumerate() {
            // An edge stands once. The graph would look through all dependents of what is below to tell.
            let mut below = BTreeSet::new();
            for e in &p.depends {
                let builds =
                    e.edge.kind.0.iter().any(|k| matches!(k, K::Link | K::Build | K::Tool | K::Propagated));
                // What tests need may itself need the package: a tree without tests has an order.
                let builds = builds && !e.edge.kind.0.contains(&K::Test);
                if let (true, Dependency::Package(id)) = (builds, &e.to) {
                    let j = index[id.as_str()];
                    if i != j && below.insert(j) {
                        graph.add_edge(nodes[j], nodes[i], ());
                    }
                }
            }
        }
        match toposort(&graph, None) {
            Ok(order) => {
                let order: Vec<usize> = order.into_iter().map(|n| graph[n]).collect();
                self.packages = std::mem::take(&mut self.packages).reorder(&order);
            }
            Err(_) => {
                for ring in kosaraju_scc(&graph).into_iter().filter(|r| r.len() > 1) {
                    let mut ids: Vec<&str> =
                        ring.iter().map(|n| self.packages[graph[*n]].id.as_str()).collect();
                    ids.sort_unstable();
                    let span = self.packages[graph[ring[0]]].node.span;
                    findings.push(
                        Finding::error(
                            "E0206",
                            Span { end: span.start, ..span },
                            format!("packages need each other to be built: {}", ids.join(", ")),
                        )
                        .hint("make one of the edges `run`, `optional` or `test`"),
                    );
                }
            }
        }
    }
}

/// A variable of a build is one word, in CMake as in the environment.
fn check_variables(names: &[Spanned<String>], findings: &mut Findings) {
    let fine = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    for name in names.iter().filter(|n| !fine(&n.value)) {
        findings.push(
            Finding::error("E0234", name.span, format!("`{}` can't be a variable", name.value))
                .label("expected letters, digits and `_`, such as GPU_TARGETS"),
        );
    }
}

/// What one distribution has in the table of things outside.
fn column(model: &Model, distro: &str) -> IndexMap<String, External> {
    let rows = model.externals.iter();
    rows.filter_map(|(name, row)| Some((name.clone(), row.get(distro)?.clone()))).collect()
}

/// Leaves of each list of targets only some; a distribution that states no list gets them as its list.
fn narrow(distro: &mut Distro, targets: &[String]) {
    if targets.is_empty() {
        return;
    }
    let span = Span::default();
    let spanned = |value: &String| Spanned { value: value.clone(), span };
    if distro.targets.is_empty() {
        distro.targets.push(TargetDefaults {
            releases: spanned(&"*".to_owned()),
            default: targets.iter().map(spanned).collect(),
            offered: Vec::new(),
        });
        return;
    }
    for row in &mut distro.targets {
        // What was offered and is asked for is on.
        let all = std::mem::take(&mut row.default).into_iter().chain(std::mem::take(&mut row.offered));
        row.default = all.filter(|t| targets.contains(&t.value)).collect();
    }
    distro.targets.retain(|row| !row.default.is_empty());
}

pub(crate) fn distro_targets(distro: &Distro, version: &Release) -> (Vec<String>, Vec<String>) {
    let texts = |l: &[Spanned<String>]| l.iter().map(|s| s.value.clone()).collect();
    target_row(distro, version).map(|t| (texts(&t.default), texts(&t.offered))).unwrap_or_default()
}

fn expand(
    rules: &[TargetRule],
    version: &Release,
    registry: &TargetNames,
    findings: &mut Findings,
) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for rule in rules {
        if let Some(range) = &rule.releases {
            let holds = read_range(&range.value, range.span, findings).is_some_and(|r| r.contains(version));
            if !holds {
                continue;
            }
        }
        for t in &rule.targets {
            match registry.expand(&t.value) {
                Some(names) => out.extend(names.into_iter().filter(|n| !out.contains(n)).collect::<Vec<_>>()),
                None => findings.push(
                    Finding::error("E0202", t.span, format!("unknown GPU target `{}`", t.value))
                        .label("expected a processor, a generic or a family of targets.yaml")
                        .nearest(&t.value, registry.names()),
                ),
            }
        }
    }
    out
}

/// Where the key `name` of the mapping under `section` stands.
pub(crate) fn key_span(node: &Node, section: &str, name: &str) -> Span {
    node.get(section)
        .and_then(|n| n.entries().iter().find(|(k, _)| k.name == name))
        .map_or(node.span, |(k, _)| k.span)
}
