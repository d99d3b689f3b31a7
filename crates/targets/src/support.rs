//! Who promises that a GPU works.

use crate::{Registry, Release, TargetSet};

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
}
