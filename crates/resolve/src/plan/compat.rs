//! Which code loads on other GPUs, by the patches that the packages of a plan carry.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::read::registry::triple;
use rocpkg_model::Spanned;
use rocpkg_targets::Registry;
use std::collections::BTreeSet;

impl Plan {
    /// The places of `isa-compat` that the patches of all packages patch, as each says itself.
    pub fn patched_sites(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.packages.iter().flat_map(|p| &p.package.patches).flat_map(|patch| &patch.site.0)
    }

    /// The same by their names, for [`Plan::serves_compatible`].
    pub fn carried(&self) -> BTreeSet<String> {
        self.patched_sites().map(|s| s.value.clone()).collect()
    }

    /// Whether a package serves GPUs of a group with code for another one: some place of the runtime is patched, and each
    /// place of the package's own components. Which of the runtime's places suffice is not known, so that one is taken to.
    /// `carried` are the places that patches of the plan reach.
    pub fn serves_compatible(&self, registry: &Registry, carried: &BTreeSet<String>, p: &Planned) -> bool {
        let release = triple(&p.version);
        let (own, runtime): (Vec<_>, Vec<_>) =
            registry.patch_sites(release).partition(|s| s.component.is_some());
        let ours = |c: &String| p.components.contains(c);
        runtime.iter().any(|s| s.since.is_none() && carried.contains(&s.site))
            && own
                .iter()
                .filter(|s| s.component.as_ref().is_some_and(ours))
                .all(|s| carried.contains(&s.site))
    }

    /// The places that a release needs patched for compressed code bundles, and that no patch of the plan reaches.
    pub fn bundles_unpatched<'r>(&self, registry: &'r Registry) -> Vec<&'r str> {
        let sites = registry.patch_sites(triple(&self.version)).filter(|s| s.since.is_some());
        let carried = self.carried();
        sites.filter(|s| !carried.contains(&s.site)).map(|s| s.site.as_str()).collect()
    }
}
