//! The support of a GPU target by a package according to the model and to upstream, with its
//! reason.

use super::Questions;
use rocpkg::internal::model::TargetRule;
use rocpkg::internal::resolve::{Chooser, Planned, official};
use rocpkg::internal::targets::{OnDevice, Target};

/// Upstream's statements about a package on a GPU. Results of test runs are not included.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evidence {
    /// Set if the package can be built for the GPU according to the model: its own list of targets
    /// contains the GPU or it has no such list, and it does not exclude the GPU. In a distribution
    /// that is only read (Debian), true if the package index declares the GPU.
    pub modelled: bool,
    /// The reason why the package excludes the GPU. None if it does not exclude the GPU.
    pub excluded: Option<String>,
    /// The state of upstream's tests of the package on the GPU: `scheduled`, `excluded` (the
    /// machine leaves them out), `no-machine` (no machine has the GPU) or `unlisted` (upstream
    /// schedules no tests of the package).
    pub tests: &'static str,
    /// The label of the machine on which upstream schedules the tests. Empty if the tests are not
    /// scheduled.
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
    /// Returns the class of support that a target has in a package of this distribution, with the
    /// reason or the source. The classes are `official` (on upstream's list of supported GPUs),
    /// `builds` (a rule of the package accepts the target, or upstream builds it by default),
    /// `unknown` and `no-kernels`.
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
            && !self.known_part(p).contains(t)
            && let Err(fact) = self.built_for(p)
        {
            return ("unknown", format!("{fact} is not known"));
        }
        let official = official(self.registry, &p.version).filter(|(set, _)| set.contains(t));
        let named = written.and_then(|w| rule(&w.supports).or_else(|| rule(&w.defaults)));
        match (official, named) {
            (Some((_, list)), _) => ("official", list.source.clone()),
            (_, Some(reason)) => ("builds", reason),
            // A target that no rule excludes may still fail to build.
            (_, None) => (
                "unknown",
                "the package states no limit, and no known list of upstream names it".into(),
            ),
        }
    }

    /// Returns the reason of the first of `rules` that names the target `t` or a family that
    /// contains it. None if no rule does.
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

    /// Returns upstream's statements about the package `p` on the GPU `t`.
    pub(super) fn evidence(&self, p: &Planned, t: Target) -> Evidence {
        let written = p.package.targets.as_ref();
        let devices = p.components.iter().map(|c| self.registry.on_device(c, t));
        let tests = devices.min().unwrap_or(OnDevice::Unlisted);
        let excluded = written.and_then(|w| self.rule(&w.excludes, t));
        Evidence::of(p.able(self.registry).contains(t), excluded, tests)
    }
}
