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

    /// Returns the place of the package's attribute or name, or of its last layer if neither is
    /// stated.
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
    /// Returns a finding about two packages that use the same path. It is placed at the name that
    /// was written last.
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
                finding.label(format!("the packages `{other}` and `{id}` meet there"))
            }
            _ => finding,
        }
    }

    /// Reports names that two packages give to their results. Each name comes with its package and
    /// with the place that states it. `what` is the noun for the named things in messages. Returns
    /// true if no name is used twice.
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
                        .label(format!("the packages `{other}` and `{id}` meet there"));
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

/// Returns a finding about two places. It is placed at the one that was written last.
fn at_last(code: &'static str, places: [Option<Span>; 2], message: &str) -> Finding {
    let span = places.into_iter().flatten().max_by_key(|span| span.file);
    let other = places
        .into_iter()
        .flatten()
        .find(|place| Some(*place) != span);
    Finding::error(code, span, message).other(other)
}
