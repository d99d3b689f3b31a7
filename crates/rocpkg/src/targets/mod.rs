//! `rocpkg targets`: questions about GPU targets. Each answer says which facts it rests on.

mod fewest;
mod matrix;
mod serve;
mod show;

use crate::args::{Distro, PlanArgs, StackArgs, TargetsCommand};
use crate::explain::named;
use crate::outcome::{NEXT_LINE, Outcome};
use crate::profiles;
pub(crate) use matrix::cell;
use rocpkg::Stack;
use rocpkg::model::Findings;
use rocpkg::resolve::{Built, Chooser, Dependency, Held, Model, Plan, Planned, Recipes, prove};
use rocpkg::targets::{NotFound, Registry, Target, TargetSet};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Answers one question.
pub(crate) fn run(command: &TargetsCommand) -> Result<Outcome, String> {
    match command {
        TargetsCommand::List(a) => {
            let (model, findings) = profiles::load(&a.model)?;
            with(&model, &findings, a.model.verbose, |registry| Ok(show::list(registry, a.json)))
        }
        TargetsCommand::Show(a) => {
            let (model, findings) = profiles::load(&a.model)?;
            with(&model, &findings, a.model.verbose, |registry| show::show(registry, &a.name, a.json))
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
    /// What the recipes pass to upstream's build.
    pub(crate) recipes: &'a Recipes,
    /// What each package with device code is built for.
    pub(crate) built: BTreeMap<String, Built>,
    /// Who is slower without a package; nobody where somebody can't do without it.
    slower: BTreeMap<&'a str, Vec<&'a str>>,
}

/// The packages that others are slower without, when all that need them are.
fn slower(plan: &Plan) -> BTreeMap<&str, Vec<&str>> {
    let mut out: BTreeMap<&str, Option<Vec<&str>>> = BTreeMap::new();
    for p in &plan.packages {
        for e in &p.depends {
            let Dependency::Package(id) = &e.to else { continue };
            let users = out.entry(id).or_insert_with(|| Some(Vec::new()));
            match (users.as_mut(), e.edge.without) {
                (Some(users), Some(_)) => users.push(&p.id),
                _ => *users = None,
            }
        }
    }
    out.into_iter().filter_map(|(id, users)| Some((id, users?))).collect()
}

/// Said where GPU targets are asked about and nothing says which there are.
pub(crate) const NO_REGISTRY: &str = "the profiles hold no targets.yaml, which lists the GPU targets";

fn with(
    model: &Model,
    findings: &Findings,
    verbose: bool,
    answer: impl FnOnce(&Registry) -> Result<Outcome, String>,
) -> Result<Outcome, String> {
    match &model.registry {
        Some(registry) if !findings.has_errors() => answer(registry),
        None if !findings.has_errors() => Err(NO_REGISTRY.to_owned()),
        _ => Ok(Outcome::wrong(findings, &model.sources, verbose)),
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
    let backend = distro.backend();
    let planned = Plan::new(&model, backend.distro(), &args.choice()?, &mut findings);
    let stack = Stack::new(model, &rocpkg::templates()).map_err(|e| e.to_string())?;
    let model = stack.model();
    let Some(plan) = planned.as_ref().filter(|_| !findings.has_errors()) else {
        return Ok(Outcome::wrong(&findings, &model.sources, args.model.verbose));
    };
    // The answers are about what is written, so the recipes are asked.
    let recipes = stack.recipes(backend, plan, &mut findings).map_err(|e| e.to_string())?;
    with(model, &findings, args.model.verbose, |registry| {
        let built = prove(plan, registry, &recipes).built;
        answer(&Asked { registry, plan, recipes: &recipes, built, slower: slower(plan) })
    })
}

impl Asked<'_> {
    /// The packages with device code that a package consists of and needs; all when none is named.
    fn packages(&self, name: Option<&str>) -> Result<Vec<&Planned>, String> {
        let device = |p: &&Planned| p.targets.is_some() && self.built.get(&p.id).is_none_or(|b| !b.host_only);
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

    /// Why the distribution builds a package for a target in no case; nothing when it may.
    pub(crate) fn not_offered(&self, p: &Planned, t: Target) -> Option<String> {
        let (distro, built) = (&self.plan.distro_name, self.built.get(&p.id)?);
        let name = self.registry.name(t);
        match self.recipes.chooser {
            Chooser::Flags { .. } => {
                let flags = &self.recipes.builds.get(&p.id)?.flags;
                (!flags.iter().any(|f| f == name)).then(|| format!("{} has no flag for it", p.name))
            }
            Chooser::Scope => (!built.universe.contains(t)).then(|| format!("{distro} does not list it")),
            Chooser::Builder if built.passes => None,
            Chooser::Packager | Chooser::Builder => match &built.default {
                Held::Set(set) => (!set.contains(t)).then(|| format!("{distro} does not build it")),
                Held::Symbol { tool, without } => {
                    without.contains(t).then(|| format!("left out of what `{tool}` prints"))
                }
                Held::Unknown(_) => None,
            },
        }
    }

    /// What a package is built for when these are chosen, or the fact without which it is not known.
    pub(crate) fn built_for(&self, p: &Planned, choice: Choice) -> Result<TargetSet, String> {
        let Some(built) = self.built.get(&p.id) else { return Ok(TargetSet::EMPTY) };
        let unasked = || match &built.default {
            Held::Set(set) => Ok(set.intersection(p.able(self.registry))),
            Held::Symbol { tool, .. } => Err(format!("what `{tool}` prints")),
            Held::Unknown(fact) => Err(fact.clone()),
        };
        match choice {
            Choice::Of(set) if built.passes => {
                let taken = set.intersection(built.follows);
                let taken = if taken.is_empty() { built.instead } else { taken };
                Ok(taken.union(built.always).intersection(p.able(self.registry)))
            }
            _ => unasked(),
        }
    }

    /// The packages that are slower without another one, when all that need it are.
    pub(crate) fn slower_without(&self, p: &Planned) -> &[&str] {
        self.slower.get(p.id.as_str()).map_or(&[], Vec::as_slice)
    }

    /// What its device packages are judged by, in one line.
    fn facts(&self) -> String {
        format!(
            "profiles/targets.yaml; `supports` and `excludes` of the packages of {} {}",
            self.plan.distro_name, self.plan.version
        )
    }
}

/// Who is asked for what.
#[derive(Clone, Copy)]
pub(crate) enum Choice {
    /// Nobody chooses.
    Unasked,
    /// These targets are chosen.
    Of(TargetSet),
}

/// The targets of names between commas, or what is wrong with each that stands for nothing. No name at all is a mistake too, such as
/// a variable of the shell that is not set.
pub(crate) fn find(registry: &Registry, text: &str) -> Result<TargetSet, String> {
    let found = registry.find_all(text);
    let gap = format!("{NEXT_LINE}error: ");
    let found = found.map_err(|errors| errors.iter().map(explain).collect::<Vec<_>>().join(&gap))?;
    if found == TargetSet::EMPTY {
        return Err("no GPU target is named: expected names such as `gfx1100`, between commas".to_owned());
    }
    Ok(found)
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
