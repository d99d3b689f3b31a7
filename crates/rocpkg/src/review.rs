//! What a reviewer of a distribution's packages asks.

use crate::backend::Backend;
use crate::openness;
use rocpkg_model::{Finding, Findings, Severity};
use rocpkg_render::Rendered;
use rocpkg_resolve::Plan;
use rocpkg_targets::Registry;

/// Says what they are built without, and what recipes leave out.
pub(crate) fn review(backend: Backend, plan: &Plan, rendered: &Rendered, findings: &mut Findings) {
    openness::review(backend, plan, findings);
    let mut note = |code, message, hint: &str| {
        let note = Finding { severity: Severity::Note, ..Finding::warning(code, None, message) };
        findings.push(note.hint(hint));
    };
    let distro = backend.distro();
    let alone: Vec<&str> =
        plan.added.iter().map(String::as_str).filter(|id| plan.maintainers(id).next().is_none()).collect();
    if !plan.distro.maintainers.is_empty() && !alone.is_empty() {
        let message =
            format!("packages of {distro} that a layer adds, and nobody maintains: {}", alone.join(", "));
        note("N0205", message, "say who does under `maintainers` in the layer's file of the distribution");
    }
    let lacking = plan.taken_back();
    if backend.is_reviewed() && !lacking.is_empty() {
        let each = lacking.iter().map(|(name, packages)| format!("{name} ({})", packages.join(", ")));
        let list = each.collect::<Vec<_>>().join(", ");
        let message = format!("upstream's builds ask for what packages of {distro} do without: {list}");
        note("N0203", message, "where nothing else brings it, a clean machine can't build the package");
    }
    if !rendered.left_out.is_empty() {
        let each = rendered.left_out.iter().map(|(what, packages)| format!("{what} ({})", some(packages)));
        let list = each.collect::<Vec<_>>().join("; ");
        let message = format!("recipes of {distro} leave out what components or habits say: {list}");
        note(
            "N0204",
            message,
            "where it matters, the package's overlay says it in the distribution's own way",
        );
    }
}

/// Says what upstream calls ready, and runs nowhere.
pub(crate) fn contradictions(registry: &Registry, findings: &mut Findings) {
    let (names, file) = (registry.ready_without_machine(), registry.file());
    if let (false, Some(d), Some(s)) = (names.is_empty(), &file.declared, &file.scheduled) {
        let message = format!(
            "declared ready for release and tested, and no machine runs their tests: {}",
            names.join(" ")
        );
        let note = Finding { severity: Severity::Note, ..Finding::warning("N0614", None, message) };
        findings.push(note.hint(format!("the one is said by {}, the other by {}", d.source, s.source)));
    }
}

/// The first packages of a list, and how many more there are.
fn some(packages: &[String]) -> String {
    match packages {
        [a, b, c, _, more @ ..] => format!("{a}, {b}, {c} and {} more", more.len() + 1),
        few => few.join(", "),
    }
}
