//! Where the profiles speak of a line that was rendered.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use rocpkg_model::{Finding, Findings, Node, Severity, Span, Value};
use std::collections::BTreeMap;

/// A shorter text is in too many lines to say where one comes from.
const SHORTEST: usize = 4;

impl Planned {
    /// The place of a rendered file's fault: of the value that its line was made of, as far as that can be told, else of the
    /// package's last layer. Faults name their line as `line 12`.
    pub fn place_of(&self, fault: &str, rendered: &str) -> Span {
        let number = fault.split("line ").skip(1).find_map(|rest| {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<usize>().ok()
        });
        let line = number.and_then(|n| rendered.lines().nth(n.checked_sub(1)?)).map(str::trim);
        let found = line.filter(|l| l.len() >= SHORTEST).and_then(|l| longest(&self.node, l));
        // What is a small part of the line may stand in many.
        let found = found.filter(|(shared, _)| line.is_some_and(|l| 2 * shared >= l.len()));
        found.map_or(self.place(), |(_, span)| span)
    }

    /// Where its last layer begins.
    pub fn place(&self) -> Span {
        self.node.span.begin()
    }

    /// Where it gets its name or attribute, or its last layer when neither is stated.
    pub fn name_place(&self) -> Span {
        let attribute = self.package.nix.as_ref().and_then(|nix| Some(nix.attribute.as_ref()?.span));
        attribute.or(self.package.name.as_ref().map(|name| name.span)).unwrap_or(self.place())
    }
}

impl Plan {
    /// A fault of one package that meets another at one path: at the name of the one that was written last.
    pub fn clash(&self, code: &'static str, id: Option<&str>, other: Option<&str>, message: &str) -> Finding {
        let place = |id: Option<&str>| Some(self.get(id?)?.name_place());
        let finding = at_last(code, [place(id), place(other)], message);
        match (id, other) {
            (Some(id), Some(other)) if id != other => {
                finding.label(format!("the packages `{other}` and `{id}` meet there"))
            }
            _ => finding,
        }
    }

    /// Reports names that two packages give to what they make; each name stands with the package and the place that gives it. `what`
    /// says what is so called. True where each has its own.
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
                    let finding = at_last(code, [Some(span), Some(*there)], &message);
                    findings.push(finding.label(format!("the packages `{other}` and `{id}` meet there")));
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
    let other = places.into_iter().flatten().find(|place| Some(*place) != span);
    Finding { severity: Severity::Error, ..Finding::warning(code, span, message) }.other(other)
}

/// The value that shares most with a line: it holds the line, or stands in it.
fn longest(node: &Node, line: &str) -> Option<(usize, Span)> {
    match &node.value {
        Value::Scalar { text, .. } => {
            let own = text.trim();
            if own.len() >= SHORTEST && line.contains(own) {
                return Some((own.len(), node.span));
            }
            // A dollar of the text is written as two.
            let mut lines = text.split('\n').scan(0, |at, l| {
                let start = *at;
                *at += l.len() + 1;
                Some((start, l))
            });
            let (start, found) = lines.find(|(_, l)| l.trim().replace("$$", "$") == line)?;
            let indent = found.len() - found.trim_start().len();
            Some((line.len(), node.span.inside(text, start + indent, start + found.len())))
        }
        Value::Seq(items) => items.iter().filter_map(|n| longest(n, line)).max_by_key(|(shared, _)| *shared),
        Value::Map(entries) => {
            entries.iter().filter_map(|(_, n)| longest(n, line)).max_by_key(|(shared, _)| *shared)
        }
        Value::Null => None,
    }
}
