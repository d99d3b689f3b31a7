//! Support classes: who promises that a GPU works.

use crate::{Registry, Release, Target, TargetSet};

/// The processors that upstream's release notes or tables call supported, from one release on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Official {
    /// The first release of this list.
    pub since: Release,
    /// The processors.
    pub targets: Vec<String>,
    /// Where it says so.
    pub source: String,
}

/// How far a GPU is supported by a library in a release, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SupportClass {
    /// LLVM doesn't know it.
    Unknown,
    /// LLVM knows it, the library's own list doesn't: a patch may make it work.
    CompilerOnly,
    /// The library's code knows it, and nobody upstream tests it.
    Builds,
    /// Upstream tests it.
    Official,
}

impl Registry {
    /// The list of a release and its source: the newest that is not newer than the release. Nothing before the
    /// first list.
    pub fn official(&self, release: Release) -> Option<(TargetSet, &Official)> {
        self.official
            .iter()
            .copied()
            .zip(&self.input.official)
            .filter(|(_, list)| list.since <= release)
            .max_by_key(|(_, list)| list.since)
    }

    /// The class of a target for a library that builds `builds`, in a release, with a major version of LLVM.
    /// A library without device code for the target is never official for it.
    pub fn support_class(
        &self,
        target: Target,
        release: Release,
        builds: TargetSet,
        llvm: u32,
    ) -> SupportClass {
        let official = self.official(release).is_some_and(|(set, _)| set.contains(target));
        match (builds.contains(target), official) {
            (true, true) => SupportClass::Official,
            (true, false) => SupportClass::Builds,
            (false, _) if self.known_to_llvm(llvm).contains(target) => SupportClass::CompilerOnly,
            (false, _) => SupportClass::Unknown,
        }
    }
}
