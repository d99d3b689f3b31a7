//! E0813: a `REQUIRED_USE` that no choice of flags meets. E0878: one that no choice meets in which
//! the flags that are on by default stay on. pkgcheck reports the latter as `RequiredUseDefaults`,
//! for each Gentoo profile.

use super::recipe::{Recipe, is_plain};
use super::spec::tokens;
use rocpkg_pms::{Iuse, RequiredUse};
use rocpkg_syntax::{Checked, Fault, SetKind};
use std::collections::BTreeSet;

/// The greatest number of flags for which every combination is tried.
const MOST_FLAGS: usize = 12;

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let mut all = recipe
        .script
        .sets
        .iter()
        .filter(|set| set.name == "REQUIRED_USE");
    let (Some(set), None) = (all.next(), all.next()) else {
        return;
    };
    if set.kind != SetKind::Assign || !is_plain(set) {
        return;
    }
    let words: Vec<&str> = tokens(recipe.text, &set.value_at)
        .iter()
        .map(|at| recipe.slice(at))
        .collect();
    let known = match without_variables(&words) {
        Ok(known) => known,
        Err(word) => {
            let reason = format!("`{word}` is known only when the ebuild runs");
            return out.not_checked(set.at.start, "REQUIRED_USE", reason);
        }
    };
    let Ok(required) = known.join(" ").parse::<RequiredUse>() else {
        return;
    };
    let flags: BTreeSet<&str> = required
        .flags()
        .into_iter()
        .map(rocpkg_pms::Flag::as_str)
        .collect();
    let defaults = on_by_default(recipe, &flags);
    let by_default = defaults
        .as_ref()
        .and_then(|on| can_be_met(&required, &flags, on));
    if by_default == Some(true) {
        return;
    }
    let Some(by_any) = can_be_met(&required, &flags, &BTreeSet::new()) else {
        return out.not_checked(
            set.at.start,
            "REQUIRED_USE",
            "it has too many flags to try all combinations",
        );
    };
    let (code, message, label) = match (by_any, by_default) {
        (false, _) => (
            "E0813",
            "no choice of flags meets REQUIRED_USE",
            "its parts exclude each other".to_owned(),
        ),
        (true, Some(_)) => (
            "E0878",
            "the default flags exclude each other in REQUIRED_USE",
            format!(
                "no choice of other flags meets it while {} on",
                are(defaults.iter().flatten())
            ),
        ),
        (true, None) => return,
    };
    let fault = Fault::new(code, set.at.clone(), message);
    out.faults.push(fault.label(label).accepted());
}

/// Returns the names in `flags` as the subject of a sentence: `a` is, `a` and `b` are.
fn are<'a>(flags: impl IntoIterator<Item = &'a &'a str>) -> String {
    let names: Vec<String> = flags.into_iter().map(|f| format!("`{f}`")).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

/// Returns those of `flags` that IUSE of the ebuild turns on. Returns `None` if IUSE is known only
/// when the ebuild runs. Flags that an eclass or a Gentoo profile turns on are not known here.
fn on_by_default<'a>(recipe: &Recipe, flags: &BTreeSet<&'a str>) -> Option<BTreeSet<&'a str>> {
    let iuse: Iuse = recipe.value("IUSE")?.known()?.parse().ok()?;
    let flags = flags.iter().copied();
    Some(flags.filter(|flag| iuse.is_on_by_default(flag)).collect())
}

/// Returns true if a choice of `flags` meets `required`. The flags in `on` are on in each choice.
/// Returns `None` if there are too many choices to try all of them.
fn can_be_met(required: &RequiredUse, flags: &BTreeSet<&str>, on: &BTreeSet<&str>) -> Option<bool> {
    let free: Vec<&str> = flags.difference(on).copied().collect();
    let is_met = |choice: usize| {
        required.is_met(|flag| {
            let at = free.iter().position(|own| *own == flag);
            on.contains(flag) || at.is_some_and(|at| choice >> at & 1 == 1)
        })
    };
    (free.len() <= MOST_FLAGS).then(|| (0..1usize << free.len()).any(is_met))
}

/// Returns the words of a `REQUIRED_USE` without those that contain a variable. The value of a
/// variable can only forbid more combinations, unless the variable is part of a choice (`||`, `^^`,
/// `??`) or of a condition.
///
/// # Errors
/// The word with the variable, if it is in a choice or a condition.
fn without_variables<'a>(words: &[&'a str]) -> Result<Vec<&'a str>, &'a str> {
    let mut known: Vec<&str> = Vec::new();
    // For each open bracket: true if it belongs to a choice or is inside of one.
    let mut open: Vec<bool> = Vec::new();
    for word in words {
        match *word {
            "(" => {
                let is_choice = matches!(known.last(), Some(&("||" | "^^" | "??")));
                open.push(is_choice || open.last() == Some(&true));
            }
            ")" => drop(open.pop()),
            _ => {}
        }
        if !word.contains('$') {
            known.push(word);
        } else if open.last() == Some(&true) || word.ends_with('?') {
            return Err(word);
        }
    }
    Ok(known)
}
