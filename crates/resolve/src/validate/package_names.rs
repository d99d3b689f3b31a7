//! Checks names in a package's facts that another place declares: projects, features, targets and
//! references. Also checks the addresses of web pages.
//!
//! A wrong name would be ignored, or would add something new beside the thing that was meant.

use crate::layer::options::MAIN;
use crate::plan::planned::key_span;
use crate::read::texts::{LINE, references};
use rocpkg_model::{Action, ArgumentValue, Finding, Findings, Node, Package, Span, Spanned, Step};

/// Reports wrong names in a package after its layers were merged.
pub(crate) fn check(package: &Package, node: &Node, findings: &mut Findings) {
    projects(package, node, findings);
    switches(package, findings);
    for source in package.sources.values() {
        let plain: &[&str] = &["version", "name"];
        let texts = [
            (&source.url, &["version", "tag"][..]),
            (&source.tag, &["version", LINE][..]),
            (&source.save_as, plain),
            (&source.folder, plain),
        ];
        for (text, known) in texts
            .into_iter()
            .filter_map(|(t, known)| Some((t.as_ref()?, known)))
        {
            references(text, "a source", known, findings);
        }
    }
    let pages = [&package.homepage, &package.documentation]
        .into_iter()
        .flatten();
    let pages = pages.chain(package.pkgbuild.iter().filter_map(|b| b.url.as_ref()));
    for page in pages {
        address(page, findings);
    }
}

/// Reports a switch whose value is none of CMake's words for true and false. CMake reads any such
/// value as false.
fn switches(package: &Package, findings: &mut Findings) {
    let word = |text: &str, words: &str| {
        words
            .split_whitespace()
            .any(|w| w.eq_ignore_ascii_case(text))
    };
    let is_switch = |name: &str| {
        let default = package
            .options
            .get(name)
            .and_then(|option| option.default.as_ref());
        default.is_some_and(|d| word(&d.value, "on off true false"))
    };
    let arguments = package
        .cmake
        .values()
        .flat_map(|p| &p.arguments)
        .filter(|(name, _)| is_switch(name));
    for (name, text) in
        arguments.flat_map(|(name, all)| all.0.iter().map(move |a| (name, &a.value)))
    {
        let ArgumentValue::Text(text) = text else {
            continue;
        };
        if let Some(odd) = text
            .as_literal()
            .filter(|t| !word(t, "on off true false yes no y n 1 0"))
        {
            findings.push(
                Finding::error("E0114", text.span, format!("`{odd}` is neither ON nor OFF"))
                    .label(format!("`{name}` is a switch: expected ON or OFF"))
                    .nearest(&odd, ["ON", "OFF", "true", "false"]),
            );
        }
    }
}

/// Reports a web page without a valid address. Before the check, `${title}` and `${repository}` are
/// replaced by sample text.
fn address(page: &Spanned<String>, findings: &mut Findings) {
    let filled = page
        .value
        .replace("${title}", "title")
        .replace("${repository}", "repository");
    let rest = filled
        .strip_prefix("https://")
        .or(filled.strip_prefix("http://"));
    let host = rest.and_then(|r| r.split('/').next()).unwrap_or_default();
    let named = |b: u8| b.is_ascii_alphanumeric() || b"-.:_".contains(&b);
    // The characters of RFC 3986.
    let fine = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b);
    let whole = host.contains('.') && host.bytes().all(named) && filled.bytes().all(fine);
    if !whole {
        findings.push(
            Finding::error(
                "E0227",
                page.span,
                format!("`{}` is not an address", page.value),
            )
            .label("expected an address such as https://example.org/page"),
        );
    }
}

/// Reports unknown CMake projects. A project other than `main` must state what it builds: its
/// `source`, or the components that it is built `of`. Otherwise, a misspelt name would build
/// everything twice.
fn projects(package: &Package, node: &Node, findings: &mut Findings) {
    let known = || package.cmake.keys().map(String::as_str);
    let own = package.cmake.iter().filter(|(name, _)| *name != MAIN);
    for (name, _) in own.filter(|(_, p)| p.source.is_none() && p.of.is_empty()) {
        let span = key_span(node, "cmake", name);
        let others = known().chain([MAIN]).filter(|k| k != name);
        findings.push(
            Finding::error("E0225", span, format!("unknown CMake project `{name}`"))
                .label("expected a project of the package; a new one needs a `source`")
                .nearest(name, others),
        );
    }
    let mut named = Vec::new();
    let functions = package
        .ebuild
        .iter()
        .flat_map(|e| e.functions.values())
        .flatten();
    let parts = package
        .pkgbuild
        .iter()
        .flat_map(|b| b.packages.values())
        .flat_map(|part| &part.steps);
    let steps = package
        .phases
        .values()
        .flatten()
        .chain(functions)
        .chain(parts);
    steps.for_each(|step| standard(step, &mut named));
    let mut named: Vec<(&str, Span)> = named
        .into_iter()
        .map(|n| (n.value.as_str(), n.span))
        .collect();
    let without = node.get("pkgbuild").and_then(|own| own.get("without"));
    let keys = without
        .into_iter()
        .flat_map(Node::entries)
        .map(|(key, _)| key);
    named.extend(keys.map(|key| (key.name.as_str(), key.span)));
    for (name, span) in named {
        let unsaid = package.cmake.is_empty() && name == MAIN;
        if name != "all" && !unsaid && !package.cmake.contains_key(name) {
            findings.push(
                Finding::error("E0225", span, format!("unknown CMake project `{name}`"))
                    .label("expected a project under `cmake`, or `all`")
                    .nearest(name, known()),
            );
        }
    }
}

/// Adds to `out` the CMake projects that the standard steps within `step` name, and that `step`
/// itself names.
fn standard<'s>(step: &'s Step, out: &mut Vec<&'s Spanned<String>>) {
    if let Action::Standard(name) = &step.action {
        out.push(name);
    }
    step.action
        .steps()
        .iter()
        .for_each(|step| standard(step, out));
}
