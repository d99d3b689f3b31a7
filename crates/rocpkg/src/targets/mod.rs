//! `rocpkg targets`: questions about GPU targets. Each answer says which facts it rests on.

mod fewest;
mod matrix;
mod serve;
mod show;

use crate::args::{Distro, PlanArgs, StackArgs, TargetsCommand};
use crate::explain::named;
use crate::outcome::Outcome;
use crate::profiles;
pub(crate) use matrix::cell;
use rocpkg::model::Findings;
use rocpkg::resolve::{Dependency, Model, Plan, Planned};
use rocpkg::targets::{NotFound, Registry, TargetSet};
use serde_json::Value;
use std::collections::BTreeSet;

/// Answers one question.
pub(crate) fn run(command: &TargetsCommand) -> Result<Outcome, String> {
    match command {
        TargetsCommand::List(a) => {
            let (model, findings) = profiles::load(&a.model)?;
            with(&model, &findings, |registry| Ok(show::list(registry, a.json)))
        }
        TargetsCommand::Show(a) => {
            let (model, findings) = profiles::load(&a.model)?;
            with(&model, &findings, |registry| show::show(registry, &a.name, a.json))
        }
        TargetsCommand::Matrix(a) => planned(&a.stack, |asked| Ok(matrix::matrix(asked, a))),
        TargetsCommand::Reach(a) => planned(&a.stack, |asked| serve::reach(asked, a)),
        TargetsCommand::Cover(a) => planned(&a.stack, |asked| serve::cover(asked, a)),
    }
}

/// What a question about packages is asked of.
pub(crate) struct Asked<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) plan: &'a Plan,
}

fn with(
    model: &Model,
    findings: &Findings,
    answer: impl FnOnce(&Registry) -> Result<Outcome, String>,
) -> Result<Outcome, String> {
    match &model.registry {
        Some(registry) if !findings.has_errors() => answer(registry),
        _ => Ok(Outcome::wrong(findings, &model.sources)),
    }
}

fn planned(
    args: &StackArgs,
    answer: impl FnOnce(&Asked) -> Result<Outcome, String>,
) -> Result<Outcome, String> {
    planned_in(args.distro, &args.plan, answer)
}

/// Plans a distribution's packages, and asks of them.
pub(crate) fn planned_in(
    distro: Distro,
    args: &PlanArgs,
    answer: impl FnOnce(&Asked) -> Result<Outcome, String>,
) -> Result<Outcome, String> {
    let (model, mut findings) = profiles::load(&args.model)?;
    profiles::require(&model, &findings, &[distro.backend()])?;
    let plan = Plan::new(&model, distro.backend().distro(), &args.choice()?, &mut findings);
    with(&model, &findings, |registry| match &plan {
        Some(plan) => answer(&Asked { registry, plan }),
        None => Ok(Outcome::wrong(&findings, &model.sources)),
    })
}

impl Asked<'_> {
    /// The packages with device code that a package consists of and needs; all when none is named.
    fn packages(&self, name: Option<&str>) -> Result<Vec<&Planned>, String> {
        let device = |p: &&Planned| p.targets.is_some();
        let Some(name) = name else { return Ok(self.plan.packages.iter().filter(device).collect()) };
        let first = named(self.plan, name)?;
        let mut seen = BTreeSet::from([first.id.as_str()]);
        let mut open = vec![first];
        while let Some(p) = open.pop() {
            for e in &p.depends {
                if let Dependency::Package(id) = &e.to
                    && seen.insert(id)
                {
                    open.extend(self.plan.get(id));
                }
            }
        }
        Ok(self.plan.packages.iter().filter(|p| seen.contains(p.id.as_str())).filter(device).collect())
    }

    /// What a package can be built for, as far as the model knows: its own list or everything, without what it excludes.
    pub(crate) fn able(&self, p: &Planned) -> TargetSet {
        let Some(t) = &p.targets else { return TargetSet::EMPTY };
        let set =
            |names: &[String]| -> TargetSet { names.iter().filter_map(|n| self.registry.get(n)).collect() };
        let supports = if t.supports.is_empty() { self.registry.all() } else { set(&t.supports) };
        supports.difference(set(&t.excludes))
    }

    /// What its device packages are judged by, in one line.
    fn facts(&self) -> String {
        format!(
            "profiles/targets.yaml; `supports` and `excludes` of the packages of {} {}",
            self.plan.distro_name, self.plan.version
        )
    }
}

/// The targets of names between commas, or what is wrong with each that stands for nothing.
pub(crate) fn find(registry: &Registry, text: &str) -> Result<TargetSet, String> {
    registry.find_all(text).map_err(|errors| errors.iter().map(explain).collect::<Vec<_>>().join("\nerror: "))
}

fn explain(error: &NotFound) -> String {
    if let Some(feature) = &error.features {
        return format!("`{}`: {feature}", error.text);
    }
    match error.nearest.as_slice() {
        [] => error.to_string(),
        names => format!("{error}; did you mean `{}`?", names.join("`, `")),
    }
}

pub(crate) fn names(registry: &Registry, set: TargetSet) -> Vec<&str> {
    set.iter().map(|t| registry.name(t)).collect()
}

pub(crate) fn json(value: &Value) -> Outcome {
    Outcome::done(format!("{value:#}\n"))
}
