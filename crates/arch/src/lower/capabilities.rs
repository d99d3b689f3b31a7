//! The keys of the model that a package may have and a PKGBUILD does not support.

use crate::lower::siblings::SETTING;
use rocpkg_model::{Fetch, Finding, Findings};
use rocpkg_resolve::{Capabilities, Plan, Planned, ResolvedSource, Unsupported, UnsupportedFacts};

/// The keys that the Arch backend does not support, with the replacement for each. makepkg clones
/// whole repositories without their submodules. Sources that another package fetched are used as
/// that package has them.
pub static CAPABILITIES: Capabilities = Capabilities {
    codes: "04",
    settings: &["arch", "companions", "prefix", SETTING],
    habits: &["licence-files", "tests"],
    gaps: &[
        Unsupported::noted("patches.relative", "expected `inside`"),
        Unsupported::new("parts", "a PKGBUILD builds a package as a whole"),
        Unsupported::new("sources.*.asset", "expected `fetch: asset`")
            .of_sources(|_, _, s| s.fetch != Fetch::Asset),
        Unsupported::noted(
            "sources.*.submodules",
            "expected the submodules as sources, and steps that make git use them",
        )
        .of_sources(is_own),
        Unsupported::noted("sources.*.post-fetch", "expected steps in `phases.prepare`")
            .of_sources(is_own),
        Unsupported::new("sources.*.sparse", "makepkg fetches all folders").of_sources(is_own),
    ],
    edge: |_, _, _, _| None,
    chooses: Some(false),
    versions: None,
};

fn is_own(_: &Plan, _: &Planned, source: &ResolvedSource) -> bool {
    source.fetch != Fetch::Inherited
}

/// Collects the keys of a package that its PKGBUILD leaves out.
pub(crate) fn check(mut gaps: UnsupportedFacts) {
    gaps.find(&CAPABILITIES);
    let p = gaps.p;
    let runs = p.package.phases.contains_key("check") || p.runs_tests(gaps.plan);
    gaps.tests(
        runs.then_some(&["goal"]),
        p.misses_tests("check", runs),
        "expected steps in `phases.check`",
    );
}

/// Reports facts that a PKGBUILD can't express: patches of which a part is left out, and
/// constraints between features that the defaults don't fulfil.
pub(crate) fn refuse(p: &Planned, findings: &mut Findings) {
    for patch in p.applied().filter(|f| !f.excludes.is_empty()) {
        let finding = Finding::error("E0442", patch.file.span, "a PKGBUILD applies whole patches");
        findings.push(finding.label("expected a patch without `excludes`"));
    }
    p.check_folders(findings);
    p.check_defaults(
        "a PKGBUILD builds each feature with its default value",
        findings,
    );
}
