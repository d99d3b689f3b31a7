//! Resolves each dependency to a package of the plan or to an external dependency, and finds the
//! packages that are installed together with a package.

use crate::layer::model::Model;
use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned, ResolvedEdge, key_span};
use indexmap::IndexMap;
use rocpkg_model::{Decode, Edge, EdgeKind, External, Finding, Findings, Node, OneOrMany, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The kinds of dependencies that a build needs.
const BUILT_WITH: [EdgeKind; 3] = [EdgeKind::Link, EdgeKind::Build, EdgeKind::Tool];
/// The kinds of dependencies that are installed together with a package.
const COMES_ALONG: [EdgeKind; 3] = [EdgeKind::Link, EdgeKind::Run, EdgeKind::Propagated];

impl Plan {
    /// Sets the dependency edges of each package. The name of each dependency is resolved to a
    /// package of the plan or to an external dependency.
    pub(crate) fn connect(&mut self, findings: &mut Findings) {
        let mut all = Vec::with_capacity(self.packages.len());
        for p in &self.packages {
            let mut own = Findings::default();
            all.push(self.edges(p, &mut own));
            findings.append_of(&self.owner(&p.id), own);
        }
        for (p, edges) in self.packages.iter_mut().zip(all) {
            p.depends = edges;
        }
        let own = |p| self.edges(p, findings);
        let all: Vec<_> = self.consumers.iter().map(own).collect();
        for (p, edges) in self.consumers.iter_mut().zip(all) {
            p.depends = edges;
        }
    }

    /// Returns the dependency edges of the package or consumer `p`, with their names resolved.
    fn edges(&self, p: &Planned, own: &mut Findings) -> Vec<ResolvedEdge> {
        let mut edges = Vec::new();
        for (name, list) in &p.package.depends {
            let here = self.packages.named(name);
            if here.is_some_and(|to| to.id == p.id) {
                own.push(needs_itself(name, key_span(&p.node, "depends", name)));
                continue;
            }
            // If the distribution leaves the dependency out, only edges that state a name
            // themselves (`exact-name`) are kept.
            let none = matches!(self.externals.get(name), Some(External::None));
            let has_one = !none || here.is_some();
            if !has_one && list.0.iter().any(|e| e.exact_name.is_none()) {
                own.push_some(self.vanishing(p, name));
            }
            let Some(to) = self.end(p, name, &list.0, own) else {
                continue;
            };
            let kept = list.0.iter().filter(|e| has_one || e.exact_name.is_some());
            edges.extend(kept.map(|e| ResolvedEdge {
                name: name.clone(),
                to: to.clone(),
                edge: e.clone(),
            }));
        }
        edges.shrink_to_fit();
        edges
    }

    /// Returns the finding about the dependency `name` that the overlay of `p` states, but that has
    /// no name in the distribution, so that no recipe would contain the dependency. Returns `None`
    /// if the overlay does not state it.
    fn vanishing(&self, p: &Planned, name: &str) -> Option<Finding> {
        let node = p.node.get("depends")?.get(name)?;
        let said = node
            .ends()
            .into_iter()
            .find(|end| p.own_files.contains(&end.span.file))?;
        let message = format!(
            "{} has no name for `{name}`, so the dependency is not rendered",
            self.distro_name
        );
        let label = "expected a dependency with a name; externals.yaml has `-`";
        let hint = format!("state its name: `{name}: {{exact-name: NAME}}`");
        Some(
            Finding::error("E0205", said.span, message)
                .label(label)
                .hint(hint),
        )
    }

    /// Resolves the dependency `name` of the package `p`. `edges` are its edges to this dependency.
    /// Returns `None` if the distribution leaves the dependency out, or if nothing has that name.
    /// In the second case, the name is reported, unless a file that could not be read may declare
    /// it.
    fn end(
        &self,
        p: &Planned,
        name: &str,
        edges: &[Edge],
        findings: &mut Findings,
    ) -> Option<Dependency> {
        match (self.packages.named(name), self.externals.get(name)) {
            (Some(to), _) => Some(Dependency::Package(to.id.clone())),
            (None, _) if self.reaches(p, name) => Some(Dependency::Package(name.to_owned())),
            (None, Some(External::Named(spelt))) => Some(Dependency::External(spelt.value.clone())),
            (None, Some(External::None)) => {
                let spelt = edges.iter().any(|e| e.exact_name.is_some());
                spelt.then(|| Dependency::External(name.to_owned()))
            }
            // Edges with `exact-name` need no row in the table.
            (None, None | Some(External::Missing))
                if edges.iter().all(|e| e.exact_name.is_some()) =>
            {
                Some(Dependency::External(name.to_owned()))
            }
            (None, Some(External::Missing)) => {
                let finding = Finding::error("E0205", place(p, name), {
                    format!("{} does not package `{name}`", self.distro_name)
                });
                let label = format!("{} needs it, but externals.yaml has `none`", p.id);
                findings.push(
                    finding
                        .label(label)
                        .hint("write `~` to remove the dependency in this distribution"),
                );
                None
            }
            // Packages that need it are absent, too. The others do without it.
            (None, None) if self.is_absent(name) => None,
            // The name may be declared by a file that could not be read, which was already
            // reported.
            (None, None) if !self.unread.is_empty() => None,
            (None, None) => {
                let known = self
                    .packages
                    .names()
                    .chain(self.externals.keys().map(String::as_str));
                let span = place(p, name);
                // Names that no profile declares were reported, and recovered, before planning.
                let finding = Finding::error("E0205", span, format!("unknown dependency `{name}`"))
                    .label(format!(
                        "expected a package of {0}, or a row of externals.yaml with a column `{0}`",
                        self.distro_name
                    ));
                findings.push_nearest(finding, name, known);
                None
            }
        }
    }

    /// Returns true if `p` is a consumer, and `name` is another one. Rendered packages don't depend
    /// on consumers.
    fn reaches(&self, p: &Planned, name: &str) -> bool {
        let is_consumer = |id: &str| self.consumers.iter().any(|c| c.id == id);
        name != p.id && is_consumer(&p.id) && is_consumer(name)
    }

    fn is_absent(&self, name: &str) -> bool {
        let mut absent = self.absent.iter();
        absent.any(|(id, a)| id == name || a.components.iter().any(|part| part == name))
    }

    /// Returns, by dependency, the ids of the packages that are built without the dependency
    /// although their component needs it. A layer removed the dependency from these packages by
    /// `~`, and no other dependency brings it in.
    ///
    /// The result is only valid for a package manager that installs each dependency together with
    /// the dependency's own dependencies. Nix does not.
    pub fn taken_back(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for p in self.packages.iter().filter(|p| !p.taken_back.is_empty()) {
            let installed = self.installed(p);
            let brought = |name: &&String| {
                p.package.depends.contains_key(*name) || installed.contains(name.as_str())
            };
            for name in p.taken_back.iter().filter(|name| !brought(name)) {
                out.entry(name).or_default().push(&p.id);
            }
        }
        out
    }

    /// Returns the names of everything that is installed when the package `p` is built: ids and
    /// components of packages, and names of external dependencies in the profiles.
    fn installed<'a>(&'a self, p: &'a Planned) -> BTreeSet<&'a str> {
        let mut out = BTreeSet::new();
        let mut open: Vec<(&Planned, &[EdgeKind])> = vec![(p, &BUILT_WITH), (p, &COMES_ALONG)];
        while let Some((from, kinds)) = open.pop() {
            let edges = from.depends.iter().filter(|e| e.edge.when.is_none());
            for e in edges.filter(|e| e.edge.kind.0.iter().any(|k| kinds.contains(k))) {
                let Dependency::Package(id) = &e.to else {
                    out.insert(e.name.as_str());
                    continue;
                };
                let Some(next) = self.get(id).filter(|next| out.insert(next.id.as_str())) else {
                    continue;
                };
                out.extend(next.components.iter().map(String::as_str));
                open.push((next, &COMES_ALONG));
            }
        }
        out
    }
}

/// Returns the place at which the package `p` states the dependency `name`: a key under `depends`,
/// or a word in a list of a consumer.
fn place(p: &Planned, name: &str) -> Span {
    let lists = p.node.entries().iter().flat_map(|(_, value)| value.list());
    let mut words = lists.filter(|word| word.text() == Some(name));
    let word = words.next().filter(|_| p.node.get("depends").is_none());
    word.map_or_else(|| key_span(&p.node, "depends", name), |word| word.span)
}

/// Returns the names of the dependencies in `edges` that a build always needs, whichever features
/// and targets are chosen.
pub(crate) fn needed(edges: &[(String, Node)], findings: &mut Findings) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (name, node) in edges {
        let Some(OneOrMany(edges)) = OneOrMany::<Edge>::decode(node, findings) else {
            continue;
        };
        let built_with =
            |e: &Edge| e.when.is_none() && e.kind.0.iter().any(|k| BUILT_WITH.contains(k));
        if edges.iter().any(built_with) && !out.contains(name) {
            out.push(name.clone());
        }
    }
    out
}

/// Returns the external dependencies of one distribution, by their names in the profiles: the
/// distribution's column in `externals.yaml`.
pub(crate) fn column(model: &Model, distro: &str) -> IndexMap<String, External> {
    let rows = model.externals.iter();
    rows.filter_map(|(name, row)| Some((name.clone(), row.get(distro)?.clone())))
        .collect()
}

/// Returns the finding about a package that needs itself to be built.
pub(crate) fn needs_itself(name: &str, span: Span) -> Finding {
    Finding::error("E0233", span, format!("`{name}` depends on itself"))
        .label("expected another package, or no dependency")
}
