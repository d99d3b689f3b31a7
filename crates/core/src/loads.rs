//! The loading of code on GPUs.

use crate::{Kind, Registry, Target, TargetSet};
use std::borrow::Borrow;

/// The rule by which code loads on a GPU, worst first: of several code objects the loader takes the
/// greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// A generic target that covers the processor.
    Generic,
    /// Another processor's code, with the distributions' patches.
    Compatible,
    /// Code for the same processor.
    Exact,
}

impl Registry {
    /// Returns the rule by which code for one target loads on a GPU, or none when it doesn't.
    /// `patched` says that the runtime carries the distributions' patches. Neither states a mode.
    ///
    /// `amdgcnspirv` and other pseudo targets load only where the same name is asked for: the
    /// runtime compiles SPIR-V for the GPU at hand, which is not loading.
    pub fn loads_on(&self, code: Target, gpu: Target, patched: bool) -> Option<Via> {
        let known = self.known(code);
        if code == gpu {
            Some(Via::Exact)
        } else if patched && known.compatible.contains(gpu) {
            Some(Via::Compatible)
        } else {
            known.loads.contains(gpu).then_some(Via::Generic)
        }
    }

    /// Returns the processors that code for one target serves, with no mode stated.
    pub fn serves(&self, code: Target, patched: bool) -> TargetSet {
        let known = self.known(code);
        if patched {
            known.loads.union(&known.compatible)
        } else {
            known.loads.clone()
        }
    }

    /// Returns the processors that a build for these targets serves. With `generic` false, generic
    /// targets in the set count for nothing, as with a compiler or runtime too old for them.
    pub fn reach(&self, set: impl Borrow<TargetSet>, patched: bool, generic: bool) -> TargetSet {
        let set = set.borrow();
        set.iter()
            .filter(|t| generic || self.kind(*t) != Kind::Generic)
            .fold(TargetSet::EMPTY, |out, t| {
                out.union(self.serves(t, patched))
            })
    }

    /// Returns the targets whose code a GPU loads, best first.
    pub fn loadable(&self, gpu: Target, patched: bool) -> Vec<(Target, Via)> {
        let all = self.all();
        let mut out: Vec<_> = all
            .iter()
            .filter_map(|code| Some((code, self.loads_on(code, gpu, patched)?)))
            .collect();
        out.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        out
    }
}
