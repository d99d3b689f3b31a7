//! Which releases exist: the lines list them, and nothing else is planned.

use crate::read::load::Model;
use crate::read::release::{LIVE, Release, read_range};
use rocpkg_model::{Distro, Finding, Findings, Severity, Span};

/// Reports rows of a distribution's file whose releases are no range.
pub(crate) fn check_rows(distro: &Distro, findings: &mut Findings) {
    let targets = distro.targets.iter().map(|t| &t.releases).filter(|r| r.value != LIVE);
    for releases in targets {
        read_range(&releases.value, releases.span, findings);
    }
}

/// True for a release that its line lists; it is reported otherwise.
pub(crate) fn is_known(
    model: &Model,
    version: &Release,
    span: Option<Span>,
    findings: &mut Findings,
) -> bool {
    let line = version.line();
    if model.lines.get(&line).is_some_and(|l| l.versions.contains_key(version.as_str())) {
        return true;
    }
    // A file that can't be read was reported, and says nothing of its versions.
    if model.broken.contains(&format!("releases/{line}.yaml")) {
        return false;
    }
    let finding =
        |code, message| Finding { span, severity: Severity::Error, ..Finding::warning(code, None, message) };
    findings.push(if let Some(known) = model.lines.get(&line) {
        let versions: Vec<&str> = known.versions.keys().map(String::as_str).collect();
        let finding =
            finding("E0209", format!("no release {version} is known")).label(if versions.is_empty() {
                format!("no release of {line} is listed")
            } else {
                format!("the releases of {line} are {}", versions.join(", "))
            });
        match versions.iter().find(|v| v.parse::<Release>().is_ok_and(|v| v == *version)) {
            Some(same) => finding.hint(format!("write it as upstream does: {same}")),
            None => finding.hint(format!("add it to `versions` of releases/{line}.yaml")),
        }
    } else {
        let lines: Vec<&str> = model.lines.keys().map(String::as_str).collect();
        finding("E0204", format!("no release line is known for {version}"))
            .label(format!("expected a version of {}", lines.join(", ")))
            .hint("add releases/LINE.yaml")
    });
    false
}
