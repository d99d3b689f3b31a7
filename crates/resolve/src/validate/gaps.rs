//! What each backend has words for: one table by the keys of a package and of a distribution's
//! file, in which each backend is a column. Whoever states a fact in a package's overlay that its
//! recipe can't say is told at its place; those of components and habits, which are for other
//! distributions too, are named together by a review.

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned, ResolvedEdge};
use crate::plan::sources::ResolvedSource;
use crate::read::release::holds;
use crate::read::texts::values;
use rocpkg_model::{Action, Edge, EdgeKind, Finding, Findings, Node, Span, Spanned, Step, Value};
use std::collections::BTreeMap;

/// Facts of components and habits that recipes leave out, with the ids of their packages.
pub type LeftOut = BTreeMap<String, Vec<String>>;

/// The column of a backend.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// What the numbers of its findings begin with.
    pub codes: &'static str,
    /// The settings of a distribution's file that it reads.
    pub settings: &'static [&'static str],
    /// The habits of a distribution that no other backend reads.
    pub habits: &'static [&'static str],
    /// What its recipes can't say of a package.
    pub gaps: &'static [Gap],
    /// Why a recipe has no place for an edge of some kind, if it has none; the last argument tells
    /// whether the package's overlay states it.
    pub edge: fn(&Planned, &Edge, EdgeKind, bool) -> Option<&'static str>,
    /// Somebody chooses features where a package is built; none where flags ask for more than that.
    pub chooses: Option<bool>,
    /// Why recipes name no versions of what they need, where they name none.
    pub versions: Option<&'static str>,
}

/// A kind of fact that has no place in a recipe.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Its keys, in which `*` stands for each key of a mapping.
    pub path: &'static str,
    /// What a recipe has instead, for the finding's label.
    pub label: &'static str,
    /// Packages differ by it from what the model says, so a review names it.
    pub noted: bool,
    /// Where it has none.
    pub of: Of,
}

/// Where a fact has no place.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// Everywhere.
    All,
    /// In some packages.
    Packages(fn(&Plan, &Planned) -> bool),
    /// In some sources; the path begins with `sources.*`.
    Sources(fn(&Plan, &Planned, &ResolvedSource) -> bool),
}

impl Gap {
    /// A fact that no recipe says, and that nobody misses.
    pub const fn new(path: &'static str, label: &'static str) -> Self {
        Self {
            path,
            label,
            noted: false,
            of: Of::All,
        }
    }

    /// One by which packages differ from what the model says.
    pub const fn noted(path: &'static str, label: &'static str) -> Self {
        Self {
            path,
            label,
            noted: true,
            of: Of::All,
        }
    }

    /// Some packages can't say it.
    #[must_use]
    pub const fn of(self, of: fn(&Plan, &Planned) -> bool) -> Self {
        Self {
            of: Of::Packages(of),
            ..self
        }
    }

    /// Some sources can't say it.
    #[must_use]
    pub const fn of_sources(self, of: fn(&Plan, &Planned, &ResolvedSource) -> bool) -> Self {
        Self {
            of: Of::Sources(of),
            ..self
        }
    }
}

/// Keys of `tests` that say how they are run.
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

/// True for a standard step, and for a group of nothing else.
fn is_standard(step: &Step) -> bool {
    match &step.action {
        Action::Standard(_) => true,
        Action::Group(steps) if steps.is_empty() => false,
        Action::Group(steps) => steps.iter().all(is_standard),
        _ => false,
    }
}

impl Planned {
    /// The values at a path of the package's tree that say something; `*` in it stands for each
    /// key, and lists are walked through.
    fn said(&self, path: &str) -> Vec<&Node> {
        let mut here = values(&self.node, path);
        here.retain(|node| says(node));
        here
    }

    /// The package's edges, each with the name that it is written under and its place in the tree.
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

    /// True for a place in the package's own overlay.
    pub fn is_own(&self, span: Span) -> bool {
        self.own_files.contains(&span.file)
    }

    /// Whether anybody could miss how tests are run, in a recipe that `runs` what the phase does by
    /// itself, or does not. Steps of the package's own run what they run.
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

/// The search for what the recipe of one package leaves out.
#[derive(Debug)]
pub struct Gaps<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The package.
    pub p: &'a Planned,
    /// What components and habits say.
    pub out: &'a mut LeftOut,
    /// What the package's overlay says.
    pub findings: &'a mut Findings,
}

impl Gaps<'_> {
    /// Looks for all that a column tells.
    pub fn find(&mut self, column: &Column) {
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

    /// Says that the recipe leaves a fact out: a finding where the package's overlay states it,
    /// else a line of the review.
    ///
    /// `what` is the fact as keys, such as `tests.skip`.
    pub fn leave_out(&mut self, what: &str, span: Span, label: &str) {
        if self.p.is_own(span) {
            let message = format!("the recipe of {} can't say `{what}`", self.p.name);
            self.findings
                .push(Finding::error("E0245", span, message).label(label));
            return;
        }
        let packages = self.out.entry(what.to_owned()).or_default();
        if !packages.contains(&self.p.id) {
            packages.push(self.p.id.clone());
        }
    }

    fn gap(&mut self, gap: &Gap) {
        let p = self.p;
        let nodes: Vec<&Node> = match gap.of {
            Of::All => p.said(gap.path),
            Of::Packages(of) if of(self.plan, p) => p.said(gap.path),
            Of::Packages(_) => Vec::new(),
            Of::Sources(of) => {
                let key = gap.path.trim_start_matches("sources.*.");
                let sources = p.sources.iter().filter(|s| of(self.plan, p, s));
                let nodes = sources.filter_map(|s| p.node.get("sources")?.get(&s.name)?.get(key));
                nodes.filter(|node| says(node)).collect()
            }
        };
        for node in nodes {
            // What the overlay adds to what others say is the overlay's.
            let span = leaf(node, &|span| p.is_own(span)).or_else(|| leaf(node, &|_| true));
            let span = span.unwrap_or(node.span);
            if gap.noted || p.is_own(span) {
                self.leave_out(&gap.path.replace(".*", ""), span, gap.label);
            }
        }
    }

    /// Edges of kinds that have no place.
    fn edges(&mut self, column: &Column) {
        let p = self.p;
        // What the distribution never names is no dependency there.
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

    /// Looks for what a recipe does not do of how upstream's tests are run. `read` are the keys
    /// that it makes use of; none where it runs no tests. What is not built, or never run, nobody
    /// leaves out.
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
            // Where none are run, that is one thing to know.
            let what = if own.is_none() && read.is_none() {
                "tests".into()
            } else {
                format!("tests.{key}")
            };
            self.leave_out(&what, own.unwrap_or(said.span), label);
        }
    }

    /// Features that can be built for some targets only: no recipe but an ebuild asks for one of
    /// them. Where nobody `chooses`, one that is off asks for nothing; where somebody does, one
    /// that is on by default goes off without its targets.
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

    /// The targets of which one must be built, where nobody chooses any.
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
                Finding::error("E0222", span, "no target that the package needs is built")
                    .label("expected one of them among those that its recipe builds"),
            ),
            None => self.leave_out("targets.needs", span, "expected a known list of targets"),
        }
    }

    /// What edges ask of the version of their ends, where a distribution ships one of each package;
    /// a `label` where its recipes name none. What the plan answers by yes need not be said, but
    /// where the package's own overlay asks for it; of what lies outside, nobody knows the version.
    /// Where nobody `chooses`, an edge of a feature that is off asks for nothing.
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
                        "{} asks for another version of {} than {distro} has",
                        p.name, e.name
                    );
                    self.findings.push(
                        Finding::error("E0247", version.span, message)
                            .label(format!("it has {has}"))
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

    /// Whether the end of an edge has the version that the edge asks for; none where that is not
    /// known, as of all that is outside.
    fn meets(&self, e: &ResolvedEdge, version: &Spanned<String>) -> Option<bool> {
        let Dependency::Package(id) = &e.to else {
            return None;
        };
        // One with a version of its own may be asked for by that, and another spelling may be
        // another package.
        let to = self
            .plan
            .get(id)
            .filter(|to| e.edge.spelt.is_none() && self.plan.own_version(to).is_none())?;
        match version.value.as_str() {
            "same" => Some(to.version == self.p.version),
            "slot" => Some(to.version.line() == self.p.version.line()),
            range => holds(range, &to.version),
        }
    }
}

/// Warns of habits that say something in a distribution's file, and that only the backend of
/// another one, the `reader`, reads.
pub fn unheard(plan: &Plan, reader: &str, column: &Column, findings: &mut Findings) {
    let distro = &plan.distro_name;
    let said = plan
        .distro_node
        .as_ref()
        .and_then(|node| node.get("habits"));
    for key in column.habits {
        // That nothing is done needs no reader.
        let asked = said
            .and_then(|habits| habits.get(key))
            .filter(|value| value.text() != Some("none"));
        if let Some(span) = asked.and_then(place) {
            findings.push(
                Finding::warning(
                    "W0222",
                    Some(span),
                    format!("nothing in {distro} reads `habits.{key}`"),
                )
                .label(format!("only {reader} does")),
            );
        }
    }
}

/// Reports settings in a distribution's file that its backend does not have.
pub fn unread_settings(plan: &Plan, column: &Column, findings: &mut Findings) {
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

/// Where a value says something: of a list, its first element.
pub(crate) fn place(value: &Node) -> Option<Span> {
    match &value.value {
        Value::Null => None,
        Value::Seq(items) => items.first().map(|item| item.span),
        Value::Scalar { .. } | Value::Map(_) => Some(value.span),
    }
}

/// The first place of a kind at which a value says something.
fn leaf(node: &Node, wanted: &dyn Fn(Span) -> bool) -> Option<Span> {
    match &node.value {
        Value::Seq(items) => items.iter().find_map(|item| leaf(item, wanted)),
        Value::Map(entries) => entries.iter().find_map(|(_, value)| leaf(value, wanted)),
        Value::Scalar { .. } => (says(node) && wanted(node.span)).then_some(node.span),
        Value::Null => None,
    }
}

/// True for a value that is not what is meant when nothing is said.
fn says(node: &Node) -> bool {
    match &node.value {
        Value::Null => false,
        Value::Seq(items) => items.iter().any(says),
        Value::Map(entries) => entries.iter().any(|(_, value)| says(value)),
        Value::Scalar { text, plain } => !(*plain && text == "false"),
    }
}
