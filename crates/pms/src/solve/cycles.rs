//! Packages that have to be there before they are built.
//!
//! Portage merges in an order in which DEPEND and BDEPEND are there first; where dependencies at
//! run time alone close a circle, it breaks it. An alternative of an any-of group is no edge:
//! another one may be taken.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::atom::Atom;
use crate::name::Flag;
use crate::solve::problem::Member;
use crate::spec::Node;

/// A member that needs another to be built, in one state of its flags.
pub(super) struct Edge<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The flags of `from` under which it does, each with its state.
    pub(super) under: Vec<(&'a Flag, bool)>,
}

/// All edges between the members.
pub(super) fn edges(members: &[Member]) -> Vec<Edge<'_>> {
    let mut found = Vec::new();
    for (from, member) in members.iter().enumerate() {
        for node in &member.build.nodes {
            collect(members, from, node, &mut Vec::new(), &mut found);
        }
    }
    found
}

fn collect<'a>(
    members: &[Member],
    from: usize,
    node: &'a Node<Atom>,
    under: &mut Vec<(&'a Flag, bool)>,
    found: &mut Vec<Edge<'a>>,
) {
    match node {
        Node::Leaf(atom) if atom.blocker().is_none() => {
            // The same package in another version is no circle.
            let fitting = (0..members.len()).filter(|&to| {
                to != from && members.get(to).is_some_and(|member| member.fits(atom))
            });
            found.extend(fitting.map(|to| Edge {
                from,
                to,
                under: under.clone(),
            }));
        }
        Node::All(nodes) => {
            for node in nodes {
                collect(members, from, node, under, found);
            }
        }
        Node::If { flag, on, nodes } => {
            under.push((flag, *on));
            for node in nodes {
                collect(members, from, node, under, found);
            }
            under.pop();
        }
        Node::Leaf(_) | Node::Any(_) | Node::ExactlyOne(_) | Node::AtMostOne(_) => {}
    }
}

/// A shortest circle among the members that are needed, in a state of all flags, beginning with its
/// first member.
pub(super) fn shortest(
    edges: &[Edge<'_>],
    needed: &[bool],
    is_on: &BTreeMap<(usize, &Flag), bool>,
) -> Option<Vec<usize>> {
    let mut next: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for edge in edges {
        let is_needed = |index: usize| needed.get(index) == Some(&true);
        let holds = |(flag, on): &(&Flag, bool)| {
            is_on.get(&(edge.from, *flag)).copied().unwrap_or(false) == *on
        };
        if is_needed(edge.from) && is_needed(edge.to) && edge.under.iter().all(holds) {
            next.entry(edge.from).or_default().insert(edge.to);
        }
    }
    let circles = next.keys().filter_map(|&start| circle(&next, start));
    circles.min_by_key(Vec::len)
}

/// A shortest way from a member back to it.
fn circle(next: &BTreeMap<usize, BTreeSet<usize>>, start: usize) -> Option<Vec<usize>> {
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(here) = open.pop_front() {
        for &there in next.get(&here).into_iter().flatten() {
            if there == start {
                let mut way = vec![here];
                while let Some(&earlier) = way
                    .last()
                    .filter(|last| **last != start)
                    .and_then(|l| before.get(l))
                {
                    way.push(earlier);
                }
                way.reverse();
                return Some(way);
            }
            before.entry(there).or_insert_with(|| {
                open.push_back(there);
                here
            });
        }
    }
    None
}
