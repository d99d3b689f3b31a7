//! The plan: every package of one distribution with nothing left open but features and targets.

use crate::conditions::{Known, check, fixed_features, prune};
use crate::habits;
use crate::load::Model;
use crate::names::TargetNames;
use crate::release::{Release, fits_pattern};
use crate::sources::{self, ResolvedSource};
use crate::tree::{map, put, without};
use indexmap::IndexMap;
use rocpkg_model::{
    Decode, Distro, Edge, External, Fetch, Finding, Findings, Naming, Node, OneOrMany, Package, ReleaseLine,
    Span, Spanned, TargetList, TargetRule, Targets, Value, overlay, without_removed,
};
use std::collections::BTreeMap;

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
    /// Its facts, merged and with every known condition answered.
    pub package: Package,
    /// The merged tree, for provenance.
    pub node: Node,
    /// Its sources.
    pub sources: Vec<ResolvedSource>,
    /// Components of it whose source the main one brings along, with their folders in that repository.
    pub carried: IndexMap<String, String>,
    /// Its dependencies.
    pub depends: Vec<ResolvedEdge>,
    /// Its GPU targets; absent when it holds no device code.
    pub targets: Option<ResolvedTargets>,
    /// The variables for GPU targets that upstream's build reads, with the range of releases; empty when not known.
    pub known_variables: IndexMap<String, Option<String>>,
}

/// All packages of a distribution in build order.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The distribution's name: `gentoo`, `arch` or `nixpkgs`.
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
    pub packages: Vec<Planned>,
    /// The names and products of all GPU targets.
    pub target_names: TargetNames,
    /// Everything outside, by neutral name, as this distribution has it.
    pub externals: IndexMap<String, External>,
}

impl Plan {
    /// The package with this id.
    pub fn get(&self, id: &str) -> Option<&Planned> {
        self.packages.iter().find(|p| p.id == id)
    }

    /// The distribution's targets for a version: those on by default, then those offered.
    pub fn distro_targets(&self, version: &str) -> (Vec<String>, Vec<String>) {
        distro_targets(&self.distro, version)
    }

    /// Plans all packages of a distribution.
    ///
    /// # Errors
    /// All faults go to `findings`; `None` when the distribution itself can't be read.
    pub fn new(model: &Model, distro_name: &str, choice: &Choice, findings: &mut Findings) -> Option<Self> {
        let distro = model.distros.get(distro_name)?.clone();
        let shipped = read_release(&distro.version, findings)?;
        let version = match choice {
            Choice::Shipped => shipped.clone(),
            Choice::Release(r) => r.clone(),
        };
        let registry = model.targets.as_ref().map(TargetNames::from_node).unwrap_or_default();
        let targets: Vec<&str> = registry.names().collect();
        let mut planned = Vec::new();
        for (id, pin) in &distro.packages {
            let version = match choice {
                Choice::Shipped if pin.value == "default" => shipped.clone(),
                Choice::Shipped => match read_release(pin, findings) {
                    Some(v) => v,
                    None => continue,
                },
                Choice::Release(r) => r.clone(),
            };
            if !model.lines.contains_key(&version.line()) {
                let known: Vec<&str> = model.lines.keys().map(String::as_str).collect();
                findings.push(
                    Finding::error("E0204", pin.span, format!("no release line is known for {version}"))
                        .label(format!("expected a version of {}", known.join(", ")))
                        .hint("add releases/LINE.yaml"),
                );
                continue;
            }
            if let Some(p) =
                plan_package(model, distro_name, &distro, id, pin.span, version, &targets, findings)
            {
                planned.push(p);
            }
        }
        let mut plan = Self {
            distro_name: distro_name.to_owned(),
            distro,
            distro_node: model.distro_nodes.get(distro_name).cloned(),
            lines: model.lines.clone(),
            version,
            packages: planned,
            target_names: TargetNames::default(),
            externals: column(model, distro_name),
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
                    (None, None) if self.distro.packages.contains_key(name) => continue,
                    (None, None) => {
                        let known = names.keys().chain(self.externals.keys()).map(String::as_str);
                        findings.push(
                            Finding::error("E0205", span, format!("unknown dependency `{name}`"))
                                .label(format!(
                                    "neither a package of {0} nor a row of externals.yaml with a column `{0}`",
                                    self.distro_name
                                ))
                                .nearest(name, known),
                        );
                        continue;
                    }
                };
                // Where the distribution has none, only an edge that says itself how it is spelt is left.
                let named =
                    !matches!(self.externals.get(name), Some(External::None)) || names.contains_key(name);
                let kept = list.0.iter().filter(|e| named || e.spelt.is_some());
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
            let supports = expand(&t.supports, &p.version, registry, findings);
            let excludes = expand(&t.excludes, &p.version, registry, findings);
            let (default, offered) = distro_targets(&self.distro, p.version.as_str());
            let fits = |n: &String| (supports.is_empty() || supports.contains(n)) && !excludes.contains(n);
            let (default, offered, own) = if t.list == Some(TargetList::Own) && !supports.is_empty() {
                let own = supports.iter().filter(|n| !excludes.contains(n)).cloned().collect();
                (own, Vec::new(), true)
            } else {
                let narrowed = default.iter().chain(&offered).any(|n| !fits(n));
                let keep = |l: Vec<String>| l.into_iter().filter(fits).collect();
                (keep(default), keep(offered), narrowed)
            };
            p.targets = Some(ResolvedTargets { default, offered, own, supports, excludes });
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
            for e in &p.depends {
                let builds =
                    e.edge.kind.0.iter().any(|k| matches!(k, K::Link | K::Build | K::Tool | K::Propagated));
                // What tests need may itself need the package: a tree without tests has an order.
                let builds = builds && !e.edge.kind.0.contains(&K::Test);
                if let (true, Dependency::Package(id)) = (builds, &e.to) {
                    let j = index[id.as_str()];
                    if i != j {
                        graph.update_edge(nodes[j], nodes[i], ());
                    }
                }
            }
        }
        match toposort(&graph, None) {
            Ok(order) => {
                let mut old: Vec<Option<Planned>> = self.packages.drain(..).map(Some).collect();
                self.packages = order.into_iter().filter_map(|n| old[graph[n]].take()).collect();
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

fn read_release(text: &Spanned<String>, findings: &mut Findings) -> Option<Release> {
    let read = text.value.parse::<Release>();
    if let Err(e) = &read {
        findings.push(
            Finding::error("E0207", text.span, e.to_string()).label("expected a release such as 7.2.4"),
        );
    }
    read.ok()
}

/// What one distribution has in the table of things outside.
fn column(model: &Model, distro: &str) -> IndexMap<String, External> {
    let rows = model.externals.iter();
    rows.filter_map(|(name, row)| Some((name.clone(), row.get(distro)?.clone()))).collect()
}

fn distro_targets(distro: &Distro, version: &str) -> (Vec<String>, Vec<String>) {
    let texts = |l: &[Spanned<String>]| l.iter().map(|s| s.value.clone()).collect();
    distro
        .targets
        .iter()
        .find(|t| fits_pattern(version, &t.releases.value))
        .map(|t| (texts(&t.default), texts(&t.offered)))
        .unwrap_or_default()
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
            match range.value.parse::<crate::release::Range>() {
                Ok(r) if !r.contains(version) => continue,
                Ok(_) => {}
                Err(e) => {
                    findings.push(
                        Finding::error("E0203", range.span, e.to_string())
                            .label("expected a range of releases"),
                    );
                    continue;
                }
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

/// The variables that the component names, whatever a distribution passes.
fn known_variables(base: Option<&Node>, targets: Option<&Targets>) -> IndexMap<String, Option<String>> {
    let named = base
        .and_then(|n| n.get("targets"))
        .and_then(|n| n.get("variable"))
        .and_then(|n| OneOrMany::<String>::decode(n, &mut Findings::default()));
    let mut out: IndexMap<String, Option<String>> =
        named.map(|l| l.0).unwrap_or_default().into_iter().map(|v| (v, None)).collect();
    for (name, range) in targets.iter().flat_map(|t| &t.variables) {
        out.insert(name.clone(), range.as_ref().map(|r| r.value.clone()));
    }
    out
}

fn collapse(node: &mut Node, release: &Release) {
    let Value::Map(entries) = &mut node.value else { return };
    let Some((_, sources)) = entries.iter_mut().find(|(k, _)| k.name == "sources") else { return };
    let Value::Map(sources) = &mut sources.value else { return };
    for (_, s) in sources {
        let Value::Seq(items) = &s.value else { continue };
        let fits = |n: &&Node| {
            n.get("releases")
                .and_then(Node::text)
                .and_then(|r| r.parse::<crate::release::Range>().ok())
                .is_none_or(|r| r.contains(release))
        };
        if let Some(one) = items.iter().find(fits).cloned() {
            *s = one;
            if let Value::Map(e) = &mut s.value {
                e.retain(|(k, _)| k.name != "releases");
            }
        }
    }
}

/// The components that a package is made of as one tree: the first one, and what the others add to it. Their sources go by
/// their own names; what the first says is not changed.
fn components(model: &Model, of: &[String], release: &Release) -> (Option<Node>, habits::Owners) {
    let mut owners = habits::Owners::new();
    let chosen = |n: &Node| {
        let mut n = n.clone();
        collapse(&mut n, release);
        n
    };
    let mut parts = of.iter().filter_map(|c| Some((c, chosen(model.components.get(c)?))));
    let Some((first, mut whole)) = parts.next() else { return (None, owners) };
    let mut own = |name: &str, node: &Node| {
        for (key, _) in node.get("options").map(Node::entries).unwrap_or_default() {
            owners.entry(key.name.clone()).or_insert_with(|| name.to_owned());
        }
    };
    own(first, &whole);
    // Components of one package do not need each other.
    for own in of {
        whole = without(whole, "depends", own);
    }
    for (name, more) in parts {
        own(name, &more);
        let mut added = map(Vec::new(), more.span);
        for section in ["options", "features", "depends"] {
            for (key, node) in more.get(section).map(Node::entries).unwrap_or_default() {
                let own = whole.get(section).is_some_and(|s| s.get(&key.name).is_some());
                if !own && !of.contains(&key.name) {
                    put(&mut added, &[section, &key.name], node.clone());
                }
            }
        }
        if let Some(main) = more.get("sources").and_then(|s| s.get("main")) {
            put(&mut added, &["sources", name], main.clone());
        }
        whole = overlay(whole, added);
    }
    (Some(whole), owners)
}

/// Where whole repositories are fetched, the main one brings the components that lie beside the first.
fn drop_carried(node: &mut Node, of: &[String], habit: Fetch) -> IndexMap<String, String> {
    let mut carried = IndexMap::new();
    let whole = |s: &Node| match s.get("fetch").and_then(Node::text) {
        Some(word) => matches!(word, "archive" | "git" | "tree"),
        None => matches!(habit, Fetch::Archive | Fetch::Git | Fetch::Tree),
    };
    let Value::Map(entries) = &mut node.value else { return carried };
    let Some((_, sources)) = entries.iter_mut().find(|(k, _)| k.name == "sources") else { return carried };
    let Value::Map(sources) = &mut sources.value else { return carried };
    let Some((_, main)) = sources.first().cloned() else { return carried };
    let text = |s: &Node, key: &str| s.get(key).and_then(Node::text).map(str::to_owned);
    sources.retain(|(name, s)| {
        let beside = of.iter().skip(1).any(|c| *c == name.name)
            && whole(&main)
            && whole(s)
            && text(s, "repository") == text(&main, "repository");
        if beside {
            carried.insert(name.name.clone(), text(s, "path").unwrap_or_default());
        }
        !beside
    });
    carried
}

#[allow(clippy::too_many_arguments)] // one call, and every argument is another thing
fn plan_package(
    model: &Model,
    distro_name: &str,
    distro: &Distro,
    id: &str,
    span: Span,
    version: Release,
    targets: &[&str],
    findings: &mut Findings,
) -> Option<Planned> {
    let over = model.overlays.get(distro_name).and_then(|o| o.get(id));
    let of: Vec<String> = over
        .and_then(|o| o.get("of"))
        .and_then(|n| Vec::<String>::decode(n, &mut Findings::default()))
        .unwrap_or_else(|| vec![id.to_owned()]);
    let base = of.first().and_then(|c| model.components.get(c)).map(|n| {
        let mut n = n.clone();
        collapse(&mut n, &version);
        n
    });
    let base = base.as_ref();
    for missing in of.iter().filter(|c| !model.components.contains_key(*c)) {
        if over.is_some_and(|o| o.get("of").is_none()) {
            continue; // a package of the distribution's own, such as a metapackage
        }
        findings.push(
            Finding::error("E0208", span, format!("unknown component `{missing}`"))
                .label(format!("no components/{missing}.yaml and no distros/{distro_name}/{id}.yaml"))
                .nearest(missing, model.components.keys().map(String::as_str)),
        );
        return None;
    }
    // A component that can't be read is one fault, not one more at each value that a distribution lays over it.
    if base.is_some_and(|b| Package::decode(&without_removed(b.clone()), findings).is_none()) {
        return None;
    }
    let (whole, owners) = components(model, &of, &version);
    let mut node = match (whole, over) {
        (Some(b), Some(o)) => overlay(b, o.clone()),
        (Some(n), None) => n,
        (None, Some(n)) => n.clone(),
        (None, None) => return None,
    };
    node = without_removed(node);
    if let Some(h) = &distro.habits {
        habits::fix_features(&mut node, h);
        let given = habits::generate(&node, h, &of, &owners, &version, findings);
        node = overlay(node, given);
        if let Some(o) = over {
            node = overlay(node, o.clone());
        }
        node = without_removed(node);
    }
    let carried = drop_carried(&mut node, &of, distro.fetch);
    let feature_names: Vec<String> = node
        .get("features")
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .map(|(k, _)| k.name.clone())
        .collect();
    let names: Vec<&str> = feature_names.iter().map(String::as_str).collect();
    // Features that can't be read are one fault, not one at each condition that names them.
    if node.get("features").is_none_or(|n| matches!(n.value, Value::Map(_))) {
        check(&node, &names, targets, findings);
    }
    let known = Known { release: &version, fixed: fixed_features(&node) };
    prune(&mut node, &known);
    let package = Package::decode(&node, findings)?;
    let name = match (&package.name, distro.naming) {
        (Some(n), _) => n.value.clone(),
        (None, Naming::Title) => package.title.as_ref().map_or_else(|| id.to_owned(), |t| t.value.clone()),
        (None, Naming::Component) => id.to_owned(),
    };
    let sources = package
        .sources
        .iter()
        .map(|(n, s)| {
            sources::resolve(n, s, distro.fetch, &version, &model.lines, key_span(&node, "sources", n))
        })
        .collect();
    let known_variables = known_variables(base, package.targets.as_ref());
    Some(Planned {
        known_variables,
        carried,
        id: id.to_owned(),
        name,
        components: of,
        version,
        package,
        node,
        sources,
        depends: Vec::new(),
        targets: None,
    })
}
