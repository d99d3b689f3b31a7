//! `rocpkg use`: lines of `package.use` that make a package and all that it needs consistent.

use crate::args::{Distro, UseArgs};
use crate::explain::named;
use crate::outcome::{DIFFERS, OK, Outcome};
use crate::targets::{Asked, cell, find, json, names, planned_in};
use rocpkg::gentoo::{PackageUse, Wanted, members, package_use, target_of, targets_of};
use rocpkg::model::{Findings, Propagation, nearest};
use rocpkg::pms::{Contradiction, Cpn, Flag, Member, Reason};
use rocpkg::targets::Via;
use serde_json::json as object;

/// Prints the lines on standard output, and remarks on standard error; exit status 1 when no flags will do.
pub(crate) fn run(args: &UseArgs) -> Result<Outcome, String> {
    planned_in(Distro::Gentoo, &args.plan, |asked| answer(asked, args))
}

fn answer(asked: &Asked, args: &UseArgs) -> Result<Outcome, String> {
    let package = named(asked.plan, &args.package)?;
    let mut wanted = Wanted { package: package.id.clone(), ..Wanted::default() };
    if let Some(text) = &args.targets {
        let set = find(asked.registry, text)?;
        wanted.targets = Some(names(asked.registry, set).into_iter().map(str::to_owned).collect());
    }
    for text in &args.flag {
        let (name, on) = text.strip_prefix('-').map_or((text.as_str(), true), |name| (name, false));
        wanted.flags.push((Flag::new(name).map_err(|e| format!("--flag: {e}"))?, on));
    }
    // Where the ebuilds hand nothing on, they leave it to the user to choose consistently, which is what is asked here.
    let mode = asked.plan.distro.propagation.filter(|m| *m != Propagation::None);
    let mode = mode.unwrap_or(Propagation::Conditional);
    // The plan holds; whatever the ebuilds lack beside it, such as a checksum, is of no matter here.
    let members = members(asked.plan, mode, &mut Findings::default());
    match package_use(asked.plan, &members, &wanted) {
        Ok(found) => Ok(consistent(asked, args, &members, &found)),
        Err(contradiction) => Ok(refused(asked, args, &members, &contradiction)),
    }
}

fn consistent(asked: &Asked, args: &UseArgs, members: &[Member], found: &PackageUse) -> Outcome {
    let lines: Vec<String> = found.lines.iter().map(ToString::to_string).collect();
    let mut notes: Vec<String> = found
        .lacking
        .iter()
        .flat_map(|(package, targets)| lacking(asked, members, package, targets))
        .collect();
    if let Some(added) = &found.added {
        let reasons: Vec<String> = added.reasons.iter().map(ToString::to_string).collect();
        notes.push(format!("{} was added: {}", added.targets.join(" "), reasons.join("; ")));
    }
    if args.json {
        let changes: Vec<_> = found
            .changes
            .iter()
            .map(|c| object!({"package": c.package.cpn.to_string(), "flag": c.flag.as_str(), "on": c.on}))
            .collect();
        return json(
            &object!({"consistent": true, "package_use": lines, "changes": changes, "notes": notes}),
        );
    }
    let out = lines.iter().map(|l| format!("{l}\n")).collect();
    let mut err: String = notes.iter().map(|n| format!("note: {n}\n")).collect();
    if lines.is_empty() {
        err.push_str("note: nothing has to be set\n");
    }
    Outcome { out, err, status: OK }
}

/// What a package does not offer of the GPU targets asked for, why, and what would serve that GPU.
fn lacking(asked: &Asked, members: &[Member], package: &Cpn, targets: &[String]) -> Vec<String> {
    let Some(p) = asked.plan.packages.iter().find(|p| p.name == package.package()) else { return Vec::new() };
    let reason = |name: &String| match asked.registry.get(name) {
        _ if p.targets.is_none() => "it holds no device code".to_owned(),
        Some(t) if !p.able(asked.registry).contains(t) => cell(asked, p, t).1,
        _ => format!("{} offers none at {}", asked.plan.distro_name, p.version),
    };
    let flags: Vec<&str> =
        members.iter().filter(|m| m.package.cpv.cpn == *package).flat_map(targets_of).collect();
    let patched = asked.plan.serves_compatible(asked.registry, &asked.plan.carried(), p);
    let instead = |name: &String| {
        let gpu = asked.registry.get(name)?;
        let loadable = asked.registry.loadable(gpu, patched).into_iter();
        let mut names = loadable.map(|(t, score)| (asked.registry.name(t), score.via));
        let (code, via) = names.find(|(t, _)| flags.contains(t))?;
        let how = if via == Via::Compatible { " with the distribution's patches" } else { "" };
        Some(format!("; code for {code} loads there{how}"))
    };
    let told = |t: &String| {
        format!("{} has no flag for {t}: {}{}", p.name, reason(t), instead(t).unwrap_or_default())
    };
    targets.iter().map(told).collect()
}

fn refused(asked: &Asked, args: &UseArgs, members: &[Member], contradiction: &Contradiction) -> Outcome {
    let reasons: Vec<String> = contradiction.reasons.iter().map(|r| explained(asked, members, r)).collect();
    if args.json {
        let value = object!({"consistent": false, "reasons": reasons});
        return Outcome { status: DIFFERS, ..json(&value) };
    }
    // A name that is not there excludes nothing: it is wrong by itself.
    if contradiction.reasons.iter().all(|r| matches!(r, Reason::UnknownFlag { .. })) {
        let err = reasons.iter().map(|r| format!("error: {r}\n")).collect();
        return Outcome { err, status: DIFFERS, ..Outcome::default() };
    }
    let list: String = reasons.iter().map(|r| format!("  - {r}\n")).collect();
    let mut err = format!("error: no choice of USE flags meets all of this:\n{list}");
    if contradiction.reasons.iter().any(|r| matches!(r, Reason::Cycle(_))) {
        err.push_str("hint: install it without these flags first, then again with them\n");
    }
    Outcome { err, status: DIFFERS, ..Outcome::default() }
}

/// A reason with what the model knows of it: why a target has no flag, or which flag was meant.
fn explained(asked: &Asked, members: &[Member], reason: &Reason) -> String {
    let Reason::UnknownFlag { package, flag } = reason else { return reason.to_string() };
    if let Some(target) = target_of(flag.as_str())
        && let Some(note) = lacking(asked, members, package, &[target.to_owned()]).pop()
    {
        return note;
    }
    let known = members.iter().filter(|m| m.package.cpv.cpn == *package);
    let known: Vec<String> =
        known.flat_map(|m| m.iuse.defaults()).map(|(f, _)| f.as_str().to_owned()).collect();
    let hint = nearest(flag.as_str(), known.iter().map(String::as_str));
    format!("{reason}{}", hint.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())
}
