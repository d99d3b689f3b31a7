//! Facts that the recipes of a backend can't express. Each backend states them in a
//! [`Capabilities`]. A fact of a package's overlay that its recipe can't express is an error at the
//! fact's place. Facts of components and habits are meant for other distributions as well, so they
//! are only listed ([`LeftOut`]).

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned, ResolvedEdge};
use crate::plan::sources::ResolvedSource;
use crate::read::release::holds;
use crate::read::texts::values;
use rocpkg_model::{Action, Edge, EdgeKind, Finding, Findings, Node, Span, Spanned, Step, Value};
use std::collections::BTreeMap;

/// Facts of components and habits that recipes leave out, such as `tests.skip`. Each has the ids of
/// the packages whose recipes leave it out.
pub type LeftOut = BTreeMap<String, Vec<String>>;

/// The facts that a backend reads, and the facts that its recipes can't express.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The first two digits of the codes of the backend's findings: `03` for E0301.
    pub codes: &'static str,
    /// The settings of a distribution's file that the backend reads.
    pub settings: &'static [&'static str],
    /// The habits of a distribution that only this backend reads.
    pub habits: &'static [&'static str],
    /// The facts of a package that the backend's recipes can't express.
    pub gaps: &'static [Unsupported],
    /// The function that returns the reason why a recipe can't express a kind of dependency edge,
    /// or `None` if it can. Its arguments are the package, the edge, one of the edge's kinds, and
    /// true if the package's overlay states this kind.
    pub edge: fn(&Planned, &Edge, EdgeKind, bool) -> Option<&'static str>,
    /// `Some(true)` if somebody chooses features when a package is built, `Some(false)` if nobody
    /// does. `None` if the backend's recipes can also express targets of features, needed targets
    /// and versions of dependencies, as ebuilds do. These are then not checked.
    pub chooses: Option<bool>,
    /// The reason why recipes name no versions of dependencies. `None` if they name versions.
    pub versions: Option<&'static str>,
}

/// A kind of fact that a recipe can't express.
#[derive(Clone, Copy, Debug)]
pub struct Unsupported {
    /// The keys of the fact, joined by dots. `*` matches each key of a mapping.
    pub path: &'static str,
    /// The label of the finding about the fact. It states what the recipe does instead, or what to
    /// write instead.
    pub label: &'static str,
    /// Set if a recipe that leaves the fact out differs from the model. The fact is then listed in
    /// [`LeftOut`] if a component or the habits state it.
    pub noted: bool,
    /// The packages or sources for which recipes can't express the fact.
    pub of: AppliesTo,
}

/// The packages or sources for which recipes can't express a fact.
#[derive(Clone, Copy, Debug)]
pub enum AppliesTo {
    /// All packages.
    All,
    /// The packages for which the function returns true.
    Packages(fn(&Plan, &Planned) -> bool),
    /// The sources for which the function returns true. The path begins with `sources.*`.
    Sources(fn(&Plan, &Planned, &ResolvedSource) -> bool),
}

impl Unsupported {
    /// Returns the entry for a fact that no recipe of the backend can express. The fact is only
    /// reported if an overlay states it.
    pub const fn new(path: &'static str, label: &'static str) -> Self {
        Self {
            path,
            label,
            noted: false,
            of: AppliesTo::All,
        }
    }

    /// Returns the entry for a fact that no recipe of the backend can express. The fact is reported
    /// if an overlay states it, and listed in [`LeftOut`] if a component or the habits do.
    pub const fn noted(path: &'static str, label: &'static str) -> Self {
        Self {
            path,
            label,
            noted: true,
            of: AppliesTo::All,
        }
    }

    /// Limits the fact to the packages for which `of` returns true.
    #[must_use]
    pub const fn of(self, of: fn(&Plan, &Planned) -> bool) -> Self {
        Self {
            of: AppliesTo::Packages(of),
            ..self
        }
    }

    /// Limits the fact to the sources for which `of` returns true.
    #[must_use]
    pub const fn of_sources(self, of: fn(&Plan, &Planned, &ResolvedSource) -> bool) -> Self {
        Self {
            of: AppliesTo::Sources(of),
            ..self
        }
    }
}

/// The keys of `tests` that state how tests are run.
const TESTS: [&str; 9] = [
    "runner",
    "goal",
    "arguments",
    "folder",
    "environment",
    "skip",
    "jobs",
    "skip-reason",
    "comment",
];

/// Returns true for a standard step, and for a group that only contains standard steps.
fn is_standard(step: &Step) -> bool {
    match &step.action {
        Action::Standard(_) => true,
        Action::Group(steps) if steps.is_empty() => false,
        Action::Group(steps) => steps.iter().all(is_standard),
        _ => false,
    }
}

impl Planned {
    /// Returns the values at a path of the package's tree that differ from the default, as [`says`]
    /// decides. `*` in the path matches each key, and every element of a list on the way is
    /// followed.
    fn said(&self, path: &str) -> Vec<&Node> {
        let mut here = values(&self.node, path);
        here.retain(|node| says(node));
        here
    }

    /// Returns the package's edges, each with the name under which it is written and its node in
    /// the tree.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &Edge, &Node)> {
        self.node
            .entries_of("depends")
            .iter()
            .flat_map(|(key, node)| {
                let edges = self.package.depends.get(key.name.as_str());
                let edges = edges.into_iter().flat_map(|list| &list.0);
                edges
                    .zip(node.one_or_many())
                    .map(|(edge, node)| (key.name.as_str(), edge, node))
            })
    }

    /// Returns true if a place is in the package's own overlay.
    pub fn is_own(&self, span: Span) -> bool {
        self.own_files.contains(&span.file)
    }

    /// Returns true if a recipe leaves out facts about how tests are run. `phase` is the phase in
    /// which tests are run. Returns false if the package states steps of its own for this phase, or
    /// if the tests are not built. `runs` is true if the recipe runs the tests in this phase. Tests
    /// that may be built then count as built.
    pub fn misses_tests(&self, phase: &str, runs: bool) -> bool {
        let steps = self.package.phases.get(phase).into_iter().flatten();
        let own = steps.into_iter().any(|step| !is_standard(step));
        !own && if runs {
            self.may_build_tests()
        } else {
            self.builds_tests()
        }
    }
}

/// The search for facts that the recipe of one package leaves out.
#[derive(Debug)]
pub struct UnsupportedFacts<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The package.
    pub p: &'a Planned,
    /// Receives the facts of components and habits that the recipe leaves out.
    pub out: &'a mut LeftOut,
    /// Receives an error for each fact of the package's overlay that the recipe leaves out.
    pub findings: &'a mut Findings,
}

impl UnsupportedFacts<'_> {
    /// Searches for all facts of the package that the recipes of the backend `column` can't
    /// express.
    pub fn find(&mut self, column: &Capabilities) {
        for gap in column.gaps {
            self.gap(gap);
        }
        self.edges(column);
        if let Some(chooses) = column.chooses {
            self.targets_of_features(chooses);
            if !chooses {
                self.needs();
            }
            self.versions(chooses, column.versions);
        }
    }

    /// Reports that the recipe leaves a fact out: as an error if the package's overlay states the
    /// fact, or else in the list [`LeftOut`].
    ///
    /// `what` is the keys of the fact, such as `tests.skip`. `span` is its place, and `label` the
    /// label of the error.
    pub fn leave_out(&mut self, what: &str, span: Span, label: &str) {
        if self.p.is_own(span) {
            let message = format!("the recipe of {} can't express `{what}`", self.p.name);
            self.findings
                .push(Finding::error("E0245", span, message).label(label));
            return;
        }
        let packages = self.out.entry(what.to_owned()).or_default();
        if !packages.contains(&self.p.id) {
            packages.push(self.p.id.clone());
        }
    }

    fn gap(&mut self, gap: &Unsupported) {
        let p = self.p;
        let nodes: Vec<&Node> = match gap.of {
            AppliesTo::All => p.said(gap.path),
            AppliesTo::Packages(of) if of(self.plan, p) => p.said(gap.path),
            AppliesTo::Packages(_) => Vec::new(),
            AppliesTo::Sources(of) => {
                let key = gap.path.trim_start_matches("sources.*.");
                let sources = p.sources.iter().filter(|s| of(self.plan, p, s));
                let nodes = sources.filter_map(|s| p.node.get("sources")?.get(&s.name)?.get(key));
                nodes.filter(|node| says(node)).collect()
            }
        };
        for node in nodes {
            // If the overlay states a part of the value, the place in the overlay counts.
            let span = leaf(node, &|span| p.is_own(span)).or_else(|| leaf(node, &|_| true));
            let span = span.unwrap_or(node.span);
            if gap.noted || p.is_own(span) {
                self.leave_out(&gap.path.replace(".*", ""), span, gap.label);
            }
        }
    }

    /// Reports edges of kinds that recipes can't express.
    fn edges(&mut self, column: &Capabilities) {
        let p = self.p;
        // An edge that leads to nothing in the distribution is no dependency there.
        for (name, edge, node) in p
            .edges()
            .filter(|(name, ..)| p.depends.iter().any(|e| e.name == *name))
        {
            let kinds = node.get("kind").into_iter().flat_map(Node::one_or_many);
            for (kind, node) in edge.kind.0.iter().zip(kinds) {
                if let Some(label) = (column.edge)(p, edge, *kind, p.is_own(node.span)) {
                    self.leave_out(&format!("depends.{name}"), node.span, label);
                }
            }
        }
    }

    /// Reports facts about how upstream's tests are run that a recipe does not use. `read` are the
    /// keys of `tests` that the recipe uses, or `None` if it runs no tests. `built` is true if it
    /// builds the tests. For tests that are not built or never run, only facts of the overlay are
    /// reported. `label` is the label of the error.
    pub fn tests(&mut self, read: Option<&[&str]>, built: bool, label: &str) {
        let Some(tests) = self.p.node.get("tests") else {
            return;
        };
        let never = self
            .p
            .package
            .tests
            .as_ref()
            .is_some_and(|t| t.never.is_some());
        for key in TESTS
            .iter()
            .filter(|key| !read.unwrap_or_default().contains(key))
        {
            let Some(said) = tests.get(key).filter(|said| says(said)) else {
                continue;
            };
            let own = leaf(said, &|span| self.p.is_own(span));
            if own.is_none() && (!built || never) {
                continue;
            }
            // If no tests are run, one line covers all keys.
            let what = if own.is_none() && read.is_none() {
                "tests".into()
            } else {
                format!("tests.{key}")
            };
            self.leave_out(&what, own.unwrap_or(said.span), label);
        }
    }

    /// Reports features that can only be built for some targets. Only ebuilds can express such a
    /// feature. A feature that the distribution fixes to off is not reported. If nobody `chooses`
    /// features, one that is off by default is not reported either: it needs no targets. If
    /// somebody does, one that is on by default is not reported: it is turned off if its targets
    /// are missing.
    fn targets_of_features(&mut self, chooses: bool) {
        for (name, feature) in self
            .p
            .package
            .features
            .iter()
            .filter(|(_, f)| !f.targets.is_empty())
        {
            let fixed = feature.fixed.as_ref().map(|on| on.value);
            if let Some(first) = feature.targets.first()
                && fixed.unwrap_or(chooses != feature.default)
            {
                self.leave_out(
                    &format!("features.{name}.targets"),
                    first.span,
                    "expected `targets.excludes`",
                );
            }
        }
    }

    /// Reports a package that needs at least one of some targets, if its recipe builds none of
    /// them, or if the targets that it builds are not known. This is for recipes in which nobody
    /// chooses targets.
    fn needs(&mut self) {
        let reasons = self
            .p
            .package
            .targets
            .iter()
            .flat_map(|t| &t.needs)
            .map(|rule| rule.reason.span);
        let Some(span) = reasons.into_iter().next() else {
            return;
        };
        match self.plan.builds_needed(self.p) {
            Some(true) => {}
            Some(false) => self.findings.push(
                Finding::error(
                    "E0222",
                    span,
                    "the recipe builds none of the targets that the package needs",
                )
                .label("expected the recipe to build at least one of them"),
            ),
            None => self.leave_out("targets.needs", span, "expected a known list of targets"),
        }
    }

    /// Reports versions that edges require, for a distribution that ships one version of each
    /// package. `label` is the reason why the distribution's recipes name no versions, or `None` if
    /// they do. A requirement that the plan meets need not be written, unless it is from the
    /// package's own overlay. The versions of external dependencies are not known. If nobody
    /// `chooses`, an edge of a feature that is off requires nothing.
    fn versions(&mut self, chooses: bool, label: Option<&str>) {
        let p = self.p;
        let needed = |e: &Edge| {
            !e.kind.0.contains(&EdgeKind::Conflict) && (chooses || p.settles(e.when.as_ref()))
        };
        for e in p.depends.iter().filter(|e| needed(&e.edge)) {
            let Some(version) = e.edge.version.as_ref().filter(|v| v.value != "any") else {
                continue;
            };
            match (self.meets(e, version), label) {
                (Some(false), _) => {
                    let Dependency::Package(id) = &e.to else {
                        continue;
                    };
                    let has = self.plan.get(id).map_or("", |to| to.version.as_str());
                    let distro = &self.plan.distro_name;
                    let message = format!(
                        "{} needs another version of {} than {distro} has",
                        p.name, e.name
                    );
                    self.findings.push(
                        Finding::error("E0247", version.span, message)
                            .label(format!("{distro} has {has}"))
                            .hint("widen the range, or ship another version under `packages`"),
                    );
                }
                (known, Some(label)) if known.is_none() || p.is_own(version.span) => {
                    self.leave_out(&format!("depends.{}.version", e.name), version.span, label);
                }
                _ => {}
            }
        }
    }

    /// Returns true if the dependency of the edge `e` has the version `version` that the edge
    /// requires. Returns `None` if this is not known, as for all external dependencies.
    fn meets(&self, e: &ResolvedEdge, version: &Spanned<String>) -> Option<bool> {
        let Dependency::Package(id) = &e.to else {
            return None;
        };
        // An edge to a package with a version of its own may refer to that version. Another
        // spelling may be another package.
        let to = self
            .plan
            .get(id)
            .filter(|to| e.edge.exact_name.is_none() && self.plan.own_version(to).is_none())?;
        match version.value.as_str() {
            "same" => Some(to.version == self.p.version),
            "slot" => Some(to.version.line() == self.p.version.line()),
            range => holds(range, &to.version),
        }
    }
}

/// Warns of habits in the plan's distribution that only another backend reads. `reader` is the name
/// of that backend, and `column` are its capabilities.
pub fn unsupported_habits(
    plan: &Plan,
    reader: &str,
    column: &Capabilities,
    findings: &mut Findings,
) {
    let distro = &plan.distro_name;
    let said = plan
        .distro_node
        .as_ref()
        .and_then(|node| node.get("habits"));
    for key in column.habits {
        // The value `none` has no effect, so it needs no reader.
        let asked = said
            .and_then(|habits| habits.get(key))
            .filter(|value| value.text() != Some("none"));
        if let Some(span) = asked.and_then(place) {
            findings.push(
                Finding::warning(
                    "W0222",
                    Some(span),
                    format!("{distro} does not read `habits.{key}`"),
                )
                .label(format!("only {reader} reads it")),
            );
        }
    }
}

/// Reports settings in a distribution's file that its backend does not read. `column` are the
/// backend's capabilities.
pub fn unread_settings(plan: &Plan, column: &Capabilities, findings: &mut Findings) {
    let known = column.settings;
    let settings = plan
        .distro_node
        .iter()
        .flat_map(|node| node.entries_of("settings"));
    for (key, _) in settings.filter(|(key, _)| !known.contains(&key.name.as_str())) {
        findings.push(
            Finding::error("E0110", key.span, format!("unknown setting `{}`", key.name))
                .label(format!("expected one of: {}", known.join(", ")))
                .nearest(&key.name, known.iter().copied()),
        );
    }
}

/// Returns the place of a value. For a list, it is the place of the first element. Returns `None`
/// for `~` and for an empty list.
pub(crate) fn place(value: &Node) -> Option<Span> {
    match &value.value {
        Value::Null => None,
        Value::Seq(items) => items.first().map(|item| item.span),
        Value::Scalar { .. } | Value::Map(_) => Some(value.span),
    }
}

/// Returns the place of the first scalar in `node` that is not `false` and whose place is `wanted`.
/// Returns `None` if no scalar is.
fn leaf(node: &Node, wanted: &dyn Fn(Span) -> bool) -> Option<Span> {
    match &node.value {
        Value::Seq(items) => items.iter().find_map(|item| leaf(item, wanted)),
        Value::Map(entries) => entries.iter().find_map(|(_, value)| leaf(value, wanted)),
        Value::Scalar { .. } => (says(node) && wanted(node.span)).then_some(node.span),
        Value::Null => None,
    }
}

/// Returns true if a value differs from the default. The default is `~`, `false` without quotes, or
/// a list or mapping that only contains such values.
fn says(node: &Node) -> bool {
    match &node.value {
        Value::Null => false,
        Value::Seq(items) => items.iter().any(says),
        Value::Map(entries) => entries.iter().any(|(_, value)| says(value)),
        Value::Scalar { text, plain } => !(*plain && text == "false"),
    }
}
