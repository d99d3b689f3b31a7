//! How each distribution calls the commit that brings a new version.

use crate::backend::Backend;
use crate::changes::Dated;
use crate::tree::Tree;
use rocpkg_resolve::{Plan, Planned};
use std::collections::BTreeSet;

/// A distribution that moves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Moved {
    /// The distribution.
    pub distro: &'static str,
    /// What it shipped.
    pub from: String,
    /// Its packages.
    pub packages: Vec<MovedPackage>,
    /// How the commits in its repository may be called, as it calls them.
    pub commits: Vec<String>,
}

/// A package that moves.
#[derive(Clone, Debug)]
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

/// What moves in a distribution, and how it calls that: nixpkgs moves its scope in one, the others each package by itself.
pub(super) fn of(
    backend: Backend,
    (old, new): (&Dated, &Dated),
    ids: &BTreeSet<String>,
    (tree, whole): (&Tree, bool),
) -> Moved {
    let distro = backend.distro();
    let (mut packages, mut commits) = (Vec::new(), Vec::new());
    for p in new.plan.packages.iter().filter(|p| ids.contains(&p.id)) {
        let Some(before) = old.plan.get(&p.id) else { continue };
        let (from, to) = (printed(&old.plan, before), printed(&new.plan, p));
        if from == to {
            continue;
        }
        let name = p.name.as_str();
        let recipe = tree.recipes_of(distro, &p.id).next();
        let title = match backend {
            Backend::Gentoo => {
                let place = recipe.and_then(|(path, _)| path.strip_prefix("gentoo/")?.rsplit_once('/'));
                format!("{}: add {to}", place.map_or(name, |(place, _)| place))
            }
            Backend::Arch => {
                let text = recipe.map(|(_, text)| text).unwrap_or_default();
                let field =
                    |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
                let epoch = field("epoch").map(|epoch| format!("{epoch}:")).unwrap_or_default();
                format!("upgpkg: {name} {epoch}{to}-{}", field("pkgrel").unwrap_or("1"))
            }
            Backend::Nix => format!("rocmPackages.{name}: {from} -> {to}"),
            Backend::Solus => format!("{name}: Update to {to}"),
        };
        commits.push(title);
        packages.push(MovedPackage { id: p.id.clone(), name: name.to_owned(), from, to });
    }
    let (from, to) = (&old.plan.version, &new.plan.version);
    let before = ids.iter().filter_map(|id| old.plan.get(id)).map(|p| &p.version).min();
    let begun = before.filter(|_| !whole).unwrap_or(from);
    if backend == Backend::Nix && whole {
        commits = vec![format!("rocmPackages: {from} -> {to}")];
    }
    Moved { distro, from: begun.release().to_owned(), packages, commits }
}

/// A version as recipes have it.
fn printed(plan: &Plan, p: &Planned) -> String {
    plan.own_version(p).unwrap_or(p.version.as_str()).to_owned()
}
