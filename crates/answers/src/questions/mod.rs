//! Questions about the GPU targets of a distribution's packages. Read `gpu.rs` next.

mod applications;
mod audited;
mod avoid;
mod from_source;
mod gpu;
mod lab;
mod likely;
mod package_use;
mod support;
mod tests_on;

pub use applications::{Application, declared_applications, title};
pub(crate) use audited::all_libraries;
pub use audited::{About, AuditedRow, RULES, damaged, file_on, held, stem};
pub(crate) use avoid::switched_off;
pub use gpu::{OnGpu, Runs, Support, read_only};
pub(crate) use lab::lab;
pub use lab::{Lab, LabBackend, Level, Limit, Runner};
pub use likely::Likely;
pub(crate) use package_use::package_use;
pub use package_use::{Use, UseQuery};
use rocpkg::core::Listed;
use rocpkg::internal::model::Findings;
use rocpkg::internal::resolve::{
    Built, Choice, Chooser, Dependency, Plan, Planned, Recipes, prove,
};
use rocpkg::internal::targets::{Registry, Target, TargetSet};
use rocpkg::{Backend, Stack};
use rocpkg::{Error, Problems};
use std::borrow::Borrow;
use std::collections::BTreeMap;
pub use support::Evidence;
pub use tests_on::{TestRun, Unit, Untested, fewest_runs};

/// A distribution's packages at one release, with the facts that answer questions about their GPU
/// targets.
#[derive(Debug)]
pub struct Questions<'s> {
    /// The known GPU targets.
    #[doc(hidden)]
    pub registry: &'s Registry,
    /// The plan of the distribution's packages.
    #[doc(hidden)]
    pub plan: Plan,
    /// The options that chose the release and the profiles, as in ` --release 6.2.4`. Commands in
    /// the answers repeat them. Empty if there are none.
    pub options: String,
    /// The stack that the packages were planned from.
    stack: &'s Stack,
    /// The choice of the release that was planned.
    choice: Choice,
    /// The GPU targets that the recipes pass to upstream's build, and who chooses them: the user or
    /// the packager.
    recipes: Recipes,
    /// The targets that each package with device code is built for, by the package's id.
    built: BTreeMap<String, Built>,
    /// By the id of a package that is optional for all its users: the ids of the packages that use
    /// it, and that are slower without it. A package that some other package can't do without is
    /// absent.
    slower: BTreeMap<String, Vec<String>>,
}

/// Prepares the questions about GPU targets in a distribution; see
/// [`Answers::questions`](crate::Answers::questions).
pub(crate) fn questions<'s>(
    stack: &'s Stack,
    backend: Backend,
    choice: &Choice,
) -> Result<Questions<'s>, Error> {
    let plan = stack.plan(backend, choice)?;
    let mut findings = Findings::default();
    let recipes = stack.recipes(backend, &plan, &mut findings)?;
    let questions = Questions::of(stack, plan, recipes, findings)?;
    Ok(Questions {
        choice: choice.clone(),
        ..questions
    })
}

impl<'s> Questions<'s> {
    /// Prepares the questions from recipes that were read already. `findings` are the findings of
    /// reading them.
    pub(crate) fn of(
        stack: &'s Stack,
        plan: Plan,
        mut recipes: Recipes,
        findings: Findings,
    ) -> Result<Self, Error> {
        if findings.has_errors() {
            return Err(Error::Findings(Box::new(Problems {
                findings,
                sources: stack.sources().clone(),
            })));
        }
        let registry = stack.registry()?;
        let mut built = prove(&plan, registry, &recipes).built;
        for p in &plan.consumers {
            if let Some(builds) = plan.consumer_builds(p, recipes.chooser) {
                let own = Built::new(&plan, registry, recipes.chooser, p, Some(&builds));
                built.insert(p.id.clone(), own);
                recipes.builds.insert(p.id.clone(), builds);
            }
        }
        let slower = slower(&plan);
        Ok(Self {
            registry,
            plan,
            options: String::new(),
            stack,
            choice: Choice::Shipped,
            recipes,
            built,
            slower,
        })
    }
}

/// Returns the values of [`Questions::slower`]: the ids of packages that all their users can do
/// without at the cost of speed, each with the ids of these users.
fn slower(plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<&str, Option<Vec<String>>> = BTreeMap::new();
    for p in &plan.packages {
        for e in &p.depends {
            let Dependency::Package(id) = &e.to else {
                continue;
            };
            let users = out.entry(id).or_insert_with(|| Some(Vec::new()));
            match (users.as_mut(), e.edge.without) {
                (Some(users), Some(_)) => users.push(p.id.clone()),
                _ => *users = None,
            }
        }
    }
    out.into_iter()
        .filter_map(|(id, users)| Some((id.to_owned(), users?)))
        .collect()
}

impl Questions<'_> {
    /// Returns the package that `name` stands for, as in [`rocpkg::Stack::named`].
    ///
    /// # Errors
    /// If no package of the distribution has the name.
    #[doc(hidden)]
    pub fn named(&self, name: &str) -> Result<&Planned, Error> {
        let found = self.stack.named(&self.plan, name).ok();
        let found = found.and_then(|named| self.plan.packages.iter().find(|p| named.is(p)));
        found.ok_or_else(|| self.stack.no_package_of(&self.plan, name))
    }

    /// Returns the names of the targets in `set`, in the registry's order.
    pub fn names(&self, set: impl Borrow<TargetSet>) -> Vec<&str> {
        set.borrow().iter().map(|t| self.registry.name(t)).collect()
    }

    /// Returns true if users choose the targets of each package, as in Gentoo by `AMDGPU_TARGETS`.
    pub(crate) fn users_choose(&self) -> bool {
        matches!(self.recipes.chooser, Chooser::Flags { .. })
    }

    /// Returns the files and keys of the profiles that the answers rest on, as one line for users.
    pub fn facts(&self) -> String {
        format!(
            "profiles/targets.yaml; `supports`, `defaults` and `excludes` of the packages of {} {}",
            self.plan.distro_name, self.plan.version
        )
    }

    /// Returns the reason why the distribution never builds the package `p` for the target `t`.
    /// None if the distribution may build it, or if the package has no device code.
    fn not_offered(&self, p: &Planned, t: Target) -> Option<String> {
        let (distro, built) = (&self.plan.distro_name, self.built.get(&p.id)?);
        let name = self.registry.name(t);
        match self.recipes.chooser {
            Chooser::Flags { .. } => {
                let flags = &self.recipes.builds.get(&p.id)?.flags;
                (!flags.iter().any(|f| f == name)).then(|| format!("{} has no flag for it", p.name))
            }
            Chooser::Scope => {
                (!built.universe.contains(t)).then(|| format!("{distro} does not list it"))
            }
            Chooser::Packager => match &built.default {
                Listed::Set(set) => {
                    (!set.contains(t)).then(|| format!("{distro} does not build it"))
                }
                Listed::Printed { tool, without, .. } => without
                    .contains(t)
                    .then(|| format!("left out of what `{tool}` prints")),
                Listed::Unknown(_) => None,
            },
        }
    }

    /// Returns the targets that a package is built for by default; none for a package without
    /// device code. If they are not known, returns the missing fact as the error.
    fn built_for(&self, p: &Planned) -> Result<TargetSet, String> {
        match self.built.get(&p.id).map(|b| &b.default) {
            None => Ok(TargetSet::EMPTY),
            Some(Listed::Set(set)) => Ok(set.intersection(p.able(self.registry))),
            Some(Listed::Printed { tool, .. }) => Err(format!("what `{tool}` prints")),
            Some(Listed::Unknown(fact)) => Err(fact.clone()),
        }
    }

    /// Returns the targets that a package is built for by default, as far as they are known, if a
    /// tool prints its list and the list is known in part. Otherwise returns the empty set.
    fn known_part(&self, p: &Planned) -> TargetSet {
        match self.built.get(&p.id).map(|b| &b.default) {
            Some(Listed::Printed { known, .. }) => known.intersection(p.able(self.registry)),
            _ => TargetSet::EMPTY,
        }
    }

    /// Returns the ids of the packages that use `p` and are slower without it. Empty if a package
    /// can't do without `p`.
    fn slower_without(&self, p: &Planned) -> &[String] {
        self.slower.get(&p.id).map_or(&[], Vec::as_slice)
    }
}
