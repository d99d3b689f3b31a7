//! How far a package supports a target.

use super::Questions;
use rocpkg_model::TargetRule;
use rocpkg_resolve::{Chooser, Planned, official};
use rocpkg_targets::{OnDevice, Target};

/// What upstream says of a package on a GPU. What came of tests is told by records of their own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evidence {
    /// The model takes it that upstream's build can: no list of the package's lacks the GPU.
    pub modelled: bool,
    /// Where upstream excludes it.
    pub excluded: Option<String>,
    /// Whether tests are `scheduled` on a device, `excluded` there, have `no-machine`, or are
    /// `unlisted`.
    pub tests: &'static str,
    /// The machine on which they are scheduled; empty where they are not.
    pub machine: String,
}

impl Evidence {
    pub(super) fn of(modelled: bool, excluded: Option<String>, tests: OnDevice) -> Self {
        let machine = if let OnDevice::Scheduled { machine, .. } = tests {
            machine
        } else {
            ""
        };
        Self {
            modelled,
            excluded,
            tests: tests.word(),
            machine: machine.to_owned(),
        }
    }
}

impl Questions<'_> {
    /// How far a package supports a target in this distribution, and where that stands.
    pub(super) fn support_of(&self, p: &Planned, t: Target) -> (&'static str, String) {
        let able = p.able(self.registry);
        let written = p.package.targets.as_ref();
        let rule = |rules: &[TargetRule]| self.rule(rules, t);
        if !able.contains(t) {
            let reason = written.and_then(|w| rule(&w.excludes));
            return (
                "no-kernels",
                reason.unwrap_or_else(|| "not in the package's list".into()),
            );
        }
        if let Some(reason) = self.not_offered(p, t) {
            return ("no-kernels", reason);
        }
        if self.recipes.chooser == Chooser::Packager
            && let Err(fact) = self.built_for(p)
        {
            return ("unknown", format!("{fact} is not known"));
        }
        let official = official(self.registry, &p.version).filter(|(set, _)| set.contains(t));
        match (official, written.and_then(|w| rule(&w.supports))) {
            (Some((_, list)), _) => ("official", list.source.clone()),
            (_, Some(reason)) => ("builds", reason),
            // That nothing is known against it does not say that it builds.
            (_, None) => (
                "unknown",
                "the package states no limit, and no list of upstream's that names it is known"
                    .into(),
            ),
        }
    }

    /// Why a rule speaks of a target, by its name or a family's.
    fn rule(&self, rules: &[TargetRule], t: Target) -> Option<String> {
        let names = |r: &&TargetRule| {
            r.targets.iter().any(|n| {
                self.registry
                    .find(&n.value)
                    .is_ok_and(|f| f.targets().contains(t))
            })
        };
        rules.iter().find(names).map(|r| r.reason.value.clone())
    }

    /// What upstream says of a package on a GPU, each by itself.
    pub(super) fn evidence(&self, p: &Planned, t: Target) -> Evidence {
        let written = p.package.targets.as_ref();
        let devices = p.components.iter().map(|c| self.registry.on_device(c, t));
        let tests = devices.min().unwrap_or(OnDevice::Unlisted);
        let excluded = written.and_then(|w| self.rule(&w.excludes, t));
        Evidence::of(p.able(self.registry).contains(t), excluded, tests)
    }
}
