//! The fewest targets to build so that given GPUs are served.

use crate::solve::{Candidate, min_cover};
use crate::{Kind, Registry, Score, Target, TargetId, TargetSet, Via};

/// What a cover may count on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverOptions {
    /// The runtime carries every patch of [`Registry::patch_sites`].
    pub patched: bool,
    /// Generic targets may be built.
    pub generic: bool,
}

/// One target of a cover, and why it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The target to build.
    pub target: Target,
    /// The asked-for GPUs that take this target's code, each with its score. A GPU that several chosen targets
    /// serve stands with the best of them.
    pub serves: Vec<(Target, Score)>,
    /// The asked-for GPUs that no other candidate serves: with any, the target can't be left out of any cover.
    pub only_for: TargetSet,
}

/// A smallest set of targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cover {
    /// The targets in the registry's order.
    pub choices: Vec<Choice>,
}

impl Cover {
    /// The targets alone.
    pub fn targets(&self) -> TargetSet {
        self.choices.iter().map(|c| c.target).collect()
    }
}

/// GPUs that no candidate serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncovered(pub TargetSet);

impl Registry {
    /// A smallest set of `candidates` whose code serves every one of `gpus`. Of equally small sets it is the one
    /// whose code fits the GPUs best by the score rule, then the first in the registry's order.
    ///
    /// # Errors
    ///
    /// The GPUs that no candidate serves.
    pub fn cover(
        &self,
        gpus: TargetSet,
        candidates: TargetSet,
        options: CoverOptions,
    ) -> Result<Cover, Uncovered> {
        let CoverOptions { patched, generic } = options;
        let usable: Vec<Target> =
            candidates.iter().filter(|t| generic || self.kind(*t) != Kind::Generic).collect();
        let reach = self.reach(candidates, patched, generic);
        let uncovered = Uncovered(gpus.difference(reach));
        if !uncovered.0.is_empty() {
            return Err(uncovered);
        }
        let score =
            |code: Target, gpu: Target| self.loads_on(TargetId::plain(code), TargetId::plain(gpu), patched);
        let sets: Vec<Candidate> = usable
            .iter()
            .map(|code| {
                let served = self.serves(*code, patched).intersection(gpus);
                let mut worth = [0; 64];
                for gpu in served {
                    // Only the order of the rules matters for the choice, and it fits a byte.
                    worth[usize::from(gpu.0)] = score(*code, gpu).map_or(0, |s| s.via as u8);
                }
                Candidate { elements: served.0, worth }
            })
            .collect();
        let chosen = min_cover(gpus.0, &sets).ok_or(uncovered)?;
        let mut choices: Vec<Choice> = chosen
            .iter()
            .map(|i| {
                let others = sets.iter().enumerate().filter(|(j, _)| j != i);
                let elsewhere = others.fold(0, |all, (_, set)| all | set.elements);
                let only_for = TargetSet(sets[*i].elements & !elsewhere);
                Choice { target: usable[*i], serves: Vec::new(), only_for }
            })
            .collect();
        for gpu in gpus {
            let scored = choices.iter().enumerate().filter_map(|(at, c)| Some((score(c.target, gpu)?, at)));
            // Of equal scores the first choice: `max_by` alone would take the last.
            if let Some((best, at)) = scored.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))) {
                choices[at].serves.push((gpu, best));
            }
        }
        Ok(Cover { choices })
    }

    /// Why a target is in a cover, as one sentence.
    pub fn reason(&self, choice: &Choice) -> String {
        let rules = [
            (Via::Exact, "itself"),
            (Via::Processor, "its own processor"),
            (Via::Compatible, "by the compatibility patches"),
            (Via::Generic, "as a generic target"),
        ];
        let mut parts = Vec::new();
        for (via, words) in rules {
            let set: TargetSet =
                choice.serves.iter().filter(|(_, s)| s.via == via).map(|(gpu, _)| *gpu).collect();
            if set == TargetSet::of(choice.target) {
                parts.push(words.to_owned());
            } else if !set.is_empty() {
                parts.push(format!("{} {words}", self.show(set)));
            }
        }
        let mut out = format!("{} serves {}", self.name(choice.target), parts.join(", "));
        if !choice.only_for.is_empty() {
            out += &format!("; no other candidate serves {}", self.show(choice.only_for));
        }
        out
    }
}
