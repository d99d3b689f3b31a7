//! Notes for a reviewer of a distribution's packages.

use crate::backend::Backend;
use crate::needs::{graph, needs, reach};
use petgraph::Direction;
use rocpkg_model::{EdgeKind, Finding, Findings, Severity, Span};
use rocpkg_render::Rendered;
use rocpkg_resolve::{Dependency, Plan, Planned};
use rocpkg_targets::Registry;
use std::collections::BTreeMap;

/// Adds notes about a distribution to `findings`: dependencies of upstream's builds that packages
/// are built without, packages of a layer that nobody maintains, facts that the rendered recipes
/// leave out, and packages that load two LLVMs.
pub(crate) fn review(backend: Backend, plan: &Plan, rendered: &Rendered, findings: &mut Findings) {
    for (_, note) in two_llvms(backend, plan) {
        findings.push(note);
    }
    let mut note = |code, message, hint: &str| {
        let note = Finding {
            severity: Severity::Note,
            ..Finding::warning(code, None, message)
        };
        findings.push(note.hint(hint));
    };
    let distro = backend.distro();
    let alone: Vec<&str> = plan
        .added
        .iter()
        .map(String::as_str)
        .filter(|id| plan.maintainers(id).next().is_none())
        .collect();
    if !plan.distro.maintainers.is_empty() && !alone.is_empty() {
        let message = format!(
            "packages of {distro} that a layer adds without a maintainer: {}",
            alone.join(", ")
        );
        note(
            "N0205",
            message,
            "name one under `maintainers` in the layer's file of the distribution",
        );
    }
    let lacking = plan.taken_back();
    if backend.is_reviewed() && !lacking.is_empty() {
        let each = lacking
            .iter()
            .map(|(name, packages)| format!("{name} ({})", packages.join(", ")));
        let list = each.collect::<Vec<_>>().join(", ");
        let message =
            format!("packages of {distro} leave out dependencies of upstream's builds: {list}");
        note(
            "N0203",
            message,
            "if no other dependency provides them, a clean machine can't build the packages",
        );
    }
    if !rendered.left_out.is_empty() {
        let each = rendered
            .left_out
            .iter()
            .map(|(what, packages)| format!("{what} ({})", some(packages)));
        let list = each.collect::<Vec<_>>().join("; ");
        let message =
            format!("recipes of {distro} leave out facts of components or habits: {list}");
        note(
            "N0204",
            message,
            "if a fact matters, state it in the package's overlay in the distribution's own way",
        );
    }
}

/// Adds a note about GPU targets that upstream declares ready for release and tested, but for which
/// no machine of upstream runs tests.
pub(crate) fn contradictions(registry: &Registry, findings: &mut Findings) {
    let (names, file) = (registry.ready_without_machine(), registry.file());
    if let (false, Some(d), Some(s)) = (names.is_empty(), &file.declared, &file.scheduled) {
        let message = format!(
            "GPU targets declared ready for release and tested, but no machine runs their tests: {}",
            names.join(" ")
        );
        let note = Finding {
            severity: Severity::Note,
            ..Finding::warning("N0614", None, message)
        };
        findings.push(note.hint(format!(
            "declared in {}; machines listed in {}",
            d.source, s.source
        )));
    }
}

/// Returns a list of packages as text. Of more than three, only three are named: `a, b, c and 2
/// more`.
fn some(packages: &[String]) -> String {
    match packages {
        [a, b, c, _, more @ ..] => format!("{a}, {b}, {c} and {} more", more.len() + 1),
        few => few.join(", "),
    }
}

/// Returns true if a dependency of this kind is needed when the package is run.
fn comes_along(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Link | EdgeKind::Run | EdgeKind::Propagated)
}

/// Returns a note about each package that loads two LLVMs into one process, with the package's id.
/// LLVM's libraries have no version in their symbols, so a process that loads two of them runs a
/// mixture, as Blender did.
pub(crate) fn two_llvms(backend: Backend, plan: &Plan) -> Vec<(String, Finding)> {
    let mut out = Vec::new();
    let (mut needs, broken) = needs(backend, plan);
    needs.extend(broken);
    let needs = graph(
        needs
            .iter()
            .filter(|n| n.kinds.iter().any(|k| comes_along(*k))),
    );
    let Some(llvm) = &plan.llvm else { return out };
    let is_amd = |p: &Planned| p.components.contains(llvm);
    let Some(amd) = plan.packages.iter().find(|p| is_amd(p)) else {
        return out;
    };
    let own: BTreeMap<&str, Span> = plan
        .packages
        .iter()
        .filter_map(|p| Some((p.id.as_str(), other_llvm(p, amd)?)))
        .collect();
    let with_amd = reach(&needs, [amd.id.as_str()], Direction::Incoming);
    let with_own = reach(&needs, own.keys().copied(), Direction::Incoming);
    let both = |id: &str| with_amd.contains(id) && with_own.contains(id);
    // Report only the packages that bring the two LLVMs together, and not the packages that depend
    // on these.
    let first = |p: &&Planned| both(&p.id) && !needs.neighbors(&p.id).any(both);
    for p in plan.packages.iter().filter(first) {
        let met = reach(&needs, [p.id.as_str()], Direction::Outgoing);
        for (id, span) in own.iter().filter(|(id, _)| met.contains(*id)) {
            let message = format!("{} of {} loads two LLVMs", p.name, plan.distro_name);
            let note = Finding::note("N0207", *span, message)
                .label(format!(
                    "`{id}` needs this one, and {} is loaded, too",
                    amd.name
                ))
                .hint("if both are shared libraries, their symbols collide");
            out.push((p.id.clone(), note));
        }
    }
    out
}

/// Returns the position at which the package `p` states a dependency on another LLVM than AMD's
/// (`amd`) that it loads when it is run. None if it has no such dependency.
fn other_llvm(p: &Planned, amd: &Planned) -> Option<Span> {
    let edge = p.depends.iter().find(|e| {
        let Dependency::External(row) = &e.to else {
            return false;
        };
        let to = e.edge.exact_name.as_ref().map_or(row, |s| &s.value);
        let is_llvm = matches!(e.name.as_str(), "llvm" | "clang");
        is_llvm && e.edge.kind.0.iter().any(|k| comes_along(*k)) && *to != amd.name
    })?;
    Some(
        p.node
            .get("depends")
            .and_then(|d| d.get(&edge.name))
            .map_or(p.node.span, |n| n.span),
    )
}
