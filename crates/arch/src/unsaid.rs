//! What the model may say of a package and a PKGBUILD does not.

use crate::functions::runs_tests;
use crate::vocabulary::Context;
use rocpkg_model::{Fetch, Finding, Findings};
use rocpkg_resolve::{LeftOut, Plan, Planned, Unfetched, Unsaid};

/// What has no place, whatever it says. No package is another one by what it says that its build needs.
const KINDS: &[Unsaid] = &[
    Unsaid { path: "patches.relative", label: "expected `inside`", noted: true },
    Unsaid { path: "parts", label: "a PKGBUILD builds a package as a whole", noted: false },
    Unsaid { path: "resources", label: "makepkg looks at nothing that a build needs", noted: false },
];

/// Keys of sources that makepkg does nothing for. It clones repositories as a whole, without their submodules.
const OF_OTHERS: &[Unfetched] = &[
    Unfetched { key: "asset", by: &[Fetch::Asset], label: "expected `fetch: asset`", noted: false },
    Unfetched {
        key: "submodules",
        by: OTHERS,
        label: "expected them as sources, and `submodule` steps",
        noted: true,
    },
    Unfetched { key: "post-fetch", by: OTHERS, label: "expected steps in `phases.prepare`", noted: true },
    Unfetched { key: "sparse", by: OTHERS, label: "makepkg fetches all folders", noted: false },
];

/// What another package fetched is as that one has it.
const OTHERS: &[Fetch] = &[Fetch::Inherited];

/// Looks for what the PKGBUILD of a package leaves out.
pub(crate) fn check(plan: &Plan, p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    p.leave_out_all(KINDS, out, findings);
    p.leave_out_unfetched(OF_OTHERS, out, findings);
    p.leave_out_needs(plan, out, findings);
    p.leave_out_targets_of_features(false, out, findings);
    plan.check_versions(p, false, findings);
    let runs = p.package.phases.contains_key("check") || runs_tests(&Context::new(plan, p));
    let label = "expected steps in `phases.check`";
    p.leave_out_tests(runs.then_some(&["goal"]), p.misses_tests("check", runs), label, out, findings);
}

/// What a PKGBUILD can't say: messages, and what must hold between features where nobody chooses.
pub(crate) fn refuse(p: &Planned, findings: &mut Findings) {
    for message in p.package.messages.iter().filter(|m| p.settles(m.when.as_ref())) {
        let finding = Finding::error("E0443", message.phase.span, "a PKGBUILD shows no messages")
            .label("nothing prints it")
            .hint("print it in a script under `pkgbuild.install`, and take it out with `messages: ~`");
        findings.push(finding);
    }
    for patch in p.applied().filter(|f| !f.includes.is_empty() || !f.excludes.is_empty()) {
        let finding = Finding::error("E0442", patch.file.span, "a PKGBUILD applies whole patches");
        findings.push(finding.label("expected a patch without `includes` and `excludes`"));
    }
    p.check_defaults("a PKGBUILD builds each feature as its default says", findings);
}
