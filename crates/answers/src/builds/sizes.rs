//! The sizes of the libraries that builds make.

use super::BuildPlan;
use rocpkg::internal::model::LibrarySize;
use rocpkg::internal::resolve::Bundles;
use std::collections::BTreeSet;

/// The size in mebibytes from which a library is near the reach of a relocation. Code refers to
/// data at most 2 GiB away (`R_X86_64_PC32`, a signed field of 32 bits). Beyond, the linker fails.
const NEAR_LIMIT: u64 = 1792;

/// A library of a build, with the size that it was seen to have.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[doc(hidden)]
pub struct KnownSize<'b> {
    /// The distribution's name for the package.
    pub package: &'b str,
    /// The measured sizes, with their source.
    pub fact: &'b LibrarySize,
    /// The packing of the package's device code in this distribution.
    pub bundles: Bundles,
}

impl KnownSize<'_> {
    /// Returns true if the library without compression is near the 2 GiB that the linker can
    /// handle, and the package is not known to be compressed.
    pub fn is_near_limit(&self) -> bool {
        let is_large = self.fact.plain.is_some_and(|size| size >= NEAR_LIMIT);
        is_large && !matches!(self.bundles, Bundles::Compressed { .. })
    }
}

impl BuildPlan {
    /// Returns the libraries of the builds whose size is known from a source, in build order. Sizes
    /// are those of the source, and not scaled to the number of GPU targets.
    #[doc(hidden)]
    pub fn sizes(&self) -> Vec<KnownSize<'_>> {
        let mut out = Vec::new();
        let Some(registry) = &self.plan.registry else {
            return out;
        };
        let built: BTreeSet<&str> = self.jobs.iter().map(|job| job.id.as_str()).collect();
        for p in self
            .plan
            .packages
            .iter()
            .filter(|p| built.contains(p.id.as_str()))
        {
            for fact in p.package.targets.iter().flat_map(|t| &t.sizes) {
                out.push(KnownSize {
                    package: &p.name,
                    fact,
                    bundles: self.plan.bundles(registry, p),
                });
            }
        }
        out
    }
}
