//! Where a package stands in the profiles, for findings about what becomes of it.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use rocpkg_model::{Finding, Findings, Span};
use std::collections::BTreeMap;

impl Planned {
    /// Where its last layer begins.
    pub fn place(&self) -> Span {
        self.node.span.begin()
    }

    /// Where it gets its name or attribute, or its last layer when neither is stated.
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
    /// A fault of one package that meets another at one path: at the name of the one that was
    /// written last.
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

    /// Reports names that two packages give to what they make; each name stands with the package
    /// and the place that gives it. `what` says what is so called. True where each has its own.
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

/// A fault of two places, shown at the one that was written last.
fn at_last(code: &'static str, places: [Option<Span>; 2], message: &str) -> Finding {
    let span = places.into_iter().flatten().max_by_key(|span| span.file);
    let other = places
        .into_iter()
        .flatten()
        .find(|place| Some(*place) != span);
    Finding::error(code, span, message).other(other)
}
