//! What edges ask of the version of their ends, where a distribution ships one version of each package.

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned, ResolvedEdge};
use crate::read::release::holds;
use rocpkg_model::{EdgeKind, Finding, Findings};

impl Plan {
    /// Whether the end of an edge has the version that the edge asks for; none where that is not known, as of all that is outside.
    pub(crate) fn meets(&self, p: &Planned, e: &ResolvedEdge) -> Option<bool> {
        let Some(asked) = e.edge.version.as_ref().filter(|v| v.value != "any") else { return Some(true) };
        let Dependency::Package(id) = &e.to else { return None };
        // One with a version of its own may be asked for by that, and another spelling may be another package.
        let to = self.get(id).filter(|to| e.edge.spelt.is_none() && self.own_version(to).is_none())?;
        match asked.value.as_str() {
            "same" => Some(to.version == p.version),
            "slot" => Some(to.version.line() == p.version.line()),
            range => holds(range, &to.version),
        }
    }

    /// Reports edges of a package that ask for a version of another which the distribution does not have. Gentoo may have others
    /// beside it; elsewhere there is one of each. Where nobody `chooses`, an edge of a feature that is off asks for nothing.
    pub fn check_versions(&self, p: &Planned, chooses: bool, findings: &mut Findings) {
        let needed = |e: &&ResolvedEdge| {
            !e.edge.kind.0.contains(&EdgeKind::Conflict) && (chooses || p.settles(e.edge.when.as_ref()))
        };
        for e in p.depends.iter().filter(needed).filter(|e| self.meets(p, e) == Some(false)) {
            let (Some(asked), Dependency::Package(id)) = (&e.edge.version, &e.to) else { continue };
            let has = self.get(id).map_or("", |to| to.version.as_str());
            let message =
                format!("{} asks for another version of {} than {} has", p.name, e.name, self.distro_name);
            findings.push(
                Finding::error("E0247", asked.span, message)
                    .label(format!("it has {has}"))
                    .hint("widen the range, or ship another version under `packages`"),
            );
        }
    }
}
