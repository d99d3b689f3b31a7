//! Finds cycles of build dependencies: packages that have to be installed before they can be built.
//!
//! Portage merges packages after their DEPEND and BDEPEND. It breaks a cycle that only run-time
//! dependencies close. An alternative of an any-of group is no edge, because another alternative
//! can be chosen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::atom::Atom;
use crate::name::Flag;
use crate::solve::problem::Member;
use crate::spec::Node;

/// A build dependency of the member `from` on the member `to`. Both are positions in
/// `Problem::members`.
pub(super) struct Edge<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The states of flags of `from` that are needed for the dependency to apply:
    /// `a? ( !b? ( x/y ) )` gives `a` on and `b` off.
    pub(super) under: Vec<(&'a Flag, bool)>,
}

/// Returns the build dependencies between members, except those in any-of groups.
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
            // A dependency on another version of the same package is no cycle.
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

/// Returns the positions of the members in a shortest cycle, or `None` if there is no cycle. Only
/// members that `needed` marks take part. `is_on` is the state of each flag, by the position of the
/// member.
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

/// Returns a shortest path from the member `start` back to itself, without repeating `start` at the
/// end. Returns `None` if there is none. `next` contains the members that each member needs.
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
