//! Places of packages in the profiles, for findings.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use rocpkg_model::{Finding, Findings, Span};
use std::collections::BTreeMap;

impl Planned {
    /// Returns the place where the package's last layer begins.
    pub fn place(&self) -> Span {
        self.node.span.begin()
    }

    /// Returns the place of the package's Nix attribute, or else of its name, or else of its last
    /// layer.
    pub fn name_place(&self) -> Span {
        let attribute = self
            .package
            .nix
            .as_ref()
            .and_then(|nix| Some(nix.attribute.as_ref()?.span));
        attribute
            .or(self.package.name.as_ref().map(|name| name.span))
            .unwrap_or(self.place())
    }
}

impl Plan {
    /// Returns a finding with the text `message` about two packages that write to the same path.
    /// `id` and `other` are the packages, or `None` for a file that belongs to no package. The
    /// place of the finding is the name that the last layer states.
    pub fn clash(
        &self,
        code: &'static str,
        id: Option<&str>,
        other: Option<&str>,
        message: &str,
    ) -> Finding {
        let place = |id: Option<&str>| Some(self.get(id?)?.name_place());
        let finding = at_last(code, [place(id), place(other)], message);
        match (id, other) {
            (Some(id), Some(other)) if id != other => {
                finding.label(format!("used by the packages `{other}` and `{id}`"))
            }
            _ => finding,
        }
    }

    /// Reports names that two packages give to what they build. Each element of `names` is a name,
    /// the id of its package, and the place that states the name. `what` is the middle of the
    /// message: `packages are called` -> two packages are called `hip`. Returns true if no two
    /// packages use the same name.
    pub fn check_names(
        &self,
        code: &'static str,
        what: &str,
        names: impl IntoIterator<Item = (String, String, Span)>,
        findings: &mut Findings,
    ) -> bool {
        let mut seen: BTreeMap<String, (String, Span)> = BTreeMap::new();
        let mut unique = true;
        for (name, id, span) in names {
            match seen.get(&name) {
                Some((other, there)) if *other != id => {
                    let message = format!("two {what} `{name}`");
                    let finding = at_last(code, [Some(span), Some(*there)], &message)
                        .label(format!("used by the packages `{other}` and `{id}`"));
                    for id in [other, &id] {
                        findings.push_of(&self.owner(id), finding.clone());
                    }
                    unique = false;
                }
                Some(_) => {}
                None => drop(seen.insert(name, (id, span))),
            }
        }
        unique
    }
}

/// Returns a finding about two places. Its main place is the one in the last layer.
fn at_last(code: &'static str, places: [Option<Span>; 2], message: &str) -> Finding {
    let span = places.into_iter().flatten().max_by_key(|span| span.file);
    let other = places
        .into_iter()
        .flatten()
        .find(|place| Some(*place) != span);
    Finding::error(code, span, message).other(other)
}
