//! The dependencies between packages that the build order follows, called needs here.

use crate::backend::Backend;
use petgraph::acyclic::Acyclic;
use petgraph::data::Build;
use petgraph::graph::DiGraph;
use petgraph::graphmap::DiGraphMap;
use petgraph::{Direction, algo::toposort};
use rocpkg_model::{EdgeKind, Node, Text};
use rocpkg_resolve::{Dependency, Plan, Planned};
use std::collections::{BTreeMap, BTreeSet};

/// A dependency of a package: the package `to` must be installed before the package `from` is
/// built, run or tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The id of the package that has the need.
    pub from: String,
    /// The id of the needed package.
    pub to: String,
    /// The kinds of the dependency.
    #[doc(hidden)]
    pub kinds: BTreeSet<EdgeKind>,
}

/// The weight of a need that only tests have.
const TESTS: u8 = 3;

/// Returns the weight of a need by the kinds of the dependency. A lower weight is more important: 0
/// if the build fails without the needed package, 1 if the package fails when it is run, 2 if the
/// needed package may be installed afterwards (`post`), 3 if one of the kinds is `test`. None if
/// all kinds are `optional` or `conflict`, for which no build waits.
fn weight(kinds: &BTreeSet<EdgeKind>) -> Option<u8> {
    use EdgeKind::{Build, Conflict, Link, Optional, Post, Propagated, Run, Test, Tool};
    let weigh = |kind: &EdgeKind| match kind {
        Link | Build | Tool | Propagated => Some(0),
        Run => Some(1),
        Post => Some(2),
        Test => Some(TESTS),
        Optional | Conflict => None,
    };
    // A package that tests need may itself need the tested package.
    if kinds.contains(&Test) {
        Some(TESTS)
    } else {
        kinds.iter().filter_map(weigh).min()
    }
}

/// Returns true if a package comes after a changed dependency of these kinds in the build order.
/// False for `test`, because tests require no second build, and for `optional` and `conflict`.
pub(crate) fn comes_after(kinds: &BTreeSet<EdgeKind>) -> bool {
    weight(kinds).is_some_and(|weight| weight < TESTS)
}

/// Returns the needs between the packages of a plan, as [`needs_among`] does. Consumers, for which
/// no recipe is rendered, are left out.
pub(crate) fn needs(backend: Backend, plan: &Plan) -> (Vec<Need>, Vec<Need>) {
    needs_among(backend, plan, plan.packages.iter())
}

/// Returns the needs between `packages`, packages and consumers of a plan. The first list holds the
/// needs that a build order can satisfy. The second list holds the needs that would close a circle
/// with them. Of the needs in a circle, the least important one is in the second list.
pub(crate) fn needs_among<'p>(
    backend: Backend,
    plan: &'p Plan,
    packages: impl Iterator<Item = &'p Planned> + Clone,
) -> (Vec<Need>, Vec<Need>) {
    // If users choose features, a dependency counts if any choice needs it.
    let is_chosen = backend.implementation().users_choose();
    let printed: BTreeMap<&str, &String> = plan
        .packages
        .iter()
        .map(|p| (p.name.as_str(), &p.id))
        .collect();
    let mut all: Vec<(u8, &str, &str, BTreeSet<EdgeKind>)> = Vec::new();
    for p in packages.clone() {
        let mut own: BTreeMap<(u8, &str), BTreeSet<EdgeKind>> = BTreeMap::new();
        let has_steps = |name| p.package.phases.contains_key(name);
        let tests = is_chosen || p.runs_tests(plan) || has_steps("check") || has_steps("profile");
        for e in p
            .depends
            .iter()
            .filter(|e| is_chosen || p.settles(e.edge.when.as_ref()))
        {
            let kinds: BTreeSet<EdgeKind> = e
                .edge
                .kind
                .0
                .iter()
                .copied()
                .filter(|kind| tests || *kind != EdgeKind::Test)
                .collect();
            // A row of externals.yaml may name a package of the distribution's own.
            let to = match &e.to {
                Dependency::Package(id) => Some(id),
                Dependency::External(_) if e.edge.exact_name.is_some() => None,
                Dependency::External(name) => printed.get(name.as_str()).copied(),
            };
            if let (Some(to), Some(weight)) = (to, weight(&kinds)) {
                own.entry((weight, to)).or_default().extend(kinds);
            }
        }
        for part in p
            .package
            .pkgbuild
            .iter()
            .flat_map(|own| own.packages.values())
        {
            for other in part
                .depends
                .iter()
                .filter_map(|d| plan.packages.named(&d.value))
            {
                own.entry((1, &other.id)).or_default().insert(EdgeKind::Run);
            }
        }
        let named = if backend.implementation().builds_references() {
            references(&p.node)
        } else {
            BTreeSet::new()
        };
        for other in named
            .iter()
            .filter_map(|name| printed.get(name.as_str()).copied())
        {
            own.entry((0, other)).or_default().insert(EdgeKind::Build);
        }
        let own = own.into_iter().filter(|((_, to), _)| *to != p.id);
        all.extend(own.map(|((weight, to), kinds)| (weight, p.id.as_str(), to, kinds)));
    }
    all.sort_by_key(|(weight, ..)| *weight);
    // An edge leads from the needed package to the package that needs it. Most packages of the plan
    // are in this order already.
    let mut order = Acyclic::<DiGraph<(), ()>>::new();
    let nodes: BTreeMap<&str, _> = packages
        .map(|p| (p.id.as_str(), order.add_node(())))
        .collect();
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for (_, from, to, kinds) in all {
        // A package that was taken out of the plan has no node.
        let (Some(above), Some(below)) = (nodes.get(from), nodes.get(to)) else {
            continue;
        };
        let leads_back = order.try_add_edge(*below, *above, ()).is_err();
        let need = Need {
            from: from.to_owned(),
            to: to.to_owned(),
            kinds,
        };
        if leads_back { &mut broken } else { &mut kept }.push(need);
    }
    (kept, broken)
}

/// Returns the names of all references in the texts below a node: `${clr}/bin` -> `clr`.
fn references(node: &Node) -> BTreeSet<String> {
    let texts = node
        .ends()
        .into_iter()
        .filter_map(|end| Some((end.text()?, end.span)));
    let texts = texts
        .filter(|(text, _)| text.contains("${"))
        .flat_map(|(text, span)| Text::parse(text, span));
    texts
        .flat_map(|text| text.references().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Returns the dependency graph of some needs. An edge leads from the package with the need to the
/// needed package.
pub(crate) fn graph<'n>(needs: impl IntoIterator<Item = &'n Need>) -> DiGraphMap<&'n str, ()> {
    needs
        .into_iter()
        .map(|need| (need.from.as_str(), need.to.as_str()))
        .collect()
}

/// Returns the packages that can be reached in `graph` from the packages `from`, which are
/// included. The direction `Outgoing` leads to the packages that they need, `Incoming` to the
/// packages that need them.
pub(crate) fn reach<'n>(
    graph: &DiGraphMap<&'n str, ()>,
    from: impl IntoIterator<Item = &'n str>,
    direction: Direction,
) -> BTreeSet<&'n str> {
    let mut open = Vec::from_iter(from);
    let mut met: BTreeSet<&str> = open.iter().copied().collect();
    while let Some(at) = open.pop() {
        open.extend(
            graph
                .neighbors_directed(at, direction)
                .filter(|next| met.insert(next)),
        );
    }
    met
}

/// Returns the packages `wanted` in stages. The wanted packages that a package needs are all in
/// earlier stages, and each package is in the earliest stage for which this is true. `needs` must
/// contain no circle.
pub(crate) fn stages<'p>(
    plan: &'p Plan,
    wanted: &BTreeSet<&str>,
    needs: &[Need],
) -> Vec<Vec<&'p Planned>> {
    let both =
        |need: &&Need| wanted.contains(need.from.as_str()) && wanted.contains(need.to.as_str());
    let graph = graph(needs.iter().filter(both));
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for id in toposort(&graph, None).unwrap_or_default().into_iter().rev() {
        let below = graph.neighbors(id).filter_map(|to| places.get(to)).max();
        places.insert(id, below.map_or(0, |place| place + 1));
    }
    let mut stages = Vec::new();
    for p in plan
        .with_consumers()
        .filter(|p| wanted.contains(p.id.as_str()))
    {
        let place = places.get(p.id.as_str()).copied().unwrap_or_default();
        stages.resize(stages.len().max(place + 1), Vec::new());
        stages[place].push(p);
    }
    stages
}
