//! In which order a distribution's packages are built, and what comes after a change.

use crate::backend::Backend;
use crate::error::Error;
use crate::needs::{Need, comes_after, graph, needs, reach, stages};
use crate::rebuilds::{Rebuild, check_known, holding, is, leads_to};
use crate::stack::Stack;
use petgraph::Direction;
use rocpkg_resolve::{Choice, Plan, Planned};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Packages in stages: those of one can be built beside each other, as soon as those of the stages
/// before are installed.
#[derive(Clone, Debug)]
pub struct Order {
    /// What is planned.
    pub plan: Plan,
    /// The ids, stage by stage; of what comes after a change alone where one is named.
    pub stages: Vec<Vec<String>>,
    /// What the packages of the plan need of each other, and what the stages hold to.
    pub needs: Vec<Need>,
    /// What no order can hold to: packages need each other over these, so that they are built first
    /// without.
    pub broken: Vec<Need>,
    /// Those that hold something of what is changed: the others come after it only through them. As
    /// [`crate::Options::rebuild`] counts them.
    pub holding: BTreeSet<String>,
}

impl Stack {
    /// The packages of a distribution in stages; with names, those that come after a change of
    /// these packages, or of these things outside, directly or through others: all that is built,
    /// linked or run with it.
    ///
    /// # Errors
    /// All that is wrong with the profiles, and a name that nothing has.
    pub fn order(
        &self,
        backend: Backend,
        choice: &Choice,
        changed: &[String],
    ) -> Result<Order, Error> {
        Order::new(backend, self.plan(backend, choice)?, changed)
    }
}

impl Order {
    /// The order of a plan's packages.
    ///
    /// # Errors
    /// For a name that nothing has.
    pub(crate) fn new(backend: Backend, plan: Plan, changed: &[String]) -> Result<Self, Error> {
        check_known(&plan, changed)?;
        let (needs, broken) = needs(backend, &plan);
        let mut wanted: BTreeSet<&str> = plan.packages.iter().map(|p| p.id.as_str()).collect();
        if !changed.is_empty() {
            let after = after(&plan, &needs, changed);
            wanted.retain(|id| after.contains(id));
        }
        let stages = stages(&plan, &wanted, &needs);
        let stages = stages
            .iter()
            .map(|stage| stage.iter().map(|p| p.id.clone()).collect())
            .collect();
        let holding = holding(&plan, changed)
            .into_iter()
            .map(|Rebuild { id, .. }| id);
        let holding = holding.filter(|id| wanted.contains(id.as_str())).collect();
        Ok(Self {
            plan,
            stages,
            needs,
            broken,
            holding,
        })
    }

    /// The packages of the stages with what they need of each other, for Graphviz: a rank for each
    /// stage, from the left.
    pub fn dot(&self) -> String {
        let mut out = format!(
            "digraph {:?} {{\n  rankdir=RL;\n  node [shape=box];\n",
            self.plan.distro_name
        );
        for stage in &self.stages {
            let names: Vec<_> = stage
                .iter()
                .map(|id| format!("{:?};", self.name(id)))
                .collect();
            let _ = writeln!(out, "  {{ rank=same; {} }}", names.join(" "));
        }
        for (need, is_broken) in self.drawn() {
            let kinds: Vec<_> = need.kinds.iter().map(|kind| kind.word()).collect();
            let loose = if is_broken {
                ", style=dashed, constraint=false"
            } else {
                ""
            };
            let (from, to) = (self.name(&need.from), self.name(&need.to));
            let _ = writeln!(
                out,
                "  {from:?} -> {to:?} [tooltip={:?}{loose}];",
                kinds.join(" ")
            );
        }
        out + "}\n"
    }

    /// The distribution's name for a package.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.plan.get(id).map_or(id, |p: &Planned| p.name.as_str())
    }

    /// The needs between the packages of the stages, and whether they are broken.
    pub fn drawn(&self) -> impl Iterator<Item = (&Need, bool)> {
        let all: BTreeSet<&str> = self.stages.iter().flatten().map(String::as_str).collect();
        let needs = self.needs.iter().map(|need| (need, false));
        let needs = needs.chain(self.broken.iter().map(|need| (need, true)));
        needs.filter(move |(need, _)| {
            all.contains(need.from.as_str()) && all.contains(need.to.as_str())
        })
    }
}

/// What comes after a change: those that name it, and those that build on them or run with them.
/// Tests need no second build.
fn after<'a>(plan: &'a Plan, needs: &'a [Need], changed: &[String]) -> BTreeSet<&'a str> {
    let is_it = |p: &Planned| changed.iter().any(|name| is(p, name));
    let names_it = |p: &Planned| {
        let mut edges = p
            .depends
            .iter()
            .filter(|e| comes_after(&e.edge.kind.0.iter().copied().collect()));
        edges.any(|e| changed.iter().any(|name| leads_to(plan, e, name)))
    };
    let graph = graph(needs.iter().filter(|n| comes_after(&n.kinds)));
    let starts = plan
        .packages
        .iter()
        .filter(|p| is_it(p) || names_it(p))
        .map(|p| p.id.as_str());
    let mut out = reach(&graph, starts, Direction::Incoming);
    out.retain(|id| !plan.get(id).is_some_and(&is_it));
    out
}
