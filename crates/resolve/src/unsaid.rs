//! Facts of a package that the recipes of its distribution can't say. Whoever wrote one into the package's overlay is told at its
//! place; those of components and habits, which are for other distributions too, are named together by a review.

use crate::plan::Planned;
use rocpkg_model::{Edge, Finding, Findings, Node, Span, Value};
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
