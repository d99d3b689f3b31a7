//! Questions about the GPU targets of a distribution's packages.

#[cfg(feature = "audit")]
mod audited;
mod avoid;
mod gpu;
#[cfg(feature = "gentoo")]
mod package_use;
mod support;
mod tests_on;

use crate::backend::Backend;
use crate::error::Error;
use crate::names::{is_named, none};
use crate::narrowed;
use crate::stack::Stack;
#[cfg(feature = "audit")]
pub use audited::{About, RULES, Row, damaged, file_on, held, stem};
pub(crate) use avoid::switched_off;
pub use gpu::{OnGpu, Runs, Support, read_only};
#[cfg(feature = "gentoo")]
pub use package_use::{Use, UseQuery};
use rocpkg_core::Listed;
use rocpkg_model::Findings;
use rocpkg_resolve::{Built, Choice, Chooser, Dependency, Model, Plan, Planned, Recipes, prove};
use rocpkg_targets::{Registry, Target, TargetSet};
use std::borrow::Borrow;
use std::collections::BTreeMap;
pub use support::Evidence;
pub use tests_on::{Runner, TestRun, Unit, Untested, fewest_runs};

/// A distribution's packages, with the facts that answer questions about their GPU targets.
#[derive(Debug)]
pub struct Questions<'s> {
    /// The known GPU targets.
    pub registry: &'s Registry,
    /// The packages.
    pub plan: Plan,
    /// The model that the packages were planned from.
    model: &'s Model,
    /// The options that the recipes pass to upstream's build.
    recipes: Recipes,
    /// The targets that each package with device code is built for, by the package's id.
    built: BTreeMap<String, Built>,
    /// The packages that are slower without a package, by its id. A package that others can't be
    /// built without is not a key.
    slower: BTreeMap<String, Vec<String>>,
}

impl Stack {
    /// Returns the known GPU targets.
    ///
    /// # Errors
    /// All errors in the profiles, or profiles without targets.
    pub fn registry(&self) -> Result<&Registry, Error> {
        if self.findings().has_errors() {
            return Err(self.problems(self.findings().clone()));
        }
        narrowed::registry(self.model())
    }

    /// Prepares the questions about GPU targets in a distribution. The answers are read from the
    /// rendered recipes.
    ///
    /// # Errors
    /// All errors in the profiles.
    pub fn questions(&self, backend: Backend, choice: &Choice) -> Result<Questions<'_>, Error> {
        let plan = self.plan(backend, choice)?;
        let mut findings = Findings::default();
        let recipes = self.recipes(backend, &plan, &mut findings)?;
        self.questions_of(plan, recipes, findings)
    }

    /// Prepares the questions from recipes that were read already. `findings` are the findings of
    /// reading them.
    fn questions_of(
        &self,
        plan: Plan,
        recipes: Recipes,
        findings: Findings,
    ) -> Result<Questions<'_>, Error> {
        if findings.has_errors() {
            return Err(self.problems(findings));
        }
        let registry = self.registry()?;
        let built = prove(&plan, registry, &recipes).built;
        let slower = slower(&plan);
        Ok(Questions {
            registry,
            plan,
            model: self.model(),
            recipes,
            built,
            slower,
        })
    }
}

/// Returns the packages that others can do without and are slower without, each with these others.
/// A package that any other package can't do without is left out.
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
    /// Returns the package with a name; any of its names will do.
    ///
    /// # Errors
    /// When no package has that name.
    pub fn named(&self, name: &str) -> Result<&Planned, Error> {
        let what = format!("no package of {}", self.plan.distro_name);
        let found = self.plan.packages.iter().find(|p| is_named(p, name));
        found.ok_or_else(|| none(self.model, [&self.plan], &what, name))
    }

    /// Returns the names of targets, in the registry's order.
    pub fn names(&self, set: impl Borrow<TargetSet>) -> Vec<&str> {
        set.borrow().iter().map(|t| self.registry.name(t)).collect()
    }

    /// Returns true if users choose targets for each package.
    pub(crate) fn users_choose(&self) -> bool {
        matches!(self.recipes.chooser, Chooser::Flags { .. })
    }

    /// Returns the sources of the answers, in one line.
    pub fn facts(&self) -> String {
        format!(
            "profiles/targets.yaml; `supports` and `excludes` of the packages of {} {}",
            self.plan.distro_name, self.plan.version
        )
    }

    /// Returns the reason why the distribution never builds a package for a target. Returns none if
    /// it may.
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
                Listed::Printed { tool, without } => without
                    .contains(t)
                    .then(|| format!("left out of what `{tool}` prints")),
                Listed::Unknown(_) => None,
            },
        }
    }

    /// Returns the targets that a package is built for if nobody chooses targets. The error is the
    /// fact without which they are not known.
    fn built_for(&self, p: &Planned) -> Result<TargetSet, String> {
        match self.built.get(&p.id).map(|b| &b.default) {
            None => Ok(TargetSet::EMPTY),
            Some(Listed::Set(set)) => Ok(set.intersection(p.able(self.registry))),
            Some(Listed::Printed { tool, .. }) => Err(format!("what `{tool}` prints")),
            Some(Listed::Unknown(fact)) => Err(fact.clone()),
        }
    }

    /// Returns the packages that are slower without another one, if none of its users needs it for
    /// more than speed.
    fn slower_without(&self, p: &Planned) -> &[String] {
        self.slower.get(&p.id).map_or(&[], Vec::as_slice)
    }
}
