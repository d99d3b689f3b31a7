//! Renders the attributes and aliases of the scope that are no packages of the model. The
//! distribution's file states them.

use crate::lower::attribute;
use crate::value::expr::{Binding, NixExpr, named};
use crate::value::open;
use rocpkg_model::{Findings, NixAlias, Spanned};
use rocpkg_render::nix;
use rocpkg_resolve::{Plan, Planned};
use std::collections::BTreeSet;

/// Returns the files that the scope's own attributes name, such as `other/default.nix` for
/// `self.callPackage ./other { }`. Paths are relative to the scope's folder. Attributes that can't
/// be read have none.
pub(crate) fn files(plan: &Plan) -> Vec<String> {
    let texts = plan
        .distro
        .scope
        .iter()
        .flat_map(|scope| scope.attributes.values());
    let read = texts.filter_map(|text| crate::value::text::expression(&text.text).ok());
    let files = read
        .flat_map(|read| read.found.files)
        .map(|(file, ..)| file);
    files
        .map(|f| {
            if f.contains('.') {
                f
            } else {
                format!("{f}/default.nix")
            }
        })
        .collect()
}

/// Returns the bindings of the scope's stated attributes and lasting aliases. The second value is a
/// set of the deprecated aliases, which exists only if nixpkgs' option `allowAliases` is set. It is
/// `None` if there are none. Faults of the texts are reported.
pub(crate) fn beside(plan: &Plan, findings: &mut Findings) -> (Vec<Binding>, Option<NixExpr>) {
    let mut bindings: Vec<Binding> = Vec::new();
    let Some(scope) = &plan.distro.scope else {
        return (bindings, None);
    };
    let gone = left_out(plan);
    for (name, text) in &scope.attributes {
        if gone.contains(name.as_str()) {
            continue;
        }
        match NixExpr::read(&text.text) {
            Ok(value) => bindings.push(Binding::plain(name, value)),
            Err(faults) => faults
                .iter()
                .for_each(|fault| findings.push(open::finding(fault, text))),
        }
    }
    let mut lines = String::new();
    let is_gone = |to: &Spanned<String>| gone.contains(to.value.as_str());
    let aliases = scope.aliases.iter();
    for (name, alias) in aliases.filter(|(_, alias)| !alias.to.as_ref().is_some_and(is_gone)) {
        let value = alias
            .to
            .as_ref()
            .map(|to| named(&format!("self.{}", to.value)));
        match (value, &alias.since) {
            (Some(value), None) => bindings.push(Binding::plain(name, value)),
            (value, since) => {
                // The date is in a comment on one line.
                let since = since
                    .as_ref()
                    .map(|day| day.value.replace(['\n', '\r'], " "))
                    .unwrap_or_default();
                let value = unwanted(name, alias, value);
                lines += &format!("{} = {value}; # Added {since}\n", nix::attribute(name));
            }
        }
    }
    if let Some(first) = bindings.first_mut() {
        first.apart = true;
    }
    let all = format!("lib.optionalAttrs config.allowAliases {{\n{lines}}}");
    (
        bindings,
        NixExpr::read(&all).ok().filter(|_| !lines.is_empty()),
    )
}

/// Returns the packages of the distribution that the plan leaves out, and the scope's attributes
/// that refer to one of them or to each other: `rpp-cpu = self.rpp.override { … };` goes with
/// `rpp`.
fn left_out(plan: &Plan) -> BTreeSet<String> {
    let mut gone: BTreeSet<String> = plan.left_out.iter().map(attribute).collect();
    let attributes = plan.distro.scope.iter().flat_map(|scope| &scope.attributes);
    let attributes: Vec<(&str, &str)> = attributes
        .map(|(name, text)| (name.as_str(), text.text.as_str()))
        .collect();
    loop {
        let refers = |text: &str| gone.iter().any(|name| refers_to(text, name));
        let found: Vec<String> = attributes
            .iter()
            .filter(|(name, text)| !gone.contains(*name) && refers(text))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if found.is_empty() {
            return gone;
        }
        gone.extend(found);
    }
}

/// Returns true if a package takes its version or its source from the package with the attribute
/// `name`, or if the scope passes that package to it: `call-with: x = self.NAME;`.
pub(crate) fn is_named_by(package: &Planned, name: &str) -> bool {
    let Some(nix) = &package.package.nix else {
        return false;
    };
    let source = nix.source.as_ref().map(|source| source.text.as_str());
    let version = nix.version_from.as_ref().map(|from| from.value.as_str());
    let mut owners = source.into_iter().chain(version);
    let mut passed = nix.call_with.0.iter();
    owners.any(|path| path.split('.').next() == Some(name))
        || passed.any(|text| refers_to(&text.text, name))
}

/// Returns true if an expression in Nix contains `self.NAME`.
fn refers_to(text: &str, name: &str) -> bool {
    let reference = format!("self.{name}");
    text.match_indices(&reference).any(|(at, _)| {
        let next = text[at + reference.len()..].chars().next();
        !next.is_some_and(|c| c.is_alphanumeric() || "-_'".contains(c))
    })
}

/// Returns the value of the deprecated alias `name`: `value` with a warning, or an error (`throw`)
/// if the alias has no value.
fn unwanted(name: &str, alias: &NixAlias, value: Option<NixExpr>) -> NixExpr {
    let mut said = match &alias.to {
        Some(to) => format!("'{name}' is called '{}' now", to.value),
        None => format!("'{name}' has been removed"),
    };
    if let Some(reason) = &alias.reason {
        said += &format!(": {}", reason.value.trim());
    }
    let said = NixExpr::string(said);
    match value {
        Some(value) => NixExpr::call("lib.warnOnInstantiate", [said, value]),
        None => NixExpr::call("throw", [said]),
    }
}
