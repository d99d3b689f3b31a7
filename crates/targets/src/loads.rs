//! Which code loads on which GPU.

use crate::{Feature, Kind, Registry, Target, TargetId, TargetSet};

/// By which rule code loads on a GPU, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// A generic target that covers the processor.
    Generic,
    /// Another processor's code, with the distributions' patches.
    Compatible,
    /// Code for the same processor.
    Processor,
    /// Code for the same processor in the very modes of the GPU.
    Exact,
}

/// How well code fits a GPU; of several code objects the loader takes the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    /// Points by the registry's [`ScoreRule`](crate::ScoreRule). Generic code gets none for its match: the rule
    /// doesn't name it, and the runtime takes it only when nothing else loads.
    pub points: u32,
    /// The rule that let it load.
    pub via: Via,
}

/// Stated modes must be the GPU's own. A GPU whose mode isn't stated may be in either, so only code that states
/// none is sure to load.
fn mode_loads(code: Feature, gpu: Feature) -> bool {
    code == Feature::Any || code == gpu
}

impl Registry {
    /// How well `code` fits `gpu`, or nothing when it doesn't load; `patched` when the runtime carries every patch
    /// of [`Registry::patch_sites`].
    ///
    /// `amdgcnspirv` and other pseudo targets load only where the same name is asked for: the runtime compiles
    /// SPIR-V for the GPU at hand, which is not loading.
    pub fn loads_on(&self, code: TargetId, gpu: TargetId, patched: bool) -> Option<Score> {
        if !mode_loads(code.sramecc, gpu.sramecc) || !mode_loads(code.xnack, gpu.xnack) {
            return None;
        }
        let rule = self.input.score;
        if code == gpu {
            return Some(Score { points: rule.exact, via: Via::Exact });
        }
        let entry = self.entry(code.target);
        let (base, via) = if code.target == gpu.target {
            (rule.processor, Via::Processor)
        } else if patched && entry.compatible.contains(gpu.target) {
            (rule.compatible, Via::Compatible)
        } else if entry.loads.contains(gpu.target) {
            (0, Via::Generic)
        } else {
            return None;
        };
        let stated = |feature, points| if feature == Feature::Any { 0 } else { points };
        Some(Score {
            points: base + stated(code.xnack, rule.xnack) + stated(code.sramecc, rule.sramecc),
            via,
        })
    }

    /// The processors that code for one target serves, with no mode stated.
    pub fn serves(&self, code: Target, patched: bool) -> TargetSet {
        let entry = self.entry(code);
        if patched { entry.loads.union(entry.compatible) } else { entry.loads }
    }

    /// The processors that a build for these targets serves. With `generic` false, generic targets in the set count
    /// for nothing, as with a compiler or runtime too old for them.
    pub fn reach(&self, set: TargetSet, patched: bool, generic: bool) -> TargetSet {
        set.iter()
            .filter(|t| generic || self.kind(*t) != Kind::Generic)
            .fold(TargetSet::EMPTY, |out, t| out.union(self.serves(t, patched)))
    }

    /// The targets whose code a GPU loads, best first.
    pub fn loadable(&self, gpu: Target, patched: bool) -> Vec<(Target, Score)> {
        let on = TargetId::plain(gpu);
        let mut out: Vec<_> = self
            .all()
            .iter()
            .filter_map(|code| Some((code, self.loads_on(TargetId::plain(code), on, patched)?)))
            .collect();
        out.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        out
    }
}
