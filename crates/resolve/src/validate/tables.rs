//! Checks the tables that all packages share, such as `externals.yaml` and `releases/7.2.yaml`:
//! their ranges of releases, and the references `${…}` in their texts.

use crate::read::release::{LIVE, read_range};
use crate::read::texts::references;
use rocpkg_model::{Distro, Finding, Findings, Spanned, Upstream};

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

/// Reports texts that are no major versions of LLVM.
pub(crate) fn llvm<'a>(majors: impl Iterator<Item = &'a Spanned<String>>, findings: &mut Findings) {
    for major in majors.filter(|major| major.value.parse::<u64>().is_err()) {
        let message = format!("`{}` is not a version of LLVM", major.value);
        let finding = Finding::error("E0215", major.span, message);
        findings.push(finding.label("expected a major version such as \"24\""));
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
