//! The probable support of a GPU by packages whose targets are not known, and the steps that would
//! settle it.

use super::gpu::runs;
use super::{OnGpu, Questions, Runs, Support};
use rocpkg::core::Listed;
use rocpkg::internal::model::OverrideEntry;
use rocpkg::internal::resolve::{Chooser, PassedTargets, Planned};
use rocpkg::internal::targets::{Target, TargetSet};

/// The probable support of a GPU by a package. It is a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Likely {
    /// The support if the guess is right.
    pub way: Support,
    /// The reason for the guess, as a clause without a full stop.
    pub reason: String,
}

impl Questions<'_> {
    /// Returns the probable support of a GPU by the package `p`, if its support `way` is not known.
    /// The targets that a tool prints are guessed from other recipes of the distribution, and from
    /// upstream's own list. Upstream's list is guessed from its lists at other releases. `None` if
    /// these don't agree, or if there are none.
    pub(super) fn likely(
        &self,
        p: &Planned,
        gpu: Target,
        way: &Support,
        overrides: &[OverrideEntry],
    ) -> Option<Likely> {
        if !matches!(way, Support::Unknown(_)) {
            return None;
        }
        let compatible = self.plan.compatible_code(self.registry, p);
        let by = |list: TargetSet| {
            let list = list.intersection(p.able(self.registry));
            runs(self.registry, &list, gpu, &compatible, overrides)
        };
        let has = |way: &Support| matches!(way, Support::Native | Support::Loads { .. });
        let set = |names: &mut dyn Iterator<Item = &String>| -> TargetSet {
            names.filter_map(|name| self.registry.get(name)).collect()
        };
        match &self.built.get(&p.id)?.default {
            Listed::Printed { without, .. } => {
                let told = self.plan.distro.target_tool.iter().flat_map(|t| &t.likely);
                let told = told.map(|row| {
                    let list = set(&mut row.targets.iter().map(|t| &t.value));
                    (by(list.difference(without)), row.reason.value.as_str())
                });
                let upstream = p.targets.iter();
                let upstream = upstream.flat_map(|t| t.upstream.iter().chain(&t.defaults));
                let default = by(set(&mut { upstream }).difference(without));
                let aside = if has(&default) {
                    "upstream builds it by default"
                } else {
                    ""
                };
                let found = told.into_iter().find(|(way, _)| has(way));
                let (way, reason) = found
                    .or_else(|| has(&default).then_some((default, "")))
                    .map(|(way, reason)| (way, [reason, aside]))?;
                let reason = reason.into_iter().filter(|part| !part.is_empty());
                let reason = reason.collect::<Vec<_>>().join("; ");
                Some(Likely { way, reason })
            }
            Listed::Unknown(_) if self.leaves_to_upstream(p) => {
                let own = p.targets.as_ref().map(|t| &t.defaults);
                let lists: Vec<(&Vec<String>, String)> = match own.filter(|own| !own.is_empty()) {
                    Some(own) => vec![(own, p.version.to_string())],
                    None => p
                        .nearby_defaults
                        .iter()
                        .map(|near| (&near.targets, near.releases.clone()))
                        .collect(),
                };
                let ways = lists.iter().map(|(list, _)| by(set(&mut list.iter())));
                let ways: Vec<Support> = ways.collect();
                let way = ways.last()?.clone();
                let agree = ways.iter().all(|other| has(other) == has(&way));
                let of: Vec<&str> = lists.iter().map(|(_, of)| of.as_str()).collect();
                let reason = format!("by upstream's default list of {}", of.join(" and of "));
                let agree = agree && !matches!(way, Support::Unknown(_));
                agree.then_some(Likely { way, reason })
            }
            _ => None,
        }
    }

    /// Returns true if the recipe of the package `p` passes no list of targets, so that upstream's
    /// default list is built.
    fn leaves_to_upstream(&self, p: &Planned) -> bool {
        let builds = self.recipes.builds.get(&p.id);
        builds.is_some_and(|b| match &b.unasked {
            PassedTargets::Upstream => true,
            PassedTargets::List(names) => names.is_empty(),
            _ => false,
        })
    }

    /// Returns the packages whose support is not known because a tool prints their targets while
    /// they are built. `found` is the support by the packages `all`.
    pub(super) fn printed<'p>(&self, all: &[&'p Planned], found: &OnGpu) -> Vec<&'p Planned> {
        let is_printed = |p: &Planned| {
            let built = self.built.get(&p.id).map(|b| &b.default);
            matches!(built, Some(Listed::Printed { .. }))
        };
        open(all, found).filter(|p| is_printed(p)).collect()
    }

    /// Returns the next steps that settle what is not known about packages on the GPU `name`, where
    /// packagers choose the targets: the output of a tool such as `rocm-supported-gfx`, and the
    /// contents of built packages.
    pub(super) fn settling(&self, name: &str, all: &[&Planned], found: &OnGpu) -> Vec<String> {
        if self.recipes.chooser != Chooser::Packager {
            return Vec::new();
        }
        let printed = self.printed(all, found);
        let mut out = Vec::new();
        let (folder, options) = (self.folder(), &self.options);
        if let Some(tool) = &self.plan.distro.target_tool
            && !printed.is_empty()
        {
            let command = &tool.command.value;
            let package = tool.package.as_ref();
            let package = package.map_or(String::new(), |p| format!(" with `{}`", p.value));
            out.push(format!(
                "one fact is missing for {} packages: what `{command}` prints. On {folder}{package}: \
                 `{command} | rocpkg gpu {name} --distro {folder}{options} --supported-gfx -`; \
                 elsewhere, put what it prints in the place of the `-`",
                printed.len(),
            ));
        }
        let others = open(all, found).filter(|p| printed.iter().all(|other| other.id != p.id));
        let others: Vec<&str> = others.map(|p| p.id.as_str()).collect();
        let only = if others.is_empty() {
            String::new()
        } else {
            format!(", the only way for {}", others.join(" "))
        };
        if !(printed.is_empty() && others.is_empty()) {
            out.push(format!(
                "the code in a built package settles it: `rocpkg audit {folder}{options} --gpu {name} FILE...`{only}"
            ));
        }
        out
    }
}

/// Returns the packages whose support is not known. `found` is the support by the packages `all`.
fn open<'a, 'p>(
    all: &'a [&'p Planned],
    found: &'a OnGpu,
) -> impl Iterator<Item = &'p Planned> + use<'a, 'p> {
    let all = found.packages.iter().zip(all);
    all.filter(|(runs, _)| matches!(runs.way, Support::Unknown(_)))
        .map(|(_, p)| *p)
}

impl OnGpu {
    /// Returns the packages whose support is not known and probably is one that `way` accepts.
    pub fn likely_by(&self, way: impl Fn(&Support) -> bool) -> Vec<&str> {
        let likely = |p: &&Runs| p.likely.as_ref().is_some_and(|l| way(&l.way));
        let all = self.packages.iter().filter(likely);
        all.map(|p| p.package.as_str()).collect()
    }
}
