//! What comes along with a package that its users would want to know of: a second LLVM.

use crate::backend::Backend;
use crate::needs::{graph, needs, reach};
use petgraph::Direction;
use petgraph::graphmap::DiGraphMap;
use rocpkg_model::{EdgeKind, Finding, Findings, Span};
use rocpkg_resolve::{Dependency, Plan, Planned};
use std::collections::BTreeMap;

/// The component that makes AMD's own LLVM.
const AMD_LLVM: &str = "rocm-llvm";

/// Says where two LLVMs meet in one process.
pub(crate) fn review(backend: Backend, plan: &Plan, findings: &mut Findings) {
    let (mut needs, broken) = needs(backend, plan);
    needs.extend(broken);
    let needs = graph(needs.iter().filter(|n| n.kinds.iter().any(|k| comes_along(*k))));
    llvms(plan, &needs, findings);
}

/// True where something comes along when a package is run.
fn comes_along(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Link | EdgeKind::Run | EdgeKind::Propagated)
}

/// LLVM's libraries carry no version in their symbols, so what loads two of them runs with a mixture: Blender did.
fn llvms<'p>(plan: &'p Plan, needs: &DiGraphMap<&'p str, ()>, findings: &mut Findings) {
    let is_amd = |p: &Planned| p.components.iter().any(|c| c == AMD_LLVM);
    let Some(amd) = plan.packages.iter().find(|p| is_amd(p)) else { return };
    let own: BTreeMap<&str, Span> =
        plan.packages.iter().filter_map(|p| Some((p.id.as_str(), other_llvm(p, amd)?))).collect();
    let with_amd = reach(needs, [amd.id.as_str()], Direction::Incoming);
    let with_own = reach(needs, own.keys().copied(), Direction::Incoming);
    let both = |id: &str| with_amd.contains(id) && with_own.contains(id);
    // What they meet in is told, not all that is built upon it.
    let first = |p: &&Planned| both(&p.id) && !needs.neighbors(&p.id).any(both);
    for p in plan.packages.iter().filter(first) {
        let met = reach(needs, [p.id.as_str()], Direction::Outgoing);
        for (id, span) in own.iter().filter(|(id, _)| met.contains(*id)) {
            let message = format!("{} of {} loads two LLVMs", p.name, plan.distro_name);
            findings.push(
                Finding::note("N0207", *span, message)
                    .label(format!("{id} takes one, and {} comes along, too", amd.name))
                    .hint("where both are shared libraries, their symbols collide"),
            );
        }
    }
}

/// Where a package says that it is linked with another LLVM than AMD's.
fn other_llvm(p: &Planned, amd: &Planned) -> Option<Span> {
    let edge = p.depends.iter().find(|e| {
        let Dependency::External(row) = &e.to else { return false };
        let to = e.edge.spelt.as_ref().map_or(row, |s| &s.value);
        let is_llvm = matches!(e.name.as_str(), "llvm" | "clang");
        is_llvm && e.edge.kind.0.iter().any(|k| comes_along(*k)) && *to != amd.name
    })?;
    Some(p.node.get("depends").and_then(|d| d.get(&edge.name)).map_or(p.node.span, |n| n.span))
}
