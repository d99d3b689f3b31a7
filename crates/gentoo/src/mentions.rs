//! What facts of an ebuild name in other parts of the profile: features, variables, eclasses. What
//! they name in Gentoo's repository, such as categories, flags of other packages and words that
//! eclasses read, Portage and pkgcheck look up.

use crate::context::Context;
use crate::dep::Required;
use crate::ebuild::Variable;
use crate::flags::all_targets;
use rocpkg_model::{Cond, Finding, Span, Spanned};
use rocpkg_pms::{Flag, Node};

impl Context<'_> {
    /// What is known of a condition of `REQUIRED_USE`: features that the distribution fixes, and
    /// targets that have no flag.
    pub(crate) fn settled_flag(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Target(name) => {
                // A name that nobody knows is a finding already.
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

    /// What `REQUIRED_USE` holds where features ask for a target to be chosen.
    pub(crate) fn asking_for_targets(
        &mut self,
        asked: &[Spanned<String>],
        target: impl Fn() -> Node<Required>,
    ) -> Vec<Node<Required>> {
        let mut out = Vec::new();
        for name in asked {
            let Some(feature) = self.p.package.features.get(&name.value) else {
                // A rule of the distribution's is for packages that have the feature, and for
                // others.
                if !self.is_habit(name.span) {
                    self.unknown_feature(name, &["always", "never"]);
                }
                continue;
            };
            match (&feature.fixed, Flag::new(&self.flag(&name.value))) {
                (Some(fixed), _) if fixed.value => return vec![target()],
                (None, Ok(flag)) => out.push(Node::when(flag, [target()])),
                // One that is off asks for nothing, and what can't be a flag is said where flags
                // are read.
                _ => {}
            }
        }
        out
    }

    /// Whether this stands in the distribution's file.
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

    /// Lists that name variables or features of the profile.
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

    /// Reports a name that the rest of the file does not have.
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
