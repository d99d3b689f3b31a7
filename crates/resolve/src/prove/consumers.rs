//! The GPU targets of consumers: packages that are built on the stack, and for which no recipe is
//! rendered. They follow from `consumers.yaml` instead of a recipe.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::prove::builds::{Builds, ChoiceEffect, Chooser, PassedTargets};
use rocpkg_model::TargetList;

impl Plan {
    /// Returns true if the package or consumer `p` contains code for GPUs in the configuration of a
    /// recipe without switches.
    pub fn has_device_code(&self, p: &Planned) -> bool {
        let Some(targets) = &p.package.targets else {
            return false;
        };
        // A package that passes no list, and whose build reads none, compiles nothing for a GPU.
        let is_consumer = self.get(&p.id).is_none();
        let reads = !p.known_variables.is_empty() || !targets.variable.0.is_empty();
        p.settles(targets.when.as_ref())
            && (is_consumer || reads || targets.list != TargetList::None)
    }

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
