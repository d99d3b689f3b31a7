//! The same demand with fewer words, and what is left of a tree once some flags are known.

use std::collections::BTreeSet;

use crate::name::Flag;
use crate::spec::{Leaf, Node, Spec};

/// What a group does with its children. A part may be absent (see [`Node::outcome`]), and rules differ in whether that
/// shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// All must hold, and nobody asks whether there are any: the top, and below a condition.
    Top,
    /// All must hold, but the bracket is absent when they all are: a bracket within alternatives.
    Bracket,
    /// One must hold.
    Any,
    /// Those that hold are counted.
    Counted,
}

impl Place {
    fn wants_all(self) -> bool {
        matches!(self, Self::Top | Self::Bracket)
    }
}

impl<T> Node<T> {
    /// Whether the part counts whatever the flags are.
    fn is_always_present(&self) -> bool {
        match self {
            Self::Leaf(_) | Self::Any(_) | Self::ExactlyOne(_) | Self::AtMostOne(_) => true,
            Self::All(nodes) => nodes.iter().any(Self::is_always_present),
            Self::If { .. } => false,
        }
    }
}

impl<T: Leaf + Ord> Spec<T> {
    /// A shorter tree that holds in the same states: brackets that do nothing go, as do repeated parts, conditions that
    /// can't be met where they stand, and choices with one alternative. Order is kept.
    #[must_use]
    pub fn simplify(self) -> Self {
        let mut nodes = self.nodes;
        loop {
            let before = size(&nodes);
            nodes = all(nodes, Place::Top, &mut Vec::new());
            if size(&nodes) == before {
                return Self { nodes };
            }
        }
    }
}

impl<T: Leaf + Clone> Spec<T> {
    /// What is left once some flags are known: conditions on them go, with or without what they bring.
    ///
    /// A `||` that loses all its alternatives stays, empty, because it can't hold any more.
    #[must_use]
    pub fn assume(&self, known: impl Fn(&str) -> Option<bool>) -> Self {
        Self { nodes: assume(&self.nodes, true, &known) }
    }
}

/// The number of parts, in which a pass that does anything shrinks a tree.
fn size<T>(nodes: &[Node<T>]) -> usize {
    nodes.iter().map(|node| 1 + size(node.children())).sum()
}

type Known = Vec<(Flag, bool)>;

/// The children of a group.
fn all<T: Leaf + Ord>(nodes: Vec<Node<T>>, place: Place, known: &mut Known) -> Vec<Node<T>> {
    let mut out: Vec<Node<T>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        for part in simplify(node, place, known) {
            match (out.last_mut(), part) {
                // `a? ( x ) a? ( y )` is `a? ( x y )`.
                (
                    Some(Node::If { flag, on, nodes }),
                    Node::If { flag: next_flag, on: next_on, nodes: mut next },
                ) if place.wants_all() && *flag == next_flag && *on == next_on => {
                    nodes.append(&mut next);
                }
                (_, part) => out.push(part),
            }
        }
    }
    if place == Place::Counted {
        return out;
    }
    let mut seen = BTreeSet::new();
    let first: Vec<bool> = out.iter().map(|node| seen.insert(node)).collect();
    let mut first = first.into_iter();
    out.retain(|_| first.next().unwrap_or(true));
    out
}

/// What a part becomes: nothing, itself, or several parts of the group around it.
fn simplify<T: Leaf + Ord>(node: Node<T>, place: Place, known: &mut Known) -> Vec<Node<T>> {
    match node {
        Node::Leaf(_) => vec![node],
        Node::All(nodes) if place.wants_all() => all(nodes, place, known),
        Node::All(nodes) => {
            let nodes = all(nodes, Place::Bracket, known);
            if nodes.len() > 1 { vec![Node::All(nodes)] } else { nodes }
        }
        Node::Any(nodes) => {
            let nodes = all(nodes, Place::Any, known);
            if place == Place::Any { nodes } else { choice(nodes, Node::Any) }
        }
        Node::ExactlyOne(nodes) => choice(all(nodes, Place::Counted, known), Node::ExactlyOne),
        Node::AtMostOne(nodes) => {
            let nodes = all(nodes, Place::Counted, known);
            // Of one, at most one holds.
            if nodes.len() <= 1 && place == Place::Top { Vec::new() } else { vec![Node::AtMostOne(nodes)] }
        }
        Node::If { flag, on, nodes } => match known.iter().find(|(name, _)| *name == flag) {
            Some((_, state)) if *state != on => Vec::new(),
            Some(_) if place == Place::Top => all(nodes, place, known),
            _ => {
                known.push((flag.clone(), on));
                let nodes = all(nodes, Place::Top, known);
                known.pop();
                let says_nothing = nodes.is_empty() && (place == Place::Top || !T::EMPTY_GROUPS);
                if says_nothing { Vec::new() } else { vec![Node::If { flag, on, nodes }] }
            }
        },
    }
}

/// A choice, or its one alternative if that is always there.
fn choice<T>(nodes: Vec<Node<T>>, group: impl Fn(Vec<Node<T>>) -> Node<T>) -> Vec<Node<T>> {
    match nodes.as_slice() {
        [only] if only.is_always_present() => nodes,
        _ => vec![group(nodes)],
    }
}

/// `together` says that all of these must hold, so that a group may dissolve among them.
fn assume<T: Leaf + Clone>(
    nodes: &[Node<T>],
    together: bool,
    known: &impl Fn(&str) -> Option<bool>,
) -> Vec<Node<T>> {
    let mut out = Vec::with_capacity(nodes.len());
    for node in nodes {
        match node {
            Node::Leaf(_) => out.push(node.clone()),
            Node::All(nodes) => out.push(Node::All(assume(nodes, true, known))),
            Node::Any(nodes) => out.push(Node::Any(assume(nodes, false, known))),
            Node::ExactlyOne(nodes) => out.push(Node::ExactlyOne(assume(nodes, false, known))),
            Node::AtMostOne(nodes) => out.push(Node::AtMostOne(assume(nodes, false, known))),
            Node::If { flag, on, nodes } => {
                let mut inner = assume(nodes, true, known);
                match known(flag.as_str()) {
                    Some(state) if state != *on => {}
                    None => out.push(Node::If { flag: flag.clone(), on: *on, nodes: inner }),
                    Some(_) if together && !T::EMPTY_GROUPS => out.append(&mut inner),
                    Some(_) => {
                        // A condition that is met counts even without a consequence, and so does `?? ( )`.
                        if T::EMPTY_GROUPS && !inner.iter().any(Node::is_always_present) {
                            inner.push(Node::AtMostOne(Vec::new()));
                        }
                        out.push(Node::All(inner));
                    }
                }
            }
        }
    }
    out
}
