//! Variables: assigned twice, used before they are set, or never set.

use super::Recipe;
use rocpkg_syntax::{Checked, Fault, Set, SetKind, Use};
use std::collections::BTreeSet;

/// Variables that makepkg or bash sets, besides those in capitals.
const GIVEN: &str = "srcdir pkgdir startdir pkgbase pkgname pkgdirbase http_proxy https_proxy no_proxy \
ftp_proxy all_proxy _";

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    twice(recipe, out);
    if recipe.margin.is_open() {
        return out.not_checked("variables", "a command may set any of them");
    }
    early(recipe, out);
    unset(recipe, out);
}

/// Reports variables that are assigned twice at the margin.
fn twice(recipe: &Recipe, out: &mut Checked) {
    let script = recipe.script;
    let is_plain = |set: &&Set| {
        set.kind == SetKind::Assign && !set.scope.is_conditional && set.scope.function.is_none()
    };
    let sets: Vec<_> = script.sets.iter().filter(is_plain).collect();
    for (i, set) in sets.iter().enumerate() {
        let Some(before) = sets[..i].iter().rfind(|before| before.name == set.name) else {
            continue;
        };
        let between = before.at.end..set.at.end;
        let is_used = |used: &Use| {
            used.name == set.name
                && used.scope.function.is_none()
                && between.contains(&used.at.start)
        };
        let calls = script
            .calls
            .iter()
            .any(|call| call.scope.function.is_none() && between.contains(&call.at.start));
        let unset = recipe.slice(&between).contains("unset ");
        if script.uses.iter().any(is_used) || calls || unset {
            continue;
        }
        let message = format!("`{}` is assigned twice", set.name);
        let fault = Fault::new("E0826", set.at.clone(), message);
        out.faults
            .push(fault.label("bash takes this value, and not the one above"));
    }
}

/// Reports variables that are used at the margin above the place where they are set.
fn early(recipe: &Recipe, out: &mut Checked) {
    let mut seen = BTreeSet::new();
    let uses = recipe.script.uses.iter();
    let uses = uses.filter(|used| used.scope.function.is_none());
    for used in uses.filter(|used| !used.may_be_unset && is_own(&used.name)) {
        let is_here = |set: &&Set| set.at.start <= used.at.start;
        let mut sets = recipe
            .script
            .sets
            .iter()
            .filter(|set| set.name == used.name);
        if sets.clone().any(|set| is_here(&set)) {
            continue;
        }
        let Some(later) = sets.find(|set| {
            set.scope.function.is_none()
                && !matches!(set.kind, SetKind::Environment | SetKind::Append)
        }) else {
            continue;
        };
        if !seen.insert(&used.name) || may_be_set(recipe, used, later.at.start) {
            continue;
        }
        let message = format!("`{}` is used before it is set", used.name);
        let fault = Fault::new("E0827", used.at.clone(), message);
        out.faults.push(
            fault
                .label("it is empty here")
                .hint("move its assignment above this line"),
        );
    }
}

/// Reports variables that are never set.
fn unset(recipe: &Recipe, out: &mut Checked) {
    let set: BTreeSet<&str> = recipe
        .script
        .sets
        .iter()
        .map(|set| set.name.as_str())
        .collect();
    let mut seen = BTreeSet::new();
    for used in recipe
        .script
        .uses
        .iter()
        .filter(|used| !used.may_be_unset && is_own(&used.name))
    {
        let name = used.name.as_str();
        if set.contains(name)
            || is_tested(recipe, name)
            || !seen.insert(name)
            || may_be_set(recipe, used, recipe.text.len())
        {
            continue;
        }
        let message = format!("`{name}` is used, but never set");
        out.faults
            .push(Fault::new("E0827", used.at.clone(), message).label("it is empty here"));
    }
}

/// Returns true for a name that the recipe must set. Names in capitals may come from outside.
fn is_own(name: &str) -> bool {
    let is_given = GIVEN.split_whitespace().any(|given| given == name);
    !is_given
        && name.bytes().any(|b| b.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns true if the recipe asks for a variable whether it is set: `${NAME:-…}`, `[ -n "$NAME" ]`.
fn is_tested(recipe: &Recipe, name: &str) -> bool {
    let mut uses = recipe.script.uses.iter().filter(|used| used.name == name);
    uses.any(|used| {
        let before = recipe.text[..used.at.start].trim_end_matches('"');
        used.may_be_unset
            || [" -n ", " -z ", " -v "]
                .iter()
                .any(|test| before.ends_with(test))
    })
}

/// Returns true if a name is also written without `$` before some byte. A command such as `let`
/// may set it there.
fn may_be_set(recipe: &Recipe, used: &Use, end: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut all = recipe.text[..end].match_indices(&used.name);
    all.any(|(at, name)| {
        let (before, behind) = (&recipe.text[..at], &recipe.text[at + name.len()..]);
        let is_whole = !before.ends_with(is_part) && !behind.starts_with(is_part);
        let is_use = before.ends_with('$')
            || before.ends_with("${")
            || before.ends_with("${!")
            || before.ends_with("${#");
        is_whole && !is_use
    })
}
