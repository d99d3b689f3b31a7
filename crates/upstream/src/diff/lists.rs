//! Compares GPU targets: the lists of a component with their conditions, and the projects that a
//! superbuild excludes for a target.

use crate::cmake::{Facts, Gpu, TargetList};
use crate::diff::{ChangeKind, FactChange};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the differences between the older set `was` and the newer set `is` as text:
/// `+ gfx1250, - gfx803`.
pub(super) fn gained_and_lost(was: &BTreeSet<String>, is: &BTreeSet<String>) -> String {
    let side = |sign: &str, of: Vec<&String>| {
        let names = of.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(" ");
        if names.is_empty() {
            names
        } else {
            format!("{sign} {names}")
        }
    };
    let (gained, lost) = (
        side("+", is.difference(was).collect()),
        side("-", was.difference(is).collect()),
    );
    [gained, lost]
        .into_iter()
        .filter(|s| !s.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

/// Adds the changes of target lists, and of the projects that are excluded for a target, to `out`.
/// `a` are the facts of the older tree, `b` those of the newer one.
pub(super) fn targets(a: &Facts, b: &Facts, out: &mut Vec<FactChange>) {
    let mut variables: BTreeSet<&str> = a
        .targets
        .keys()
        .map(|(variable, _)| variable.as_str())
        .collect();
    variables.extend(b.targets.keys().map(|(variable, _)| variable.as_str()));
    for variable in variables {
        let of = |facts: &'_ Facts| -> BTreeMap<String, TargetList> {
            let own = facts
                .targets
                .iter()
                .filter(|((name, _), _)| name == variable);
            own.map(|((_, when), list)| (when.clone(), list.clone()))
                .collect()
        };
        lists(variable, of(a), of(b), out);
    }
    let none = Gpu::default();
    for gpu in a.gpus.keys().chain(b.gpus.keys()).collect::<BTreeSet<_>>() {
        let (was, is) = (
            a.gpus.get(gpu).unwrap_or(&none),
            b.gpus.get(gpu).unwrap_or(&none),
        );
        let place = if b.gpus.contains_key(gpu) {
            &is.place
        } else {
            &was.place
        };
        let mut told = |kind, from, to| out.push(FactChange::new(kind, gpu, from, to).at(place));
        match (a.gpus.contains_key(gpu), b.gpus.contains_key(gpu)) {
            (true, false) => told(
                ChangeKind::Targets,
                Some(String::new()),
                Some("no longer a target".to_owned()),
            ),
            (false, true) => {
                let excluded = is
                    .excluded
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(" ");
                let text = if excluded.is_empty() {
                    "a new target".to_owned()
                } else {
                    format!("a new target, excluded from {excluded}")
                };
                told(ChangeKind::Targets, None, Some(text));
            }
            _ => {
                was.excluded
                    .difference(&is.excluded)
                    .for_each(|p| told(ChangeKind::Excluded, Some(p.clone()), None));
                is.excluded
                    .difference(&was.excluded)
                    .for_each(|p| told(ChangeKind::Excluded, None, Some(p.clone())));
                if was.families != is.families {
                    let text = format!("families {}", gained_and_lost(&was.families, &is.families));
                    told(ChangeKind::Targets, Some(String::new()), Some(text));
                }
            }
        }
    }
}

/// Adds the changes of the lists of one variable to `out`. `a` are the older lists by their
/// conditions, `b` the newer ones. A list whose condition is only in `a` is compared with the most
/// similar list whose condition is only in `b`.
fn lists(
    variable: &str,
    mut a: BTreeMap<String, TargetList>,
    mut b: BTreeMap<String, TargetList>,
    out: &mut Vec<FactChange>,
) {
    let conditions: Vec<String> = a
        .keys()
        .filter(|when| b.contains_key(*when))
        .cloned()
        .collect();
    let mut pairs: Vec<_> = conditions
        .into_iter()
        .map(|when| (when.clone(), a.remove(&when), when.clone(), b.remove(&when)))
        .collect();
    // The most similar of the remaining lists is the same list under another condition.
    for (when, was) in a {
        let near = b
            .iter()
            .max_by_key(|(_, is)| is.targets.intersection(&was.targets).count());
        let near = near.map(|(other, _)| other.clone());
        let is = near.as_ref().and_then(|other| b.remove(other));
        pairs.push((when, Some(was), near.unwrap_or_default(), is));
    }
    pairs.extend(
        b.into_iter()
            .map(|(when, is)| (String::new(), None, when, Some(is))),
    );
    let under = |when: &str| {
        if when.is_empty() {
            "always".to_owned()
        } else {
            format!("if {when}")
        }
    };
    let empty = BTreeSet::new();
    for (before, was, now, is) in pairs {
        let set =
            |list: &Option<TargetList>| list.as_ref().map_or(empty.clone(), |l| l.targets.clone());
        let mut said =
            Vec::from_iter(Some(gained_and_lost(&set(&was), &set(&is))).filter(|s| !s.is_empty()));
        match (&was, &is) {
            (Some(_), Some(_)) if before != now => {
                said.push(format!("{}, was: {}", under(&now), under(&before)));
            }
            (Some(_), Some(_)) if said.is_empty() => continue,
            (None, _) => said.push(format!("a new list, {}", under(&now))),
            (_, None) => said.push(format!("the list is gone, was: {}", under(&before))),
            _ if !now.is_empty() => said.push(under(&now)),
            _ => {}
        }
        let joined = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(" ");
        let from = was.is_some().then(|| joined(set(&was)));
        let change = FactChange::new(ChangeKind::Targets, variable, from, Some(said.join("; ")));
        out.push(match is.as_ref().or(was.as_ref()) {
            Some(list) => change.at(&list.place),
            None => change,
        });
    }
}
