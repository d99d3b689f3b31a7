//! `targets reach` and `targets cover`.

use super::fewest::{Pick, fewest};
use super::{Asked, find, json, names};
use crate::args::{TargetsCoverArgs, TargetsReachArgs};
use crate::outcome::Outcome;
use rocpkg::model::Policy;
use rocpkg::resolve::{Planned, triple};
use rocpkg::targets::{Kind, TargetSet};
use serde_json::{Value, json as object};

/// A package whose policy lets others do without it for a target.
fn optional(p: &Planned) -> Option<Policy> {
    let policy = p.package.targets.as_ref().and_then(|t| t.policy);
    policy.filter(|p| matches!(p, Policy::Stub | Policy::Throwaway | Policy::DropEdge))
}

fn patches(asked: &Asked, isa_compat: bool) -> Vec<String> {
    let sites = asked.registry.patch_sites(triple(&asked.plan.version));
    if isa_compat { sites.map(|s| s.site.clone()).collect() } else { Vec::new() }
}

/// The GPUs that a build serves, and who is left out by which package.
pub(super) fn reach(asked: &Asked, args: &TargetsReachArgs) -> Result<Outcome, String> {
    let r = asked.registry;
    let set = find(r, &args.targets)?;
    let packages = asked.packages(args.package.as_deref())?;
    let whole = r.reach(set, args.isa_compat, true);
    let mut common = whole;
    let mut rows = Vec::new();
    for p in packages {
        let built = set.intersection(asked.able(p));
        let reached = r.reach(built, args.isa_compat, true);
        if optional(p).is_none() {
            common = common.intersection(reached);
        }
        rows.push((p, built, reached, whole.difference(reached)));
    }
    let patches = patches(asked, args.isa_compat);
    if args.stack.json {
        let by: Vec<Value> = rows
            .iter()
            .map(|(p, built, reached, out)| {
                object!({"package": p.id, "built": names(r, *built), "serves": names(r, *reached),
                    "left-out": names(r, *out), "policy": optional(p).map(Policy::word)})
            })
            .collect();
        return Ok(json(&object!({"targets": names(r, set), "serves": names(r, common), "packages": by,
            "patches": patches, "rests-on": [asked.facts()]})));
    }
    let mut out = format!("built for: {}\nserved by every package: {}\n", r.show(set), r.show(common));
    for (p, _, _, left) in rows.iter().filter(|(.., left)| !left.is_empty()) {
        let policy =
            optional(p).map(|w| format!(" (policy {}: others do without)", w.word())).unwrap_or_default();
        out.push_str(&format!("left out by {}: {}{policy}\n", p.id, r.show(*left)));
    }
    if !patches.is_empty() {
        out.push_str(&format!("rests on patches of: {}\n", patches.join("; ")));
    }
    out.push_str(&format!("rests on: {}\n", asked.facts()));
    Ok(Outcome::done(out))
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
    let packages = asked.packages(args.package.as_deref())?;
    let (without, bound): (Vec<&Planned>, Vec<&Planned>) =
        packages.into_iter().partition(|p| optional(p).is_some());
    // A generic target counts only where the user lets it be built.
    let usable = if args.generic { r.all() } else { r.all().difference(r.of_kind(Kind::Generic)) };
    let able: Vec<TargetSet> = bound.iter().map(|p| asked.able(p).intersection(usable)).collect();
    let reached = |set: &TargetSet| r.reach(*set, args.isa_compat, args.generic);
    let lost = able.iter().fold(TargetSet::EMPTY, |lost, set| lost.union(gpus.difference(reached(set))));
    let found = fewest(r, gpus.difference(lost), &able, args.isa_compat)
        .ok_or("too many targets serve the same GPUs for all sets of them to be tried")?;
    let chosen: TargetSet = found.iter().map(|c| c.target).collect();
    let blame: Vec<(&str, TargetSet)> = bound
        .iter()
        .zip(&able)
        .map(|(p, set)| (p.id.as_str(), lost.difference(reached(set))))
        .filter(|(_, set)| !set.is_empty())
        .collect();
    // Who builds a target is of note where not everybody does.
    let builders = |c: &Pick| -> Vec<&str> {
        let who: Vec<&str> = bound
            .iter()
            .zip(&able)
            .filter(|(_, a)| a.contains(c.target))
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
    let patches = patches(asked, args.isa_compat);
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
            blame.iter().map(|(p, s)| object!({"package": p, "gpus": names(r, *s)})).collect();
        let without: Vec<&str> = without.iter().map(|p| p.id.as_str()).collect();
        let all = object!({"gpus": names(r, gpus), "targets": names(r, chosen), "choices": choices,
            "not-served": names(r, lost), "left-out-by": blame, "done-without": without, "patches": patches,
            "rests-on": [asked.facts()]});
        return Ok(Outcome { status, ..json(&all) });
    }
    let mut out = format!("{} targets: {}\n", found.len(), r.show(chosen));
    for c in &found {
        out.push_str(&format!("  {}\n", reason(c)));
    }
    if !lost.is_empty() {
        out.push_str(&format!("not served: {}\n", r.show(lost)));
        for (p, set) in blame {
            out.push_str(&format!("  {p} can't be built for {}\n", r.show(set)));
        }
    }
    for p in without {
        out.push_str(&format!("not counted: {}, which others do without for a target that it lacks\n", p.id));
    }
    if !patches.is_empty() {
        out.push_str(&format!("rests on patches of: {}\n", patches.join("; ")));
    }
    out.push_str(&format!("rests on: {}\n", asked.facts()));
    Ok(Outcome { status, ..Outcome::done(out) })
}
