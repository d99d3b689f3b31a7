//! `rocpkg render`.

use crate::args::RenderArgs;
use crate::outcome::{DIFFERS, Outcome, WRONG, shown};
use crate::profiles;
use rocpkg::model::{Findings, Severity, nearest};
use rocpkg::render::{WriteOptions, check, write};
use rocpkg::{Backend, Stack, StackOptions, StackTree};
use std::fs;
use std::path::Path;

/// Renders, then writes or compares.
pub(crate) fn run(args: &RenderArgs) -> Result<Outcome, String> {
    let choice = args.plan.choice()?;
    let (mut model, mut findings) = profiles::load(&args.plan.model)?;
    if args.bare {
        model.strip_overlays();
    }
    if let (Some(mode), Some(gentoo)) = (args.propagation, model.distros.get_mut(Backend::Gentoo.distro())) {
        gentoo.propagation = Some(mode);
    }
    let mut templates = rocpkg::templates();
    if let Some(folder) = &args.templates {
        templates.extend(
            profiles::read_folder(folder, &["j2"]).map_err(|e| format!("{}: {e}", folder.display()))?,
        );
    }
    let stack = Stack::new(model, &templates).map_err(|e| e.to_string())?;
    let mut backends: Vec<Backend> = args.distros.iter().map(|d| d.backend()).collect();
    if backends.is_empty() {
        // All that the profiles know; of an empty folder, the first is missed.
        backends = Backend::ALL.to_vec();
        backends.retain(|b| stack.model().distros.contains_key(b.distro()));
        if backends.is_empty() {
            backends.push(Backend::Gentoo);
        }
    }
    profiles::require(stack.model(), &findings, &backends)?;
    backends.sort_unstable();
    backends.dedup();
    let options = StackOptions {
        backends,
        choice,
        packages: args.package.clone(),
        allow_missing: args.allow_missing,
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
            findings.push(f);
        }
    }
    finish(args, &stack, &options, tree, &findings)
}

fn finish(
    args: &RenderArgs,
    stack: &Stack,
    options: &StackOptions,
    mut tree: StackTree,
    findings: &Findings,
) -> Result<Outcome, String> {
    let err = shown(findings, stack.sources());
    if findings.has_errors() {
        return Ok(Outcome { err, status: WRONG, ..Outcome::default() });
    }
    if let Some(name) = tree.unknown.first() {
        let hint = nearest(name, tree.names.iter().map(String::as_str))
            .map(|n| format!("; did you mean `{n}`?"))
            .unwrap_or_default();
        return Err(format!("no package is called `{name}`{hint}"));
    }
    let missing = companions(args.files.as_deref(), &mut tree)?;
    let mut out = Outcome { err, ..Outcome::default() };
    if args.stats {
        out.out.push_str(&crate::stats::stats(&tree, stack.model(), options));
    }
    if args.check {
        let found = check(&tree.files, &args.out, &tree.scope).map_err(|e| e.to_string())?;
        for d in &found {
            out.out.push_str(&format!("{}: {}\n{}", d.kind, d.path, d.diff));
        }
        out.status = if found.is_empty() { 0 } else { DIFFERS };
        return Ok(out);
    }
    let options = WriteOptions { force: args.force, prune: args.prune, scope: tree.scope.clone() };
    let report = write(&tree.files, &args.out, &options).map_err(|e| e.to_string())?;
    let counts: Vec<String> = tree.packages.iter().map(|(d, n)| format!("{d} {n}")).collect();
    out.out.push_str(&format!(
        "{}: {} files written, {} unchanged, {} removed (packages: {})\n",
        args.out.display(),
        report.written.len(),
        report.unchanged,
        report.removed.len(),
        counts.join(", "),
    ));
    for path in report.stale {
        out.out.push_str(&format!("no longer rendered, removed by --prune: {path}\n"));
    }
    if !missing.is_empty() {
        out.out.push_str(&format!("to be supplied with --files DIR ({}):\n", missing.len()));
        for path in missing {
            out.out.push_str(&format!("  {path}\n"));
        }
    }
    Ok(out)
}

/// Takes companions out of the user's folder; the ones that are not there are returned.
fn companions(folder: Option<&Path>, tree: &mut StackTree) -> Result<Vec<String>, String> {
    let mut missing = Vec::new();
    let mut all = std::mem::take(&mut tree.companions);
    all.sort();
    all.dedup_by(|a, b| a.path == b.path);
    for c in all {
        // A user's checkout of one distribution has no `gentoo/` above it.
        let short = c.path.split_once('/').map_or("", |(_, rest)| rest);
        let found = folder.and_then(|f| [f.join(&c.path), f.join(short)].into_iter().find(|p| p.is_file()));
        match found {
            Some(path) => {
                let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                tree.files.insert(c.path, bytes).map_err(|e| e.to_string())?;
            }
            None => missing.push(c.path),
        }
    }
    Ok(missing)
}
