//! Lists the facts of the model that an expression of nixpkgs can't express, and reports those that
//! a package has.

use crate::lower::setup_hooks::{below, other_compiler};
use crate::lower::{Lowered, is_made_by_python};
use rocpkg_model::{EdgeKind, Fetch, Node};
use rocpkg_resolve::{Capabilities, Plan, Planned, ResolvedSource, Unsupported, UnsupportedFacts};

/// The facts that an expression can't express, as nixpkgs' column of the table of unsupported
/// facts. Some other facts are not listed in a review, because the built package is the same
/// without them: the link to the documentation, the licence's text, which nixpkgs does not keep,
/// and the stated needs of the build, such as memory. `sparse` is not listed for archives, because
/// an archive always contains all folders.
pub static CAPABILITIES: Capabilities = Capabilities {
    codes: "05",
    settings: &["companions", "targets-holder", "team"],
    habits: &[],
    gaps: &[
        Unsupported::noted(
            "flags",
            "expected a variable under `environment`, such as `CXXFLAGS`",
        ),
        Unsupported::new("tests.device", "expected `passthru.impureTests`"),
        Unsupported::new("tests.never", "nixpkgs runs no tests"),
        Unsupported::noted("cmake.*.build", "nixpkgs builds in the folder `build`"),
        Unsupported::noted(
            "cmake.*.goals",
            "expected `buildFlags` or `ninjaFlags` under `nix.attributes`",
        ),
        Unsupported::noted("cmake.*.when", "a derivation always configures its project"),
        Unsupported::noted("sources.*.when", "a derivation always has its source"),
        Unsupported::new(
            "sources.*.save-as",
            "the Nix store names fetched files itself",
        ),
        Unsupported::new(
            "sources.*.unchecked",
            "nixpkgs fetches nothing without a hash",
        ),
        Unsupported::new("documentation", "nixpkgs has no link to the documentation"),
        Unsupported::new(
            "licence-file",
            "expected a `licence` step in `phases.postInstall`",
        ),
        Unsupported::new("parts", "expected `nix.parts`").of(|_, p| !is_in_parts(p)),
        Unsupported::noted("cmake", "Python's builder does not configure with CMake")
            .of(|_, p| is_made_by_python(p)),
        Unsupported::noted(
            "generator",
            "Python's builder does not configure with CMake",
        )
        .of(|_, p| is_made_by_python(p)),
        Unsupported::new("sources.*.asset", "expected `fetch: asset`")
            .of_sources(|_, _, s| s.fetch != Fetch::Asset),
        Unsupported::noted("sources.*.submodules", "expected a checkout: `fetch: tree`")
            .of_sources(is_archive),
        Unsupported::noted("sources.*.post-fetch", "expected a checkout: `fetch: tree`")
            .of_sources(is_archive),
        Unsupported::new("sources.*.sparse", "expected a checkout: `fetch: tree`")
            .of_sources(is_archive),
        Unsupported::noted(
            "sources.*.path",
            "expected `folder`, the folder that the file unpacks to",
        )
        .of_sources(|_, _, s| {
            matches!(s.fetch, Fetch::Archive | Fetch::File) && s.folder.is_none()
        }),
    ],
    edge: |_, edge, kind, _| match kind {
        EdgeKind::Run | EdgeKind::Post => {
            Some("expected `propagated`, or a hook that adds its path to the program that runs it")
        }
        EdgeKind::Optional if edge.when.is_none() => {
            Some("expected a condition, because an input is either present or absent")
        }
        EdgeKind::Conflict => Some("packages of nixpkgs can't conflict"),
        _ => None,
    },
    chooses: Some(true),
    versions: Some("nixpkgs has one version of each package"),
};

fn is_archive(_: &Plan, _: &Planned, source: &ResolvedSource) -> bool {
    !matches!(source.fetch, Fetch::Git | Fetch::Tree | Fetch::Inherited)
}

/// Returns true if the overlay states that the package is built in parts. See `parts.rs`.
fn is_in_parts(p: &Planned) -> bool {
    p.package.nix.as_ref().is_some_and(|n| n.parts)
}

/// Reports the facts of the model that the expression of one package leaves out.
pub(crate) fn check(mut gaps: UnsupportedFacts, lowered: &Lowered) {
    gaps.find(&CAPABILITIES);
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
    let label =
        "an expression builds each feature with its default value, unless a caller changes it";
    p.check_folders(gaps.findings);
    p.check_defaults(label, gaps.findings);
}
