//! The packages that must be built again after a change of a package that they depend on.

use crate::backend::Backend;
use crate::error::Error;
use crate::names::{Named, named};
use rocpkg_model::EdgeKind;
use rocpkg_resolve::{Dependency, Model, Plan, ResolvedEdge};
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
    model: &Model,
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
    let mut out = holding(plan, &named(model, plan, names)?);
    out.retain(|rebuild| plan.get(&rebuild.id).is_some());
    Ok(out)
}

/// Returns the packages and consumers that link one of the packages or external dependencies
/// `changed`, or are
/// built from its headers or static libraries, in build order. Packages that only run, load or are
/// tested with it are not included. Dependents of these packages are not included either, because
/// they depend on the library themselves if they use it. There is one exception: if a package
/// propagates the library, the packages that depend on that package are included.
pub(crate) fn holding(plan: &Plan, changed: &Named) -> Vec<Rebuild> {
    let mut handed_on = BTreeSet::new();
    let mut out = Vec::new();
    for p in plan.with_consumers().filter(|p| !changed.is(p)) {
        let is_changed = |e: &&ResolvedEdge| {
            let through =
                matches!(&e.to, Dependency::Package(id) if handed_on.contains(id.as_str()));
            p.settles(e.edge.when.as_ref()) && (through || changed.is_needed_by(e))
        };
        let kinds: Vec<EdgeKind> = p
            .depends
            .iter()
            .filter(is_changed)
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
