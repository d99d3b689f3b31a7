//! Reports variables and functions that are assigned twice, and variables that are used before they
//! are set, or never set. makepkg accepts all of them, so they are harmless.

use super::recipe::Recipe;
use rocpkg_syntax::{Checked, Fault, Scope, Set, SetKind, Use};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that makepkg or bash sets. Variables in capitals are not listed, as they may come from
/// outside.
const GIVEN: &str = "srcdir pkgdir startdir pkgbase pkgname pkgdirbase http_proxy https_proxy no_proxy \
ftp_proxy all_proxy _";

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    twice(recipe, out);
    for (_, second) in recipe.script.replaced_functions() {
        let message = format!("the function `{}` is defined twice", second.name);
        let fault = Fault::new("E0826", second.name_at.clone(), message).harmless();
        out.faults
            .push(fault.label("bash uses this definition, not the one above"));
    }
    if recipe.margin.is_open() {
        return out.not_checked(0, "variables", "a command may set any of them");
    }
    early(recipe, out);
    for (used, _) in recipe.script.uses_before_local() {
        if is_own(&used.name) {
            out.faults.push(used_before_it_is_set(used));
        }
    }
    unset(recipe, out);
}

fn used_before_it_is_set(used: &Use) -> Fault {
    let message = format!("`{}` is used before it is set", used.name);
    let fault = Fault::new("E0827", used.at.clone(), message).label("it is empty here");
    fault.hint("move its assignment above this line").harmless()
}

/// Reports variables that are assigned twice in the global scope with different values.
fn twice(recipe: &Recipe, out: &mut Checked) {
    let script = recipe.script;
    let mut uses: BTreeSet<(&str, usize)> = BTreeSet::new();
    for used in script
        .uses
        .iter()
        .filter(|used| used.scope.function.is_none())
    {
        uses.insert((&used.name, used.at.start));
    }
    let calls = script
        .calls
        .iter()
        .filter(|call| call.scope.function.is_none());
    let calls: BTreeSet<usize> = calls.map(|call| call.at.start).collect();
    let mut before: BTreeMap<&str, &Set> = BTreeMap::new();
    let is_plain = |set: &&Set| set.kind == SetKind::Assign && set.scope == Scope::default();
    for set in script.sets.iter().filter(is_plain) {
        let Some(first) = before.insert(&set.name, set) else {
            continue;
        };
        let between = first.at.end..set.at.end;
        let name = set.name.as_str();
        let is_used = uses
            .range((name, between.start)..(name, between.end))
            .next();
        let is_called = calls.range(between.clone()).next();
        let is_unset = recipe.text[first.at.end..set.at.start].contains("unset ");
        let is_same = recipe.text[first.value_at.clone()] == recipe.text[set.value_at.clone()];
        if is_used.is_some() || is_called.is_some() || is_unset || is_same {
            continue;
        }
        let message = format!("`{name}` is assigned twice");
        let fault = Fault::new("E0826", set.at.clone(), message).harmless();
        out.faults
            .push(fault.label("bash uses this value, not the one above"));
    }
}

/// Reports variables that are used in the global scope above their assignment.
fn early(recipe: &Recipe, out: &mut Checked) {
    // The first byte of all assignments of a name, and of those in the global scope that do not
    // append.
    let mut first: BTreeMap<&str, (usize, Option<usize>)> = BTreeMap::new();
    for set in &recipe.script.sets {
        let start = set.at.start;
        let (all, margin) = first.entry(&set.name).or_insert((start, None));
        *all = start.min(*all);
        let adds = matches!(set.kind, SetKind::Environment | SetKind::Append);
        if set.scope.function.is_none() && !adds {
            *margin = Some(margin.map_or(start, |margin| start.min(margin)));
        }
    }
    let mut seen = BTreeSet::new();
    let uses = recipe.script.uses.iter();
    let uses = uses.filter(|used| used.scope.function.is_none());
    for used in uses.filter(|used| !used.may_be_unset && is_own(&used.name)) {
        let Some((all, Some(margin))) = first.get(used.name.as_str()) else {
            continue;
        };
        if *all <= used.at.start || !seen.insert(&used.name) || seen.len() > MOST_NAMES {
            continue;
        }
        if may_be_set(recipe, used, *margin) {
            continue;
        }
        out.faults.push(used_before_it_is_set(used));
    }
}

/// Reports variables that are never set.
fn unset(recipe: &Recipe, out: &mut Checked) {
    let sets = recipe.script.sets.iter();
    let mut seen: BTreeSet<&str> = sets.map(|set| set.name.as_str()).collect();
    let most = seen.len() + MOST_NAMES;
    let uses = recipe.script.uses.iter();
    for used in uses.filter(|used| !used.may_be_unset && is_own(&used.name)) {
        let name = used.name.as_str();
        if !seen.insert(name) || seen.len() > most {
            continue;
        }
        if is_tested(recipe, name) || may_be_set(recipe, used, recipe.text.len()) {
            continue;
        }
        let message = format!("`{name}` is used, but never set");
        let fault = Fault::new("E0827", used.at.clone(), message).harmless();
        out.faults.push(fault.label("it is empty here"));
    }
}

/// The greatest number of names for which the text is searched, as each search reads the whole
/// text.
const MOST_NAMES: usize = 200;

/// Returns true for a name that the PKGBUILD itself must set. Names in capitals may come from
/// outside.
fn is_own(name: &str) -> bool {
    let is_given = GIVEN.split_whitespace().any(|given| given == name);
    !is_given
        && name.bytes().any(|b| b.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns true if the PKGBUILD tests whether a variable is set: `${NAME:-…}`, `[ -n "$NAME" ]`.
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

/// Returns true if the name of the variable also occurs without `$` before the byte `end`. A
/// command such as `let` may set the variable there.
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
