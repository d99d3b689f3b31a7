//! What a recipe without switches is built as: nobody chooses, so every condition has an answer.

use crate::plan::Plan;
use crate::plan::constraints::broken;
use crate::plan::planned::Planned;
use crate::plan::sources::ResolvedSource;
use rocpkg_model::{Cond, Feature, Fetch, Finding, Findings, Patch, Span, TestHabit, When};

/// The name of the feature that builds upstream's tests.
pub const TEST: &str = "test";

impl Planned {
    /// True when the condition holds where nobody chooses: every feature stands at its default, and
    /// one build serves all targets.
    pub fn settles(&self, when: Option<&When>) -> bool {
        when.is_none_or(|w| self.answer(&w.cond))
    }

    /// The feature that builds upstream's tests.
    pub fn test_feature(&self) -> Option<&Feature> {
        self.package.features.get(TEST)
    }

    /// True where the tests are built although nobody chooses.
    pub fn builds_tests(&self) -> bool {
        self.test_feature()
            .is_none_or(|_| self.answer(&Cond::Feature(TEST.into())))
    }

    /// Whether the tests are built, as far as the distribution decides it.
    pub fn may_build_tests(&self) -> bool {
        self.test_feature()
            .is_none_or(|f| f.fixed.as_ref().is_none_or(|on| on.value))
    }

    /// Whether a recipe without switches runs upstream's tests by the distribution's habit: they
    /// are built and need nothing that a build machine lacks.
    pub fn runs_tests(&self, plan: &Plan) -> bool {
        let habit =
            plan.distro.habits.as_ref().and_then(|h| h.tests) == Some(TestHabit::WithoutDevice);
        let tests = self.package.tests.as_ref();
        habit && self.may_build_tests() && tests.is_some_and(|t| !t.device && t.never.is_none())
    }

    /// What the distribution fixes, as an answer to the name of a feature.
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

    /// Where constraints stand that can't hold with what is known.
    pub fn broken_constraints(
        &self,
        known: &impl Fn(&Cond) -> Option<bool>,
    ) -> impl Iterator<Item = Span> {
        self.package
            .constraints
            .iter()
            .filter_map(|c| broken(c, &self.node, known))
    }

    /// Reports constraints that the defaults of features break, where `label` says how a recipe
    /// takes these. What they say of targets is left to the proof.
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

    /// Reports archives without a folder of their own beside another one, for recipes that make
    /// none.
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

    /// The sources that such a recipe fetches.
    pub fn fetched(&self) -> impl Iterator<Item = &ResolvedSource> {
        self.sources
            .iter()
            .filter(|s| s.fetch != Fetch::Inherited && self.settles(s.when.as_ref()))
    }

    /// The patches that it applies, in order.
    pub fn applied(&self) -> impl Iterator<Item = &Patch> {
        self.package.patches.iter()
    }
}
