//! Checks lowered recipes for faults that ypkg does not report. ypkg itself checks the keys of its
//! schema, names and versions.

use crate::value::ir::Recipe;
use rocpkg_model::{Finding, Findings, Node, misspelt};
use rocpkg_resolve::{Plan, Planned, Saved, check_saved};

/// Reports faults in the fields of a recipe, such as patterns that match no file, misspelt
/// dependencies, and archives of the same name.
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
        "a package.yml builds each feature with its default value",
        findings,
    );
}

/// Reports archives that ypkg would save under the same name. An archive is saved under the text
/// after `#` in its address, or else under the last part of the address.
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

/// Reports run-time dependencies in the overlay that differ by a letter from the name of a package
/// of the plan: `rocm-cl` instead of `rocm-clr`. A package with such a name does not exist.
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
