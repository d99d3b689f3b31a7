//! E0803 and E0804: functions whose eclass is not inherited, and eclasses whose functions are not
//! called.

use super::given::COMMANDS;
use super::recipe::Recipe;
use rocpkg_syntax::{Checked, Fault};
use std::collections::BTreeSet;

/// The commands that EAPI 9 added.
const GIVEN_SINCE_9: &[&str] = &["edo", "pipestatus", "ver_replacing"];

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    missing_eclasses(recipe, out);
    unused_eclasses(recipe, out);
}

fn missing_eclasses(recipe: &Recipe, out: &mut Checked) {
    let eclasses = &recipe.eclasses;
    let mut done = BTreeSet::new();
    for call in &recipe.script.calls {
        let name = call.name.as_str();
        let is_given = COMMANDS.contains(&name)
            || GIVEN_SINCE_9.contains(&name) && recipe.eapi().is_some_and(|eapi| eapi >= 9);
        if is_given || recipe.script.defines(name) || done.contains(name) {
            continue;
        }
        let defining = eclasses.defining(name);
        if defining.is_empty() || defining.iter().any(|eclass| eclasses.get(eclass).is_some()) {
            continue;
        }
        if recipe.is_idle(call.at.start) {
            continue;
        }
        done.insert(name);
        let names: Vec<&str> = defining.into_iter().collect();
        if let Some(reason) = eclasses.reason() {
            out.not_checked(call.at.start, "functions of eclasses", reason);
            if let [one] = names.as_slice() {
                out.doubtful("inherit", *one);
            }
            continue;
        }
        let at = call.at.start..call.at.start + name.len();
        let message = format!("`{name}` is called, but no inherited eclass defines it");
        let fault = Fault::new("E0803", at, message);
        let fault = fault.label(format!("a function of {}.eclass", names.join(".eclass, ")));
        let fault = match names.as_slice() {
            [one] => fault.missing("inherit", *one),
            _ => fault,
        };
        // Portage calls the function when a phase runs.
        out.faults.push(fault.accepted());
    }
}

fn unused_eclasses(recipe: &Recipe, out: &mut Checked) {
    let eclasses = &recipe.eclasses;
    for (name, at) in &eclasses.inherited {
        // An eclass with unknown parents may have any effect. A further eclass may need this one.
        let Some(all) = eclasses.with_inherited(name) else {
            continue;
        };
        let is_used = |eclass: &&super::eclasses::Eclass| {
            let mut names = eclass.functions.iter().chain(&eclass.variables);
            !eclass.is_passive || names.any(|name| recipe.names.contains(name.as_str()))
        };
        if all.iter().any(is_used) || all.iter().all(|eclass| eclass.functions.is_empty()) {
            continue;
        }
        let message = format!("nothing uses {name}.eclass");
        let fault = Fault::new("E0804", at.clone(), message);
        let label = "it only defines functions, and none of them is called";
        out.faults.push(fault.label(label).harmless());
    }
}
