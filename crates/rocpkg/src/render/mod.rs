//! `rocpkg render`: makes a tree of its inputs, then writes it or compares.

mod cache;
mod made;

use crate::args::RenderArgs;
use crate::outcome::{DIFFERS, Outcome, Stop, WRONG, failed, refused};
use crate::{companions, manifests, present};
use cache::{Cache, CacheError};
use made::{Fresh, Inputs, Made};
use rocpkg::StackTree;
use rocpkg::model::{Findings, legible};
use rocpkg::render::{WriteOptions, check, write, written};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Renders, then writes or compares.
pub(crate) fn run(args: &RenderArgs) -> Outcome {
    let mut kept = Ok(());
    let mut outcome = match render(args, &mut kept) {
        Err(Stop::Refused(e)) => refused(&e),
        Err(Stop::Said(e)) => failed(&e),
        Ok(outcome) => outcome,
    };
    if let Err(e) = kept {
        outcome.err.push_str(&format!("warning: --cache: {}; nothing is kept\n", legible(&e.to_string())));
    }
    outcome
}

/// Whether what was made could be kept for the next time is no matter of whether it can be written.
fn render(args: &RenderArgs, kept: &mut Result<(), CacheError>) -> Result<Outcome, Stop> {
    let choice = args.plan.choice()?;
    if !args.check {
        apart(args.folder().0, &args.plan.model.profiles)?;
    }
    let inputs = Inputs::read(args, choice)?;
    let cache = args.cache().and_then(|folder| Cache::new(folder, args, &inputs));
    let known = cache.as_ref().and_then(Cache::get);
    if let Some(outcome) = known.map(|made| finish(args, made, None)).transpose()?.flatten() {
        return Ok(outcome);
    }
    let (made, fresh) = inputs.make()?;
    let text = cache.as_ref().map(|cache| cache.text(&made));
    let outcome = finish(args, made, Some(&fresh));
    // The output first: a disk may be full.
    *kept = cache.zip(text).map_or(Ok(()), |(cache, text)| cache.put(&text?));
    Ok(outcome?.unwrap_or_default())
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

/// Writes what was made, or compares with what is there. None where something is wrong there that only the run which made the
/// tree can tell the place of.
fn finish(args: &RenderArgs, made: Made, fresh: Option<&Fresh>) -> Result<Option<Outcome>, Stop> {
    let Made { told, stats, tree } = made;
    let wrong = |err| Outcome { err, status: WRONG, ..Outcome::default() };
    let Some(mut tree) = tree else { return Ok(Some(wrong(told))) };
    let (out, checkout) = args.folder();
    if let Some(backend) = checkout {
        tree = tree.in_checkout(backend).map_err(|e| e.to_string())?;
    }
    take_shared(&mut tree, out)?;
    let mut findings = Findings::default();
    let model = fresh.map(Fresh::model);
    let companions = companions::take(args.files.as_deref(), out, &mut tree, model, &mut findings)?;
    if findings.has_errors() {
        return Ok(fresh.map(|fresh| wrong(fresh.wrong(args, findings))));
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
        return Ok(Some(told));
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
    Ok(Some(told))
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
