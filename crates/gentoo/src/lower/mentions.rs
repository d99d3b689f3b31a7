//! Checks of the features, variables and eclasses that a package's profile names. Names in Gentoo's
//! repository, such as categories, flags of other packages and words that eclasses read, are
//! checked by Portage and pkgcheck.

use crate::lower::context::Context;
use crate::lower::flags::all_targets;
use crate::value::dep::Required;
use crate::value::ebuild::Variable;
use rocpkg_model::{Cond, Finding, Span, Spanned};
use rocpkg_pms::{Flag, Node};

impl Context<'_> {
    /// Returns the value of `cond`, a feature or a target in a constraint, if users can't change
    /// it: the value that the distribution fixes for a feature, and false for a known target that
    /// has no flag. Returns `None` for all other conditions.
    pub(crate) fn settled_flag(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Target(name) => {
                // An unknown name is reported elsewhere.
                let known = self
                    .plan
                    .registry
                    .as_ref()
                    .is_some_and(|all| all.get(name).is_some());
                (known && !all_targets(self.plan, self.p).contains(name)).then_some(false)
            }
            _ => self.p.fixed_answer(cond),
        }
    }

    /// Returns the parts of `REQUIRED_USE` in which features require a GPU target: `test` → `test?
    /// ( ${ROCM_REQUIRED_USE} )`. `asked` are the features that the profile names under
    /// `require-targets`, and `target` returns the inner part. If the distribution fixes one of the
    /// features to on, the result is the inner part alone.
    pub(crate) fn asking_for_targets(
        &mut self,
        asked: &[Spanned<String>],
        target: impl Fn() -> Node<Required>,
    ) -> Vec<Node<Required>> {
        let mut out = Vec::new();
        for name in asked {
            let Some(feature) = self.p.package.features.get(&name.value) else {
                // A rule of the distribution is for all packages, including those without the
                // feature.
                if !self.is_habit(name.span) {
                    self.unknown_feature(name, &["always", "never"]);
                }
                continue;
            };
            match (&feature.fixed, Flag::new(&self.flag(&name.value))) {
                (Some(fixed), _) if fixed.value => return vec![target()],
                (None, Ok(flag)) => out.push(Node::when(flag, [target()])),
                // A feature that is off requires nothing. A name that can't be a flag is reported
                // where flags are read.
                _ => {}
            }
        }
        out
    }

    /// Returns true if `span` is in the distribution's file, whose rules are for all packages.
    fn is_habit(&self, span: Span) -> bool {
        self.plan
            .distro_node
            .as_ref()
            .is_some_and(|node| node.span.file == span.file)
    }

    fn unknown_feature(&mut self, name: &Spanned<String>, more: &[&str]) {
        let known = self
            .p
            .package
            .features
            .keys()
            .map(String::as_str)
            .chain(more.iter().copied());
        let finding = Finding::error(
            "E0201",
            name.span,
            format!("unknown feature `{}`", name.value),
        )
        .label("expected a feature of this package")
        .nearest(&name.value, known);
        self.findings.push(finding);
    }

    /// Reports names under `ebuild.reasons` that are not among `late`, the variables of the ebuild,
    /// and names under `ebuild.describes` that are no feature of the package.
    pub(crate) fn check_named(&mut self, late: &[Variable]) {
        let Some(facts) = self.facts() else { return };
        for name in facts
            .reasons
            .keys()
            .filter(|name| late.iter().all(|v| v.name != **name))
        {
            let span = self.named_at(&["reasons"], name);
            self.unknown("variable", name, span, late.iter().map(|v| v.name.as_str()));
        }
        for name in &facts.describes {
            let offered = self
                .p
                .package
                .features
                .get(&name.value)
                .is_some_and(|f| f.fixed.is_none());
            if !offered && !self.is_habit(name.span) {
                self.unknown_feature(name, &[]);
            }
        }
    }

    /// Reports that the ebuild has no `what`, such as `eclass` or `variable`, of the name `name`.
    /// The finding proposes the nearest of the `known` names.
    pub(crate) fn unknown<'n>(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        known: impl Iterator<Item = &'n str>,
    ) {
        let finding = Finding::error("E0331", span, format!("the ebuild has no {what} `{name}`"));
        self.findings.push(
            finding
                .label(format!("expected another {what}, or none"))
                .nearest(name, known),
        );
    }
}
