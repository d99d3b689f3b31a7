//! Checks for faults that ypkg does not report. ypkg itself checks the words of its schema, names
//! and versions.

use crate::ir::Recipe;
use rocpkg_model::{Finding, Findings, Node, misspelt};
use rocpkg_resolve::{Plan, Planned, Saved, check_saved};

/// Checks the fields of a recipe.
pub(crate) fn lint(plan: &Plan, p: &Planned, r: &Recipe, findings: &mut Findings) {
    let patterns = p
        .node
        .get("ypkg")
        .and_then(|own| own.get("patterns"))
        .map(Node::entries);
    for (package, words) in &r.patterns {
        let key = patterns
            .unwrap_or_default()
            .iter()
            .find(|(key, _)| key.name == *package);
        let span = key.map_or(p.node.span, |(key, _)| key.span);
        // ypkg matches whole paths.
        let odd = |w: &&String| !w.starts_with('/') || w.contains(char::is_whitespace);
        for w in words.iter().filter(odd) {
            let finding =
                Finding::error("E0705", span, format!("`{w}` matches no file of a package"));
            findings.push(finding.label("expected a pattern that begins with `/`"));
        }
    }
    check_needed(plan, p, findings);
    check_files(p, r, findings);
    p.check_folders(findings);
    p.check_defaults(
        "a package.yml builds each feature as its default says",
        findings,
    );
}

/// Reports archives that ypkg would save under the same name. The name is the text after `#`, or
/// the last part of the address.
fn check_files(p: &Planned, r: &Recipe, findings: &mut Findings) {
    let archives = r
        .sources
        .iter()
        .zip(p.fetched())
        .filter(|((address, _), _)| !address.starts_with("git|"));
    let saved = archives.map(|((address, _), source)| {
        let (from, name) = address.split_once('#').unwrap_or_else(|| {
            (
                address.as_str(),
                address.rsplit('/').next().unwrap_or_default(),
            )
        });
        Saved {
            name: name.to_owned(),
            address: from.to_owned(),
            span: source.span,
        }
    });
    check_saved(&saved.collect::<Vec<_>>(), findings);
}

/// Reports run-time dependencies that differ by a letter from one of the plan's packages. Such a
/// package does not exist.
fn check_needed(plan: &Plan, p: &Planned, findings: &mut Findings) {
    let needed = || {
        p.package
            .ypkg
            .iter()
            .flat_map(|own| own.rundeps.values())
            .flat_map(|list| &list.0)
    };
    if needed().next().is_none() {
        return;
    }
    let written = plan.packages.iter().filter_map(|p| p.package.ypkg.as_ref());
    let subpackages = written.clone().flat_map(|own| own.patterns.keys());
    let ours = plan.packages.iter().map(|p| p.name.as_str());
    let ours = ours.chain(
        written
            .filter_map(|own| own.needed_as.as_ref())
            .map(|name| name.value.as_str()),
    );
    let ours = ours.chain(subpackages.filter_map(|name| name.strip_prefix('^')));
    let ours: Vec<String> = ours
        .flat_map(|name| [name.to_owned(), format!("{name}-devel")])
        .collect();
    for word in needed() {
        let known = ours.iter().map(String::as_str);
        findings.push_some(misspelt(
            "E0205",
            "dependency",
            &word.value,
            word.span,
            known,
        ));
    }
}
