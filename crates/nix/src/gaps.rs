//! What the model may say of a package and an expression of nixpkgs does not.

use crate::lower::Lowered;
use crate::setup_hooks::{below, is_said, other_compiler};
use rocpkg_model::{EdgeKind, Fetch, FlagAction, NixBuilder, Text};
use rocpkg_resolve::{Column, Gap, Gaps, Plan, Planned, ResolvedSource, elements};

/// The column of nixpkgs. No package is another one without a link to its documentation, without the licence's text, of which nixpkgs
/// keeps none, or by what it says that its build needs; that archives hold all folders is no fault.
pub static COLUMN: Column = Column {
    codes: "05",
    settings: &["companions", "targets-holder", "team"],
    habits: &[],
    gaps: &[
        Gap::new("tests.device", "expected `passthru.impureTests`"),
        Gap::new("tests.never", "nixpkgs runs none"),
        Gap::noted("cmake.*.when", "a derivation configures its project always"),
        Gap::noted("sources.*.when", "a derivation has its source always"),
        Gap::new("sources.*.save-as", "the store names what it fetches"),
        Gap::new("sources.*.unchecked", "nothing is fetched without a hash"),
        Gap::new("documentation", "nixpkgs has no link to it"),
        Gap::new("licence-file", "expected a `licence` step in `phases.postInstall`"),
        Gap::new("parts", "expected `nix.parts`").of(|_, p| !is_in_parts(p)),
        Gap::noted("cmake", "what Python's builder makes is not configured by CMake").of(is_python),
        Gap::noted("generator", "what Python's builder makes is not configured by CMake").of(is_python),
        Gap::new("sources.*.asset", "expected `fetch: asset`").of_sources(|_, _, s| s.fetch != Fetch::Asset),
        Gap::noted("sources.*.submodules", "expected a checkout: `fetch: tree`").of_sources(is_archive),
        Gap::noted("sources.*.post-fetch", "expected a checkout: `fetch: tree`").of_sources(is_archive),
        Gap::new("sources.*.sparse", "expected a checkout: `fetch: tree`").of_sources(is_archive),
        Gap::noted("sources.*.path", "expected `folder`, what the file unpacks to")
            .of_sources(|_, _, s| s.fetch == Fetch::File && s.folder.is_none()),
    ],
    edge: |_, edge, kind, _| match kind {
        EdgeKind::Run | EdgeKind::Post => {
            Some("expected `propagated`, or a hook that puts its path into what runs it")
        }
        EdgeKind::Optional if edge.when.is_none() => Some("expected a condition: an input is there or not"),
        EdgeKind::Conflict => Some("packages of nixpkgs do not meet"),
        _ => None,
    },
    chooses: Some(true),
    versions: Some("nixpkgs has one version of each"),
};

fn is_archive(_: &Plan, _: &Planned, source: &ResolvedSource) -> bool {
    !matches!(source.fetch, Fetch::Git | Fetch::Tree | Fetch::Inherited)
}

/// What is read of a package in parts alone; others are built as a whole.
fn is_in_parts(p: &Planned) -> bool {
    p.package.nix.as_ref().is_some_and(|n| n.parts)
}

/// Python's builder calls no CMake.
fn is_python(_: &Plan, p: &Planned) -> bool {
    p.package.nix.as_ref().is_some_and(|n| n.builder == NixBuilder::Python)
}

/// Looks for what the expression of a package leaves out.
pub(crate) fn check(mut gaps: Gaps, lowered: &Lowered) {
    gaps.find(&COLUMN);
    let p = gaps.p;
    if !is_python(gaps.plan, p) {
        project(&mut gaps);
    }
    if let (Some(label), Some(node)) = (other_compiler(p), p.node.get("compiler")) {
        gaps.leave_out("compiler", node.span, label);
    }
    let edits = p.node.get("flags").into_iter().flat_map(|all| elements(all));
    let asked = asks_for_lto(p);
    for (edit, node) in p.package.flags.iter().zip(edits).filter(|(edit, _)| !is_said(edit)) {
        let (label, noted) = match edit.action {
            FlagAction::NoLto if asked => ("expected no flag or argument that asks for it", true),
            // So it is as the edit says.
            FlagAction::NoLto => ("nixpkgs builds without it", false),
            _ if edit.phase.is_some() => ("flags hold for the whole build", true),
            _ => ("expected `append`: no flags are there to be changed", true),
        };
        let node = node.get(if edit.phase.is_some() { "phase" } else { "action" }).unwrap_or(node);
        if noted || p.is_own(node.span) {
            gaps.leave_out("flags", node.span, label);
        }
    }
    // Hooks of the package's own run what they run.
    let hooks = ["checkPhase", "installCheckPhase"].iter().any(|hook| p.package.phases.contains_key(*hook));
    gaps.tests(None, p.may_build_tests() && !hooks, "expected steps in `phases.checkPhase`");
    let listed = p.node.get("constraints").into_iter().flat_map(|all| elements(all)).collect::<Vec<_>>();
    for node in lowered.unsaid.iter().filter_map(|i| listed.get(*i)) {
        gaps.leave_out("constraints", node.span, "expected `nix.meta.broken`");
    }
    let label = "an expression builds each feature as its default says, unless it is asked";
    p.check_defaults(label, gaps.findings);
}

/// The folders and goals of the project.
fn project(gaps: &mut Gaps) {
    let p = gaps.p;
    for project in p.package.cmake.values() {
        let odd = |text: &Option<Text>| text.as_ref().filter(|t| below(t).is_none()).map(|t| t.span);
        for (what, span) in [("cmake.source", odd(&project.source)), ("cmake.build", odd(&project.build))] {
            if let Some(span) = span {
                gaps.leave_out(what, span, "expected a folder below `${source}`");
            }
        }
        if let [_, further, ..] = project.goals.as_slice() {
            let span = further.0.first().map_or(p.node.span, |goal| goal.span);
            gaps.leave_out("cmake.goals", span, "a derivation calls the build tool once");
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
