//! Rules by which code that is built for a target loads on a GPU.

use crate::{Registry, Target, TargetKind, TargetSet};
use std::borrow::Borrow;

/// The rule by which code loads on a GPU. The variants are ordered from the worst to the best: if
/// several code objects can load, the loader takes the one with the greatest rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// The code is for a generic target that covers the GPU's processor.
    Generic,
    /// The code is for another processor, and loads because the runtime has the distributions'
    /// patches.
    Compatible,
    /// The code is for the GPU's own processor.
    Exact,
}

impl Registry {
    /// Returns the rule by which code for the target `code` loads on a GPU with the processor
    /// `gpu`, or `None` if it does not load. `patched` is true if the runtime has the patches of
    /// distributions that let code for compatible processors load. Modes such as `xnack` are not
    /// considered.
    ///
    /// `amdgcnspirv` and other pseudo targets load only if `gpu` is the same name. The runtime
    /// compiles SPIR-V for the GPU, and that does not count as loading here.
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

    /// Returns the processors on which code for the target `code` loads, if the code states no
    /// mode. For `patched`, see [`Registry::loads_on`].
    pub fn serves(&self, code: Target, patched: bool) -> TargetSet {
        let known = self.known(code);
        if patched {
            known.loads.union(&known.compatible)
        } else {
            known.loads.clone()
        }
    }

    /// Returns the processors on which code for at least one target in `set` loads. For `patched`,
    /// see [`Registry::loads_on`]. If `generic` is false, generic targets in `set` are ignored,
    /// since some compilers and runtimes are too old for them.
    pub fn reach(&self, set: impl Borrow<TargetSet>, patched: bool, generic: bool) -> TargetSet {
        let set = set.borrow();
        set.iter()
            .filter(|t| generic || self.kind(*t) != TargetKind::Generic)
            .fold(TargetSet::EMPTY, |out, t| {
                out.union(self.serves(t, patched))
            })
    }

    /// Returns the targets whose code loads on a GPU with the processor `gpu`, each with its rule,
    /// the best rule first. For `patched`, see [`Registry::loads_on`].
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
