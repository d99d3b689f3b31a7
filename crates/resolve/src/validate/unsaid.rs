//! Facts of a package that the recipes of its distribution can't say. Whoever wrote one into the package's overlay is told at its
//! place; those of components and habits, which are for other distributions too, are named together by a review.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use rocpkg_model::{Action, Edge, EdgeKind, Fetch, Finding, Findings, Node, Span, Step, Value};
use std::collections::BTreeMap;

/// Facts of components and habits that recipes leave out, with the ids of their packages.
pub type LeftOut = BTreeMap<String, Vec<String>>;

/// A kind of fact that has no place in a recipe, wherever it stands.
#[derive(Clone, Copy, Debug)]
pub struct Unsaid {
    /// Its keys, in which `*` stands for each key of a mapping.
    pub path: &'static str,
    /// What a recipe has instead, for the finding's label.
    pub label: &'static str,
    /// Packages differ by it from what the model says, so a review names it.
    pub noted: bool,
}

/// A key of a source that some ways to fetch it don't read.
#[derive(Clone, Copy, Debug)]
pub struct Unfetched {
    /// The key.
    pub key: &'static str,
    /// The ways that do.
    pub by: &'static [Fetch],
    /// What there is instead, for the finding's label.
    pub label: &'static str,
    /// The sources differ by it, so a review names it.
    pub noted: bool,
}

/// Keys of `tests` that say how they are run.
const TESTS: [&str; 8] =
    ["runner", "goal", "arguments", "folder", "environment", "skip", "jobs", "skip-reason"];

/// True for a standard step, and for a group of nothing else.
fn is_standard(step: &Step) -> bool {
    match &step.action {
        Action::Standard(_) => true,
        Action::Group(steps) => steps.iter().chain(&step.otherwise).all(is_standard),
        _ => false,
    }
}

impl Planned {
    /// The values at a path of the package's tree that say something; `*` in it stands for each key, and lists are walked through.
    pub fn said(&self, path: &str) -> Vec<&Node> {
        let mut here = vec![&self.node];
        for key in path.split('.') {
            let inside = here.into_iter().flat_map(|node| match &node.value {
                Value::Seq(items) => items.iter().collect(),
                _ => vec![node],
            });
            here = match key {
                "*" => inside.flat_map(Node::entries).map(|(_, value)| value).collect(),
                key => inside.filter_map(|node| node.get(key)).collect(),
            };
        }
        here.retain(|node| says(node));
        here
    }

    /// The package's edges, each with the name that it is written under and its place in the tree.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &Edge, &Node)> {
        let written = self.node.get("depends").map(Node::entries).unwrap_or_default();
        written.iter().flat_map(|(key, node)| {
            let edges = self.package.depends.get(key.name.as_str());
            let edges = edges.into_iter().flat_map(|list| &list.0);
            edges.zip(elements(node)).map(|(edge, node)| (key.name.as_str(), edge, node))
        })
    }

    /// True for a place in the package's own overlay.
    pub fn is_own(&self, span: Span) -> bool {
        self.own_files.contains(&span.file)
    }

    /// Says that the recipe leaves a fact out: a finding where the package's overlay states it, else a line of the review.
    ///
    /// `what` is the fact as keys, such as `tests.skip`.
    pub fn leave_out(&self, what: &str, span: Span, label: &str, out: &mut LeftOut, findings: &mut Findings) {
        if self.is_own(span) {
            let message = format!("the recipe of {} can't say `{what}`", self.name);
            findings.push(Finding::error("E0245", span, message).label(label));
            return;
        }
        let packages = out.entry(what.to_owned()).or_default();
        if !packages.contains(&self.id) {
            packages.push(self.id.clone());
        }
    }

    /// Looks for facts of these kinds.
    pub fn leave_out_all(&self, kinds: &[Unsaid], out: &mut LeftOut, findings: &mut Findings) {
        for kind in kinds {
            for node in self.said(kind.path) {
                // What the overlay adds to what others say is the overlay's.
                let span = leaf(node, &|span| self.is_own(span)).or_else(|| leaf(node, &|_| true));
                let span = span.unwrap_or(node.span);
                if kind.noted || self.is_own(span) {
                    self.leave_out(&kind.path.replace(".*", ""), span, kind.label, out, findings);
                }
            }
        }
    }

    /// Looks for what the way in which a source is fetched leaves out.
    pub fn leave_out_unfetched(&self, kinds: &[Unfetched], out: &mut LeftOut, findings: &mut Findings) {
        for source in &self.sources {
            let Some(node) = self.node.get("sources").and_then(|all| all.get(&source.name)) else { continue };
            for kind in kinds.iter().filter(|kind| !kind.by.contains(&source.fetch)) {
                let Some(said) = node.get(kind.key).filter(|said| says(said)) else { continue };
                let own = leaf(said, &|span| self.is_own(span));
                if kind.noted || own.is_some() {
                    let span = own.unwrap_or(said.span);
                    self.leave_out(&format!("sources.{}", kind.key), span, kind.label, out, findings);
                }
            }
        }
    }

    /// Looks for what a recipe does not do of how upstream's tests are run. `read` are the keys that it makes use of; none where it
    /// runs no tests. What is not built, or never run, nobody leaves out.
    pub fn leave_out_tests(
        &self,
        read: Option<&[&str]>,
        built: bool,
        label: &str,
        out: &mut LeftOut,
        findings: &mut Findings,
    ) {
        let Some(tests) = self.node.get("tests") else { return };
        let never = self.package.tests.as_ref().is_some_and(|t| t.never.is_some());
        for key in TESTS.iter().filter(|key| !read.unwrap_or_default().contains(key)) {
            let Some(said) = tests.get(key).filter(|said| says(said)) else { continue };
            let own = leaf(said, &|span| self.is_own(span));
            if own.is_none() && (!built || never) {
                continue;
            }
            // Where none are run, that is one thing to know.
            let what = if own.is_none() && read.is_none() { "tests".into() } else { format!("tests.{key}") };
            self.leave_out(&what, own.unwrap_or(said.span), label, out, findings);
        }
    }

    /// Whether anybody could miss how tests are run, in a recipe that `runs` what the phase does by itself, or does not. Steps of the
    /// package's own run what they run.
    pub fn misses_tests(&self, phase: &str, runs: bool) -> bool {
        let steps = self.package.phases.get(phase).into_iter().flatten();
        let own = steps.into_iter().any(|step| !is_standard(step));
        !own && if runs { self.may_build_tests() } else { self.builds_tests() }
    }

    /// Looks for features that can be built for some targets only: no recipe but an ebuild asks for one of them. Where nobody
    /// `chooses`, one that is off asks for nothing; where somebody does, one that is on by default goes off without its targets.
    pub fn leave_out_targets_of_features(&self, chooses: bool, out: &mut LeftOut, findings: &mut Findings) {
        for (name, feature) in self.package.features.iter().filter(|(_, f)| !f.targets.is_empty()) {
            let fixed = feature.fixed.as_ref().map(|on| on.value);
            if let Some(first) = feature.targets.first()
                && fixed.unwrap_or(chooses != feature.default)
            {
                let label = "expected `targets.excludes`";
                self.leave_out(&format!("features.{name}.targets"), first.span, label, out, findings);
            }
        }
    }

    /// Looks at the targets of which one must be built, where nobody chooses any.
    pub fn leave_out_needs(&self, plan: &Plan, out: &mut LeftOut, findings: &mut Findings) {
        let reasons = self.package.targets.iter().flat_map(|t| &t.needs).map(|rule| rule.reason.span);
        let Some(span) = reasons.into_iter().next() else { return };
        match plan.builds_needed(self) {
            Some(true) => {}
            Some(false) => findings.push(
                Finding::error("E0222", span, "no target that the package needs is built")
                    .label("expected one of them among those that its recipe builds"),
            ),
            None => self.leave_out("targets.needs", span, "expected a known list of targets", out, findings),
        }
    }

    /// Looks at the versions that edges ask for, where a distribution has one of each and recipes name none. What the plan answers by
    /// yes need not be said, but where the package's own overlay asks for it; by no is a finding of its own; of what lies outside, nobody
    /// knows the version. Where nobody `chooses`, an edge of a feature that is off asks for nothing.
    pub fn leave_out_versions(
        &self,
        plan: &Plan,
        chooses: bool,
        label: &str,
        out: &mut LeftOut,
        findings: &mut Findings,
    ) {
        let needed =
            |e: &Edge| !e.kind.0.contains(&EdgeKind::Conflict) && (chooses || self.settles(e.when.as_ref()));
        for (name, edge, _) in self.edges().filter(|(_, e, _)| needed(e)) {
            // What the distribution never names is no dependency there.
            let Some(to) = self.depends.iter().find(|e| e.name == name && e.edge == *edge) else { continue };
            let Some(version) = edge.version.as_ref().filter(|v| v.value != "any") else { continue };
            let known = plan.meets(self, to);
            if known.is_none() || known == Some(true) && self.is_own(version.span) {
                self.leave_out(&format!("depends.{name}.version"), version.span, label, out, findings);
            }
        }
    }
}

/// The elements of a list, or the value itself where one may stand for a list of one.
pub fn elements(node: &Node) -> Vec<&Node> {
    match &node.value {
        Value::Seq(items) => items.iter().collect(),
        Value::Null => Vec::new(),
        _ => vec![node],
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
