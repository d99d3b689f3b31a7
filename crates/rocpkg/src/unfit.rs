//! Packages that can't be built for the GPUs that a user requested.

use crate::backend::Backend;
use crate::error::Error;
use crate::select::{RenderRun, Stopped, Unfit, stopped_whole};
use rocpkg_core::Listed;
use rocpkg_model::TargetRelation;
use rocpkg_resolve::{Dependency, Model, Plan, Planned, Proof};
use rocpkg_targets::{Registry, TargetSet};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the packages that would be built for other targets than those that the user requested
/// (`model.narrowed`), or for none of them, each with the reason as a clause without its subject:
/// `is also built for gfx90a`. `proofs` have the targets of each package.
pub(crate) fn unfit<'p>(
    model: &Model,
    proofs: impl IntoIterator<Item = (Backend, &'p Proof)>,
) -> Unfit {
    let Some(registry) = model
        .registry
        .as_ref()
        .filter(|_| !model.narrowed.is_empty())
    else {
        return Unfit::new();
    };
    let wanted = wanted(model, registry);
    let mut wrong = Unfit::new();
    for (backend, proof) in proofs {
        for (id, built) in proof.built.iter().filter(|(_, b)| !b.host_only) {
            let what = match &built.default {
                Listed::Set(set) if set.is_empty() && !built.mended => {
                    "can't be built for any of them".to_owned()
                }
                Listed::Set(set) if set.is_subset(wanted.union(&built.instead)) => continue,
                Listed::Set(set) => format!(
                    "is also built for {}",
                    registry.show(set.difference(&wanted))
                ),
                Listed::Printed { tool, .. } => format!("is built for what `{tool}` prints"),
                Listed::Unknown(fact) => format!("is built for {fact}"),
            };
            wrong.insert((backend, id.clone()), what);
        }
    }
    wrong
}

fn wanted(model: &Model, registry: &Registry) -> TargetSet {
    let names = model.narrowed.iter();
    names.filter_map(|n| registry.get(n)).collect()
}

/// Returns the error that the packages `wrong` can't be built for the requested GPUs alone.
pub(crate) fn not_narrowed(model: &Model, wrong: &Unfit) -> Error {
    let all = wrong.iter();
    let all = all.map(|((b, id), what)| format!("{}: `{id}` {what}", b.distro()));
    Error::NotNarrowed {
        targets: shown(model),
        recipes: all.collect(),
    }
}

/// Returns the requested GPUs as text: `gfx1030 gfx1031`.
fn shown(model: &Model) -> String {
    let registry = model.registry.as_ref();
    registry.map_or_else(String::new, |r| r.show(wanted(model, r)))
}

impl RenderRun<'_> {
    /// Returns the packages that are built for none of the targets of which they need one
    /// (`targets.needs`), by id, each with the reason. Their recipes mark them as broken. So they
    /// stay in a scope whose other packages refer to them.
    pub(crate) fn broken(&self) -> BTreeMap<String, String> {
        let registry = self.model.registry.as_ref();
        let registry = registry.filter(|_| !self.model.narrowed.is_empty());
        let proofs = self.runs.iter().flat_map(|run| {
            let plans = run.editions.iter().map(|edition| &edition.plan);
            plans.zip(&run.proofs)
        });
        let planned =
            proofs.flat_map(|(plan, proof)| plan.packages.iter().map(move |p| (p, proof)));
        let broken = |(p, proof): (&Planned, &Proof)| {
            let (registry, needs) = (registry?, &p.targets.as_ref()?.needs);
            let needs: TargetSet = needs.iter().filter_map(|n| registry.get(n)).collect();
            let built = proof.built.get(&p.id)?.default.set()?;
            let lacks = !needs.is_empty() && built.intersection(&needs).is_empty();
            let rules = &p.package.targets.as_ref()?.needs;
            let reasons: Vec<&str> = rules.iter().map(|r| r.reason.value.as_str()).collect();
            lacks.then(|| {
                let reason = format!(
                    "it needs one of {} ({})",
                    registry.show(needs),
                    reasons.join("; ")
                );
                (p.id.clone(), reason)
            })
        };
        planned.filter_map(broken).collect()
    }

    /// Leaves the packages that can't be built for the requested GPUs out of a whole stack, and the
    /// packages that need code for these GPUs in them. If `proved_alone` is set, the only errors
    /// are those of the proof, and packages with such an error are left out, too.
    ///
    /// # Errors
    /// If no package with device code remains.
    pub(crate) fn leave_out_unfit(&mut self, proved_alone: bool) -> Result<(), Error> {
        let targets = shown(self.model);
        let proofs = self.runs.iter();
        let proofs = proofs.flat_map(|run| run.proofs.iter().map(move |p| (run.backend, p)));
        let mut all = unfit(self.model, proofs.clone());
        all.retain(|(backend, id), _| self.asked.has(*backend, id));
        let built = proofs.map(|(_, p)| p.built.values().filter(|b| !b.host_only).count());
        let built: usize = built.sum();
        let mut gone = Unfit::new();
        for (key, what) in &all {
            let reason = if what.starts_with("is") {
                format!("it {what}, not for {targets} alone")
            } else {
                format!("it can't be built for {targets}")
            };
            gone.insert(key.clone(), reason);
        }
        if proved_alone && !stopped_whole(&self.findings) {
            for Stopped {
                backend,
                package,
                needs,
            } in self.settle()
            {
                let reason = match needs {
                    Some(needs) => format!("it needs {needs}"),
                    None => format!("it can't be built for {targets}"),
                };
                gone.entry((backend, package)).or_insert(reason);
            }
            let _ = self.findings.split_off_errors();
        }
        for run in &self.runs {
            let plans = run.editions.iter().map(|edition| &edition.plan);
            while let Some((id, needs)) =
                plans.clone().find_map(|p| dependent(run.backend, p, &gone))
            {
                gone.insert(
                    (run.backend, id),
                    format!("it needs code for {targets} in {needs}"),
                );
            }
        }
        let names: BTreeSet<String> = gone.keys().map(|(_, id)| id.clone()).collect();
        for run in self.runs.iter().filter(|run| !run.backend.needs_all()) {
            let plans = run.editions.iter().map(|edition| &edition.plan);
            for ((_, id), reason) in gone.iter_mut().filter(|((b, _), _)| *b == run.backend) {
                let users = plans.clone().flat_map(|plan| users(plan, id));
                let mut users: Vec<&str> = users.collect();
                users.retain(|user| self.asked.has(run.backend, user) && !names.contains(*user));
                users.dedup();
                if !users.is_empty() {
                    let users = users.join(", ");
                    reason.push_str(&format!("; keep the distribution's own for {users}"));
                }
            }
        }
        if all.len() == built && !all.is_empty() {
            return Err(not_narrowed(self.model, &all));
        }
        self.drop(&gone.keys().cloned().collect());
        self.unfit.extend(gone);
        Ok(())
    }
}

/// Returns the ids of the packages that need the package `id` to be built or to run.
fn users<'p>(plan: &'p Plan, id: &str) -> impl Iterator<Item = &'p str> {
    let needs = move |p: &&Planned| {
        p.depends.iter().any(|e| {
            e.to == Dependency::Package(id.to_owned())
                && e.edge.kind.0.iter().any(|kind| kind.is_needed())
                && p.settles(e.edge.when.as_ref())
        })
    };
    plan.packages.iter().filter(needs).map(|p| p.id.as_str())
}

/// Returns a package of the plan that needs code for a GPU in a package of `gone`, and that
/// package. Packages that only need the other's host code use the distribution's own package.
fn dependent(backend: Backend, plan: &Plan, gone: &Unfit) -> Option<(String, String)> {
    let is_gone = |id: &String| gone.contains_key(&(backend, id.clone()));
    let others = plan.packages.iter().filter(|p| !is_gone(&p.id));
    others
        .flat_map(|p| p.depends.iter().map(move |e| (p, e)))
        .find_map(|(p, e)| {
            let Dependency::Package(to) = &e.to else {
                return None;
            };
            let relation = e.edge.targets.as_ref().map(|relation| relation.value);
            let is_covered = matches!(
                relation,
                Some(TargetRelation::Same | TargetRelation::Covers)
            );
            let needs = is_covered
                && e.edge.without.is_none()
                && e.edge.kind.0.iter().any(|kind| kind.is_needed())
                && p.settles(e.edge.when.as_ref());
            (needs && is_gone(to)).then(|| (p.id.clone(), to.clone()))
        })
}
