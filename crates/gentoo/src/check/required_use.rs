//! E0813: a `REQUIRED_USE` that no choice of flags meets.

use super::recipe::{Recipe, is_plain};
use super::spec::tokens;
use rocpkg_pms::RequiredUse;
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
    if flags.len() > MOST_FLAGS {
        return out.not_checked(
            set.at.start,
            "REQUIRED_USE",
            "it has too many flags to try all combinations",
        );
    }
    let flags: Vec<&str> = flags.into_iter().collect();
    let is_met = |choice: usize| {
        required.is_met(|flag| {
            let at = flags.iter().position(|own| *own == flag);
            at.is_some_and(|at| choice >> at & 1 == 1)
        })
    };
    if !(0..1usize << flags.len()).any(is_met) {
        let fault = Fault::new(
            "E0813",
            set.at.clone(),
            "no choice of flags meets REQUIRED_USE",
        );
        out.faults
            .push(fault.label("its parts exclude each other").accepted());
    }
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
