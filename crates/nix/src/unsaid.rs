//! What the model may say of a package and an expression of nixpkgs does not.

use crate::build::{below, is_said, other_compiler};
use crate::lower::Lowered;
use rocpkg_model::{EdgeKind, Fetch, Findings, FlagAction, NixBuilder, Text};
use rocpkg_resolve::{LeftOut, Plan, Planned, Unfetched, Unsaid, elements};

/// What has no place, whatever it says. No package is another one without a link to its documentation, without the licence's text,
/// of which nixpkgs keeps none, or by what it says that its build needs.
const KINDS: &[Unsaid] = &[
    Unsaid { path: "messages", label: "Nix shows none", noted: true },
    Unsaid { path: "tests.device", label: "expected `passthru.impureTests`", noted: false },
    Unsaid { path: "tests.never", label: "nixpkgs runs none", noted: false },
    Unsaid { path: "cmake.*.when", label: "a derivation configures its project always", noted: true },
    Unsaid { path: "sources.*.when", label: "a derivation has its source always", noted: true },
    Unsaid { path: "sources.*.save-as", label: "the store names what it fetches", noted: false },
    Unsaid { path: "sources.*.unchecked", label: "nothing is fetched without a hash", noted: false },
    Unsaid { path: "documentation", label: "nixpkgs has no link to it", noted: false },
    Unsaid { path: "licence-file", label: "expected a `licence` step in `phases.postInstall`", noted: false },
    Unsaid {
        path: "resources.memory",
        label: "nothing in nixpkgs says what memory a build needs",
        noted: false,
    },
    Unsaid {
        path: "resources.memory-per-target",
        label: "nothing in nixpkgs says what memory a build needs",
        noted: false,
    },
    Unsaid {
        path: "resources.memory-for-tests",
        label: "nothing in nixpkgs says what memory a build needs",
        noted: false,
    },
    Unsaid { path: "resources.disk", label: "nothing in nixpkgs says what disk a build needs", noted: false },
];

/// What is read of a package in parts alone; others are built as a whole.
const OF_PARTS: &[Unsaid] = &[
    Unsaid { path: "parts", label: "expected `nix.parts`", noted: false },
    Unsaid {
        path: "resources.memory-per-job",
        label: "expected `nix.parts`, whose builds look at it",
        noted: false,
    },
];

/// Keys of what is fetched in another way. That archives hold all folders is no fault.
const OF_OTHERS: &[Unfetched] = &[
    Unfetched { key: "asset", by: &[Fetch::Asset], label: "expected `fetch: asset`", noted: false },
    Unfetched { key: "submodules", by: CHECKOUT, label: "expected a checkout: `fetch: tree`", noted: true },
    Unfetched { key: "post-fetch", by: CHECKOUT, label: "expected a checkout: `fetch: tree`", noted: true },
    Unfetched { key: "sparse", by: CHECKOUT, label: "expected a checkout: `fetch: tree`", noted: false },
];

/// The ways to fetch a checkout, or to take the source of another package as it is.
const CHECKOUT: &[Fetch] = &[Fetch::Git, Fetch::Tree, Fetch::Inherited];

/// Python's builder calls no CMake.
const OF_CMAKE: &[Unsaid] = &[
    Unsaid { path: "cmake", label: "what Python's builder makes is not configured by CMake", noted: true },
    Unsaid {
        path: "generator",
        label: "what Python's builder makes is not configured by CMake",
        noted: true,
    },
];

/// Looks for what the expression of a package leaves out.
pub(crate) fn check(plan: &Plan, p: &Planned, lowered: &Lowered, out: &mut LeftOut, findings: &mut Findings) {
    p.leave_out_all(KINDS, out, findings);
    if p.package.nix.as_ref().is_none_or(|n| !n.parts) {
        p.leave_out_all(OF_PARTS, out, findings);
    }
    if p.package.nix.as_ref().is_some_and(|n| n.builder == NixBuilder::Python) {
        p.leave_out_all(OF_CMAKE, out, findings);
    } else {
        project(p, out, findings);
    }
    if let (Some(label), Some(node)) = (other_compiler(p), p.node.get("compiler")) {
        p.leave_out("compiler", node.span, label, out, findings);
    }
    let edits = p.node.get("flags").into_iter().flat_map(|all| elements(all));
    let asked = asks_for_lto(p);
    for (edit, node) in p.package.flags.iter().zip(edits).filter(|(edit, _)| !is_said(edit)) {
        let (label, noted) = match edit.action {
            FlagAction::NoLto if asked => ("expected no flag or argument that asks for it", true),
            // So it is as the edit says.
            FlagAction::NoLto => ("nixpkgs builds without it", false),
            _ if edit.phase.is_some() => ("flags hold for the whole build", true),
            FlagAction::Set => ("expected no condition", true),
            _ => ("expected `append` or `prepend`: no flags are there to be changed", true),
        };
        let node = node.get(if edit.phase.is_some() { "phase" } else { "action" }).unwrap_or(node);
        if noted || p.is_own(node.span) {
            p.leave_out("flags", node.span, label, out, findings);
        }
    }
    edges(p, out, findings);
    // Hooks of the package's own run what they run.
    let hooks = ["checkPhase", "installCheckPhase"].iter().any(|hook| p.package.phases.contains_key(*hook));
    let label = "expected steps in `phases.checkPhase`";
    p.leave_out_tests(None, p.may_build_tests() && !hooks, label, out, findings);
    let listed = p.node.get("constraints").into_iter().flat_map(|all| elements(all)).collect::<Vec<_>>();
    for node in lowered.unsaid.iter().filter_map(|i| listed.get(*i)) {
        p.leave_out("constraints", node.span, "expected `nix.meta.broken`", out, findings);
    }
    p.check_defaults("an expression builds each feature as its default says, unless it is asked", findings);
    p.leave_out_targets_of_features(true, out, findings);
    plan.check_versions(p, true, findings);
    p.leave_out_versions(plan, true, "nixpkgs has one version of each", out, findings);
    p.leave_out_unfetched(OF_OTHERS, out, findings);
    for (source, node) in p.sources.iter().zip(p.said("sources.*")) {
        let folded = matches!(source.fetch, Fetch::File) && source.folder.is_none();
        if let Some(path) = node.get("path").filter(|_| folded) {
            p.leave_out(
                "sources.path",
                path.span,
                "expected `folder`, what the file unpacks to",
                out,
                findings,
            );
        }
    }
}

/// The folders and goals of the project.
fn project(p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    for project in p.package.cmake.values() {
        let odd = |text: &Option<Text>| text.as_ref().filter(|t| below(t).is_none()).map(|t| t.span);
        for (what, span) in [("cmake.source", odd(&project.source)), ("cmake.build", odd(&project.build))] {
            if let Some(span) = span {
                p.leave_out(what, span, "expected a folder below `${source}`", out, findings);
            }
        }
        if let [_, further, ..] = project.goals.as_slice() {
            let span = further.0.first().map_or(p.node.span, |goal| goal.span);
            p.leave_out("cmake.goals", span, "a derivation calls the build tool once", out, findings);
        }
    }
}

/// Edges that nothing is made of.
fn edges(p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    // What the distribution never names is no dependency there.
    let named = |name: &str| p.depends.iter().any(|e| e.name == name);
    for (name, edge, node) in p.edges().filter(|(name, ..)| named(name)) {
        let what = format!("depends.{name}");
        for (kind, node) in edge.kind.0.iter().zip(node.get("kind").into_iter().flat_map(|n| elements(n))) {
            let label = match kind {
                EdgeKind::Run | EdgeKind::Post => {
                    "expected `propagated`, or a hook that puts its path into what runs it"
                }
                EdgeKind::Optional if edge.when.is_none() => "expected a condition: an input is there or not",
                EdgeKind::Conflict => "packages of nixpkgs do not meet",
                _ => continue,
            };
            p.leave_out(&what, node.span, label, out, findings);
        }
    }
}

/// True where a flag or an argument turns link-time optimisation on.
fn asks_for_lto(p: &Planned) -> bool {
    let flags = p.package.flags.iter().filter(|e| is_said(e)).flat_map(|e| &e.flags);
    let arguments = p.package.cmake.values().flat_map(|project| project.arguments.keys());
    flags.map(Text::to_string).any(|flag| flag.starts_with("-flto"))
        || arguments.into_iter().any(|name| name.starts_with("CMAKE_INTERPROCEDURAL_OPTIMIZATION"))
}
