//! `REQUIRED_USE` against a set of flags.

use crate::kinds::{FlagState, RequiredUse};
use crate::name::Flag;
use crate::spec::Node;

/// A `REQUIRED_USE` names a flag that the package does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("USE flag `{0}` is not in IUSE")]
pub struct UnknownFlag(pub Flag);

impl RequiredUse {
    /// All flags that are named, as conditions too, from left to right.
    pub fn flags(&self) -> Vec<&Flag> {
        let mut found = self.conditions();
        found.extend(self.leaves().into_iter().map(|leaf| &leaf.flag));
        found
    }

    /// Whether the flags that are on fulfil it.
    ///
    /// # Errors
    /// When a flag is named, anywhere, that `has` does not know. Portage refuses such a `REQUIRED_USE` even if the flag makes
    /// no difference.
    pub fn check(
        &self,
        is_on: impl Fn(&str) -> bool,
        has: impl Fn(&str) -> bool,
    ) -> Result<bool, UnknownFlag> {
        match self.flags().into_iter().find(|flag| !has(flag.as_str())) {
            Some(flag) => Err(UnknownFlag(flag.clone())),
            None => Ok(self.is_met(is_on)),
        }
    }

    /// Whether the flags that are on fulfil it; every name is taken for a flag of the package.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        self.holds(&is_on, |leaf| leaf.is_met(&is_on))
    }

    /// The part that is not fulfilled, in the shape in which Portage shows it to users. Empty if all is.
    #[must_use]
    pub fn unmet(&self, is_on: impl Fn(&str) -> bool) -> Self {
        if self.is_met(&is_on) {
            return Self::default();
        }
        let mut parts = Vec::new();
        for node in &self.nodes {
            Shown::collect(node, &is_on, Operator::Bracket, &mut parts);
        }
        Self { nodes: Shown::nodes(parts, false) }
    }
}

impl FlagState {
    /// Whether the flag is in the state asked for.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        is_on(self.flag.as_str()) == self.on
    }
}

/// What stands before the bracket of a part that is shown.
#[derive(Clone, Copy)]
enum Operator<'a> {
    Leaf(&'a FlagState),
    Bracket,
    Any,
    ExactlyOne,
    AtMostOne,
    If(&'a Flag, bool),
}

impl Operator<'_> {
    fn counts(self) -> bool {
        matches!(self, Self::Any | Self::ExactlyOne | Self::AtMostOne)
    }
}

/// A part that is worth showing, and whether it holds.
struct Shown<'a> {
    operator: Operator<'a>,
    children: Vec<Shown<'a>>,
    met: bool,
}

impl<'a> Shown<'a> {
    /// What is left of a part once absent ones, empty groups and brackets of one are gone, added to the parts of the
    /// group around it, whose operator is given. The result is the part's outcome.
    fn collect(
        node: &'a Node<FlagState>,
        is_on: &impl Fn(&str) -> bool,
        around: Operator<'a>,
        into: &mut Vec<Self>,
    ) -> Option<bool> {
        let operator = match node {
            Node::Leaf(leaf) => {
                let met = leaf.is_met(is_on);
                into.push(Self { operator: Operator::Leaf(leaf), children: Vec::new(), met });
                return Some(met);
            }
            Node::All(_) => Operator::Bracket,
            Node::Any(_) => Operator::Any,
            Node::ExactlyOne(_) => Operator::ExactlyOne,
            Node::AtMostOne(_) => Operator::AtMostOne,
            Node::If { flag, on, .. } => {
                if is_on(flag.as_str()) != *on {
                    return None;
                }
                Operator::If(flag, *on)
            }
        };
        let mut children = Vec::new();
        let (mut present, mut holding) = (0_usize, 0_usize);
        for child in node.children() {
            let outcome = Self::collect(child, is_on, operator, &mut children);
            present += usize::from(outcome.is_some());
            holding += usize::from(outcome == Some(true));
        }
        let outcome = match operator {
            Operator::Any => Some(holding > 0),
            Operator::ExactlyOne => Some(holding == 1),
            Operator::AtMostOne => Some(holding <= 1),
            Operator::Bracket if present == 0 => None,
            _ => Some(holding == present),
        };
        let met = outcome.unwrap_or(true);
        match operator {
            Operator::Bracket if children.len() <= 1 || !around.counts() => into.append(&mut children),
            _ if children.is_empty() => {}
            _ if operator.counts() && children.len() == 1 => {
                // One alternative is no choice: what it asks for is asked here.
                for child in children {
                    match child.operator {
                        Operator::Bracket if !around.counts() => into.extend(child.children),
                        _ => into.push(child),
                    }
                }
            }
            _ => into.push(Self { operator, children, met }),
        }
        outcome
    }

    /// The part as a tree again. Below a counting operator everything stays, since what is met is part of the count;
    /// elsewhere only what fails.
    fn node(self, counted: bool) -> Node<FlagState> {
        let counted = counted || self.operator.counts();
        let nodes = || Self::nodes(self.children, counted);
        match self.operator {
            Operator::Leaf(leaf) => Node::Leaf(leaf.clone()),
            Operator::Bracket => Node::All(nodes()),
            Operator::Any => Node::Any(nodes()),
            Operator::ExactlyOne => Node::ExactlyOne(nodes()),
            Operator::AtMostOne => Node::AtMostOne(nodes()),
            Operator::If(flag, on) => Node::If { flag: flag.clone(), on, nodes: nodes() },
        }
    }

    fn nodes(parts: Vec<Self>, counted: bool) -> Vec<Node<FlagState>> {
        parts.into_iter().filter(|part| counted || !part.met).map(|part| part.node(counted)).collect()
    }
}
