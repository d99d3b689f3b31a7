//! Tables that all packages share: ranges of releases, what texts name.

use crate::read::release::{LIVE, read_range};
use crate::read::texts::references;
use rocpkg_model::{Distro, Findings, Upstream};

/// What the texts of `upstream.yaml` may name.
const REFERENCES: [&str; 5] = ["title", "owner", "repository", "branch", "path"];

/// Reports what stands for nothing in the texts of `upstream.yaml`.
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

/// Reports ranges that can't be read.
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
