//! Checks of rendered PKGBUILDs for mistakes that makepkg accepts. makepkg itself reports invalid
//! versions, architectures and options.

use crate::lower::places::{of_part, of_value};
use crate::value::ir::{Field, Pkgbuild};
use crate::value::srcinfo::Srcinfo;
use rocpkg_model::{EdgeKind, Finding, Findings, Span};
use rocpkg_render::bash::{Seen, Word, visit};
use rocpkg_resolve::{Dependency, Plan, Planned, Saved, check_saved};
use std::collections::BTreeSet;

/// Checks the PKGBUILD `b` of the package `p`, whose `.SRCINFO` is `info`. Every finding points at
/// the value in the profile, else at the package's entry.
pub(crate) fn lint(p: &Planned, b: &Pkgbuild, info: &Srcinfo, findings: &mut Findings) {
    let parts = b.parts.iter().map(|part| &part.overrides);
    for (field, value) in parts.chain([&b.fields]).flatten() {
        let texts = value.iter().filter_map(Word::text);
        for text in texts.filter(|text| text.contains(['\n', '\r'])) {
            let message = format!(
                "`{}` of {} contains a line break",
                text.escape_debug(),
                field.name()
            );
            let finding = Finding::error("E0426", of_value(p, &text), message);
            findings.push(finding.label("a .SRCINFO has one line for each value"));
        }
    }
    // The names of parts are also part of the names of functions.
    for part in b.parts.iter().filter(|part| !is_name(&part.name)) {
        let message = format!(
            "`{}` can't be the name of a package",
            part.name.escape_debug()
        );
        let label = "expected letters, digits and `@._+-`, not starting with `-` or `.`";
        findings.push(Finding::error("E0425", of_part(p, &part.name), message).label(label));
    }
    // The entries of sources and patches are first, in this order.
    let places = p
        .fetched()
        .map(|s| s.span)
        .chain(p.applied().map(|f| f.file.span));
    let sources = info
        .fields
        .iter()
        .filter(|(name, _)| name == Field::Source.name());
    let sources = sources.map(|(_, value)| value.clone());
    let own = p
        .node
        .get("pkgbuild")
        .map_or_else(|| p.place(), |own| own.span);
    let places = places.chain(std::iter::repeat(own));
    let saved: Vec<Saved> = sources.zip(places).map(saved).collect();
    check_saved(&saved, findings);
}

/// The name of the program cmake, and of the package that contains it.
const CMAKE: &str = "cmake";

/// Reports PKGBUILDs that call cmake but do not depend on it. All of them are in one finding, as
/// usually a single rule of the profile adds the dependency.
pub(crate) fn cmake<'p>(
    plan: &'p Plan,
    made: impl Iterator<Item = (&'p Planned, &'p Pkgbuild)>,
    findings: &mut Findings,
) {
    let lacks = |(p, b): &(&'p Planned, &Pkgbuild)| {
        let listed = [Field::Depends, Field::Makedepends]
            .into_iter()
            .filter_map(|field| b.fields.get(&field));
        let mut listed = listed.flatten().filter_map(Word::text);
        calls_cmake(b)
            && listed.all(|name| name != CMAKE)
            && !brings_cmake(plan, p, &mut BTreeSet::new())
    };
    let lacking: Vec<&Planned> = made.filter(lacks).map(|(p, _)| p).collect();
    let Some(first) = lacking.first() else { return };
    let more = if lacking.len() > 1 {
        format!(" and those of {} more", lacking.len() - 1)
    } else {
        String::new()
    };
    let verb = if lacking.len() > 1 { "call" } else { "calls" };
    let message = format!(
        "the PKGBUILD of {}{more} {verb} cmake, but no dependency provides it",
        first.name
    );
    let finding = Finding::warning("W0403", Some(first.node.span.begin()), message);
    findings.push(
        finding
            .label("expected `cmake` among the build dependencies")
            .hint("add `depends: {cmake: {kind: tool}}` to the component, or to the distribution's rules"),
    );
}

fn calls_cmake(b: &Pkgbuild) -> bool {
    let mut calls = false;
    for (_, body) in &b.functions {
        visit(body, &mut |seen| {
            let Seen::Command(words) = seen else { return };
            calls |= words.first().and_then(|word| word.as_literal()) == Some(CMAKE);
        });
    }
    calls
}

/// Returns true if the package `p` depends on cmake, or on a package that needs cmake at run time.
/// `seen` are the ids of the packages that were examined.
fn brings_cmake<'p>(plan: &'p Plan, p: &'p Planned, seen: &mut BTreeSet<&'p str>) -> bool {
    let first = seen.is_empty();
    seen.insert(&p.id)
        && p.depends.iter().any(|e| {
            let along = |kind: &EdgeKind| {
                matches!(kind, EdgeKind::Link | EdgeKind::Run | EdgeKind::Propagated)
            };
            let counts = e
                .edge
                .kind
                .0
                .iter()
                .any(|kind| if first { kind.is_needed() } else { along(kind) });
            counts
                && match &e.to {
                    Dependency::Package(id) => {
                        plan.get(id).is_some_and(|to| brings_cmake(plan, to, seen))
                    }
                    Dependency::External(_) => e.name == CMAKE,
                }
        })
}

/// Returns the file or folder that makepkg creates for an entry of `source` (`util/source.sh`).
fn saved((entry, span): (String, Span)) -> Saved {
    let (name, address) = match entry.split_once("::") {
        Some((name, address)) => (name.to_owned(), address.to_owned()),
        None => (
            entry.rsplit('/').next().unwrap_or_default().to_owned(),
            entry.clone(),
        ),
    };
    Saved {
        name,
        address,
        span,
    }
}

/// Returns true if makepkg accepts `name` as the name of a package (`lint_pkgbuild/util.sh`).
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['-', '.'])
        && name
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || b"@._+-".contains(&c))
}
