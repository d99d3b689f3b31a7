//! What the model may say of a package and a PKGBUILD does not.

use crate::siblings::SETTING;
use rocpkg_model::{Fetch, Finding, Findings};
use rocpkg_resolve::{Column, Gap, Gaps, Plan, Planned, ResolvedSource};

/// Arch's column of the table. No package is another one by what it says that its build needs;
/// makepkg clones repositories as a whole, without their submodules, and what another package
/// fetched is as that one has it.
pub static COLUMN: Column = Column {
    codes: "04",
    settings: &["arch", "companions", "prefix", SETTING],
    habits: &["licence-files", "tests"],
    gaps: &[
        Gap::noted("patches.relative", "expected `inside`"),
        Gap::new("parts", "a PKGBUILD builds a package as a whole"),
        Gap::new("sources.*.asset", "expected `fetch: asset`")
            .of_sources(|_, _, s| s.fetch != Fetch::Asset),
        Gap::noted(
            "sources.*.submodules",
            "expected them as sources, and steps that point git at them",
        )
        .of_sources(is_own),
        Gap::noted("sources.*.post-fetch", "expected steps in `phases.prepare`").of_sources(is_own),
        Gap::new("sources.*.sparse", "makepkg fetches all folders").of_sources(is_own),
    ],
    edge: |_, _, _, _| None,
    chooses: Some(false),
    versions: None,
};

fn is_own(_: &Plan, _: &Planned, source: &ResolvedSource) -> bool {
    source.fetch != Fetch::Inherited
}

/// Looks for what the PKGBUILD of a package leaves out.
pub(crate) fn check(mut gaps: Gaps) {
    gaps.find(&COLUMN);
    let p = gaps.p;
    let runs = p.package.phases.contains_key("check") || p.runs_tests(gaps.plan);
    gaps.tests(
        runs.then_some(&["goal"]),
        p.misses_tests("check", runs),
        "expected steps in `phases.check`",
    );
}

/// What a PKGBUILD can't say: parts of patches, and what must hold between features where nobody
/// chooses.
pub(crate) fn refuse(p: &Planned, findings: &mut Findings) {
    for patch in p.applied().filter(|f| !f.excludes.is_empty()) {
        let finding = Finding::error("E0442", patch.file.span, "a PKGBUILD applies whole patches");
        findings.push(finding.label("expected a patch without `excludes`"));
    }
    p.check_folders(findings);
    p.check_defaults(
        "a PKGBUILD builds each feature as its default says",
        findings,
    );
}
