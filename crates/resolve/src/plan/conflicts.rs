//! Reports two packages that conflict although one of them needs the other.

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned, ResolvedEdge, key_span};
use crate::read::release::holds;
use rocpkg_model::{EdgeKind, Finding, Findings};
use std::collections::BTreeSet;

impl Plan {
    /// Reports each conflict between two packages of which one needs the other, so that no package
    /// manager can install both. Conflicts and dependencies under a condition are not checked: the
    /// package manager decides them.
    pub(crate) fn conflicts(&self, findings: &mut Findings) {
        for p in &self.packages {
            for edge in &p.depends {
                let Some(other) = self.in_the_way(p, edge) else {
                    continue;
                };
                let (needs, needed) = if self.needs(&p.id, &other.id) {
                    (p, other)
                } else if self.needs(&other.id, &p.id) {
                    (other, p)
                } else {
                    continue;
                };
                let message = format!(
                    "`{}` needs `{}`, which can't be installed beside it",
                    needs.id, needed.id
                );
                let version = edge.edge.version.as_ref();
                let span = version.map_or_else(
                    || key_span(&p.node, "depends", &edge.name),
                    |version| version.span,
                );
                let finding = Finding::error("E0248", span, message)
                    .label(format!(
                        "expected no conflict with {} {}",
                        other.id, other.version
                    ))
                    .hint("narrow the range or state `releases`, or drop the edge by which the package is needed");
                findings.push_of(&self.owner(&p.id), finding);
            }
        }
    }

    /// Returns the package of the plan that `edge`, an edge of the package `p`, forbids beside `p`.
    /// Returns `None` if the edge is no conflict, has a condition, is written in the distribution's
    /// own syntax (`exact-name`), or does not forbid the planned version.
    fn in_the_way(&self, p: &Planned, edge: &ResolvedEdge) -> Option<&Planned> {
        let Dependency::Package(id) = &edge.to else {
            return None;
        };
        let is_conflict = edge.edge.kind.0.contains(&EdgeKind::Conflict);
        if !is_conflict || edge.edge.when.is_some() || edge.edge.exact_name.is_some() {
            return None;
        }
        let other = self.get(id).filter(|other| other.id != p.id)?;
        let range = edge.edge.version.as_ref().map(|v| v.value.as_str());
        let is_met = match range {
            None | Some("any" | "slot") => true,
            Some("same") => other.version == p.version,
            Some(range) => holds(range, &other.version)?,
        };
        is_met.then_some(other)
    }

    /// Returns true if the package `from` needs the package `to`, directly or through others,
    /// whichever features and targets are chosen.
    fn needs(&self, from: &str, to: &str) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(p) = open.pop().and_then(|id| self.get(id)) {
            let edges = p.depends.iter().filter(|e| is_needed(e));
            for e in edges {
                let Dependency::Package(id) = &e.to else {
                    continue;
                };
                if id == to {
                    return true;
                }
                if seen.insert(id) {
                    open.push(id);
                }
            }
        }
        false
    }
}

/// Returns true if an edge is a dependency that the package always needs to be built or to run.
/// Returns false for dependencies of tests.
fn is_needed(edge: &ResolvedEdge) -> bool {
    let needs = |kind: &EdgeKind| {
        matches!(
            kind,
            EdgeKind::Link
                | EdgeKind::Build
                | EdgeKind::Tool
                | EdgeKind::Run
                | EdgeKind::Propagated
        )
    };
    let kinds = &edge.edge.kind.0;
    edge.edge.when.is_none() && kinds.iter().any(needs) && !kinds.contains(&EdgeKind::Test)
}
