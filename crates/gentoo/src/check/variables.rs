//! E0805 and E0806: variables of the global scope that are used before they are set or are set
//! twice, and functions that are defined twice.

use super::given::VARIABLES;
use super::phases::PHASES;
use super::recipe::{Recipe, is_plain};
use rocpkg_syntax::{Call, Checked, Fault, Set, SetKind, Use};
use std::collections::BTreeSet;

/// Variables to which eclasses add values. Inside the ebuild each one has only the value that the
/// ebuild itself set (PMS 10.2).
const OWN: &[&str] = &[
    "BDEPEND",
    "DEPEND",
    "IDEPEND",
    "IUSE",
    "PDEPEND",
    "RDEPEND",
    "REQUIRED_USE",
];

/// Commands that read no variable of the ebuild.
const QUIET: &[&str] = &[
    ":", "[", "[[", "die", "echo", "has", "printf", "test", "true", "use", "ver_cut", "ver_rs",
    "ver_test",
];

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    used_too_early(recipe, out);
    used_before_local(recipe, out);
    python_flags(recipe, out);
    set_twice(recipe, out);
    for (first, second) in recipe.script.replaced_functions() {
        let name = &second.name;
        let message = format!("`{name}` is defined twice, and only the second definition counts");
        let fault = Fault::new("E0806", second.name_at.clone(), message);
        let line = recipe.line(first.at.start);
        let fault = fault.label(format!("replaces the function of line {line}"));
        // A phase that is defined twice was not meant so.
        out.faults.push(if PHASES.contains(&name.as_str()) {
            fault
        } else {
            fault.accepted()
        });
    }
}

fn used_too_early(recipe: &Recipe, out: &mut Checked) {
    let script = &recipe.script;
    let mut done: BTreeSet<(&str, Option<usize>)> = BTreeSet::new();
    for used in &script.uses {
        let name = used.name.as_str();
        if used.scope.function.is_some() || used.may_be_unset || VARIABLES.contains(&name) {
            continue;
        }
        let Some(set) = first_set(recipe, used) else {
            continue;
        };
        let eclass = || {
            let mut all = recipe.eclasses.all();
            all.any(|eclass| eclass.variables.contains(name))
        };
        if !OWN.contains(&name) {
            if eclass() {
                continue;
            }
            if let Some(reason) = recipe.eclasses.reason() {
                out.not_checked(used.at.start, "order of variables", reason);
                continue;
            }
        }
        // One fault for each value that is read too early.
        let around = script.sets.iter().position(|set| holds(set, used));
        if !done.insert((name, around)) {
            continue;
        }
        let line = recipe.line(set.at.start);
        let message = match around.map(|at| script.sets[at].name.as_str()) {
            Some(into) => format!("`{name}` is used in `{into}` before it is set"),
            None => format!("`{name}` is used before it is set"),
        };
        let fault = Fault::new("E0805", used.at.clone(), message);
        out.faults.push(
            fault
                .label(format!("empty here, as it is set in line {line}"))
                .accepted(),
        );
    }
}

/// Reports variables of a function that are used above their `local`.
fn used_before_local(recipe: &Recipe, out: &mut Checked) {
    for (used, set) in recipe.script.uses_before_local() {
        let name = used.name.as_str();
        let mut eclasses = recipe.eclasses.all();
        let is_of_eclass = eclasses.any(|eclass| eclass.variables.contains(name));
        if is_of_eclass || VARIABLES.contains(&name) || !is_local_name(name) {
            continue;
        }
        let line = recipe.line(set.at.start);
        let message = format!("`{name}` is used before it is set");
        let fault = Fault::new("E0805", used.at.clone(), message);
        out.faults.push(
            fault
                .label(format!("empty here, as line {line} declares it"))
                .accepted(),
        );
    }
}

/// Returns true for a name in small letters. Users and eclasses set variables in capitals.
fn is_local_name(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_uppercase())
}

/// Reports `${PYTHON_USEDEP}` in the global scope of an ebuild for one Python implementation.
/// `python-r1.eclass` sets the variable. `python-single-r1.eclass` and `python-any-r1.eclass` set
/// it only inside of `python_gen_cond_dep` and `python_gen_any_dep`.
fn python_flags(recipe: &Recipe, out: &mut Checked) {
    const NAME: &str = "PYTHON_USEDEP";
    let script = &recipe.script;
    let mut inherited = recipe
        .eclasses
        .inherited
        .iter()
        .map(|(name, _)| name.as_str());
    let is_single = script
        .sets
        .iter()
        .any(|set| set.name == "DISTUTILS_SINGLE_IMPL");
    let is_for_one = |name: &str| match name {
        "python-single-r1" | "python-any-r1" => true,
        "distutils-r1" => is_single,
        _ => false,
    };
    let is_for_many = |name: &str| name == "python-r1" || name == "distutils-r1" && !is_single;
    let Some(eclass) = inherited.clone().find(|name| is_for_one(name)) else {
        return;
    };
    if inherited.any(is_for_many) || script.sets.iter().any(|set| set.name == NAME) {
        return;
    }
    let is_empty =
        |used: &&Use| used.name == NAME && used.scope.function.is_none() && !used.may_be_unset;
    if let Some(used) = script.uses.iter().find(is_empty) {
        let function = match eclass {
            "python-any-r1" => "python_gen_any_dep",
            _ => "python_gen_cond_dep",
        };
        let message = format!("`{NAME}` is empty outside of `{function}`");
        let fault = Fault::new("E0805", used.at.clone(), message);
        let label = format!("{eclass}.eclass only sets it inside of `{function}`");
        out.faults.push(fault.label(label).accepted());
    }
}

/// Returns the first assignment of the variable that `used` reads too early: the assignment is in
/// the global scope and follows the use. Returns `None` if the variable may have a value
/// nevertheless, for instance from a function or in a loop, or if a test checks whether the
/// variable is empty.
fn first_set<'a>(recipe: &'a Recipe, used: &Use) -> Option<&'a Set> {
    let mut all = recipe
        .script
        .sets
        .iter()
        .filter(|set| set.name == used.name);
    let first = all.next()?;
    // A function that is called in the global scope may set the variable, and a loop may run again.
    let is_elsewhere = |set: &Set| set.scope.function.is_some() && set.kind != SetKind::Declare;
    let sets = recipe
        .script
        .sets
        .iter()
        .filter(|set| set.name == used.name);
    if sets.clone().any(is_elsewhere) || first.kind != SetKind::Assign {
        return None;
    }
    let is_before = first.at.start < used.at.end;
    let in_loop = used.scope.is_conditional && first.scope.is_conditional;
    if is_before || in_loop || is_asked(recipe, used) {
        return None;
    }
    Some(first)
}

/// Returns true if `used` is the argument of a test that checks whether the variable is empty or
/// set: `-z`, `-n` or `-v`.
fn is_asked(recipe: &Recipe, used: &Use) -> bool {
    let before = recipe.text[..used.at.start]
        .trim_end_matches('"')
        .trim_end();
    before.ends_with("-z") || before.ends_with("-n") || before.ends_with("-v")
}

/// Returns true if the use `used` is in the value of the assignment `set`.
fn holds(set: &Set, used: &Use) -> bool {
    set.value_at.start <= used.at.start && used.at.end <= set.value_at.end
}

fn set_twice(recipe: &Recipe, out: &mut Checked) {
    let script = &recipe.script;
    for (i, second) in script.sets.iter().enumerate() {
        if second.kind != SetKind::Assign || !is_plain(second) {
            continue;
        }
        let before = script.sets[..i].iter().rev();
        let Some(first) = before
            .filter(|set| set.scope.function.is_none())
            .find(|set| set.name == second.name)
        else {
            continue;
        };
        if first.kind != SetKind::Assign || !is_plain(first) {
            continue;
        }
        let span = first.at.end..second.at.end;
        let is_used = |used: &Use| used.name == second.name && span.contains(&used.at.start);
        // A function of an eclass that computes a part of the value reads other variables.
        let is_part = |call: &Call| {
            second.value_at.contains(&call.at.start) && is_of_eclass(recipe, &call.name)
        };
        let is_quiet = |call: &Call| QUIET.contains(&call.name.as_str()) || is_part(call);
        // Eclasses read EAPI too, but an ebuild has only one (PMS 7.3.1).
        let is_read = || {
            script.uses.iter().any(is_used)
                || recipe
                    .calls_at_margin(span.clone())
                    .any(|call| !is_quiet(call))
        };
        if recipe.slice(&first.value_at) == recipe.slice(&second.value_at)
            || second.name != "EAPI" && is_read()
        {
            continue;
        }
        let name = &second.name;
        let message = format!("`{name}` is set twice, and only the second value counts");
        let fault = Fault::new("E0806", second.at.clone(), message);
        let line = recipe.line(first.at.start);
        out.faults.push(
            fault
                .label(format!("replaces the value of line {line}"))
                .accepted(),
        );
    }
}

/// Returns true if an inherited eclass defines the function `name` and the ebuild does not.
fn is_of_eclass(recipe: &Recipe, name: &str) -> bool {
    let mut all = recipe.eclasses.all();
    !recipe.script.defines(name) && all.any(|eclass| eclass.functions.contains(name))
}
