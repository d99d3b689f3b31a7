//! The GPU targets of consumers: packages that are built on the stack, and for which no recipe is
//! rendered. They follow from `consumers.yaml` instead of a recipe.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::prove::builds::{Builds, ChoiceEffect, Chooser, PassedTargets};
use rocpkg_model::TargetList;

impl Plan {
    /// Returns the GPU targets that the recipe of the consumer `p` passes to upstream's build, by
    /// the facts in `consumers.yaml`. Returns `None` if it contains no device code of its own.
    pub fn consumer_builds(&self, p: &Planned, chooser: Chooser) -> Option<Builds> {
        let resolved = p.targets.as_ref()?;
        let unasked = match self.settled_targets(p) {
            Some((Some(tool), resolved)) => PassedTargets::Tool {
                command: tool.command.value.clone(),
                without: resolved.excludes.clone(),
                further: Vec::new(),
            },
            Some((None, resolved)) => PassedTargets::List(resolved.default.clone()),
            None => PassedTargets::Upstream,
        };
        let list = p.package.targets.as_ref().map(|t| t.list);
        let is_asked = matches!(chooser, Chooser::Flags { .. })
            && matches!(list, Some(TargetList::All | TargetList::Intersection));
        let flags = resolved.default.iter().chain(&resolved.offered);
        Some(Builds {
            unasked,
            asked: ChoiceEffect::Ignored,
            flags: flags.filter(|_| is_asked).cloned().collect(),
            ..Builds::default()
        })
    }
}
