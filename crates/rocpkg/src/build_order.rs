//! The build order of a distribution's packages, and the packages that are built again after a
//! change.

use crate::backend::Backend;
use crate::error::Error;
use crate::narrowed::check_offered;
use crate::needs::{Need, comes_after, graph, needs, reach, stages};
use crate::options::Options;
use crate::rebuilds::{Rebuild, check_known, holding, is_named_exactly, leads_to};
use crate::stack::Stack;
use crate::tree::Tree;
use petgraph::Direction;
use rocpkg_resolve::{Choice, Plan, Planned};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Packages in stages. The packages of a stage can be built beside each other, as soon as those of
/// the earlier stages are installed.
#[derive(Clone, Debug)]
pub struct Order {
    /// The plan whose packages are ordered.
    pub plan: Plan,
    /// The ids of the packages, stage by stage. If a change is named, only those that come after
    /// it.
    pub stages: Vec<Vec<String>>,
    /// The needs between packages of the plan that the order satisfies.
    pub needs: Vec<Need>,
    /// The needs that no order can satisfy, since they close a circle. A package with such a need
    /// is built first without the needed package.
    pub broken: Vec<Need>,
    /// The packages that contain something of the changed ones: they link them, bind to them or are
    /// built from their headers. The other packages come after the change only through these.
    /// [`crate::Options::rebuild`] counts the same packages.
    pub holding: BTreeSet<String>,
}

impl Stack {
    /// Returns the packages of a distribution in stages. `changed` may name packages or external
    /// dependencies. Only packages that come after a change of these are returned then: all that
    /// are built, linked or run with them, directly or through others.
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

    /// Renders the packages of a distribution, and returns them with their order. Packages with an
    /// error are left out. `changed` is as in [`Stack::order`].
    ///
    /// # Errors
    /// All that is wrong with the profiles or the options, and a name that nothing has.
    pub fn rendered_order(
        &self,
        backend: Backend,
        options: &Options,
        changed: &[String],
    ) -> Result<(Tree, Order), Error> {
        let model = self.changed(options)?;
        check_offered(&model, &[backend])?;
        let mut render_run = self.render_run(&model, &[backend], options)?;
        render_run.settle();
        let edition = render_run.runs.iter().flat_map(|run| &run.editions).next();
        let plan = edition
            .filter(|_| !render_run.findings.has_errors())
            .map(|edition| edition.plan.clone());
        let Some(plan) = plan else {
            return Err(self.problems(render_run.findings));
        };
        let tree = Tree::of(render_run, options)?;
        Ok((tree, Order::new(backend, plan, changed)?))
    }
}

impl Order {
    /// Returns the order of a plan's packages.
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

    /// Returns some packages in stages, by their ids. Each is in the first stage before which all
    /// of them that it needs are placed.
    pub fn stages_of(&self, wanted: &BTreeSet<&str>) -> Vec<Vec<&Planned>> {
        stages(&self.plan, wanted, &self.needs)
    }

    /// Returns a Graphviz graph of the packages and their needs. It has a rank for each stage, from
    /// the left.
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

    /// Returns the distribution's name for a package, or the id if the plan has no such package.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.plan.get(id).map_or(id, |p: &Planned| p.name.as_str())
    }

    /// Returns the needs between packages of the stages. The `bool` is true for a need that no
    /// order can satisfy.
    pub fn drawn(&self) -> impl Iterator<Item = (&Need, bool)> {
        let all: BTreeSet<&str> = self.stages.iter().flatten().map(String::as_str).collect();
        let needs = self.needs.iter().map(|need| (need, false));
        let needs = needs.chain(self.broken.iter().map(|need| (need, true)));
        needs.filter(move |(need, _)| {
            all.contains(need.from.as_str()) && all.contains(need.to.as_str())
        })
    }
}

/// Returns the packages that come after a change: those that name a changed package, and those that
/// build on them or run with them. A need of tests alone does not count, because tests need no
/// second build.
fn after<'a>(plan: &'a Plan, needs: &'a [Need], changed: &[String]) -> BTreeSet<&'a str> {
    let is_it = |p: &Planned| changed.iter().any(|name| is_named_exactly(p, name));
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
