//! The facts of the model that an expression of nixpkgs can't express.

use crate::lower::{Lowered, is_made_by_python};
use crate::setup_hooks::{below, other_compiler};
use rocpkg_model::{EdgeKind, Fetch, Node};
use rocpkg_resolve::{Column, Gap, Gaps, Plan, Planned, ResolvedSource};

/// nixpkgs' column of the table of unsupported facts. A package is the same without a link to its
/// documentation, without the licence's text, which nixpkgs does not keep, and without the stated
/// needs of its build. So the review does not list these facts. Archives always contain all
/// folders, so `sparse` is not listed either.
pub static COLUMN: Column = Column {
    codes: "05",
    settings: &["companions", "targets-holder", "team"],
    habits: &[],
    gaps: &[
        Gap::noted(
            "flags",
            "expected a variable under `environment`, such as `CXXFLAGS`",
        ),
        Gap::new("tests.device", "expected `passthru.impureTests`"),
        Gap::new("tests.never", "nixpkgs runs none"),
        Gap::noted("cmake.*.build", "a derivation is built in `build`"),
        Gap::noted(
            "cmake.*.goals",
            "expected `buildFlags` or `ninjaFlags` under `nix.attributes`",
        ),
        Gap::noted("cmake.*.when", "a derivation configures its project always"),
        Gap::noted("sources.*.when", "a derivation has its source always"),
        Gap::new("sources.*.save-as", "the store names what it fetches"),
        Gap::new("sources.*.unchecked", "nothing is fetched without a hash"),
        Gap::new("documentation", "nixpkgs has no link to it"),
        Gap::new(
            "licence-file",
            "expected a `licence` step in `phases.postInstall`",
        ),
        Gap::new("parts", "expected `nix.parts`").of(|_, p| !is_in_parts(p)),
        Gap::noted(
            "cmake",
            "what Python's builder makes is not configured by CMake",
        )
        .of(|_, p| is_made_by_python(p)),
        Gap::noted(
            "generator",
            "what Python's builder makes is not configured by CMake",
        )
        .of(|_, p| is_made_by_python(p)),
        Gap::new("sources.*.asset", "expected `fetch: asset`")
            .of_sources(|_, _, s| s.fetch != Fetch::Asset),
        Gap::noted("sources.*.submodules", "expected a checkout: `fetch: tree`")
            .of_sources(is_archive),
        Gap::noted("sources.*.post-fetch", "expected a checkout: `fetch: tree`")
            .of_sources(is_archive),
        Gap::new("sources.*.sparse", "expected a checkout: `fetch: tree`").of_sources(is_archive),
        Gap::noted(
            "sources.*.path",
            "expected `folder`, what the file unpacks to",
        )
        .of_sources(|_, _, s| {
            matches!(s.fetch, Fetch::Archive | Fetch::File) && s.folder.is_none()
        }),
    ],
    edge: |_, edge, kind, _| match kind {
        EdgeKind::Run | EdgeKind::Post => {
            Some("expected `propagated`, or a hook that puts its path into what runs it")
        }
        EdgeKind::Optional if edge.when.is_none() => {
            Some("expected a condition: an input is there or not")
        }
        EdgeKind::Conflict => Some("packages of nixpkgs do not meet"),
        _ => None,
    },
    chooses: Some(true),
    versions: Some("nixpkgs has one version of each"),
};

fn is_archive(_: &Plan, _: &Planned, source: &ResolvedSource) -> bool {
    !matches!(source.fetch, Fetch::Git | Fetch::Tree | Fetch::Inherited)
}

/// Returns true if the package is built in parts. Other packages are built as a whole.
fn is_in_parts(p: &Planned) -> bool {
    p.package.nix.as_ref().is_some_and(|n| n.parts)
}

/// Reports the facts of a package that its expression leaves out.
pub(crate) fn check(mut gaps: Gaps, lowered: &Lowered) {
    gaps.find(&COLUMN);
    let p = gaps.p;
    for source in p
        .package
        .cmake
        .values()
        .filter_map(|project| project.source.as_ref())
    {
        if !is_made_by_python(p) && below(source).is_none() {
            gaps.leave_out(
                "cmake.source",
                source.span,
                "expected a folder below `${source}`",
            );
        }
    }
    if let (Some(label), Some(node)) = (other_compiler(p), p.node.get("compiler")) {
        gaps.leave_out("compiler", node.span, label);
    }
    // If the package has check hooks of its own, they run the tests.
    let hooks = ["checkPhase", "installCheckPhase"]
        .iter()
        .any(|hook| p.package.phases.contains_key(*hook));
    gaps.tests(
        None,
        p.may_build_tests() && !hooks,
        "expected steps in `phases.checkPhase`",
    );
    let listed = p.node.get("constraints").map_or(&[][..], Node::one_or_many);
    for node in lowered.unsaid.iter().filter_map(|i| listed.get(*i)) {
        gaps.leave_out("constraints", node.span, "expected `nix.meta.broken`");
    }
    let label = "an expression builds each feature as its default says, unless it is asked";
    p.check_folders(gaps.findings);
    p.check_defaults(label, gaps.findings);
}
