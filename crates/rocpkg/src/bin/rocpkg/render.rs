//! `rocpkg render`.

use crate::args::RenderArgs;
use crate::outcome::{DIFFERS, Outcome, shown};
use crate::settings::Settings;
use rocpkg::model::{Findings, legible};
use rocpkg::render::Origin;
use rocpkg::{Backend, Checkout, Compared, Error, LAYERS, Options, Output, Stack, Tree, Written};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where is written, and what the settings there say.
struct Place {
    out: PathBuf,
    checkout: Option<Checkout>,
    settings: Settings,
}

impl Place {
    /// By the command line, else by the settings of the checkout around the working folder.
    fn of(args: &RenderArgs) -> Result<Self, Error> {
        if let Some(out) = &args.out {
            return Ok(Self { out: out.clone(), checkout: None, settings: Settings::default() });
        }
        let settings = Settings::of(args.into.as_deref().unwrap_or(Path::new(".")))?;
        let Some(out) = args.into.clone().or_else(|| Some(settings.as_ref()?.folder.clone())) else {
            let said = "--into DIR writes into a checkout of the distribution, --out DIR all into a folder of its own";
            return Err(Error::Asked(format!(
                "no folder to write to: {said}; `rocpkg init` makes a checkout's settings"
            )));
        };
        let settings = settings.unwrap_or_default();
        let named: Vec<Backend> = args.distros.iter().map(|d| (*d).into()).collect();
        let backend = match (named.as_slice(), settings.backend()) {
            ([one], _) => *one,
            ([], Some(one)) => one,
            _ => {
                let said =
                    "holds the files of one distribution: name it, as in `rocpkg render gentoo --into DIR`";
                return Err(Error::Asked(format!("{}: a checkout {said}", out.display())));
            }
        };
        let checkout = Checkout::of(backend, &out)?;
        Ok(Self { out, checkout: Some(checkout), settings })
    }
}

/// Renders, then writes or compares.
pub(crate) fn run(args: &RenderArgs, verbose: bool) -> Result<Outcome, Error> {
    let place = Place::of(args)?;
    let (out, settings) = (place.out.as_path(), &place.settings);
    let profiles = [settings.profiles(), args.plan.model.profiles.clone()].concat();
    if !args.check {
        apart(out, &profiles)?;
    }
    let options = options(args, &place)?;
    let stack = args.plan.model.stack_over(&settings.profiles())?;
    let tree = stack.render(&options)?;
    let mut told = Outcome::default();
    if args.stats {
        told.out = stats(&stack, &tree, &options)?;
    }
    let mut output = Output::default()
        .force(args.force)
        .keep(args.keep)
        .merge(args.merge)
        .adopt(args.adopt)
        .prune(args.prune);
    if let Some(folder) = &args.files {
        output = output.files(folder);
    }
    if let Some(mode) = args.eclass.or(settings.eclass) {
        output = output.eclass(mode.into());
    }
    if let Some(checkout) = &place.checkout {
        output = output.checkout(checkout.clone());
    }
    if !args.rebuild.is_empty() {
        let names: Vec<&str> = tree.rebuilt.iter().map(|(_, again)| again.name.as_str()).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(" ") };
        told.out.push_str(&format!("to be built again, in this order: {names}\n"));
    }
    let findings = if args.check {
        compare(args, stack.compare(&tree, out, &output)?, &mut told)
    } else {
        let written = stack.write(&tree, out, &output)?;
        report(out, place.checkout.is_some(), &written, verbose, &mut told.out);
        for note in &written.notes {
            told.out.push_str(&format!("{note}\n"));
        }
        for path in &written.conflicts {
            told.out.push_str(&format!("conflict, between the markers of git: {path}\n"));
            told.status = DIFFERS;
        }
        written.findings
    };
    told.err = shown(&findings, stack.sources(), verbose);
    Ok(told)
}

/// What is rendered.
fn options(args: &RenderArgs, place: &Place) -> Result<Options, Error> {
    let named = args.distros.iter().map(|d| (*d).into());
    let backends: Vec<Backend> =
        place.checkout.as_ref().map_or_else(|| named.collect(), |c| vec![c.backend()]);
    let settings = &place.settings;
    let mut packages = if args.package.is_empty() { settings.packages.clone() } else { args.package.clone() };
    if let Some(own) = place.checkout.as_ref().and_then(Checkout::package) {
        if let Some(other) = args.package.iter().find(|p| !p.eq_ignore_ascii_case(own)) {
            let said = format!("is the checkout of `{own}`, so `{other}` has no place in it");
            return Err(Error::Asked(format!("{}: {said}", place.out.display())));
        }
        packages = vec![own.to_owned()];
    }
    let mut options = Options::default()
        .backends(backends)
        .choices(settings.choices(&args.plan.release)?)
        .packages(packages)
        .rebuild(args.rebuild.iter().cloned())
        .allow_missing(args.allow_missing)
        .decide_when_written()
        .allow_guesses(args.allow_guesses)
        .bare(args.bare);
    if let Some(targets) = &args.targets {
        options = options.targets(targets);
    }
    if let Some(mode) = args.propagation {
        options = options.propagation(mode);
    }
    Ok(options)
}

/// Refuses to write into a folder of profiles: the next run would read what this one wrote.
fn apart(out: &Path, profiles: &[PathBuf]) -> Result<(), Error> {
    // What is not there yet lies where the folder lies that is.
    let there = out.ancestors().find_map(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        folder.canonicalize().ok()
    });
    let Some(there) = there else { return Ok(()) };
    match profiles.iter().find(|folder| folder.canonicalize().is_ok_and(|real| there.starts_with(real))) {
        Some(folder) => Err(Error::Asked(format!(
            "{}: lies in the profiles of {}, which the next run would read with it",
            out.display(),
            folder.display()
        ))),
        None => Ok(()),
    }
}

/// Tells how the folder differs.
fn compare(args: &RenderArgs, compared: Compared, told: &mut Outcome) -> Findings {
    for d in compared.differences {
        if args.keep && d.kind.is_by_hand() {
            told.out.push_str(&kept(&d.path));
        } else {
            let how = if d.kind.is_stale() && !args.prune { " (--prune removes it)" } else { "" };
            told.out.push_str(&format!("{}: {}{how}\n{}", d.kind, d.path, d.diff));
            told.status = DIFFERS;
        }
    }
    compared.findings
}

/// Tells what was written, what can be built now, what is missing and what to run next.
fn report(out: &Path, checkout: bool, written: &Written, verbose: bool, told: &mut String) {
    let report = &written.report;
    let shown = legible(&out.display().to_string()).into_owned();
    told.push_str(&format!(
        "{shown}: {} files written, {} unchanged, {} removed\n",
        report.written.len(),
        report.unchanged,
        report.removed.len(),
    ));
    for path in &report.kept {
        told.push_str(&kept(path));
    }
    let what = "there already and the same, but not written by rocpkg, so that --prune leaves them and --force makes them its own";
    listed(what, &report.unowned, verbose, told);
    for path in &report.stale {
        told.push_str(&format!("no longer rendered, removed by --prune: {path}\n"));
    }
    for (backend, summary) in &written.summaries {
        let (packages, ready) = (summary.packages.len(), summary.ready());
        let names = if ready.is_empty() { String::new() } else { format!(": {}", some(&ready, verbose)) };
        told.push_str(&format!(
            "{}: {packages} packages, of which {} can be built now{names}\n",
            backend.folder(),
            ready.len()
        ));
        let mut lacks = |what: &str, ids: &BTreeSet<String>, mend: &str| {
            if !ids.is_empty() {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                told.push_str(&format!("  {what} ({}): {}; {mend}\n", ids.len(), some(&ids, verbose)));
            }
        };
        lacks("without checksums", &summary.without_sums, fetch(*backend));
        lacks("without your patches or files", &summary.without_files, "--files DIR takes them along");
        lacks("left out, as facts are guessed", &summary.guessed, "--allow-guesses writes them");
        told.push_str(&format!("  next: {}\n", next(*backend, &shown, checkout)));
    }
    listed("to be supplied with --files DIR", &written.missing, verbose, told);
}

/// The first of some names; all of them where asked for.
fn some(names: &[&str], verbose: bool) -> String {
    match names {
        [a, b, c, _, more @ ..] if !verbose => format!("{a}, {b}, {c} and {} more", more.len() + 1),
        few => few.join(", "),
    }
}

/// What brings the checksums of archives.
fn fetch(backend: Backend) -> &'static str {
    match backend {
        Backend::Gentoo => "`ebuild FILE manifest` fetches the archives and notes them",
        Backend::Arch => "`updpkgsums` in its folder fetches the archives and notes them",
        Backend::Nix => "a build tells the hash that is to stand there",
        Backend::Solus => "state them in releases/ of a folder for --profiles",
    }
}

/// How a package is built.
fn next(backend: Backend, out: &str, checkout: bool) -> String {
    match backend {
        Backend::Gentoo => format!("name {out}/gentoo in /etc/portage/repos.conf, then `emerge` a package"),
        Backend::Arch => format!("`makepkg --syncdeps` in a folder of {out}/arch"),
        Backend::Nix => {
            format!("nix-build -E 'with import <nixpkgs> {{}}; callPackage {out}/nix {{}}' -A PACKAGE")
        }
        Backend::Solus if checkout => "`go-task` in the folder of a package".to_owned(),
        Backend::Solus => {
            "render with --into into a checkout, then `go-task` in the folder of a package".to_owned()
        }
    }
}

/// How many paths there are; all of them where asked for.
fn listed(what: &str, paths: &[String], verbose: bool, told: &mut String) {
    if paths.is_empty() {
        return;
    }
    let how = if verbose { ":" } else { "; -v lists them" };
    told.push_str(&format!("{what} ({}){how}\n", paths.len()));
    for path in paths.iter().filter(|_| verbose) {
        told.push_str(&format!("  {path}\n"));
    }
}

/// What is said of a file that `--keep` leaves.
fn kept(path: &str) -> String {
    format!("kept as it is, changed by hand or not written by rocpkg: {path}\n")
}

/// Two tables: lines by origin, and lines by the lowest layer that suffices for them.
fn stats(stack: &Stack, tree: &Tree, options: &Options) -> Result<String, Error> {
    let mut out = String::from("lines      data  template      step       raw\n");
    for (folder, counts) in &tree.counts {
        let n = |o: Origin| counts.get(&o).copied().unwrap_or(0);
        out.push_str(&format!(
            "{folder:8}{:7}{:10}{:10}{:10}\n",
            n(Origin::Data),
            n(Origin::Template),
            n(Origin::Step),
            n(Origin::Raw)
        ));
    }
    let heads: String = LAYERS.iter().map(|layer| format!("{layer:>13}")).collect();
    out.push_str(&format!("lines {heads}\n"));
    for (folder, counts) in stack.lines_by_layer(tree, options)? {
        let counts: String = counts.iter().map(|n| format!("{n:13}")).collect();
        out.push_str(&format!("{folder:6}{counts}\n"));
    }
    Ok(out)
}
