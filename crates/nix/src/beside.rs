//! What the scope holds beside its packages: attributes and aliases that the distribution's file states.

use crate::expr::{Binding, NixExpr, named};
use crate::lower::Tables;
use rocpkg_model::{Findings, NixAlias};
use rocpkg_render::nix;
use rocpkg_resolve::Plan;

/// What was read.
#[derive(Default)]
pub(crate) struct Beside {
    /// Attributes, and aliases that stay.
    pub(crate) bindings: Vec<Binding>,
    /// Aliases that are not wanted any more.
    pub(crate) unwanted: Option<NixExpr>,
}

/// The files that the scope's own attributes are read from, below its folder; what can't be read has none.
pub(crate) fn files(plan: &Plan) -> Vec<String> {
    let texts = plan.distro.scope.iter().flat_map(|scope| scope.attributes.values());
    let read = texts.filter_map(|text| crate::text::expression(&text.text).ok());
    let files = read.flat_map(|read| read.found.files).map(|(file, ..)| file);
    files.map(|f| if f.contains('.') { f } else { format!("{f}/default.nix") }).collect()
}

/// Reads what is stated and says what is wrong with it.
pub(crate) fn beside(tables: &Tables, findings: &mut Findings) -> Beside {
    let Some(scope) = &tables.plan.distro.scope else { return Beside::default() };
    let mut out = Beside::default();
    for (name, text) in &scope.attributes {
        match NixExpr::read(&text.text) {
            Ok(value) => out.bindings.push(Binding::plain(name, value)),
            Err(faults) => faults.iter().for_each(|fault| findings.push(fault.finding(text))),
        }
    }
    let mut lines = String::new();
    for (name, alias) in &scope.aliases {
        let value = alias.to.as_ref().map(|to| named(&format!("self.{}", to.value)));
        match (value, &alias.since) {
            (Some(value), None) => out.bindings.push(Binding::plain(name, value)),
            (value, since) => {
                // It stands in a comment, on one line.
                let since =
                    since.as_ref().map(|day| day.value.replace(['\n', '\r'], " ")).unwrap_or_default();
                let value = unwanted(name, alias, value);
                lines += &format!("{} = {value}; # Added {since}\n", nix::attribute(name));
            }
        }
    }
    if let Some(first) = out.bindings.first_mut() {
        first.apart = true;
    }
    let all = format!("lib.optionalAttrs config.allowAliases {{\n{lines}}}");
    out.unwanted = NixExpr::read(&all).ok().filter(|_| !lines.is_empty());
    out
}

/// The value of an alias that is not wanted any more.
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
