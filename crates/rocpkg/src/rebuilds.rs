//! The packages that must be built again after a change of a package that they depend on.

use crate::backend::Backend;
use crate::error::Error;
use rocpkg_model::{EdgeKind, unknown_name};
use rocpkg_resolve::{Dependency, Plan, Planned, ResolvedEdge};
use std::collections::BTreeSet;

/// A package that must be built again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuild {
    /// The package's id.
    pub id: String,
    /// The distribution's name for the package.
    pub name: String,
}

/// Returns the packages that must be built again after a change of the packages or external
/// dependencies `names`, in build order; [`holding`] selects them. The caller increases their
/// release numbers by one.
///
/// # Errors
/// If the distribution's recipes have no release number that counts rebuilds (Gentoo, Nix), or if a
/// name is unknown.
pub(crate) fn rebuilds(
    backend: Backend,
    plan: &Plan,
    names: &[String],
) -> Result<Vec<Rebuild>, Error> {
    let own = backend.implementation().own_rebuilds();
    if let Some(reason) = own.filter(|_| !names.is_empty()) {
        return Err(Error::NoRebuilds {
            distribution: plan.distro_name.clone(),
            reason,
        });
    }
    check_known(plan, names)?;
    let mut out = holding(plan, names);
    out.retain(|rebuild| plan.get(&rebuild.id).is_some());
    Ok(out)
}

/// Returns an error if one of `names` is the name of no package of the plan and of no external
/// dependency.
pub(crate) fn check_known(plan: &Plan, names: &[String]) -> Result<(), Error> {
    for name in names {
        let is_met = |p: &Planned| is(p, name) || p.depends.iter().any(|e| leads_to(plan, e, name));
        if !plan.knows(name) && !plan.with_consumers().any(is_met) {
            let known = plan
                .with_consumers()
                .map(|p| p.name.as_str())
                .chain(plan.externals.keys().map(String::as_str));
            let kind = format!("package or dependency of {}", plan.distro_name);
            let (said, nearest) = unknown_name(&kind, name, known);
            return Err(Error::UnknownPackage {
                name: name.clone(),
                nearest: nearest.map(str::to_owned),
                said,
            });
        }
    }
    Ok(())
}

/// Returns the packages and consumers that link one of the packages or external dependencies `names`, or are
/// built from its headers or static libraries, in build order. Packages that only run, load or are
/// tested with it are not included. Dependents of these packages are not included either, because
/// they depend on the library themselves if they use it. There is one exception: if a package
/// propagates the library, the packages that depend on that package are included.
pub(crate) fn holding(plan: &Plan, names: &[String]) -> Vec<Rebuild> {
    let mut handed_on = BTreeSet::new();
    let mut out = Vec::new();
    for p in plan
        .with_consumers()
        .filter(|p| !names.iter().any(|name| is(p, name)))
    {
        let changed = |e: &&ResolvedEdge| {
            let through =
                matches!(&e.to, Dependency::Package(id) if handed_on.contains(id.as_str()));
            p.settles(e.edge.when.as_ref())
                && (through || names.iter().any(|name| leads_to(plan, e, name)))
        };
        let kinds: Vec<EdgeKind> = p
            .depends
            .iter()
            .filter(changed)
            .flat_map(|e| e.edge.kind.0.clone())
            .collect();
        if kinds.contains(&EdgeKind::Propagated) {
            handed_on.insert(p.id.as_str());
        }
        let holds = [EdgeKind::Link, EdgeKind::Build, EdgeKind::Propagated];
        if kinds.iter().any(|kind| holds.contains(kind)) {
            out.push(Rebuild {
                id: p.id.clone(),
                name: p.name.clone(),
            });
        }
    }
    out
}

/// Returns true if `name` is the package's id, its name in the distribution, or the name of one of
/// its split packages.
pub(crate) fn is(p: &Planned, name: &str) -> bool {
    let parts = p.package.pkgbuild.as_ref().map(|own| &own.packages);
    p.id == name || p.name == name || parts.is_some_and(|parts| parts.contains_key(name))
}

pub(crate) fn leads_to(plan: &Plan, e: &ResolvedEdge, name: &str) -> bool {
    e.name == name
        || match &e.to {
            Dependency::External(spelt) => spelt == name,
            Dependency::Package(id) => plan.known(id).is_some_and(|p| is(p, name)),
        }
}
