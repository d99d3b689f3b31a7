//! What the model may say of a package and a package.yml does not.

use crate::depends::{Place, place};
use crate::ir::{Recipe, Step};
use rocpkg_model::{Fetch, Findings, FlagAction, Generator};
use rocpkg_resolve::{LeftOut, Plan, Planned, Unfetched, Unsaid, elements};

/// What has no place, whatever it says. No package is another one without a link
/// to its documentation, or by what it says that its build needs.
const KINDS: &[Unsaid] = &[
    Unsaid { path: "messages", label: "eopkg shows none", noted: true },
    Unsaid { path: "cmake.*.build", label: "ypkg's macros choose the folder", noted: true },
    Unsaid { path: "documentation", label: "a recipe has no link to it", noted: false },
    Unsaid { path: "licence-file", label: "expected a `licence` step in `phases.install`", noted: false },
    Unsaid { path: "resources", label: "ypkg looks at nothing that a build needs", noted: false },
    Unsaid { path: "parts", label: "ypkg builds a package as a whole", noted: false },
    Unsaid { path: "sources.*.unchecked", label: "ypkg fetches nothing without a sum", noted: false },
    Unsaid { path: "patches.url", label: "a patch lies in `files`, and ypkg fetches none", noted: true },
    Unsaid { path: "patches.relative", label: "expected `inside`", noted: true },
    Unsaid { path: "patches.includes", label: "the whole file is applied", noted: true },
    Unsaid { path: "patches.excludes", label: "the whole file is applied", noted: true },
    Unsaid { path: "sources.*.sparse", label: "ypkg checks a repository out as a whole", noted: false },
    Unsaid { path: "sources.*.post-fetch", label: "expected steps in `phases.setup`", noted: true },
];

/// Keys of what is fetched in another way.
const OF_OTHERS: &[Unfetched] = &[
    Unfetched { key: "asset", by: &[Fetch::Asset], label: "expected `fetch: asset`", noted: false },
    Unfetched {
        key: "submodules",
        by: &[Fetch::Git, Fetch::Tree, Fetch::Inherited],
        label: "an archive has none: expected `fetch: git`",
        noted: true,
    },
];

/// Looks for what the recipe of a package leaves out.
pub(crate) fn check(plan: &Plan, p: &Planned, recipe: &Recipe, out: &mut LeftOut, findings: &mut Findings) {
    p.leave_out_all(KINDS, out, findings);
    // `%ninja_check` runs what CMake knows as it is.
    let runs = recipe.steps.iter().any(|(step, _)| *step == Step::Check);
    let missed = p.misses_tests(Step::Check.name(), runs);
    p.leave_out_tests(runs.then_some(&[]), missed, "expected steps in `phases.check`", out, findings);
    p.leave_out_needs(plan, out, findings);
    p.leave_out_targets_of_features(false, out, findings);
    plan.check_versions(p, false, findings);
    p.leave_out_versions(plan, false, "ypkg takes names alone", out, findings);
    p.leave_out_unfetched(OF_OTHERS, out, findings);
    if let (Some(Generator::Make), Some(node)) = (p.package.generator, p.node.get("generator")) {
        p.leave_out("generator: make", node.span, "ypkg's macros for CMake call Ninja", out, findings);
    }
    let edits = p.node.get("flags").into_iter().flat_map(elements);
    let optimised =
        p.package.ypkg.as_ref().is_some_and(|own| own.optimize.iter().any(|o| o.value.ends_with("lto")));
    for (_, node) in p.package.flags.iter().zip(edits).filter(|(e, _)| e.action == FlagAction::NoLto) {
        let span = node.get("action").map_or(node.span, |n| n.span);
        if optimised || p.is_own(span) {
            let label = "ypkg builds without it, unless `ypkg.optimize` asks for it";
            p.leave_out("flags: no-lto", span, label, out, findings);
        }
    }
    // What the distribution never names is no dependency there.
    let named = |name: &str| p.depends.iter().any(|e| e.name == name);
    for (name, edge, node) in p.edges().filter(|(name, ..)| named(name)) {
        if !p.settles(edge.when.as_ref()) {
            continue;
        }
        let what = format!("depends.{name}");
        for (kind, node) in edge.kind.0.iter().zip(node.get("kind").into_iter().flat_map(elements)) {
            if let Place::None(label) = place(*kind, edge, p.is_own(node.span)) {
                p.leave_out(&what, node.span, label, out, findings);
            }
        }
    }
}
