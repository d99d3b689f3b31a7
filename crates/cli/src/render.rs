//! `rocpkg render`: writes or edits the recipes of packages.

use crate::args::RenderArgs;
use crate::error::Error;
use crate::outcome::{Outcome, Verbosity};
use crate::report::Report;
use crate::settings::{Settings, is_apart};
use rocpkg::checkout::{Checkout, Output, RecipeEdits};
use rocpkg::internal::is_named;
use rocpkg::internal::resolve::Choice;
use rocpkg::{Backend, Options, Stack};
use std::collections::BTreeSet;
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
            let said = "use --into DIR for a checkout of one distribution, or --out DIR for a new folder with all";
            return Err(Error::Usage(format!(
                "no folder to write to: {said}; `rocpkg init` makes a checkout's settings"
            )));
        };
        let settings = settings.unwrap_or_default();
        let backend = match (args.distros.as_slice(), settings.distribution) {
            ([one], _) => *one,
            ([], Some(one)) => one,
            _ => {
                let said = "contains the files of one distribution: name it, as in `rocpkg render gentoo --into DIR`";
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
pub(crate) fn run(args: &RenderArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let place = Destination::of(args)?;
    let distros = place.backend.map_or(args.distros.clone(), |own| vec![own]);
    let settings = &place.settings;
    let stack = settings.stack(&args.plan.model, args.propagation, &distros)?;
    into(&stack, args, &place.open(&stack)?, verbosity)
}

fn into(
    stack: &Stack,
    args: &RenderArgs,
    place: &Destination,
    verbosity: Verbosity,
) -> Result<Outcome, Error> {
    let (out, settings) = (place.out.as_path(), &place.settings);
    let profiles = [settings.profiles(), args.plan.model.profiles.clone()].concat();
    if !args.check {
        is_apart(out, &profiles)?;
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
        protected: BTreeSet::new(),
        checkout: place.checkout.clone(),
        eclass: args.eclass.or(settings.eclass).map(Into::into),
        run_makepkg: args.run_makepkg || settings.run_makepkg,
        ..Output::default()
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
            "to be rebuilt in this order, because they contain code of {} (`order --changed` lists all that depends on these): {names}\n",
            args.rebuild.join(", ")
        ));
    }
    let edits = if args.check {
        RecipeEdits::Compared(stack.compare(&tree, out, &output)?)
    } else {
        RecipeEdits::Written(stack.write(&tree, out, &output)?)
    };
    let report = Report {
        out,
        stack,
        checkout: place.checkout.as_ref(),
        prunes: args.prune,
        is_stat: args.stat,
        verbosity,
    };
    if args.json {
        return Ok(report.json(&edits, &tree.rebuilt));
    }
    let shown = report.outcome(&edits);
    if verbosity.is_quiet() {
        return Ok(shown);
    }
    told.out.push_str(&shown.out);
    let is_chosen = !options.choices.is_empty() || args.allow_missing || args.bare;
    if let RecipeEdits::Written(written) = &edits {
        let backends = written.merged.packages.keys();
        let distros = backends.filter_map(|b| stack.model().distros.get(b.distro()));
        for (rendered, shipped) in distros.filter_map(|d| Some((d.rendered.as_ref()?, &d.version)))
        {
            if !is_chosen {
                let said = format!(
                    "because more checksums are known than for {shipped}, which the distribution ships"
                );
                told.out.push_str(&format!(
                    "rendered at {rendered}, {said}; --release shipped renders that release\n"
                ));
            }
        }
    }
    Ok(Outcome {
        out: told.out,
        is_paged: shown.is_paged && !args.no_pager,
        ..shown
    })
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
            let said = format!("is the checkout of `{own}`, not of `{other}`");
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
