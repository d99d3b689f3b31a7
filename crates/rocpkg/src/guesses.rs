//! Packages that rest on guesses: told, left out, or refused.

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use rocpkg_model::{Finding, Findings, Severity};
use rocpkg_render::{FileTree, Rendered};
use rocpkg_resolve::Plan;
use std::collections::BTreeSet;

/// What comes of packages that rest on guesses: noted where they are allowed, refused where they were asked for, and left out
/// of a whole stack, by name, unless that can't do without one of its packages. Returns the ids of those left out.
pub(crate) fn guessed(
    backend: Backend,
    plan: &Plan,
    options: &Options,
    wanted: Option<&BTreeSet<String>>,
    findings: &mut Findings,
) -> BTreeSet<String> {
    let all = options.packages.is_empty();
    let mut packages = plan.packages.iter().filter(|p| wanted.is_none_or(|ids| ids.contains(&p.id)));
    let resting: Vec<_> = packages.by_ref().filter(|p| !p.package.guesses.is_empty()).collect();
    // Whoever allows them knows; a review names them.
    if options.allow_guesses && !options.review {
        return BTreeSet::new();
    }
    let Some(first) = resting.first().and_then(|p| p.package.guesses.first()) else { return BTreeSet::new() };
    let facts: Vec<String> = resting
        .iter()
        .map(|p| {
            let about: Vec<&str> = p.package.guesses.iter().map(|g| g.about.value.as_str()).collect();
            format!("{} ({})", p.name, about.join(", "))
        })
        .collect();
    let (span, facts, distro) = (Some(first.about.span), facts.join(", "), backend.distro());
    let label = first.reason.value.clone();
    let refused = !all || backend.needs_all();
    let (code, severity, message) = match (options.allow_guesses, refused) {
        (true, _) => ("N0202", Severity::Note, format!("packages of {distro} that rest on guesses: {facts}")),
        (false, true) => {
            let why = if all { "can't be left out of the scope of" } else { "asked for in" };
            ("E0229", Severity::Error, format!("{why} {distro}, and guessed: {facts}"))
        }
        (false, false) => {
            ("W0202", Severity::Warning, format!("left out of {distro}, as they rest on guesses: {facts}"))
        }
    };
    let mut finding = Finding { severity, ..Finding::warning(code, None, message) };
    // What is left out of a whole stack is said in a line; asked for, it is shown.
    if code != "W0202" {
        finding = Finding { span, ..finding }.label(label);
    }
    if !options.allow_guesses {
        finding = finding.hint("--allow-guesses renders them all the same");
    }
    findings.push(finding);
    if options.allow_guesses || refused {
        return BTreeSet::new();
    }
    resting.iter().map(|p| p.id.clone()).collect()
}

/// What was rendered, without some packages.
pub(crate) fn without(rendered: Rendered, left_out: &BTreeSet<String>) -> Result<Rendered, Error> {
    if left_out.is_empty() {
        return Ok(rendered);
    }
    let mut kept = Rendered { tree: FileTree::default(), ..rendered };
    for (path, bytes) in rendered.tree.iter() {
        if kept.owners.get(path.as_str()).is_none_or(|id| !left_out.contains(id)) {
            kept.tree.insert(path.as_str(), bytes)?;
        }
    }
    kept.companions.retain(|c| !left_out.contains(&c.package));
    kept.unknown_sums.retain(|u| !left_out.contains(&u.package));
    kept.listings.retain(|l| !left_out.contains(&l.package));
    Ok(kept)
}
