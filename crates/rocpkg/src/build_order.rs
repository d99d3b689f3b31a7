//! The build order of a distribution's packages, and the packages that are built again after a
//! change.

use crate::backend::Backend;
use crate::error::Error;
use crate::names::{Named, named, needed};
use crate::narrowed::check_offered;
use crate::needs::{Need, comes_after, graph, needs_among, reach, stages};
use crate::options::Options;
use crate::rebuilds::{Rebuild, holding};
use crate::select::{Packages, Unfit};
use crate::stack::Stack;
use crate::tree::Tree;
use petgraph::Direction;
use rocpkg_resolve::{Choice, Model, Plan, Planned};
use rocpkg_shell::ScopeFile;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The build order of a distribution's packages, in stages. The packages of a stage can be built
/// side by side, as soon as those of the earlier stages are installed.
#[derive(Clone, Debug)]
pub struct Order {
    /// The plan whose packages are ordered.
    #[doc(hidden)]
    pub plan: Plan,
    /// The ids of the packages and consumers, stage by stage. If changed packages were named, only
    /// the packages that come after them; the changed packages themselves are not included.
    pub stages: Vec<Vec<String>>,
    /// The dependencies between all packages of the plan that the order satisfies.
    pub needs: Vec<Need>,
    /// The dependencies that no order can satisfy, since they close a circle. The package `from` is
    /// built first without the package `to`.
    pub broken: Vec<Need>,
    /// The ids of the packages in `stages` that contain code or data of a changed package, because
    /// they link it, bind to it or are built from its headers. The other packages in `stages` only
    /// use a changed package, or depend on it through others. The recipes of the same packages get
    /// a higher release number by [`crate::Options::rebuild`].
    pub holding: BTreeSet<String>,
    /// The packages and external dependencies that changed.
    #[doc(hidden)]
    pub changed: Named,
    /// The files that the scope of all packages reads, with the packages that need them. In
    /// nixpkgs, one of them has the compiler.
    #[doc(hidden)]
    pub scope_files: Vec<ScopeFile>,
    /// The packages that can't be built for the requested GPUs, by id, each with the reason. They
    /// are not in `stages` and `needs`.
    pub left_out: BTreeMap<String, String>,
}

impl Stack {
    /// Returns the build order of a distribution's packages at the release `choice`. `changed` may
    /// name packages or external dependencies that changed, as in [`Stack::named`]. The order then
    /// contains only the packages after them: those that are built, linked or run with a changed
    /// one, directly or through others. If `changed` is empty, the order contains all packages.
    ///
    /// # Errors
    /// All errors in the profiles, or a name in `changed` that the distribution does not have.
    pub fn order(
        &self,
        backend: Backend,
        choice: &Choice,
        changed: &[String],
    ) -> Result<Order, Error> {
        Order::new(self.model(), backend, self.plan(backend, choice)?, changed)
    }

    /// Returns the build order of everything that the packages `names` need to be built and run,
    /// directly or through others, and of these packages themselves. The names are looked up as in
    /// [`Stack::named`]. A name that the distribution itself does not use also stands for the
    /// packages with the source of another distribution's package: `hip` in nixpkgs -> `clr`.
    ///
    /// # Errors
    /// All errors in the profiles, or a name that is no package of the distribution.
    pub fn order_of_needs(
        &self,
        backend: Backend,
        choice: &Choice,
        names: &[String],
    ) -> Result<Order, Error> {
        let plan = self.plan(backend, choice)?;
        let starts = needed(self.model(), &plan, names)?;
        let (needs, broken) = needs_among(backend, &plan, plan.with_consumers());
        let graph = graph(needs.iter().filter(|n| comes_after(&n.kinds)));
        let starts = starts.iter().map(String::as_str);
        let wanted = reach(&graph, starts, Direction::Outgoing);
        let wanted = wanted.into_iter().map(str::to_owned).collect();
        Ok(Order::within(plan, (needs, broken), &wanted))
    }

    /// Renders the packages of a distribution, and returns the files with the build order of the
    /// packages. Packages with an error are left out. `changed` is as in [`Stack::order`].
    ///
    /// # Errors
    /// All errors in the profiles or the options, or an unknown name.
    #[doc(hidden)]
    pub fn rendered_order(
        &self,
        backend: Backend,
        options: &Options,
        changed: &[String],
    ) -> Result<(Tree, Order), Error> {
        let model = self.changed(options)?;
        check_offered(&model, &[backend])?;
        let none = Packages::new();
        let mut render_run = if model.narrowed.is_empty() {
            self.render_run(&model, &[backend], options, &none)?
        } else {
            self.proved(&model, &[backend], options, &none, &Unfit::new())?
        };
        render_run.settle();
        let mut left_out: BTreeMap<String, String> = render_run.broken();
        let unfit = render_run.unfit.iter();
        left_out.extend(unfit.map(|((_, id), reason)| (id.clone(), reason.clone())));
        let edition = render_run.runs.iter().flat_map(|run| &run.editions).next();
        let plan = edition
            .filter(|_| !render_run.findings.has_errors())
            .map(|edition| edition.plan.clone());
        let Some(plan) = plan else {
            return Err(self.problems(render_run.findings));
        };
        let tree = Tree::of(render_run, options)?;
        let mut order = Order::new(&model, backend, plan, changed)?;
        for stage in &mut order.stages {
            stage.retain(|id| !left_out.contains_key(id));
        }
        let gone = |n: &Need| left_out.contains_key(&n.from) || left_out.contains_key(&n.to);
        order.needs.retain(|n| !gone(n));
        order.broken.retain(|n| !gone(n));
        order.left_out = left_out;
        Ok((tree, order))
    }
}

impl Order {
    /// Returns the build order of a plan's packages. `names` are those of changed packages, as in
    /// [`Stack::order`].
    ///
    /// # Errors
    /// If a name in `changed` is unknown.
    pub(crate) fn new(
        model: &Model,
        backend: Backend,
        plan: Plan,
        names: &[String],
    ) -> Result<Self, Error> {
        let changed = named(model, &plan, names)?;
        let (needs, broken) = needs_among(backend, &plan, plan.with_consumers());
        let scope_files = backend.implementation().scope_files(&plan);
        let mut wanted: BTreeSet<&str> = plan.with_consumers().map(|p| p.id.as_str()).collect();
        if !names.is_empty() {
            let in_scope = scope_files.iter().filter(|file| is_changed(file, &changed));
            let users: Vec<&str> = in_scope
                .flat_map(|file| &file.users)
                .map(String::as_str)
                .collect();
            let after = after(&plan, &needs, &changed, &users);
            wanted.retain(|id| after.contains(id));
        }
        let holding = holding(&plan, &changed)
            .into_iter()
            .map(|Rebuild { id, .. }| id);
        let holding = holding.filter(|id| wanted.contains(id.as_str())).collect();
        let wanted = wanted.into_iter().map(str::to_owned).collect();
        let order = Self::within(plan, (needs, broken), &wanted);
        Ok(Self {
            holding,
            changed,
            scope_files,
            ..order
        })
    }

    /// Returns the build order of the packages with the ids `wanted`.
    fn within(
        plan: Plan,
        (needs, broken): (Vec<Need>, Vec<Need>),
        wanted: &BTreeSet<String>,
    ) -> Self {
        let wanted = wanted.iter().map(String::as_str).collect();
        let stages = stages(&plan, &wanted, &needs);
        let stages = stages
            .iter()
            .map(|stage| stage.iter().map(|p| p.id.clone()).collect())
            .collect();
        Self {
            plan,
            stages,
            needs,
            broken,
            holding: BTreeSet::new(),
            changed: Named::default(),
            scope_files: Vec::new(),
            left_out: BTreeMap::new(),
        }
    }

    /// Removes all packages but those with the ids `wanted` from the stages. Stages that become
    /// empty are removed too. Returns the number of packages that were removed.
    pub fn keep(&mut self, wanted: &BTreeSet<String>) -> usize {
        let count = |order: &Self| order.stages.iter().map(Vec::len).sum::<usize>();
        let before = count(self);
        for stage in &mut self.stages {
            stage.retain(|id| wanted.contains(id));
        }
        self.stages.retain(|stage| !stage.is_empty());
        before - count(self)
    }

    /// Returns the ids of the packages of the stages, and of the changed packages. Consumers, for
    /// which no recipe is rendered, are left out.
    pub fn with_changed(&self) -> BTreeSet<&str> {
        let after = self.stages.iter().flatten();
        let all = after.chain(&self.changed.packages).map(String::as_str);
        all.filter(|id| self.plan.get(id).is_some() && !self.left_out.contains_key(*id))
            .collect()
    }

    /// Returns the files of the scope that are built before the packages of the stages: all if
    /// nothing changed, or those that changed.
    #[doc(hidden)]
    pub fn built_in_scope(&self) -> impl Iterator<Item = (&ScopeFile, &str)> {
        let is_whole = self.changed == Named::default();
        let files = self.scope_files.iter();
        let files = files.filter(move |file| is_whole || is_changed(file, &self.changed));
        files.filter_map(|file| Some((file, file.built.as_deref()?)))
    }

    /// Returns the packages with the ids `wanted` in stages. The wanted packages that a package
    /// needs are all in earlier stages.
    #[doc(hidden)]
    pub fn stages_of(&self, wanted: &BTreeSet<&str>) -> Vec<Vec<&Planned>> {
        stages(&self.plan, wanted, &self.needs)
    }

    /// Returns a Graphviz graph of the packages in `stages` and the dependencies between them. The
    /// packages of a stage are in one column, with the first stage at the left. Dependencies that
    /// no order can satisfy are dashed.
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
        self.plan
            .known(id)
            .map_or(id, |p: &Planned| p.name.as_str())
    }

    /// Returns the dependencies between packages in `stages`. The `bool` is true for a dependency
    /// that no order can satisfy.
    pub fn drawn(&self) -> impl Iterator<Item = (&Need, bool)> {
        let all: BTreeSet<&str> = self.stages.iter().flatten().map(String::as_str).collect();
        let needs = self.needs.iter().map(|need| (need, false));
        let needs = needs.chain(self.broken.iter().map(|need| (need, true)));
        needs.filter(move |(need, _)| {
            all.contains(need.from.as_str()) && all.contains(need.to.as_str())
        })
    }
}

/// Returns true if a changed external dependency is an attribute of a file of the scope:
/// `llvm.llvm` of `llvm/default.nix`.
fn is_changed(file: &ScopeFile, changed: &Named) -> bool {
    let mut roots = changed
        .externals
        .iter()
        .filter_map(|name| name.split('.').next());
    roots.any(|root| file.attributes.contains(root))
}

/// Returns the ids of the packages that come after the packages or external dependencies `changed`:
/// those that depend on a changed one, directly or through others. The changed packages themselves
/// are left out. A dependency of tests alone does not count, because tests need no second build.
/// `users` are packages that depend on a changed file of the scope.
fn after<'a>(
    plan: &'a Plan,
    needs: &'a [Need],
    changed: &Named,
    users: &[&str],
) -> BTreeSet<&'a str> {
    let names_it = |p: &Planned| {
        let mut edges = p.depends.iter().filter(|e| changed.is_needed_by(e));
        edges.any(|e| comes_after(&e.edge.kind.0.iter().copied().collect()))
    };
    let graph = graph(needs.iter().filter(|n| comes_after(&n.kinds)));
    let starts = plan
        .with_consumers()
        .filter(|p| changed.is(p) || names_it(p) || users.contains(&p.id.as_str()))
        .map(|p| p.id.as_str());
    let mut out = reach(&graph, starts, Direction::Incoming);
    out.retain(|id| !changed.packages.contains(*id));
    out
}
