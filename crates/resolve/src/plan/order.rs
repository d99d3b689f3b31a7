//! The order in which packages are built.

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned, key_span};
use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::DiGraph;
use rocpkg_model::{EdgeKind, Finding, Findings, Span};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

impl Plan {
    /// Puts the packages in build order: each after the packages that it needs to be built. If
    /// packages need each other, each cycle is reported, and the packages keep the order of the
    /// distribution's file.
    pub(crate) fn order(&mut self, findings: &mut Findings) {
        let mut graph = DiGraph::<usize, ()>::new();
        let nodes: Vec<_> = (0..self.packages.len())
            .map(|i| graph.add_node(i))
            .collect();
        for (i, p) in self.packages.iter().enumerate() {
            // Each edge is added once. A check in the graph would search all dependents of the
            // lower package.
            let mut below = BTreeSet::new();
            for j in edges(p)
                .filter_map(|(id, _)| self.packages.place(id))
                .filter(|j| *j != i)
            {
                if below.insert(j) {
                    graph.add_edge(nodes[j], nodes[i], ());
                }
            }
        }
        if let Ok(order) = toposort(&graph, None) {
            let order: Vec<usize> = order.into_iter().map(|n| graph[n]).collect();
            self.packages = std::mem::take(&mut self.packages).reorder(&order);
            return;
        }
        for ring in kosaraju_scc(&graph).into_iter().filter(|r| r.len() > 1) {
            let ring: BTreeSet<usize> = ring.into_iter().map(|n| graph[n]).collect();
            let Some(circle) = self.circle(&ring) else {
                continue;
            };
            for i in &ring {
                findings.push_of(&self.owner(&self.packages[*i].id), circle.clone());
            }
        }
    }

    /// Returns the finding about packages that need each other. `ring` are their indices in the
    /// plan. The finding shows the shortest cycle through the edge that the last layer states.
    fn circle(&self, ring: &BTreeSet<usize>) -> Option<Finding> {
        let edges = |i: usize| {
            let p = &self.packages[i];
            edges(p).filter_map(move |(id, name)| {
                let to = self.packages.place(id)?;
                (to != i && ring.contains(&to)).then(|| (i, to, key_span(&p.node, "depends", name)))
            })
        };
        let first = ring
            .iter()
            .flat_map(|i| edges(*i))
            .max_by_key(|(.., span)| span.file)?;
        // Searches from the end of the edge back to its start. `met` contains the edge by which
        // each package was reached.
        let (mut met, mut open) = (
            BTreeMap::from([(first.1, first)]),
            VecDeque::from([first.1]),
        );
        while let Some(i) = open.pop_front().filter(|i| *i != first.0) {
            for edge in edges(i) {
                met.entry(edge.1).or_insert_with(|| {
                    open.push_back(edge.1);
                    edge
                });
            }
        }
        let mut circle = Vec::new();
        let mut at = first.0;
        while at != first.1 {
            let edge = met.get(&at)?;
            circle.push(*edge);
            at = edge.0;
        }
        circle.push(first);
        circle.reverse();
        let id = |i: usize| self.packages[i].id.as_str();
        let names: Vec<&str> = circle
            .iter()
            .map(|(from, ..)| id(*from))
            .chain([id(first.0)])
            .collect();
        let needs =
            |(from, to, _): &(usize, usize, Span)| format!("`{}` needs `{}`", id(*from), id(*to));
        let message = format!(
            "packages need each other to be built: {}",
            names.join(" -> ")
        );
        let finding = Finding::error("E0206", first.2, message).label(needs(&first));
        let others = circle.iter().skip(1);
        let finding = others.fold(finding, |finding, edge| finding.beside(edge.2, needs(edge)));
        Some(finding.hint("make one of the edges `run`, `optional` or `test`"))
    }
}

/// Returns the ids of the packages that must be built before `p`, each with the name under which
/// `p` states the dependency. Dependencies of tests are left out. The tests of `p` may need a
/// package that needs `p`, and the packages still have an order without tests.
fn edges(p: &Planned) -> impl Iterator<Item = (&str, &str)> {
    let builds = |k: &EdgeKind| {
        matches!(
            k,
            EdgeKind::Link | EdgeKind::Build | EdgeKind::Tool | EdgeKind::Propagated
        )
    };
    let edges = p.depends.iter().filter(move |e| {
        e.edge.kind.0.iter().any(builds) && !e.edge.kind.0.contains(&EdgeKind::Test)
    });
    edges.filter_map(|e| match &e.to {
        Dependency::Package(id) => Some((id.as_str(), e.name.as_str())),
        Dependency::External(_) => None,
    })
}
