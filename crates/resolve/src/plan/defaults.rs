//! The configuration of a recipe without switches, such as a PKGBUILD. Nobody chooses features or
//! targets when the package is built, so every condition is either true or false.

use crate::plan::Plan;
use crate::plan::constraints::broken;
use crate::plan::planned::Planned;
use crate::plan::sources::ResolvedSource;
use rocpkg_model::{Cond, Feature, Fetch, Finding, Findings, Patch, Span, TestHabit, When};

/// The name of the feature that builds upstream's tests.
pub const TEST: &str = "test";

impl Planned {
    /// Returns true if the condition `when` holds in a recipe without switches, or if no condition
    /// is stated (`None`). Each feature has its fixed value or its default. A condition on a target
    /// is true unless the package excludes the target, since one build is for all targets.
    pub fn settles(&self, when: Option<&When>) -> bool {
        when.is_none_or(|w| self.answer(&w.cond))
    }

    /// Returns the feature `test`, which builds upstream's tests, if the package has it.
    pub fn test_feature(&self) -> Option<&Feature> {
        self.package.features.get(TEST)
    }

    /// Returns true if a recipe without switches builds upstream's tests. Also returns true if the
    /// package has no feature `test`.
    pub fn builds_tests(&self) -> bool {
        self.test_feature()
            .is_none_or(|_| self.answer(&Cond::Feature(TEST.into())))
    }

    /// Returns true unless the distribution fixes the feature `test` to off.
    pub fn may_build_tests(&self) -> bool {
        self.test_feature()
            .is_none_or(|f| f.fixed.as_ref().is_none_or(|on| on.value))
    }

    /// Returns true if a recipe without switches runs upstream's tests by the distribution's habit.
    /// The package must state tests that need no GPU and that are not marked as never run, and the
    /// distribution must not turn off the feature `test`.
    pub fn runs_tests(&self, plan: &Plan) -> bool {
        let habit =
            plan.distro.habits.as_ref().and_then(|h| h.tests) == Some(TestHabit::WithoutDevice);
        let tests = self.package.tests.as_ref();
        habit && self.may_build_tests() && tests.is_some_and(|t| !t.device && t.never.is_none())
    }

    /// Returns the value of a condition that is a single feature which the distribution fixes.
    /// Returns `None` for any other condition.
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

    /// Returns the places of the constraints that can't hold. `known` returns true or false for a
    /// condition that is decided, and `None` for any other.
    pub fn broken_constraints(
        &self,
        known: &impl Fn(&Cond) -> Option<bool>,
    ) -> impl Iterator<Item = Span> {
        self.package
            .constraints
            .iter()
            .filter_map(|c| broken(c, &self.node, known))
    }

    /// Reports constraints that can't hold if each feature has its default. `label` is the label of
    /// the finding, and states how a recipe uses the defaults. Conditions on targets count as
    /// undecided: the proof checks them.
    pub fn check_defaults(&self, label: &str, findings: &mut Findings) {
        for span in
            self.broken_constraints(&|c| matches!(c, Cond::Feature(_)).then(|| self.answer(c)))
        {
            findings.push(
                Finding::error(
                    "E0222",
                    span,
                    "the defaults of features break this constraint",
                )
                .label(label)
                .hint("set `default` or `fixed` of these features in the overlay"),
            );
        }
    }

    /// Reports archives whose files are not in a folder, except the first such archive. The files
    /// of two of them would be mixed. The check is for recipes that create no folder for such an
    /// archive.
    pub fn check_folders(&self, findings: &mut Findings) {
        for s in self.fetched().filter(|s| s.needs_folder()).skip(1) {
            let asset = s.asset.as_deref().unwrap_or(&s.repository);
            let message = format!(
                "the asset `{asset}` of {} has no top-level folder",
                s.version
            );
            findings.push(
                Finding::error("E0224", s.span, message)
                    .label("its files would be mixed with those of another asset")
                    .hint("use the archive of the repository at this release: `fetch: archive`"),
            );
        }
    }

    /// Returns the sources that a recipe without switches fetches. Sources that another package has
    /// fetched (`fetch: inherited`) are left out.
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
