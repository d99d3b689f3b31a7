//! The configuration of a recipe without switches. Nobody chooses, so every condition has an
//! answer.

use crate::plan::Plan;
use crate::plan::constraints::broken;
use crate::plan::planned::Planned;
use crate::plan::sources::ResolvedSource;
use rocpkg_model::{Cond, Feature, Fetch, Finding, Findings, Patch, Span, TestHabit, When};

/// The name of the feature that builds upstream's tests.
pub const TEST: &str = "test";

impl Planned {
    /// Returns true if the condition holds when nobody chooses. Every feature then has its default,
    /// and one build serves all targets.
    pub fn settles(&self, when: Option<&When>) -> bool {
        when.is_none_or(|w| self.answer(&w.cond))
    }

    /// Returns the feature that builds upstream's tests.
    pub fn test_feature(&self) -> Option<&Feature> {
        self.package.features.get(TEST)
    }

    /// Returns true if the tests are built when nobody chooses.
    pub fn builds_tests(&self) -> bool {
        self.test_feature()
            .is_none_or(|_| self.answer(&Cond::Feature(TEST.into())))
    }

    /// Returns true unless the distribution fixes the feature of the tests to off.
    pub fn may_build_tests(&self) -> bool {
        self.test_feature()
            .is_none_or(|f| f.fixed.as_ref().is_none_or(|on| on.value))
    }

    /// Returns true if a recipe without switches runs upstream's tests by the distribution's habit.
    /// The tests must be built, and must need nothing that a build machine lacks.
    pub fn runs_tests(&self, plan: &Plan) -> bool {
        let habit =
            plan.distro.habits.as_ref().and_then(|h| h.tests) == Some(TestHabit::WithoutDevice);
        let tests = self.package.tests.as_ref();
        habit && self.may_build_tests() && tests.is_some_and(|t| !t.device && t.never.is_none())
    }

    /// Answers a condition that names a feature, if the distribution fixes that feature.
    pub fn fixed_answer(&self, cond: &Cond) -> Option<bool> {
        let Cond::Feature(name) = cond else {
            return None;
        };
        self.package
            .features
            .get(name)?
            .fixed
            .as_ref()
            .map(|on| on.value)
    }

    fn answer(&self, cond: &Cond) -> bool {
        let features = &self.package.features;
        let excluded = |t: &String| {
            self.targets
                .as_ref()
                .is_some_and(|r| r.excludes.contains(t))
        };
        cond.reduce(&|c| {
            Some(match c {
                Cond::Feature(f) => features
                    .get(f)
                    .is_some_and(|f| f.fixed.as_ref().map_or(f.default, |v| v.value)),
                Cond::Target(t) => !excluded(t),
                _ => true,
            })
        })
        .unwrap_or(false)
    }

    /// Returns the places of constraints that can't hold with the answers of `known`.
    pub fn broken_constraints(
        &self,
        known: &impl Fn(&Cond) -> Option<bool>,
    ) -> impl Iterator<Item = Span> {
        self.package
            .constraints
            .iter()
            .filter_map(|c| broken(c, &self.node, known))
    }

    /// Reports constraints that the defaults of features break. `label` states how a recipe uses
    /// the defaults. Conditions on targets are left to the proof.
    pub fn check_defaults(&self, label: &str, findings: &mut Findings) {
        for span in
            self.broken_constraints(&|c| matches!(c, Cond::Feature(_)).then(|| self.answer(c)))
        {
            findings.push(
                Finding::error(
                    "E0222",
                    span,
                    "what must hold between features does not hold",
                )
                .label(label)
                .hint("set `default` or `fixed` of these features in the overlay"),
            );
        }
    }

    /// Reports archives without a folder of their own, except the first of them. The check is for
    /// recipes that create no folder for such an archive.
    pub fn check_folders(&self, findings: &mut Findings) {
        for s in self.fetched().filter(|s| s.needs_folder()).skip(1) {
            let asset = s.asset.as_deref().unwrap_or(&s.repository);
            let message = format!(
                "the asset `{asset}` of {} brings no folder of its own",
                s.version
            );
            findings.push(
                Finding::error("E0224", s.span, message)
                    .label("its files would lie among those of others")
                    .hint("take the archive of the repository at this release: `fetch: archive`"),
            );
        }
    }

    /// Returns the sources that a recipe without switches fetches.
    pub fn fetched(&self) -> impl Iterator<Item = &ResolvedSource> {
        self.sources
            .iter()
            .filter(|s| s.fetch != Fetch::Inherited && self.settles(s.when.as_ref()))
    }

    /// Returns the patches that a recipe without switches applies, in order.
    pub fn applied(&self) -> impl Iterator<Item = &Patch> {
        self.package.patches.iter()
    }
}
