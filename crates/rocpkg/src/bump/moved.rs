//! Which packages of a distribution move.

use crate::backend::Backend;
use crate::changes::Dated;
use rocpkg_resolve::{Plan, Planned};
use serde::Serialize;
use std::collections::BTreeSet;

/// A distribution that moves.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Moved {
    /// The distribution.
    #[serde(rename = "distribution")]
    pub distro: &'static str,
    /// What it shipped.
    pub from: String,
    /// Its packages.
    pub packages: Vec<MovedPackage>,
}

/// A package that moves.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MovedPackage {
    /// Its id.
    pub id: String,
    /// The distribution's name for it.
    pub name: String,
    /// Its version before, as recipes print it.
    pub from: String,
    /// Its version by now.
    pub to: String,
}

/// What moves in a distribution.
pub(super) fn of(
    backend: Backend,
    (old, new): (&Dated, &Dated),
    ids: &BTreeSet<String>,
    whole: bool,
) -> Moved {
    let mut packages = Vec::new();
    for p in new.plan.packages.iter().filter(|p| ids.contains(&p.id)) {
        let Some(before) = old.plan.get(&p.id) else { continue };
        let (from, to) = (printed(&old.plan, before), printed(&new.plan, p));
        if from != to {
            packages.push(MovedPackage { id: p.id.clone(), name: p.name.clone(), from, to });
        }
    }
    let before = ids.iter().filter_map(|id| old.plan.get(id)).map(|p| &p.version).min();
    let begun = before.filter(|_| !whole).unwrap_or(&old.plan.version);
    Moved { distro: backend.distro(), from: begun.release().to_owned(), packages }
}

/// A version as recipes have it.
fn printed(plan: &Plan, p: &Planned) -> String {
    plan.own_version(p).unwrap_or(p.version.as_str()).to_owned()
}
