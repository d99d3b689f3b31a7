//! `rocpkg render`: writes or edits the recipes of packages.

use crate::args::RenderArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, WRONG, shown};
use crate::report::{Report, differences, left, not_checked};
use crate::settings::Settings;
use rocpkg::checkout::{Checkout, Compared, Output};
use rocpkg::explain::is_named;
use rocpkg::model::Findings;
use rocpkg::resolve::Choice;
use rocpkg::{Backend, Options, Stack, Stopped};
use std::path::{Path, PathBuf};

/// The folder to which files are written, and the settings of a checkout there.
struct Destination {
    out: PathBuf,
    /// The distribution of the checkout; `None` if the folder is not a checkout.
    backend: Option<Backend>,
    checkout: Option<Checkout>,
    settings: Settings,
}

impl Destination {
    /// Finds the folder in the command line. If it names none, uses the checkout around the working
    /// folder.
    fn of(args: &RenderArgs) -> Result<Self, Error> {
        if let Some(out) = &args.out {
            return Ok(Self {
                out: out.clone(),
                backend: None,
                checkout: None,
                settings: Settings::default(),
            });
        }
        let settings = Settings::of(args.into.as_deref().unwrap_or(Path::new(".")))?;
        let Some(out) = args
            .into
            .clone()
            .or_else(|| Some(settings.as_ref()?.folder.clone()))
        else {
            let said = "--into DIR writes into a checkout of the distribution, --out DIR all into a folder of its own";
            return Err(Error::Usage(format!(
                "no folder to write to: {said}; `rocpkg init` makes a checkout's settings"
            )));
        };
        let settings = settings.unwrap_or_default();
        let backend = match (args.distros.as_slice(), settings.distribution) {
            ([one], _) => *one,
            ([], Some(one)) => one,
            _ => {
                let said = "holds the files of one distribution: name it, as in `rocpkg render gentoo --into DIR`";
                return Err(Error::Usage(format!(
                    "{}: a checkout {said}",
                    out.display()
                )));
            }
        };
        Ok(Self {
            out,
            backend: Some(backend),
            checkout: None,
            settings,
        })
    }

    /// Opens the checkout in the folder, if there is one. This is a separate step, because reading
    /// the stack needs the settings.
    fn open(mut self, stack: &Stack) -> Result<Self, Error> {
        self.checkout = self
            .backend
            .map(|backend| stack.checkout(backend, &self.out, &self.settings.recipes))
            .transpose()?;
        Ok(self)
    }
}

/// Renders packages. Then writes the files, or compares them with the existing ones.
pub(crate) fn run(args: &RenderArgs, verbose: bool) -> Result<Outcome, Error> {
    let place = Destination::of(args)?;
    let stack = args.plan.model.stack_over(&place.settings.profiles())?;
    into(&stack, args, &place.open(&stack)?, verbose)
}

/// Renders packages with a stack that was read before. Then writes the files, or compares them with
/// the existing ones.
pub(crate) fn over(stack: &Stack, args: &RenderArgs, verbose: bool) -> Result<Outcome, Error> {
    into(stack, args, &Destination::of(args)?.open(stack)?, verbose)
}

fn into(
    stack: &Stack,
    args: &RenderArgs,
    place: &Destination,
    verbose: bool,
) -> Result<Outcome, Error> {
    let (out, settings) = (place.out.as_path(), &place.settings);
    let profiles = [settings.profiles(), args.plan.model.profiles.clone()].concat();
    if !args.check {
        apart(out, &profiles)?;
    }
    let options = options(stack, args, place)?;
    let tree = stack.render(&options)?;
    let mut told = Outcome::default();
    let output = Output {
        prune: args.prune,
        whole: args.whole,
        older: args.older,
        from: args.from.clone(),
        files: args.files.clone(),
        checkout: place.checkout.clone(),
        eclass: args.eclass.or(settings.eclass).map(Into::into),
    };
    if !args.rebuild.is_empty() {
        let names: Vec<&str> = tree
            .rebuilt
            .iter()
            .map(|(_, again)| again.name.as_str())
            .collect();
        let names = if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(" ")
        };
        told.out.push_str(&format!(
            "to be built again in this order, as they hold something of {} (`order --changed` lists what comes after these, too): {names}\n",
            args.rebuild.join(", ")
        ));
    }
    let sources = stack.sources();
    let (refused, faults);
    let findings = if args.check {
        let mut compared = stack.compare(&tree, out, &output)?;
        told.states = std::mem::take(&mut compared.states);
        told.patches = std::mem::take(&mut compared.patches);
        if args.json {
            let is_same = compared.differences.is_empty() && compared.conflicts.is_empty();
            told.status = if is_same { OK } else { DIFFERS };
            let status = if compared.stopped.is_empty() {
                told.status
            } else {
                WRONG
            };
            return Ok(Outcome {
                status,
                states: told.states,
                patches: told.patches,
                ..Outcome::json(&differences(&compared, sources))
            });
        }
        (refused, faults) = (
            std::mem::take(&mut compared.stopped),
            std::mem::take(&mut compared.faults),
        );
        compare((args, verbose), compared, &mut told)
    } else {
        let mut written = stack.write(&tree, out, &output)?;
        told.states = std::mem::take(&mut written.states);
        told.patches = std::mem::take(&mut written.patches);
        told.status = if written.conflicts.is_empty() {
            OK
        } else {
            DIFFERS
        };
        let distro = stack.model().distros.get(Backend::Nix.distro());
        let scope = distro.and_then(|distro| distro.scope.as_ref()?.attribute.as_ref());
        let scope = scope.map_or("", |scope| &scope.value);
        let report = Report {
            out,
            scope,
            checkout: place.checkout.as_ref(),
            verbose,
        };
        if args.json {
            let value = report.json(&written, &tree.rebuilt, sources);
            let status = if written.stopped.is_empty() {
                told.status
            } else {
                WRONG
            };
            return Ok(Outcome {
                status,
                states: told.states,
                patches: told.patches,
                ..Outcome::json(&value)
            });
        }
        told.out.push_str(&report.text(&written));
        let is_chosen = !options.choices.is_empty() || args.allow_missing || args.bare;
        let distros = written
            .summaries
            .keys()
            .filter_map(|b| stack.model().distros.get(b.distro()));
        for (rendered, shipped) in distros.filter_map(|d| Some((d.rendered.as_ref()?, &d.version)))
        {
            if !is_chosen {
                let said =
                    format!("of which more checksums are known than of {shipped}, which ships");
                told.out.push_str(&format!(
                    "rendered at {rendered}, {said}; --release shipped renders that\n"
                ));
            }
        }
        (refused, faults) = (written.stopped, written.faults);
        written.findings
    };
    told.err =
        shown(&faults, sources, verbose) + &shown(&findings, sources, verbose) + &stopped(&refused);
    if !refused.is_empty() {
        told.status = WRONG;
    }
    Ok(told)
}

/// Returns a line with the number and the names of the packages that were not rendered because of a
/// fault. Returns an empty text if there are none.
fn stopped(all: &[Stopped]) -> String {
    let Some(first) = all.first() else {
        return String::new();
    };
    let each = all.iter().map(|s| match &s.needs {
        Some(needs) => format!("{} (it needs {needs})", s.package),
        None => s.package.clone(),
    });
    let names = each.collect::<Vec<_>>().join(", ");
    let (what, verb) = if all.len() == 1 {
        ("package", "is")
    } else {
        ("packages", "are")
    };
    format!(
        "error: {} {what} of {} {verb} not rendered: {names}\n",
        all.len(),
        first.backend.distro()
    )
}

/// Returns the options of rendering. Those of the command line take precedence over the settings of
/// the checkout.
fn options(stack: &Stack, args: &RenderArgs, place: &Destination) -> Result<Options, Error> {
    let backends = place
        .checkout
        .as_ref()
        .map_or_else(|| args.distros.clone(), |c| vec![c.backend()]);
    let settings = &place.settings;
    let mut packages = if args.package.is_empty() {
        settings.packages.clone()
    } else {
        args.package.clone()
    };
    let checkout = place.checkout.as_ref();
    if let Some((backend, own)) = checkout.and_then(|c| Some((c.backend(), c.package()?))) {
        let plan = stack.plan(backend, &Choice::Shipped)?;
        let is_own = |name: &String| {
            let mut all = plan.packages.iter();
            name.eq_ignore_ascii_case(own) || all.any(|p| is_named(p, own) && is_named(p, name))
        };
        if let Some(other) = args.package.iter().find(|name| !is_own(name)) {
            let said = format!("is the checkout of `{own}`, so `{other}` has no place in it");
            return Err(Error::file(&place.out, said));
        }
        packages = vec![own.to_owned()];
    }
    Ok(Options {
        backends,
        choices: settings.choices(&args.plan.release)?,
        packages,
        rebuild: args.rebuild.clone(),
        targets: args.targets.as_ref().or(settings.targets.as_ref()).cloned(),
        allow_missing: args.allow_missing,
        decide_when_written: true,
        allow_guesses: args.allow_guesses,
        maintainers: place
            .backend
            .and_then(|backend| settings.maintainers(backend, &place.out)),
        bare: args.bare,
        review: false,
    })
}

/// Returns an error if `out` is inside a folder of profiles. The next run would read the written
/// files as profiles.
fn apart(out: &Path, profiles: &[PathBuf]) -> Result<(), Error> {
    // A folder that does not exist is looked up by its nearest parent that exists.
    let there = out.ancestors().find_map(|folder| {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        folder.canonicalize().ok()
    });
    let Some(there) = there else { return Ok(()) };
    match profiles.iter().find(|folder| {
        folder
            .canonicalize()
            .is_ok_and(|real| there.starts_with(real))
    }) {
        Some(folder) => Err(Error::Usage(format!(
            "{}: lies in the profiles of {}, which the next run would read with it",
            out.display(),
            folder.display()
        ))),
        None => Ok(()),
    }
}

/// Adds the differences between the existing and the rendered files to `told`. Returns the findings
/// about the rendered files.
fn compare(
    (args, verbose): (&RenderArgs, bool),
    compared: Compared,
    told: &mut Outcome,
) -> Findings {
    for d in compared.differences {
        let how = if d.kind.is_stale() && !args.prune {
            " (--prune removes it)"
        } else {
            ""
        };
        told.out
            .push_str(&format!("{}: {}{how}\n{}", d.kind, d.path, d.diff));
        told.status = DIFFERS;
    }
    for note in &compared.notes {
        told.out.push_str(&format!("{note}\n"));
    }
    if !compared.conflicts.is_empty() {
        told.out.push_str(&left(&compared.conflicts));
        told.status = DIFFERS;
    }
    told.out
        .push_str(&not_checked(&compared.unchecked, verbose));
    compared.findings
}
