//! `targets reach` and `targets cover`.

use super::fewest::{Able, Pick, fewest};
use super::{Asked, Choice, find, json, names};
use crate::args::{TargetsCoverArgs, TargetsReachArgs};
use crate::outcome::{NEXT_LINE, Outcome};
use rocpkg::model::Policy;
use rocpkg::resolve::{Chooser, Planned, triple};
use rocpkg::targets::{Kind, Target, TargetSet};
use serde_json::{Value, json as object};
use std::collections::BTreeSet;

/// A package whose policy lets others do without it for a target.
fn optional(p: &Planned) -> Option<Policy> {
    let policy = p.package.targets.as_ref().and_then(|t| t.policy);
    policy.filter(|p| matches!(p, Policy::Stub | Policy::Throwaway | Policy::DropEdge))
}

/// What code loads on other GPUs rests on, and what it leaves open.
struct Compat {
    /// Asked for, whatever the distribution patches.
    assumed: bool,
    sites: Vec<String>,
    /// What of them the distribution patches.
    carried: BTreeSet<String>,
    /// Places that compressed bundles need patched besides.
    bundles: Vec<String>,
}

impl Compat {
    fn of(asked: &Asked, assumed: bool) -> Self {
        let all = asked.registry.patch_sites(triple(&asked.plan.version));
        if assumed {
            let sites = all.map(|s| s.site.clone()).collect();
            return Self { assumed, sites, carried: BTreeSet::new(), bundles: Vec::new() };
        }
        let sites: Vec<String> = asked.plan.patched_sites().map(|s| s.value.clone()).collect();
        let bundles =
            if sites.is_empty() { Vec::new() } else { asked.plan.bundles_unpatched(asked.registry) };
        let bundles = bundles.into_iter().map(str::to_owned).collect();
        Self { assumed, carried: sites.iter().cloned().collect(), sites, bundles }
    }

    fn serves(&self, asked: &Asked, p: &Planned) -> bool {
        self.assumed || asked.plan.serves_compatible(asked.registry, &self.carried, p)
    }

    fn tell(&self, out: &mut String) {
        if !self.sites.is_empty() {
            out.push_str(&format!("rests on patches of: {}\n", self.sites.join("; ")));
        }
        if !self.bundles.is_empty() {
            let bundles = self.bundles.join("; ");
            out.push_str(&format!(
                "lost for compressed bundles, and not counted here: not patched: {bundles}\n"
            ));
        }
    }
}

/// The choice that a scope of nixpkgs stands for: `default`, a target, or what a group's targets begin with.
fn scope(asked: &Asked, name: &str) -> Result<(Choice, TargetSet), String> {
    if asked.recipes.chooser != Chooser::Scope {
        return Err(format!("{} has no scopes", asked.plan.distro_name));
    }
    let all: TargetSet = asked.built.values().fold(TargetSet::EMPTY, |s, b| s.union(b.universe));
    if name == "default" {
        return Ok((Choice::Unasked, all));
    }
    let r = asked.registry;
    let one: TargetSet = all.iter().filter(|t| r.name(*t) == name).collect();
    let group: TargetSet = all.iter().filter(|t| r.name(*t).starts_with(name)).collect();
    let set = if one.is_empty() { group } else { one };
    if set.is_empty() || !name.starts_with("gfx") {
        let known = r.show(all);
        return Err(format!("`{name}` is no scope: expected default, gfx9 to gfx12, or one of {known}"));
    }
    Ok((Choice::Of(set), set))
}

/// The GPUs that a build serves, and who is left out by which package.
pub(super) fn reach(asked: &Asked, args: &TargetsReachArgs) -> Result<Outcome, String> {
    let r = asked.registry;
    let (choice, set) = match (&args.scope, &args.targets) {
        (Some(name), _) => scope(asked, name)?,
        (None, Some(text)) => {
            let set = find(r, text)?;
            (Choice::Of(set), set)
        }
        (None, None) => return Err("expected targets, or `--scope NAME` with `--distro nix`".into()),
    };
    let packages = asked.packages(args.package.as_deref())?;
    let compat = Compat::of(asked, args.isa_compat);
    let patched = packages.iter().any(|p| compat.serves(asked, p));
    let whole = r.reach(set, patched, true);
    let mut common = whole;
    let mut rows = Vec::new();
    let mut unknown = Vec::new();
    for p in packages {
        // Where one list serves all, only what of it is asked for counts.
        let built = asked.built_for(p, choice).map(|built| match asked.recipes.chooser {
            Chooser::Packager | Chooser::Builder => built.intersection(set),
            _ => built,
        });
        let built = match built {
            Ok(built) => built,
            Err(fact) => {
                unknown.push((p, fact));
                continue;
            }
        };
        let reached = r.reach(built, compat.serves(asked, p), true);
        if optional(p).is_none() && asked.slower_without(p).is_empty() {
            common = common.intersection(reached);
        }
        rows.push((p, built, reached, whole.difference(reached)));
    }
    if rows.is_empty() {
        common = TargetSet::EMPTY;
    }
    let offered = |t: &Target| rows.iter().all(|(p, ..)| asked.not_offered(p, *t).is_some());
    let strange: TargetSet =
        if rows.is_empty() { TargetSet::EMPTY } else { set.iter().filter(offered).collect() };
    if args.stack.json {
        let by: Vec<Value> = rows
            .iter()
            .map(|(p, built, reached, out)| {
                object!({"package": p.id, "built": names(r, *built), "serves": names(r, *reached),
                    "left-out": names(r, *out), "policy": optional(p).map(Policy::word),
                    "slower-without": asked.slower_without(p)})
            })
            .collect();
        let unknown: Vec<Value> =
            unknown.iter().map(|(p, fact)| object!({"package": p.id, "missing": fact})).collect();
        return Ok(json(&object!({"targets": names(r, set), "serves": names(r, common), "packages": by,
            "unknown": unknown, "not-offered": names(r, strange), "patches": compat.sites,
            "bundles-not-patched": compat.bundles, "rests-on": [asked.facts()]})));
    }
    let who = if unknown.is_empty() { "every package" } else { "every package of which it is known" };
    let mut out = format!("built for: {}\nserved by {who}: {}\n", r.show(set), r.show(common));
    if !strange.is_empty() {
        out.push_str(&format!("not offered by {}: {}\n", asked.plan.distro_name, r.show(strange)));
    }
    if args.scope.is_some() {
        for (p, built, ..) in &rows {
            let shown = if built.is_empty() { "nothing".to_owned() } else { r.show(*built).to_string() };
            out.push_str(&format!("  {}: {shown}\n", p.id));
        }
    }
    for (p, _, _, left) in rows.iter().filter(|(.., left)| !left.is_empty()) {
        let mut note =
            optional(p).map(|w| format!(" (policy {}: others do without)", w.word())).unwrap_or_default();
        if !asked.slower_without(p).is_empty() {
            note = format!(" ({} slower there, and whole)", being(asked.slower_without(p)));
        }
        out.push_str(&format!("left out by {}: {}{note}\n", p.id, r.show(*left)));
    }
    for (p, fact) in &unknown {
        out.push_str(&format!("unknown of {}: {fact}\n", p.id));
    }
    compat.tell(&mut out);
    out.push_str(&format!("rests on: {}\n", asked.facts()));
    Ok(Outcome::done(out))
}

/// `miopen is`, `a and b are`.
fn being(names: &[&str]) -> String {
    match names {
        [one] => format!("{one} is"),
        many => format!("{} are", many.join(" and ")),
    }
}

/// A smallest set of targets by which every package serves the GPUs.
pub(super) fn cover(asked: &Asked, args: &TargetsCoverArgs) -> Result<Outcome, String> {
    let r = asked.registry;
    let gpus = if args.gpu.iter().any(|g| g == "all") {
        r.of_kind(Kind::Processor)
    } else {
        find(r, &args.gpu.join(","))?.intersection(r.of_kind(Kind::Processor))
    };
    if gpus.is_empty() {
        return Err("none of these names is a GPU that people own".into());
    }
    let choice = match &args.scope {
        Some(name) => scope(asked, name)?.0,
        None => Choice::Of(r.all()),
    };
    let compat = Compat::of(asked, args.isa_compat);
    let needed = |p: &&Planned| optional(p).is_none() && asked.slower_without(p).is_empty();
    let (candidates, without): (Vec<&Planned>, Vec<&Planned>) =
        asked.packages(args.package.as_deref())?.into_iter().partition(needed);
    // A generic target counts only where the user lets it be built.
    let usable = if args.generic { r.all() } else { r.all().difference(r.of_kind(Kind::Generic)) };
    let mut unknown: Vec<(&Planned, String)> = Vec::new();
    let mut bound: Vec<&Planned> = Vec::new();
    let mut able: Vec<Able> = Vec::new();
    for p in candidates {
        match asked.built_for(p, choice) {
            Ok(set) => {
                bound.push(p);
                able.push((set.intersection(usable), compat.serves(asked, p)));
            }
            Err(fact) => unknown.push((p, fact)),
        }
    }
    if bound.is_empty() && !unknown.is_empty() {
        let facts = unknown.iter().map(|(p, fact)| format!("{NEXT_LINE}  {}: {fact}", p.id));
        let facts: String = facts.collect();
        return Err(format!("of no package it is known what is built; unknown:{facts}"));
    }
    let reached = |(set, patched): &Able| r.reach(*set, *patched, args.generic);
    let lost = able.iter().fold(TargetSet::EMPTY, |lost, set| lost.union(gpus.difference(reached(set))));
    let found = fewest(r, gpus.difference(lost), &able)
        .ok_or("too many targets serve the same GPUs for all sets of them to be tried")?;
    let chosen: TargetSet = found.iter().map(|c| c.target).collect();
    let blame: Vec<(&Planned, TargetSet)> = bound
        .iter()
        .zip(&able)
        .map(|(p, set)| (*p, lost.difference(reached(set))))
        .filter(|(_, set)| !set.is_empty())
        .collect();
    // Who builds a target is of note where not everybody does.
    let builders = |c: &Pick| -> Vec<&str> {
        let who: Vec<&str> = bound
            .iter()
            .zip(&able)
            .filter(|(_, a)| a.0.contains(c.target))
            .map(|(p, _)| p.id.as_str())
            .collect();
        if who.len() == bound.len() { Vec::new() } else { who }
    };
    let reason = |c: &Pick| {
        let mut out = format!("{} serves {}", r.name(c.target), r.show(c.serves));
        if !builders(c).is_empty() {
            out += &format!(" in {}", builders(c).join(", "));
        }
        if !c.only_for.is_empty() {
            let place = if builders(c).is_empty() { "" } else { " there" };
            out += &format!("; nothing else serves {}{place}", r.show(c.only_for));
        }
        out
    };
    let status = u8::from(!lost.is_empty());
    if args.stack.json {
        let choices: Vec<Value> = found
            .iter()
            .map(|c| {
                object!({"target": r.name(c.target), "reason": reason(c), "serves": names(r, c.serves),
                    "only-for": names(r, c.only_for), "built-by": builders(c)})
            })
            .collect();
        let blame: Vec<Value> =
            blame.iter().map(|(p, s)| object!({"package": p.id, "gpus": names(r, *s)})).collect();
        let unknown: Vec<Value> =
            unknown.iter().map(|(p, fact)| object!({"package": p.id, "missing": fact})).collect();
        let without: Vec<&str> = without.iter().map(|p| p.id.as_str()).collect();
        let all = object!({"gpus": names(r, gpus), "targets": names(r, chosen), "choices": choices,
            "not-served": names(r, lost), "left-out-by": blame, "done-without": without, "unknown": unknown,
            "patches": compat.sites, "bundles-not-patched": compat.bundles, "rests-on": [asked.facts()]});
        return Ok(Outcome { status, ..json(&all) });
    }
    let mut out = format!("{} targets: {}\n", found.len(), r.show(chosen));
    for c in &found {
        out.push_str(&format!("  {}\n", reason(c)));
    }
    if !lost.is_empty() {
        out.push_str(&format!("not served: {}\n", r.show(lost)));
        for (p, set) in blame {
            let never =
                set.is_disjoint(r.reach(p.able(asked.registry), compat.serves(asked, p), args.generic));
            let what = if never { "can't be built for" } else { "is built for nothing that serves" };
            out.push_str(&format!("  {} {what} {}\n", p.id, r.show(set)));
        }
    }
    for p in without {
        let slower = asked.slower_without(p);
        let how = if slower.is_empty() {
            "which others do without for a target that it lacks".to_owned()
        } else {
            format!("without which {} slower, and whole", being(slower))
        };
        out.push_str(&format!("not counted: {}, {how}\n", p.id));
    }
    for (p, fact) in &unknown {
        out.push_str(&format!("unknown, and not counted: {}: {fact}\n", p.id));
    }
    compat.tell(&mut out);
    out.push_str(&format!("rests on: {}\n", asked.facts()));
    Ok(Outcome { status, ..Outcome::done(out) })
}
