//! `rocpkg changes`.

use crate::args::ChangesArgs;
use crate::outcome::Outcome;
use rocpkg::{Backend, Changes, Error, Gained, TargetChange};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Tells what changes between two releases: as text for a news item or a pull request, or as JSON.
pub(crate) fn run(args: &ChangesArgs, verbose: bool) -> Result<Outcome, Error> {
    let stack = args.model.stack()?;
    let mut backends: Vec<Backend> = args.distros.iter().map(|d| (*d).into()).collect();
    if backends.is_empty() {
        backends = Backend::ALL.to_vec();
    }
    let all = stack.changes(&args.old, &args.new, &backends)?;
    if args.json {
        return Ok(Outcome::json(&all.iter().map(document).collect()));
    }
    let each: Vec<String> = all.iter().map(|changes| text(changes, verbose)).collect();
    Ok(Outcome::done(each.join("\n")))
}

/// What is told under a head; nothing where there is nothing.
fn section(out: &mut String, head: &str, lines: &[String]) {
    if !lines.is_empty() {
        out.push_str(&format!("\n{head}:\n"));
        lines.iter().for_each(|line| out.push_str(&format!("- {line}\n")));
    }
}

fn text(c: &Changes, verbose: bool) -> String {
    let (old, new) = &c.releases;
    let mut out = format!("{}: {old} to {new}\n", c.distro);
    let named = |list: &[String]| if list.is_empty() { Vec::new() } else { vec![list.join(", ")] };
    section(&mut out, "New packages", &named(&c.added));
    let removed: Vec<String> =
        c.removed.iter().map(|(name, place)| format!("{name}: no source any more ({place})")).collect();
    section(&mut out, "Packages that are gone", &removed);
    let renamed: Vec<String> = c.renamed.iter().map(|(from, to)| format!("{from} is now {to}")).collect();
    section(&mut out, "Renamed", &renamed);
    let moved: Vec<String> =
        c.moved.iter().map(|(name, from, to)| format!("{name}: {from} is now {to}")).collect();
    section(&mut out, "Sources that moved", &moved);
    section(&mut out, "Versions", &versions(c));
    section(&mut out, "GPU targets", &targets(&c.targets));
    section(&mut out, "USE flags and options of packages", &gained(&c.features));
    section(&mut out, "Options of upstream's build", &gained(&c.options));
    section(&mut out, "Dependencies", &gained(&c.depends));
    let silent: Vec<String> =
        c.silent.iter().map(|s| format!("{}: {} at {}", s.package, s.what, s.place)).collect();
    let head = format!(
        "For reviewers: {} replacements of text say nothing when the text is gone, and were not checked for {new}",
        silent.len()
    );
    if verbose {
        section(&mut out, &head, &silent);
    } else if !silent.is_empty() {
        let packages: BTreeSet<&str> = c.silent.iter().map(|s| s.package.as_str()).collect();
        let packages: Vec<&str> = packages.into_iter().collect();
        section(&mut out, &head, &[format!("{} (-v lists each)", packages.join(", "))]);
    }
    out
}

/// One line for all packages that move alike.
fn versions(c: &Changes) -> Vec<String> {
    let mut alike: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (name, from, to) in &c.versions {
        alike.entry((from, to)).or_default().push(name);
    }
    alike.into_iter().map(|((from, to), names)| format!("{from} -> {to}: {}", names.join(", "))).collect()
}

/// One line for what packages gain or lose for the same reason.
fn targets(all: &[TargetChange]) -> Vec<String> {
    // Which targets each package gains, or loses, for a reason; then which packages have the same list.
    let mut lists: BTreeMap<(bool, &str, &str), Vec<&str>> = BTreeMap::new();
    for t in all {
        lists.entry((!t.gained, &t.reason, &t.package)).or_default().push(&t.target);
    }
    let mut alike: BTreeMap<(bool, &str, Vec<&str>), Vec<&str>> = BTreeMap::new();
    for ((lost, reason, package), targets) in lists {
        alike.entry((lost, reason, targets)).or_default().push(package);
    }
    let line = |((lost, reason, targets), packages): ((bool, &str, Vec<&str>), Vec<&str>)| {
        let verb = if lost { "lost" } else { "gained" };
        format!("{verb} {} in {} ({reason})", targets.join(" "), packages.join(", "))
    };
    alike.into_iter().map(line).collect()
}

/// One line for each name that packages gain or lose.
fn gained(all: &[Gained]) -> Vec<String> {
    let mut alike: BTreeMap<(bool, &str), Vec<&str>> = BTreeMap::new();
    for g in all {
        let each = g.gained.iter().map(|name| (false, name)).chain(g.lost.iter().map(|name| (true, name)));
        each.for_each(|(lost, name)| alike.entry((lost, name)).or_default().push(&g.package));
    }
    let verb = |lost| if lost { "lost" } else { "gained" };
    alike.into_iter().map(|((lost, name), of)| format!("{} {name}: {}", verb(lost), of.join(", "))).collect()
}

fn document(c: &Changes) -> Value {
    let pairs = |list: &[(String, String)], (from, to): (&str, &str)| -> Value {
        list.iter().map(|(a, b)| json!({from: a, to: b})).collect()
    };
    let triples = |list: &[(String, String, String)]| -> Value {
        list.iter().map(|(package, from, to)| json!({"package": package, "from": from, "to": to})).collect()
    };
    let names = |list: &[Gained]| -> Value {
        list.iter().map(|g| json!({"package": g.package, "gained": g.gained, "lost": g.lost})).collect()
    };
    let target = |t: &TargetChange| {
        json!({"package": t.package, "target": t.target, "gained": t.gained, "reason": t.reason, "place": t.place})
    };
    let silent = c.silent.iter().map(|s| json!({"package": s.package, "what": s.what, "place": s.place}));
    json!({
        "distribution": c.distro,
        "from": c.releases.0,
        "to": c.releases.1,
        "added": c.added,
        "removed": pairs(&c.removed, ("package", "place")),
        "renamed": pairs(&c.renamed, ("from", "to")),
        "moved": triples(&c.moved),
        "versions": triples(&c.versions),
        "targets": c.targets.iter().map(target).collect::<Vec<_>>(),
        "features": names(&c.features),
        "options": names(&c.options),
        "depends": names(&c.depends),
        "silent": silent.collect::<Vec<_>>(),
    })
}
