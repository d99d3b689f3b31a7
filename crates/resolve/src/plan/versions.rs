//! Versions of packages: what a distribution ships, or the release that was asked for. The lines list which there are.

use crate::layer::model::Model;
use crate::layer::package::Pin;
use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::read::release::{Release, holds, read_release};
use crate::read::texts::{with_line, with_version};
use rocpkg_model::{Distro, Finding, Findings, Severity, Span, Spanned};

/// Which versions are planned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// What the distribution ships, pins included.
    #[default]
    Shipped,
    /// One release for every package.
    Release(Release),
}

impl Choice {
    /// What is chosen, where this is shipped.
    pub(crate) fn of<'r>(&'r self, shipped: &'r Release) -> &'r Release {
        match self {
            Self::Shipped => shipped,
            Self::Release(release) => release,
        }
    }

    /// The packages of a distribution, each with its version; none for one whose version can't be read or is not known.
    pub(crate) fn pins<'m>(
        &self,
        model: &Model,
        distro: &'m Distro,
        shipped: &Release,
        findings: &mut Findings,
    ) -> Vec<(&'m String, Option<Pin<'m>>)> {
        let mut pin = |id: &'m str, pin: &Spanned<String>| {
            let follows = pin.value == "default";
            let own = if follows { Some(shipped.clone()) } else { read_release(pin, findings) };
            let (version, place) = match self {
                Self::Shipped => (own.clone()?, Some(if follows { distro.version.span } else { pin.span })),
                // It is not written in a file. A pin that can't be read says nothing of it.
                Self::Release(asked) => (asked.clone(), None),
            };
            let shipped = own.unwrap_or_else(|| shipped.clone());
            is_listed(model, &version, place, findings).then_some(Pin { id, version, shipped })
        };
        distro.packages.iter().map(|(id, written)| (id, pin(id, written))).collect()
    }
}

/// True for a release that its line lists; it is reported otherwise.
fn is_listed(model: &Model, version: &Release, span: Option<Span>, findings: &mut Findings) -> bool {
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

impl Plan {
    /// The version that upstream gives to the first component of a package, at the releases at which the distribution's habit
    /// takes it.
    pub fn own_version(&self, p: &Planned) -> Option<&str> {
        let range = self.distro.habits.as_ref()?.own_versions.as_ref()?;
        let line =
            self.lines.get(&p.version.line()).filter(|_| holds(&range.value, &p.version) == Some(true))?;
        let version = line.versions.iter().find(|(v, _)| v.parse().is_ok_and(|v: Release| v == p.version))?;
        Some(version.1.own.get(p.components.first()?)?.value.as_str())
    }

    /// The number in the tag of a package's release: 7.14 of `therock-7.14`, 6.0.0 of `rocm-6.0.0`; the release itself where its line
    /// is not known.
    pub fn tagged_version(&self, p: &Planned) -> String {
        let line = self.lines.get(&p.version.line());
        let tag = line.map(|line| with_version(&with_line(&line.tag, &p.version), &p.version));
        let number = |tag: String| tag.find(|c: char| c.is_ascii_digit()).map(|at| tag[at..].to_owned());
        tag.and_then(number).unwrap_or_else(|| p.version.to_string())
    }
}
