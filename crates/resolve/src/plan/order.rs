//! The order in which packages are built.

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned};
use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::DiGraph;
use rocpkg_model::{EdgeKind, Finding, Findings};
use std::collections::{BTreeMap, BTreeSet};

impl Plan {
    /// Puts packages in build order; ties keep the distribution's order.
    pub(crate) fn order(&mut self, findings: &mut Findings) {
        let mut graph = DiGraph::<usize, ()>::new();
        let nodes: Vec<_> = (0..self.packages.len()).map(|i| graph.add_node(i)).collect();
        let index: BTreeMap<&str, usize> =
            self.packages.iter().enumerate().map(|(i, p)| (p.id.as_str(), i)).collect();
        for (i, p) in self.packages.iter().enumerate() {
            // An edge stands once. The graph would look through all dependents of what is below to tell.
            let mut below = BTreeSet::new();
            for j in needed(p).map(|id| index[id]).filter(|j| *j != i) {
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
            let mut ids: Vec<&str> = ring.iter().map(|n| self.packages[graph[*n]].id.as_str()).collect();
            ids.sort_unstable();
            let span = self.packages[graph[ring[0]]].node.span.begin();
            let message = format!("packages need each other to be built: {}", ids.join(", "));
            findings.push(
                Finding::error("E0206", span, message)
                    .hint("make one of the edges `run`, `optional` or `test`"),
            );
        }
    }
}

/// The packages that must be there before a package is built. What tests need may itself need the package: a tree without tests has
/// an order.
fn needed(p: &Planned) -> impl Iterator<Item = &str> {
    let builds =
        |k: &EdgeKind| matches!(k, EdgeKind::Link | EdgeKind::Build | EdgeKind::Tool | EdgeKind::Propagated);
    let edges = p
        .depends
        .iter()
        .filter(move |e| e.edge.kind.0.iter().any(builds) && !e.edge.kind.0.contains(&EdgeKind::Test));
    edges.filter_map(|e| match &e.to {
        Dependency::Package(id) => Some(id.as_str()),
        Dependency::External(_) => None,
    })
}
