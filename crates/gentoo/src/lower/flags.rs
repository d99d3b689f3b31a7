//! USE flags: IUSE, `REQUIRED_USE`, RESTRICT, and the descriptions in `metadata.xml`.

use crate::lower::context::{Context, setting, target_flags_of, texts};
use crate::lower::expand::Expand;
use crate::value::dep::{Required, Written};
use indexmap::IndexMap;
use rocpkg_model::{Cond, Finding, PythonMode, Span, TargetFlags};
use rocpkg_pms::{Flag, FlagState, Iuse, Node, Restriction, Spec};
use rocpkg_resolve::{Alternatives, Builds, Group, Plan, Planned, TEST};
use std::collections::BTreeMap;

/// Returns two lists of GPU targets of a package whose ebuild has a target list of its own: the
/// targets that are on by default, and those that are off by default. Both are in the order of the
/// package's profile. Both are empty for a package that uses the eclass's list or has no targets.
pub(crate) fn own_targets(plan: &Plan, p: &Planned) -> (Vec<String>, Vec<String>) {
    let Some(t) = p
        .targets
        .as_ref()
        .filter(|_| target_flags_of(p) == TargetFlags::Own)
    else {
        return (Vec::new(), Vec::new());
    };
    // Only targets that the distribution offers, or lists under `further_targets`, have a USE flag.
    let (default, offered) = plan.distro_targets(&p.listed);
    let further = texts(&plan.distro.further_targets);
    let known = |l: &[String]| -> Vec<String> {
        let flagged =
            |n: &&String| default.contains(n) || offered.contains(n) || further.contains(n);
        l.iter().filter(flagged).cloned().collect()
    };
    (known(&t.default), known(&t.offered))
}

/// Returns true if the package's profile states for which GPU targets upstream has kernels at this
/// release.
pub(crate) fn targets_known(p: &Planned) -> bool {
    p.package
        .targets
        .as_ref()
        .is_some_and(|t| !t.supports.is_empty())
}

/// Returns two lists of the GPU targets that a package has USE flags for: the targets that are on
/// by default, and those that are off by default. Both are empty if the package has no such flags.
pub(crate) fn flagged_targets(plan: &Plan, p: &Planned) -> (Vec<String>, Vec<String>) {
    match (target_flags_of(p), &p.targets) {
        (TargetFlags::Eclass, Some(_)) => plan.distro_targets(&p.listed),
        _ => own_targets(plan, p),
    }
}

/// Returns all GPU targets that a package has USE flags for, those that are on by default first.
pub(crate) fn all_targets(plan: &Plan, p: &Planned) -> Vec<String> {
    let (default, offered) = flagged_targets(plan, p);
    [default, offered].concat()
}

impl Context<'_> {
    /// Returns the part of `REQUIRED_USE` that requires at least one GPU target: the eclass's
    /// variable `${ROCM_REQUIRED_USE}`.
    fn asks_for_target(&self) -> Required {
        Required::Expansion(Written::new(Expand::of(self.plan).required_use()))
    }

    /// Returns the GPU targets that the ebuild passes to upstream's build, with the USE flags that
    /// choose them. `required_use` is the ebuild's `REQUIRED_USE`. The variables that were
    /// collected in `passed` are moved to the result.
    pub(crate) fn builds(&mut self, required_use: &Spec<Required>) -> Builds {
        let flags = all_targets(self.plan, self.p);
        Builds {
            required: required_use.leaves().contains(&&self.asks_for_target()),
            flags: flags.clone(),
            ..rocpkg_shell::builds(std::mem::take(&mut self.passed), Some(flags))
        }
    }

    /// Returns `IUSE` with the flags of the package's features. Two kinds of flags are left out:
    /// `doc` if docs.eclass adds it, and GPU targets, which the eclass or the array `IUSE_TARGETS`
    /// adds.
    pub(crate) fn iuse(&mut self) -> Iuse {
        // The flags are sorted, as in ebuilds of `::gentoo`.
        let mut flags: BTreeMap<Flag, bool> = BTreeMap::new();
        let docs = self.facts().is_some_and(|f| f.docs.is_some());
        for (name, feature) in &self.p.package.features {
            if feature.fixed.is_some() || (docs && name == "doc") {
                continue;
            }
            match Flag::new(&self.flag(name)) {
                Ok(flag) if flags.contains_key(&flag) => {
                    let span = feature.name.as_ref().map_or(self.p.node.span, |n| n.span);
                    let finding = Finding::error(
                        "E0303",
                        span,
                        format!("two features have the USE flag `{flag}`"),
                    );
                    self.findings
                        .push(finding.label("expected a name that no other feature has"));
                }
                Ok(flag) => {
                    flags.insert(flag, feature.default);
                }
                Err(e) => {
                    self.findings
                        .push(Finding::error("E0303", self.p.node.span, e.to_string()));
                }
            }
        }
        let mut iuse = Iuse::default();
        for (flag, on) in flags {
            iuse.insert(flag, on.then_some(true));
        }
        iuse
    }

    /// Returns `REQUIRED_USE` (PMS 8.2). It requires a GPU target, a Python, and the constraints of
    /// the profile. A feature that only some GPU targets can be built with requires one of these.
    pub(crate) fn required_use(&mut self) -> Spec<Required> {
        let mut nodes = Vec::new();
        let asked = self
            .facts()
            .map(|f| f.require_targets.0.as_slice())
            .unwrap_or_default();
        let asked_for = self.asks_for_target();
        let target = || Node::Leaf(asked_for.clone());
        if matches!(self.target_flags(), TargetFlags::Eclass | TargetFlags::Own) {
            match asked {
                [] => {
                    let when = self.p.package.targets.as_ref().and_then(|t| t.when.clone());
                    nodes.extend(match when {
                        Some(when) => self.required_when(&when.cond, when.span, vec![target()]),
                        None => vec![target()],
                    });
                }
                [one] if one.value == "always" => nodes.push(target()),
                [one] if one.value == "never" => {}
                features => nodes.extend(self.asking_for_targets(features, target)),
            }
        }
        if matches!(
            self.python_mode(),
            Some(PythonMode::Every | PythonMode::Single)
        ) {
            nodes.push(Node::Leaf(Required::Expansion(Written::new(
                "PYTHON_REQUIRED_USE",
            ))));
        }
        let p = self.p;
        for (name, feature) in p
            .package
            .features
            .iter()
            .filter(|(_, f)| !f.targets.is_empty() && f.fixed.is_none())
        {
            // `REQUIRED_USE` must not name a flag that the package does not have.
            let offered = all_targets(self.plan, p);
            let fitting = feature
                .targets
                .iter()
                .map(|t| t.value.clone())
                .filter(|t| offered.contains(t));
            let leaves: Vec<Cond> = fitting.map(Cond::Target).collect();
            match (
                self.required_group(&leaves, Node::Any),
                Flag::new(&self.flag(name)),
            ) {
                (Some(any), Ok(flag)) => nodes.push(Node::when(flag, [any])),
                (None, Ok(flag)) => {
                    nodes.push(Node::Leaf(Required::Flag(FlagState { flag, on: false })));
                }
                (_, Err(_)) => {}
            }
        }
        nodes.extend(self.needed_target());
        for constraint in &p.package.constraints {
            let known = |c: &Cond| self.settled_flag(c);
            let when = constraint
                .when
                .as_ref()
                .map(|w| (w.cond.reduce(&known), w.span));
            // A condition that is always false needs no flag.
            if matches!(when, Some((Ok(false), _))) {
                continue;
            }
            let need = constraint
                .need
                .as_ref()
                .map(|n| (n.cond.reduce(&known), n.span));
            let groups =
                Alternatives::of(constraint).map(|(kind, list)| (kind, kind.left(list, &known)));
            let mut inner = Vec::new();
            if let Some((Err(need), span)) = need {
                inner.push(self.required(&need, span));
            }
            for (kind, left) in groups {
                let group = match kind {
                    Alternatives::ExactlyOne => Node::ExactlyOne,
                    Alternatives::AtMostOne => Node::AtMostOne,
                    Alternatives::AnyOf => Node::Any,
                };
                match left {
                    Group::Among(list) => inner.extend(self.required_group(&list, group)),
                    Group::NoneOf(list) => {
                        inner.extend(list.into_iter().map(|c| match c {
                            Cond::Not(c) => self.required(&c, p.node.span),
                            c => self.required_flag(&c, false, p.node.span),
                        }));
                    }
                    Group::Holds | Group::Fails => {}
                }
            }
            match when {
                Some((Err(when), span)) => nodes.extend(self.required_when(&when, span, inner)),
                _ => nodes.extend(inner),
            }
        }
        let broken: Vec<Span> = p
            .broken_constraints(&|c: &Cond| self.settled_flag(c))
            .collect();
        for span in broken {
            let finding =
                Finding::error("E0222", span, "no choice of features meets this constraint");
            self.findings.push(
                finding.label("the distribution fixes its features, or does not offer its targets"),
            );
        }
        Spec::new(nodes)
    }

    /// Returns the group of GPU targets of which the package needs at least one: `|| (
    /// amdgpu_targets_gfx90a amdgpu_targets_gfx942 )`. Returns `None` if the package needs no
    /// particular target or has no flags for targets. Reports a need that no offered target meets.
    fn needed_target(&mut self) -> Option<Node<Required>> {
        let p = self.p;
        let needs = p
            .targets
            .as_ref()
            .map(|t| &t.needs)
            .filter(|needs| !needs.is_empty())?;
        if self.target_flags() == TargetFlags::None {
            return None;
        }
        let offered = all_targets(self.plan, p);
        let fitting = needs.iter().filter(|t| offered.contains(t));
        let leaves: Vec<Cond> = fitting.cloned().map(Cond::Target).collect();
        let any = self.required_group(&leaves, Node::Any);
        if any.is_none() {
            let rule = p.package.targets.iter().flat_map(|t| &t.needs).next();
            let span = rule.map_or(p.node.span, |rule| rule.reason.span);
            let finding = Finding::error(
                "E0222",
                span,
                "the distribution offers none of the targets that the package needs",
            );
            self.findings
                .push(finding.label("expected the distribution to offer at least one of them"));
        }
        any
    }

    fn required_group(
        &mut self,
        leaves: &[Cond],
        group: fn(Vec<Node<Required>>) -> Node<Required>,
    ) -> Option<Node<Required>> {
        let span = self.p.node.span;
        (!leaves.is_empty()).then(|| group(leaves.iter().map(|c| self.required(c, span)).collect()))
    }

    fn required_when(
        &mut self,
        cond: &Cond,
        span: Span,
        inner: Vec<Node<Required>>,
    ) -> Vec<Node<Required>> {
        match cond {
            Cond::All(cs) => cs
                .iter()
                .rev()
                .fold(inner, |inner, c| self.required_when(c, span, inner)),
            Cond::Any(cs) => cs
                .iter()
                .flat_map(|c| self.required_when(c, span, inner.clone()))
                .collect(),
            Cond::Not(c) => self
                .required_name(c, span)
                .map(|f| Node::unless(f, inner))
                .into_iter()
                .collect(),
            leaf => self
                .required_name(leaf, span)
                .map(|f| Node::when(f, inner))
                .into_iter()
                .collect(),
        }
    }

    /// Returns the USE flag of `leaf`, a condition that is a single feature or GPU target. Reports
    /// a condition that has no flag.
    fn required_name(&mut self, leaf: &Cond, span: Span) -> Option<Flag> {
        let flag = self.leaf_flag(leaf).and_then(|f| Flag::new(&f).ok());
        // The model reports releases that users can't choose.
        if flag.is_none() && leaf.releases().is_empty() {
            self.error(
                "E0302",
                span,
                format!("REQUIRED_USE can't express `{leaf}`"),
            );
        }
        flag
    }

    fn required(&mut self, cond: &Cond, span: Span) -> Node<Required> {
        match cond {
            Cond::All(cs) => Node::All(cs.iter().map(|c| self.required(c, span)).collect()),
            Cond::Any(cs) => Node::Any(cs.iter().map(|c| self.required(c, span)).collect()),
            Cond::Not(c) => self.required_flag(c, false, span),
            leaf => self.required_flag(leaf, true, span),
        }
    }

    fn required_flag(&mut self, leaf: &Cond, on: bool, span: Span) -> Node<Required> {
        let flag = self.required_name(leaf, span);
        flag.map_or_else(
            || Node::All(Vec::new()),
            |flag| Node::Leaf(Required::Flag(FlagState { flag, on })),
        )
    }

    /// Returns `RESTRICT` (PMS 7.3.6), and the reason to print above it, if there is one.
    /// `RESTRICT` is `test` if the profile states that tests are never run. It is `!test? ( test )`
    /// if users choose by the flag `test`. Otherwise it is empty.
    pub(crate) fn restrict(&mut self) -> (Spec<Restriction>, Option<String>) {
        let word = || Restriction::new("test").map(Node::Leaf).ok();
        let never = self
            .p
            .package
            .tests
            .as_ref()
            .and_then(|t| t.never.as_ref())
            .map(|n| n.value.clone());
        if let Some(reason) = never {
            return (word().into_iter().collect(), Some(reason));
        }
        let feature = self.p.test_feature();
        if let (None, Some(tests)) = (
            feature,
            self.p
                .node
                .get("tests")
                .filter(|_| self.p.package.tests.as_ref().is_some_and(|t| t.device)),
        ) {
            let message = format!(
                "{} runs tests on a GPU, but has no feature `{TEST}` that turns them on",
                self.p.id
            );
            let finding = Finding::error("E0201", tests.span, message)
                .label("expected `never`, or the feature");
            self.findings
                .push(finding.hint("declare the feature: `features: {test: {}}`"));
        }
        let flag = feature.filter(|f| f.fixed.is_none());
        let pytest = self
            .facts()
            .and_then(|f| f.python.as_ref())
            .is_some_and(|p| !p.pytest.is_empty());
        match (flag, Flag::new(&self.flag(TEST))) {
            (Some(_), Ok(flag)) if !pytest => (Spec::new([Node::unless(flag, word())]), None),
            _ => (Spec::default(), None),
        }
    }

    /// Returns the USE flags that `metadata.xml` describes, each with its description. Flags in the
    /// distribution's setting `global-flags` are left out, unless the profile names them under
    /// `ebuild.describes`.
    pub(crate) fn local_flags(&mut self) -> IndexMap<String, String> {
        let global: Vec<&str> = setting(self.plan, "global-flags", "")
            .split_whitespace()
            .collect();
        let mut out: IndexMap<String, String> = IndexMap::new();
        for (name, feature) in &self.p.package.features {
            let flag = self.flag(name);
            let described = self
                .facts()
                .is_some_and(|f| f.describes.iter().any(|d| d.value == *name));
            if feature.fixed.is_some() || (global.contains(&flag.as_str()) && !described) {
                continue;
            }
            out.extend(
                feature
                    .summary
                    .as_ref()
                    .map(|summary| (flag, summary.value.clone())),
            );
        }
        out.sort_keys();
        out
    }
}
