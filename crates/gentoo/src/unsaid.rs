//! What the model may say of a package and an ebuild does not.

use crate::context::rocm_mode;
use crate::optional::asks_to_tell;
use rocpkg_model::{Compiler, EdgeKind, Fetch, Findings, RocmMode};
use rocpkg_resolve::{LeftOut, Plan, Planned, Unfetched, Unsaid, elements};

/// What has no place, whatever it says. Gentoo keeps the texts of licences itself.
const KINDS: &[Unsaid] = &[
    Unsaid { path: "patches.relative", label: "expected paths below the source's folder", noted: true },
    Unsaid { path: "licence-file", label: "Gentoo keeps the texts of licences itself", noted: false },
    Unsaid { path: "parts", label: "an ebuild builds a package as a whole", noted: false },
    Unsaid { path: "sources.*.unchecked", label: "a Manifest names every archive", noted: false },
];

/// What archives don't have; an ebuild fetches nothing else. That they hold all folders is no fault.
const OF_CHECKOUTS: &[Unfetched] = &[
    Unfetched { key: "submodules", by: CHECKOUT, label: "an archive has none", noted: true },
    Unfetched { key: "post-fetch", by: CHECKOUT, label: "expected steps in `phases.unpack`", noted: true },
    Unfetched { key: "sparse", by: CHECKOUT, label: "an archive holds all folders", noted: false },
];

/// What is no archive is refused elsewhere.
const CHECKOUT: &[Fetch] = &[Fetch::Git, Fetch::Tree, Fetch::Inherited];

/// Looks for what the ebuild of a package leaves out.
pub(crate) fn check(plan: &Plan, p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    p.leave_out_all(KINDS, out, findings);
    // The branch of a live ebuild is checked out with submodules.
    let live = crate::live::has_live(plan, &p.id);
    let kinds: Vec<Unfetched> =
        OF_CHECKOUTS.iter().copied().filter(|kind| !(live && kind.key == "submodules")).collect();
    p.leave_out_unfetched(&kinds, out, findings);
    if let (Some(compiler @ (Compiler::Amdclang | Compiler::Hipcc)), true, Some(node)) =
        (p.package.compiler, rocm_mode(p) == RocmMode::None, p.node.get("compiler"))
        && (compiler == Compiler::Hipcc || crate::llvm::slots(plan, p).is_empty())
        && p.is_own(node.span)
    {
        let label = "rocm.eclass switches to it, for packages with GPU targets alone";
        p.leave_out(&format!("compiler: {}", compiler.word()), node.span, label, out, findings);
    }
    // What the distribution never names is no dependency there.
    let named = |name: &str| p.depends.iter().any(|e| e.name == name);
    for (name, edge, node) in p.edges().filter(|(name, edge, _)| named(name) && !asks_to_tell(edge)) {
        let kinds = node.get("kind").into_iter().flat_map(elements);
        for (_, node) in edge.kind.0.iter().zip(kinds).filter(|(kind, _)| **kind == EdgeKind::Optional) {
            p.leave_out(
                &format!("depends.{name}"),
                node.span,
                "expected `reason`, which optfeature tells",
                out,
                findings,
            );
        }
    }
}
