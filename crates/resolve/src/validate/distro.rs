//! Ranges of releases in a distribution's file, and what its rules ask of packages.

use crate::layer::rules::{KINDS, REPOSITORY};
use crate::read::release::{LIVE, read_range};
use rocpkg_model::{Distro, Finding, Findings};

/// Reports ranges that can't be read, and kinds of packages that there are none of.
pub(crate) fn check(distro: &Distro, findings: &mut Findings) {
    let targets = distro.targets.iter().map(|t| &t.releases).filter(|r| r.value != LIVE);
    let rules = distro.habits.iter().flat_map(|habits| &habits.rules);
    for releases in targets.chain(rules.clone().filter_map(|rule| rule.releases.as_ref())) {
        read_range(&releases.value, releases.span, findings);
    }
    for when in rules.filter_map(|rule| rule.when.as_ref()) {
        let kinds = when.cond.features().into_iter();
        for unknown in kinds.filter(|f| !KINDS.contains(f) && !f.starts_with(REPOSITORY)) {
            findings.push(
                Finding::error("E0216", when.span, format!("no package is `{unknown}`"))
                    .label(format!("expected one of: {}", KINDS.join(", ")))
                    .nearest(unknown, KINDS.iter().copied()),
            );
        }
    }
}
