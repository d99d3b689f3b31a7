//! E0813: a `REQUIRED_USE` that no choice of flags meets.

use super::recipe::{Recipe, is_plain};
use super::spec::tokens;
use rocpkg_pms::RequiredUse;
use rocpkg_syntax::{Checked, Fault, SetKind};
use std::collections::BTreeSet;

/// The most flags of which every choice is tried.
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
    // What a variable adds can only forbid more, as long as it is no part of a choice.
    let mut level = 0usize;
    let mut known = Vec::new();
    for word in words {
        match word {
            "(" => level += 1,
            ")" => level = level.saturating_sub(1),
            _ => {}
        }
        if word.contains('$') {
            if level > 0 {
                let reason = format!("`{word}` is known only when the ebuild runs");
                return out.not_checked("REQUIRED_USE", reason);
            }
            continue;
        }
        known.push(word);
    }
    let Ok(required) = known.join(" ").parse::<RequiredUse>() else {
        return;
    };
    let flags: BTreeSet<&str> = required
        .flags()
        .into_iter()
        .map(|flag| flag.as_str())
        .collect();
    if flags.len() > MOST_FLAGS {
        return out.not_checked("REQUIRED_USE", "it names more flags than are tried");
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
        out.faults.push(fault.label("its parts exclude each other"));
    }
}
