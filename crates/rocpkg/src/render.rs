//! `rocpkg render`: makes a tree of its inputs, then writes it or compares.

use crate::args::RenderArgs;
use crate::outcome::{DIFFERS, NEXT_LINE, Outcome, Stop, failed, refused, shown};
use crate::{companions, manifests, present, profiles};
use rocpkg::model::{Findings, Severity, legible, nearest};
use rocpkg::render::{WriteOptions, check, write, written};
use rocpkg::resolve::{Held, Model};
use rocpkg::targets::TargetSet;
use rocpkg::{Backend, Stack, StackOptions, StackTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Renders, then writes or compares.
pub(crate) fn run(args: &RenderArgs) -> Outcome {
    match render(args) {
        Err(Stop::Refused(e)) => refused(&e),
        Err(Stop::Said(e)) => failed(&e),
        Ok(outcome) => outcome,
    }
}

fn render(args: &RenderArgs) -> Result<Outcome, Stop> {
    let choice = args.plan.choice()?;
    if !args.check {
        apart(args.folder().0, &args.plan.model.profiles)?;
    }
    let (model, mut findings) = profiles::load(&args.plan.model)?;
    let stack =
        Stack::new(changed(args, model, &findings)?, &rocpkg::templates()).map_err(|e| e.to_string())?;
    let backends = backends(args, stack.model())?;
    profiles::require(stack.model(), &findings, &backends)?;
    if !stack.model().narrowed.is_empty() {
        offered(stack.model(), &backends)?;
    }
    let options = StackOptions {
        backends,
        choice,
        packages: args.package.clone(),
        allow_missing: args.allows_missing(),
        allow_guesses: args.allow_guesses,
        review: false,
    };
    let tree = stack.render(&options, &mut findings).map_err(|e| e.to_string())?;
    // What is proved to disagree is not written. What a new package is built for may not be known yet: `check` says so.
    for (_, proof) in &tree.proofs {
        for f in proof.disagreements() {
            let mut f = f.clone();
            // A bare tree is there to be looked at, and policies stand in overlays.
            if args.bare {
                f.severity = Severity::Warning;
            }
            if tree.concerns(&f, stack.sources()) {
                findings.push(f);
            }
        }
    }
    if !stack.model().narrowed.is_empty() && !findings.has_errors() {
        narrowed(stack.model(), &tree)?;
    }
    if findings.has_errors() {
        return Ok(wrong(args, &stack, findings));
    }
    if let Some(name) = tree.unknown.first() {
        let hint = nearest(name, tree.names.iter().map(String::as_str))
            .map(|n| format!("; did you mean `{n}`?"))
            .unwrap_or_default();
        return Err(format!("no package is called `{name}`{hint}").into());
    }
    let stats = if args.stats { crate::stats::stats(&tree, stack.model(), &options) } else { String::new() };
    finish(args, &stack, tree, findings, stats)
}

/// The model as some arguments change it.
fn changed(args: &RenderArgs, mut model: Model, findings: &Findings) -> Result<Model, String> {
    if args.bare {
        model.strip_overlays();
    }
    match (&args.targets, &model.registry) {
        (Some(text), Some(registry)) => {
            let set = crate::targets::find(registry, text)?;
            model.narrowed = set.iter().map(|t| registry.name(t).to_owned()).collect();
        }
        (Some(_), None) if !findings.has_errors() => return Err(crate::targets::NO_REGISTRY.to_owned()),
        _ => {}
    }
    if let (Some(mode), Some(gentoo)) = (args.propagation, model.distros.get_mut(Backend::Gentoo.distro())) {
        gentoo.propagation = Some(mode);
    }
    Ok(model)
}

/// What is said where the input is wrong, or what lies in the output.
fn wrong(args: &RenderArgs, stack: &Stack, mut findings: Findings) -> Outcome {
    // What is doubtful about an output that is not written may come of the faults alone.
    let written = |code: &str| Backend::ALL.into_iter().any(|b| b.says(code));
    findings.retain(|f| f.severity != Severity::Warning || !written(f.code));
    Outcome::wrong(&findings, stack.sources(), args.plan.model.verbose)
}

/// Refuses to write into a folder of profiles: the next run would read what this one wrote.
fn apart(out: &Path, profiles: &[PathBuf]) -> Result<(), String> {
    // What is not there yet lies where the folder lies that is.
    let there = out.ancestors().find_map(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        folder.canonicalize().ok()
    });
    let Some(there) = there else { return Ok(()) };
    match profiles.iter().find(|folder| folder.canonicalize().is_ok_and(|real| there.starts_with(real))) {
        Some(folder) => Err(format!(
            "--out {}: lies in the profiles of {}, which the next run would read with it",
            out.display(),
            folder.display()
        )),
        None => Ok(()),
    }
}

/// The backends that are asked for, in their order.
fn backends(args: &RenderArgs, model: &Model) -> Result<Vec<Backend>, String> {
    let mut backends: Vec<Backend> = args.distros.iter().map(|d| d.backend()).collect();
    if let Some(backend) = args.folder().1 {
        // A checkout of one distribution's repository takes its packages alone.
        if let Some(other) = backends.iter().find(|b| **b != backend) {
            return Err(format!(
                "a checkout of {} holds no packages of {}",
                backend.folder(),
                other.folder()
            ));
        }
        backends = vec![backend];
    }
    if backends.is_empty() {
        // All that the profiles know; of an empty folder, the first is missed.
        backends = Backend::ALL.to_vec();
        backends.retain(|b| model.distros.contains_key(b.distro()));
        if backends.is_empty() {
            backends.push(Backend::Gentoo);
        }
    }
    backends.sort_unstable();
    backends.dedup();
    Ok(backends)
}

/// Refuses targets that a distribution has no place for in its lists.
fn offered(model: &Model, backends: &[Backend]) -> Result<(), String> {
    for backend in backends {
        let Some(distro) = model.distros.get(backend.distro()) else { continue };
        let all: Vec<&str> = distro
            .targets
            .iter()
            .flat_map(|row| row.default.iter().chain(&row.offered))
            .map(|t| t.value.as_str())
            .collect();
        let strange: Vec<&str> =
            model.narrowed.iter().map(String::as_str).filter(|t| !all.contains(t)).collect();
        if !all.is_empty() && !strange.is_empty() {
            return Err(format!("{} offers no {}", backend.distro(), strange.join(", ")));
        }
    }
    Ok(())
}

/// Refuses a tree of which a recipe would build for another target, or for none, and says which.
fn narrowed(model: &Model, tree: &StackTree) -> Result<(), String> {
    let Some(registry) = &model.registry else { return Ok(()) };
    let wanted: TargetSet = model.narrowed.iter().filter_map(|n| registry.get(n)).collect();
    let mut wrong = Vec::new();
    for (backend, proof) in &tree.proofs {
        for (id, built) in proof.built.iter().filter(|(_, b)| !b.host_only) {
            let what = match &built.default {
                Held::Set(set) if set.is_empty() && !built.mended => {
                    "can be built for none of them".to_owned()
                }
                Held::Set(set) if set.is_subset(wanted.union(built.instead)) => continue,
                Held::Set(set) => format!("is built for {} as well", registry.show(set.difference(wanted))),
                Held::Symbol { tool, .. } => format!("is built for what `{tool}` prints"),
                Held::Unknown(fact) => format!("is built for {fact}"),
            };
            wrong.push(format!("{NEXT_LINE}  {}: `{id}` {what}", backend.distro()));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("not narrowed to {}:{}", registry.show(wanted), wrong.concat()))
    }
}

/// Writes what was rendered, or compares it with what is there.
fn finish(
    args: &RenderArgs,
    stack: &Stack,
    mut tree: StackTree,
    mut findings: Findings,
    stats: String,
) -> Result<Outcome, Stop> {
    let (out, checkout) = args.folder();
    if let Some(backend) = checkout {
        tree = tree.in_checkout(backend).map_err(|e| e.to_string())?;
    }
    take_shared(&mut tree, out)?;
    let companions = companions::take(args.files.as_deref(), out, &mut tree, stack.model(), &mut findings)?;
    if findings.has_errors() {
        return Ok(wrong(args, stack, findings));
    }
    let mut write_options = WriteOptions {
        force: args.force,
        keep: args.keep,
        prune: args.prune,
        scope: tree.scope.clone(),
        present: companions.present,
        ..WriteOptions::default()
    };
    present::go_on(&mut tree, out)?;
    let ours = written(out)?;
    manifests::join(&mut tree, out, &ours, args.allows_missing(), &mut write_options)?;
    let told = shown(&findings, stack.sources(), args.plan.model.verbose);
    let mut told = Outcome { out: stats, err: told, ..Outcome::default() };
    if args.check {
        let found = check(&tree.files, out, &write_options)?;
        for d in &found {
            if d.is_kept(&write_options) {
                told.out.push_str(&kept(&d.path));
            } else {
                let how = if d.kind.is_stale() && !args.prune { " (--prune removes it)" } else { "" };
                told.out.push_str(&format!("{}: {}{how}\n{}", d.kind, d.path, d.diff));
                told.status = DIFFERS;
            }
        }
        return Ok(told);
    }
    let verbose = args.plan.model.verbose;
    let report = write(&tree.files, out, &write_options)?;
    let counts: Vec<String> = tree.packages.iter().map(|(d, n)| format!("{} {n}", d.folder())).collect();
    told.out.push_str(&format!(
        "{}: {} files written, {} unchanged, {} removed (packages: {})\n",
        legible(&out.display().to_string()),
        report.written.len(),
        report.unchanged,
        report.removed.len(),
        counts.join(", "),
    ));
    for path in report.kept {
        told.out.push_str(&kept(&path));
    }
    if !report.unowned.is_empty() {
        let how = if verbose { ":" } else { "; -v lists them" };
        told.out.push_str(&format!(
            "there already and the same, but not written by rocpkg, so that --prune leaves them and --force makes them its own ({}){how}\n",
            report.unowned.len()
        ));
        for path in report.unowned.iter().filter(|_| verbose) {
            told.out.push_str(&format!("  {path}\n"));
        }
    }
    for path in report.stale {
        told.out.push_str(&format!("no longer rendered, removed by --prune: {path}\n"));
    }
    let missing = companions.missing;
    if !missing.is_empty() {
        let how = if verbose { ":" } else { "; -v lists them" };
        told.out.push_str(&format!("to be supplied with --files DIR ({}){how}\n", missing.len()));
        for path in missing.iter().filter(|_| verbose) {
            told.out.push_str(&format!("  {path}\n"));
        }
    }
    Ok(told)
}

/// What is said of a file that `--keep` leaves.
fn kept(path: &str) -> String {
    format!("kept as it is, changed by hand or not written by rocpkg: {path}\n")
}

/// What a whole tree needs beside its packages, where it is not there yet.
fn take_shared(tree: &mut StackTree, out: &Path) -> Result<(), String> {
    let shared = std::mem::take(&mut tree.shared);
    let folders: BTreeSet<String> = tree.files.iter().map(|(p, _)| top(p.as_str()).to_owned()).collect();
    for (path, bytes) in shared.iter() {
        // Nothing of a distribution without one of the packages.
        if folders.contains(top(path.as_str())) && !out.join(path.as_str()).exists() {
            tree.files.insert(path.as_str(), bytes).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

/// The first folder of a path.
fn top(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}
