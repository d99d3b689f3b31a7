//! Checks the tables that all packages share, such as `externals.yaml` and `releases/7.2.yaml`:
//! their ranges of releases, and the references `${…}` in their texts.

use crate::read::release::{LIVE, read_range};
use crate::read::texts::references;
use rocpkg_model::{Distro, Findings, Upstream};

/// The references that the texts of `upstream.yaml` may contain.
const REFERENCES: [&str; 5] = ["title", "owner", "repository", "branch", "path"];

/// Reports unknown references in the texts of `upstream.yaml`, and ranges that can't be read.
pub(crate) fn upstream(upstream: &Upstream, findings: &mut Findings) {
    let texts = [
        &upstream.homepage,
        &upstream.folder_homepage,
        &upstream.documentation,
        &upstream.licence_file,
    ];
    for text in texts.into_iter().flatten() {
        references(text, "a component", &REFERENCES, findings);
    }
    for range in upstream
        .repositories
        .values()
        .filter_map(|r| r.assets.as_ref())
    {
        read_range(&range.value, range.span, findings);
    }
}

/// Reports ranges in a distribution's file that can't be read.
pub(crate) fn distro(distro: &Distro, findings: &mut Findings) {
    let targets = distro
        .targets
        .iter()
        .map(|t| &t.releases)
        .filter(|r| r.value != LIVE);
    let rules = distro.habits.iter().flat_map(|habits| &habits.rules);
    let llvm = distro.llvm.iter().map(|row| &row.releases);
    for releases in targets
        .chain(llvm)
        .chain(rules.filter_map(|rule| rule.releases.as_ref()))
    {
        read_range(&releases.value, releases.span, findings);
    }
}
