//! Which GPUs a build serves, and the fewest targets that serve some GPUs.

use super::fewest::{Able, Pick, fewest};
use super::{Choose, Questions};
use crate::error::Error;
use rocpkg_model::Policy;
use rocpkg_resolve::{Chooser, Planned, triple};
use rocpkg_targets::{Kind, Target, TargetSet};
use std::collections::BTreeSet;

/// What is to be built.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// Targets, families or products, between commas.
    Names(String),
    /// What a scope of nixpkgs is built for: `default`, a group such as `gfx11`, or a target.
    Scope(String),
}

/// What a question is limited to.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Ask {
    /// This package and what it needs only.
    pub package: Option<String>,
    /// Every place is patched that code for a compatible GPU needs, whatever the distribution carries.
    pub isa_compat: bool,
    /// Generic targets may be built.
    pub generic: bool,
}

/// What code loads on other GPUs rests on, and what it leaves open.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compatibility {
    /// The places that are patched.
    pub sites: Vec<String>,
    /// Places that compressed bundles need patched besides.
    pub bundles: Vec<String>,
    /// Asked for, whatever the distribution patches.
    assumed: bool,
    /// What the distribution patches.
    carried: BTreeSet<String>,
}

/// Which GPUs a build serves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reached {
    /// What was asked for.
    pub targets: TargetSet,
    /// The GPUs that every package serves of which it is known, but for those that others do without.
    pub serves: TargetSet,
    /// What each package serves.
    pub packages: Vec<ServedBy>,
    /// Packages of which it is not known, with the fact that is missing.
    pub unknown: Vec<(String, String)>,
    /// Targets that no package is built for here.
    pub not_offered: TargetSet,
    /// What it rests on.
    pub compatibility: Compatibility,
}

/// What one package serves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServedBy {
    /// Its id.
    pub package: String,
    /// What it is built for.
    pub built: TargetSet,
    /// The GPUs that load it.
    pub serves: TargetSet,
    /// The others.
    pub left_out: TargetSet,
    /// How others do without it for a target, where they do.
    pub policy: Option<Policy>,
    /// The packages that are slower without it, where all that need it are.
    pub slower_without: Vec<String>,
}

/// A smallest set of targets by which every package serves some GPUs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Covered {
    /// The GPUs.
    pub gpus: TargetSet,
    /// The targets, and why each is there.
    pub picks: Vec<Pick>,
    /// The GPUs that can't be served.
    pub not_served: TargetSet,
    /// By which package, and whether it can't be built for anything that serves them.
    pub left_out_by: Vec<(String, TargetSet, bool)>,
    /// Packages that are not counted, and those that are slower without them.
    pub done_without: Vec<(String, Vec<String>)>,
    /// Packages of which it is not known, with the fact that is missing.
    pub unknown: Vec<(String, String)>,
    /// What it rests on.
    pub compatibility: Compatibility,
}

impl Covered {
    /// The targets.
    pub fn targets(&self) -> TargetSet {
        self.picks.iter().map(|c| c.target).collect()
    }
}

/// A package whose policy lets others do without it for a target.
fn optional(p: &Planned) -> Option<Policy> {
    let policy = p.package.targets.as_ref().and_then(|t| t.policy);
    policy.filter(|p| matches!(p, Policy::Stub | Policy::Throwaway))
}

impl Questions<'_> {
    /// The GPUs that a build serves, and who is left out by which package.
    ///
    /// # Errors
    /// When a name stands for nothing, or the distribution has no scopes.
    pub fn reach(&self, chosen: &Chosen, ask: &Ask) -> Result<Reached, Error> {
        let r = self.registry;
        let (choose, targets) = match chosen {
            Chosen::Scope(name) => self.scope(name)?,
            Chosen::Names(text) => {
                let set = self.stack.targets(text)?;
                (Choose::These(set), set)
            }
        };
        let packages = self.packages(ask.package.as_deref())?;
        let compatibility = self.compatibility(ask.isa_compat);
        let patched = packages.iter().any(|p| self.serves_compatible(&compatibility, p));
        let whole = r.reach(targets, patched, true);
        let (mut rows, mut unknown) = (Vec::new(), Vec::new());
        let mut strange = targets;
        for p in packages {
            // Where one list serves all, only what of it is asked for counts.
            let built = self.built_for(p, choose).map(|built| match self.recipes.chooser {
                Chooser::Packager => built.intersection(targets),
                _ => built,
            });
            let built = match built {
                Ok(built) => built,
                Err(fact) => {
                    unknown.push((p.id.clone(), fact));
                    continue;
                }
            };
            strange = strange.iter().filter(|t| self.not_offered(p, *t).is_some()).collect();
            let serves = r.reach(built, self.serves_compatible(&compatibility, p), true);
            rows.push(ServedBy {
                package: p.id.clone(),
                built,
                serves,
                left_out: whole.difference(serves),
                policy: optional(p),
                slower_without: self.slower_without(p).to_vec(),
            });
        }
        let counted = rows.iter().filter(|row| row.policy.is_none() && row.slower_without.is_empty());
        let serves = counted.fold(whole, |common, row| common.intersection(row.serves));
        let (serves, not_offered) =
            if rows.is_empty() { (TargetSet::EMPTY, TargetSet::EMPTY) } else { (serves, strange) };
        Ok(Reached { targets, serves, packages: rows, unknown, not_offered, compatibility })
    }

    /// A smallest set of targets by which every package serves some GPUs: targets, families or products, or `all` for every
    /// processor; built as a scope of nixpkgs where one is named.
    ///
    /// # Errors
    /// When a name stands for nothing, or of no package it is known what is built.
    pub fn cover(&self, gpus: &[String], scope: Option<&str>, ask: &Ask) -> Result<Covered, Error> {
        let r = self.registry;
        let processors = r.of_kind(Kind::Processor);
        let gpus = if gpus.iter().any(|g| g == "all") {
            processors
        } else {
            self.stack.targets(&gpus.join(","))?.intersection(processors)
        };
        if gpus.is_empty() {
            return Err(Error::asked("none of these names is a GPU that people own"));
        }
        let choose = match scope {
            Some(name) => self.scope(name)?.0,
            None => Choose::These(r.all()),
        };
        let compatibility = self.compatibility(ask.isa_compat);
        let needed = |p: &&Planned| optional(p).is_none() && self.slower_without(p).is_empty();
        let (candidates, without): (Vec<&Planned>, Vec<&Planned>) =
            self.packages(ask.package.as_deref())?.into_iter().partition(needed);
        // A generic target counts only where the user lets it be built.
        let usable = if ask.generic { r.all() } else { r.all().difference(r.of_kind(Kind::Generic)) };
        let (mut bound, mut unknown): (Vec<(&Planned, Able)>, Vec<_>) = (Vec::new(), Vec::new());
        for p in candidates {
            match self.built_for(p, choose) {
                Ok(set) => {
                    let able = (set.intersection(usable), self.serves_compatible(&compatibility, p));
                    bound.push((p, able));
                }
                Err(fact) => unknown.push((p.id.clone(), fact)),
            }
        }
        if bound.is_empty() && !unknown.is_empty() {
            let facts: String = unknown.iter().map(|(p, fact)| format!("\n  {p}: {fact}")).collect();
            return Err(Error::asked(format!("of no package it is known what is built; unknown:{facts}")));
        }
        let missed = |(set, patched): Able| gpus.difference(r.reach(set, patched, ask.generic));
        let lost = bound.iter().fold(TargetSet::EMPTY, |lost, (_, able)| lost.union(missed(*able)));
        let left_out_by = bound.iter().map(|(p, able)| (*p, able.1, missed(*able)));
        let left_out_by = left_out_by.filter(|(.., set)| !set.is_empty()).map(|(p, patched, set)| {
            let never = set.is_disjoint(r.reach(p.able(r), patched, ask.generic));
            (p.id.clone(), set, never)
        });
        let left_out_by = left_out_by.collect();
        let able: Vec<Able> = bound.iter().map(|(_, able)| *able).collect();
        let mut picks = fewest(r, gpus.difference(lost), &able).ok_or_else(|| {
            Error::asked("too many targets serve the same GPUs for all sets of them to be tried")
        })?;
        for pick in &mut picks {
            let who: Vec<String> =
                bound.iter().filter(|(_, a)| a.0.contains(pick.target)).map(|(p, _)| p.id.clone()).collect();
            // Who builds a target is of note where not everybody does.
            pick.built_by = if who.len() == bound.len() { Vec::new() } else { who };
        }
        let done_without = without.iter().map(|p| (p.id.clone(), self.slower_without(p).to_vec())).collect();
        Ok(Covered { gpus, picks, not_served: lost, left_out_by, done_without, unknown, compatibility })
    }

    fn compatibility(&self, assumed: bool) -> Compatibility {
        if assumed {
            let all = self.registry.patch_sites(triple(&self.plan.version));
            let sites = all.map(|s| s.site.clone()).collect();
            return Compatibility { assumed, sites, carried: BTreeSet::new(), bundles: Vec::new() };
        }
        let sites: Vec<String> = self.plan.patched_sites().map(|s| s.value.clone()).collect();
        let bundles = if sites.is_empty() { Vec::new() } else { self.plan.bundles_unpatched(self.registry) };
        let bundles = bundles.into_iter().map(str::to_owned).collect();
        Compatibility { assumed, carried: sites.iter().cloned().collect(), sites, bundles }
    }

    fn serves_compatible(&self, compatibility: &Compatibility, p: &Planned) -> bool {
        compatibility.assumed || self.plan.serves_compatible(self.registry, &compatibility.carried, p)
    }

    /// The choice that a scope of nixpkgs stands for: `default`, a target, or what a group's targets begin with.
    fn scope(&self, name: &str) -> Result<(Choose, TargetSet), Error> {
        if self.recipes.chooser != Chooser::Scope {
            return Err(Error::asked(format!("{} has no scopes", self.plan.distro_name)));
        }
        let all: TargetSet = self.built.values().fold(TargetSet::EMPTY, |s, b| s.union(b.universe));
        if name == "default" {
            return Ok((Choose::Nothing, all));
        }
        let r = self.registry;
        let one: TargetSet = all.iter().filter(|t| r.name(*t) == name).collect();
        let group: TargetSet = all.iter().filter(|t: &Target| r.name(*t).starts_with(name)).collect();
        let set = if one.is_empty() { group } else { one };
        if set.is_empty() || !name.starts_with("gfx") {
            let known = r.show(all);
            let said = format!("`{name}` is no scope: expected default, gfx9 to gfx12, or one of {known}");
            return Err(Error::Asked(said));
        }
        Ok((Choose::These(set), set))
    }
}
