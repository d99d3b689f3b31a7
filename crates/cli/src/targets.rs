//! `rocpkg targets`: questions about GPU targets. Each answer says which facts it rests on.

mod show;
pub(crate) use show::named;

use crate::args::{TargetsCommand, TargetsCoverArgs, TargetsMatrixArgs, TargetsReachArgs};
use crate::outcome::{DIFFERS, OK, Outcome};
use rocpkg::model::Policy;
use rocpkg::targets::TargetSet;
use rocpkg::{Ask, CLASSES, Chosen, Compatibility, Covered, Error, Pick, Questions, Reached};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Answers one question.
pub(crate) fn run(command: &TargetsCommand) -> Result<Outcome, Error> {
    match command {
        TargetsCommand::List(a) => Ok(show::list(a.model.stack()?.registry()?, a.json)),
        TargetsCommand::Show(a) => {
            let stack = a.model.stack()?;
            Ok(show::show(stack.registry()?, &a.name, &stack.gpu(&a.name)?, a.json))
        }
        TargetsCommand::Matrix(a) => {
            let stack = a.stack.plan.model.stack()?;
            Ok(matrix(&stack.questions(a.stack.distro.into(), a.stack.plan.choice()?)?, a))
        }
        TargetsCommand::Reach(a) => {
            let stack = a.stack.plan.model.stack()?;
            reach(&stack.questions(a.stack.distro.into(), a.stack.plan.choice()?)?, a)
        }
        TargetsCommand::Cover(a) => {
            let stack = a.stack.plan.model.stack()?;
            cover(&stack.questions(a.stack.distro.into(), a.stack.plan.choice()?)?, a)
        }
    }
}

/// The class of each target for each package with device code.
fn matrix(asked: &Questions, args: &TargetsMatrixArgs) -> Outcome {
    let rows = asked.support();
    let name = |t| asked.registry.name(t);
    if args.stack.json {
        let all: Vec<_> = rows
            .iter()
            .map(|s| json!({"package": s.package, "target": name(s.target), "class": s.class, "reason": s.reason}))
            .collect();
        return Outcome::json(
            &json!({"matrix": all, "legend": CLASSES.into_iter().collect::<BTreeMap<_, _>>(), "rests-on": asked.support_facts()}),
        );
    }
    let mut out = String::new();
    if args.csv {
        out.push_str("package,target,class,reason\n");
        for s in &rows {
            let reason = s.reason.replace('"', "\"\"");
            out.push_str(&format!("{},{},{},\"{reason}\"\n", s.package, name(s.target), s.class));
        }
        return Outcome::done(out);
    }
    let width = rows.iter().map(|s| s.package.len()).max().unwrap_or(0);
    let mut waiting: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for of_one in rows.chunk_by(|a, b| a.package == b.package) {
        out.push_str(&format!("{:width$}", of_one[0].package));
        for (class, _) in CLASSES {
            let of_class = || of_one.iter().filter(|s| s.class == class);
            // What many wait for is said once, at the end.
            let fact =
                of_class().next().map(|s| s.reason.as_str()).filter(|fact| fact.ends_with(" is not known"));
            if let Some(fact) = fact.filter(|fact| of_class().all(|s| s.reason == *fact)) {
                waiting.entry(fact).or_default().insert(&of_one[0].package);
                out.push_str(&format!("  {class}: all others\n{:width$}", ""));
            } else if of_class().next().is_some() {
                let names: Vec<&str> = of_class().map(|s| name(s.target)).collect();
                out.push_str(&format!("  {class}: {}\n{:width$}", names.join(" "), ""));
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    for (class, meaning) in CLASSES.iter().filter(|(class, _)| rows.iter().any(|s| s.class == *class)) {
        out.push_str(&format!("{class}: {meaning}\n"));
    }
    for (fact, packages) in waiting {
        let packages: Vec<&str> = packages.into_iter().collect();
        out.push_str(&format!("unknown, as {fact}: {}\n", packages.join(" ")));
    }
    for fact in asked.support_facts() {
        out.push_str(&format!("rests on: {fact}\n"));
    }
    Outcome::done(out)
}

/// The GPUs that a build serves, and who is left out by which package.
fn reach(asked: &Questions, args: &TargetsReachArgs) -> Result<Outcome, Error> {
    let chosen = match (&args.scope, &args.targets) {
        (Some(name), _) => Chosen::Scope(name.clone()),
        (None, Some(text)) => Chosen::Names(text.clone()),
        (None, None) => {
            return Err(Error::Asked("expected targets, or `--scope NAME` with `--distro nix`".to_owned()));
        }
    };
    let mut ask = Ask::default();
    (ask.package, ask.isa_compat) = (args.package.clone(), args.isa_compat);
    let found = asked.reach(&chosen, &ask)?;
    if args.stack.json {
        return Ok(Outcome::json(&reached(asked, &found)));
    }
    let show = |set: TargetSet| asked.registry.show(set).to_string();
    let who = if found.unknown.is_empty() { "every package" } else { "every package of which it is known" };
    let mut out = format!("built for: {}\nserved by {who}: {}\n", show(found.targets), show(found.serves));
    if !found.not_offered.is_empty() {
        out.push_str(&format!("not offered by {}: {}\n", asked.plan.distro_name, show(found.not_offered)));
    }
    for p in found.packages.iter().filter(|_| args.scope.is_some()) {
        let built = if p.built.is_empty() { "nothing".to_owned() } else { show(p.built) };
        out.push_str(&format!("  {}: {built}\n", p.package));
    }
    for p in found.packages.iter().filter(|p| !p.left_out.is_empty()) {
        let policy = p.policy.map(|w| format!(" (policy {}: others do without)", w.word()));
        let mut note = policy.unwrap_or_default();
        if !p.slower_without.is_empty() {
            note = format!(" ({} slower there, and whole)", being(&p.slower_without));
        }
        out.push_str(&format!("left out by {}: {}{note}\n", p.package, show(p.left_out)));
    }
    for (p, fact) in &found.unknown {
        out.push_str(&format!("unknown of {p}: {fact}\n"));
    }
    tell(&found.compatibility, &mut out);
    out.push_str(&format!("rests on: {}\n", asked.facts()));
    Ok(Outcome::done(out))
}

fn reached(asked: &Questions, found: &Reached) -> Value {
    let packages = found.packages.iter().map(|p| {
        json!({"package": p.package, "built": asked.names(p.built), "serves": asked.names(p.serves),
            "left-out": asked.names(p.left_out), "policy": p.policy.map(Policy::word),
            "slower-without": p.slower_without})
    });
    let packages: Vec<Value> = packages.collect();
    json!({"targets": asked.names(found.targets), "serves": asked.names(found.serves), "packages": packages,
        "unknown": unknown(&found.unknown), "not-offered": asked.names(found.not_offered),
        "patches": found.compatibility.sites, "bundles-not-patched": found.compatibility.bundles,
        "rests-on": [asked.facts()]})
}

/// A smallest set of targets by which every package serves the GPUs; exit status 1 when some can't be served.
fn cover(asked: &Questions, args: &TargetsCoverArgs) -> Result<Outcome, Error> {
    let mut ask = Ask::default();
    (ask.package, ask.isa_compat, ask.generic) = (args.package.clone(), args.isa_compat, args.generic);
    let found = asked.cover(&args.gpu, args.scope.as_deref(), &ask)?;
    let status = if found.not_served.is_empty() { OK } else { DIFFERS };
    if args.stack.json {
        return Ok(Outcome { status, ..Outcome::json(&covered(asked, &found)) });
    }
    let show = |set: TargetSet| asked.registry.show(set).to_string();
    let mut out = format!("{} targets: {}\n", found.picks.len(), show(found.targets()));
    for pick in &found.picks {
        out.push_str(&format!("  {}\n", reason(asked, pick)));
    }
    if !found.not_served.is_empty() {
        out.push_str(&format!("not served: {}\n", show(found.not_served)));
    }
    for (package, set, never) in &found.left_out_by {
        let what = if *never { "can't be built for" } else { "is built for nothing that serves" };
        out.push_str(&format!("  {package} {what} {}\n", show(*set)));
    }
    for (package, slower) in &found.done_without {
        let how = if slower.is_empty() {
            "which others do without for a target that it lacks".to_owned()
        } else {
            format!("without which {} slower, and whole", being(slower))
        };
        out.push_str(&format!("not counted: {package}, {how}\n"));
    }
    for (package, fact) in &found.unknown {
        out.push_str(&format!("unknown, and not counted: {package}: {fact}\n"));
    }
    tell(&found.compatibility, &mut out);
    out.push_str(&format!("rests on: {}\n", asked.facts()));
    Ok(Outcome { status, ..Outcome::done(out) })
}

fn covered(asked: &Questions, found: &Covered) -> Value {
    let picks = found.picks.iter().map(|c| {
        json!({"target": asked.registry.name(c.target), "reason": reason(asked, c),
            "serves": asked.names(c.serves), "only-for": asked.names(c.only_for), "built-by": c.built_by})
    });
    let picks: Vec<Value> = picks.collect();
    let blame = found.left_out_by.iter();
    let blame: Vec<Value> =
        blame.map(|(p, set, _)| json!({"package": p, "gpus": asked.names(*set)})).collect();
    let without: Vec<&str> = found.done_without.iter().map(|(p, _)| p.as_str()).collect();
    json!({"gpus": asked.names(found.gpus), "targets": asked.names(found.targets()), "choices": picks,
        "not-served": asked.names(found.not_served), "left-out-by": blame, "done-without": without,
        "unknown": unknown(&found.unknown), "patches": found.compatibility.sites,
        "bundles-not-patched": found.compatibility.bundles, "rests-on": [asked.facts()]})
}

/// Why a target is there.
fn reason(asked: &Questions, pick: &Pick) -> String {
    let r = asked.registry;
    let mut out = format!("{} serves {}", r.name(pick.target), r.show(pick.serves));
    if !pick.built_by.is_empty() {
        out += &format!(" in {}", pick.built_by.join(", "));
    }
    if !pick.only_for.is_empty() {
        let place = if pick.built_by.is_empty() { "" } else { " there" };
        out += &format!("; nothing else serves {}{place}", r.show(pick.only_for));
    }
    out
}

fn unknown(all: &[(String, String)]) -> Vec<Value> {
    all.iter().map(|(package, fact)| json!({"package": package, "missing": fact})).collect()
}

/// `miopen is`, `a and b are`.
fn being(names: &[String]) -> String {
    match names {
        [one] => format!("{one} is"),
        many => format!("{} are", many.join(" and ")),
    }
}

/// What an answer rests on, and what it leaves open.
fn tell(compatibility: &Compatibility, out: &mut String) {
    if !compatibility.sites.is_empty() {
        out.push_str(&format!("rests on patches of: {}\n", compatibility.sites.join("; ")));
    }
    if !compatibility.bundles.is_empty() {
        let bundles = compatibility.bundles.join("; ");
        out.push_str(&format!("lost for compressed bundles, and not counted here: not patched: {bundles}\n"));
    }
}
