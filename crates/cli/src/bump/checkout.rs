//! `rocpkg bump` in a checkout: all the steps that move its recipes to a release.

use crate::args::{BumpArgs, RenderArgs, UpstreamProbeArgs};
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome};
use crate::settings::{Settings, own_layer};
use crate::{render, sums, upstream};
use rocpkg::bump::{Bump, Bumped, ReviewItem, Risk};
use rocpkg::checkout::{Checkout, Fork, OwnPatch, SplitOff, State};
use rocpkg::explain::is_named;
use rocpkg::model::Files;
use rocpkg::render::Difference;
use rocpkg::resolve::Choice;
use rocpkg::{Backend, Options, Stack};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The number of review items that are shown for a package without `-v`. A review item is something
/// that a person has to look at after a bump.
const SHOWN: usize = 5;

/// Moves the recipes of a checkout to a release. `named` are the packages of the command line.
///
/// A release that is not in the model, and the checksums that are computed for it, are written to
/// the checkout's own layer. The existing recipes are edited. If upstream's files are available,
/// the steps of the recipes are tried on them. A second run at the same release changes nothing,
/// and reports the review items again.
pub(super) fn run(
    args: &BumpArgs,
    (settings, backend): (&Settings, Backend),
    named: Vec<String>,
    verbose: bool,
) -> Result<Outcome, Error> {
    let layer = Layer::of(args, settings)?;
    let mut asked = Bump {
        backends: vec![backend],
        ..Bump::new(args.version.clone())
    };
    let mut told = Outcome::default();
    let mut bumped = layer.bump(&asked)?;
    let becomes = |bumped: &Bumped| -> Result<Stack, Error> {
        let name = layer.folder.display().to_string();
        Ok(Layer::of(args, settings)?
            .stack
            .texts(&name, bumped.files.clone()))
    };
    let mut stack = becomes(&bumped)?;
    let choice = Choice::Release(args.version.clone());
    let checkout = stack.checkout(backend, &settings.folder, &settings.recipes)?;
    let (packages, split_off) = packages(&stack, (settings, &checkout), named, &choice)?;
    if args.computed.is_asked() {
        let options = Options {
            backends: asked.backends.clone(),
            choices: vec![choice.clone()],
            packages: packages.clone(),
            ..Options::everything()
        };
        let rows = sums::computed(&stack, &options, &args.computed)?;
        told.err.push_str(&rows.err);
        told.status = rows.status;
        asked.sums = Some(("the checksums that were computed".to_owned(), rows.out));
        bumped = layer.bump(&asked)?;
        stack = becomes(&bumped)?;
    }
    let recipes = render::over(&stack, &edits(args, &packages, &choice), verbose)?;
    let differences = bumped.differences(&layer.folder)?;
    if !args.dry_run && !differences.is_empty() {
        bumped.write(&layer.folder)?;
        if layer.is_new {
            settings.add_layer(&own_layer(&stack))?;
        }
    }
    let mirror = args
        .computed
        .mirror
        .as_deref()
        .and_then(|mirror| mirror.strip_prefix("file://"));
    let probed = mirror.map(|mirror| {
        let mut asked = UpstreamProbeArgs {
            distros: vec![backend],
            package: packages.clone(),
            mirror: Some(mirror.to_owned()),
            patches: vec![settings.folder.clone()],
            json: args.json,
            ..UpstreamProbeArgs::default()
        };
        asked.plan.release = vec![choice.clone()];
        probe(&stack, &asked, verbose)
    });
    let probed = probed.transpose()?;
    told.status = told
        .status
        .max(recipes.status)
        .max(probed.as_ref().map_or(OK, |p| p.status));
    told.err.push_str(&recipes.err);
    told.err.push_str(probed.as_ref().map_or("", |p| &p.err));
    let called = called(&stack, backend, &packages, &choice)?;
    narrow(&mut bumped, backend, &called.values().cloned().collect());
    with_own_patches(&mut bumped, backend, &recipes.patches, &called);
    let called: BTreeSet<String> = called.into_values().collect();
    // A recipe without its checksums can't be built.
    let is_without_sums = bumped.look.iter().any(|look| look.risk == Risk::Checksum);
    let mut states = recipes.states.clone();
    states.retain(|id, _| packages.contains(id));
    states.extend(split_off.iter().map(|recipe| {
        let reason = recipe.reason();
        (recipe.folder.clone(), State::Untouched { reason })
    }));
    if is_without_sums || !states.values().all(State::is_done) {
        told.status = told.status.max(DIFFERS);
    }
    let forks = checkout.forks().iter();
    let forks: Vec<&Fork> = forks
        .filter(|fork| packages.contains(&fork.package))
        .collect();
    if args.json {
        let read =
            |outcome: &Outcome| serde_json::from_str::<Value>(&outcome.out).unwrap_or_default();
        let mut value = super::document(&bumped, &differences, !args.dry_run);
        value["recipes"] = read(&recipes);
        value["packages"] = json!(states);
        value["forks"] = json!(forks);
        value["probed"] = probed.as_ref().map_or(Value::Null, read);
        return Ok(Outcome {
            out: Outcome::json(&value).out,
            ..told
        });
    }
    told.out.push_str(&layer.told(&differences, args.dry_run));
    told.out.push_str(&recipes.out);
    if let Some(probed) = probed {
        told.out
            .push_str(&format!("\ntried on upstream's files:\n{}", probed.out));
    }
    told.out
        .push_str(&by_package(&bumped, backend, &called, verbose));
    if !settings.versions.is_empty()
        && !settings
            .versions
            .iter()
            .any(|v| v.parse().ok().as_ref() == Some(&args.version))
    {
        told.out.push_str(&format!(
            "rocpkg.toml names other releases: versions = {:?}\n",
            settings.versions
        ));
    }
    for fork in forks {
        told.out.push_str(&format!("{fork}\n"));
    }
    told.out.push_str(&table(&states));
    Ok(told)
}

/// Returns one line for each package, with its state. Packages that are done come last. `states`
/// are the states by the packages' ids.
fn table(states: &BTreeMap<String, State>) -> String {
    let width = states.keys().map(String::len).max().unwrap_or_default();
    let line = |(id, state): (&String, &State)| format!("  {id:width$}  {state}\n");
    let (done, rest): (Vec<_>, Vec<_>) = states.iter().partition(|(_, state)| state.is_done());
    let lines: String = rest.into_iter().chain(done).map(line).collect();
    let count = states.values().filter(|state| state.is_done()).count();
    format!("{count} of {} packages are done\n{lines}", states.len())
}

/// Removes the review items and moved packages that don't concern a package in `called`, the names
/// of the packages in the distribution. Review items without a package stay, unless they are about
/// the distribution's files in the model, which a checkout does not contain.
fn narrow(bumped: &mut Bumped, backend: Backend, called: &BTreeSet<String>) {
    let of_model = |look: &ReviewItem| {
        look.place
            .as_ref()
            .is_some_and(|place| place.starts_with("distros/"))
    };
    bumped.look.retain(|look| {
        let is_shared = look.packages.is_empty() && !of_model(look);
        is_shared
            || look
                .packages
                .iter()
                .any(|p| called.contains(name(p, backend)))
    });
    for moved in &mut bumped.moved {
        moved.packages.retain(|p| called.contains(&p.name));
    }
}

/// Adapts the review items about patches to the edited recipes. Removes the items about patches of
/// the model that the recipes don't apply, and adds items about patches that only the recipes have.
/// `patches` are those of the recipes, by the packages' ids, and `called` the distribution's names
/// of the packages, by their ids.
fn with_own_patches(
    bumped: &mut Bumped,
    backend: Backend,
    patches: &BTreeMap<String, Vec<OwnPatch>>,
    called: &BTreeMap<String, String>,
) {
    let of = |package: &str| {
        let id = called
            .iter()
            .find(|(_, own)| *own == name(package, backend));
        patches.get(id?.0)
    };
    for look in bumped
        .look
        .iter_mut()
        .filter(|look| look.risk == Risk::Patch)
    {
        let file = look.said.split('`').nth(1).unwrap_or_default().to_owned();
        let is_file = Path::new(&file)
            .extension()
            .is_some_and(|end| end == "patch" || end == "diff");
        let is_it = |patch: &OwnPatch| patch.file.rsplit('/').next() == file.rsplit('/').next();
        look.packages
            .retain(|p| !is_file || of(p).is_none_or(|own| own.iter().any(is_it)));
    }
    bumped
        .look
        .retain(|look| look.risk != Risk::Patch || !look.packages.is_empty());
    for (id, own) in patches {
        let Some(name) = called.get(id) else {
            continue;
        };
        for patch in own.iter().filter(|patch| patch.is_own) {
            let place = format!("{}:{}:{}", patch.path, patch.line, patch.column);
            let package = format!("{}:{name}", backend.distro());
            let look = ReviewItem::of_patch(place, &patch.file, package);
            bumped.look.push(look);
        }
    }
    bumped.look.sort_by_key(|look| look.risk);
}

/// The folder of profiles to which a bump of a checkout is written.
struct Layer {
    /// The model, including the layer as it is before the bump.
    stack: Stack,
    folder: PathBuf,
    is_new: bool,
}

impl Layer {
    /// Opens the last folder of profiles in the settings, or a new one if the settings name none.
    fn of(args: &BumpArgs, settings: &Settings) -> Result<Self, Error> {
        let mut stack = args.model.stack_of(&settings.profiles())?;
        let last = settings.profiles().pop();
        let is_new = last.is_none();
        let folder = last.unwrap_or_else(|| settings.folder.join(own_layer(&stack)));
        if is_new {
            stack = if folder.is_dir() {
                stack.layer(&folder)?
            } else {
                stack.texts(&folder.display().to_string(), Files::new())
            };
        }
        Ok(Self {
            stack,
            folder,
            is_new,
        })
    }

    /// Returns the names of the written files as text, or the diffs in a dry run.
    fn told(&self, differences: &[Difference], dry_run: bool) -> String {
        let written =
            |d: &Difference| format!("written: {}\n", self.folder.join(&d.path).display());
        differences
            .iter()
            .map(|d| if dry_run { d.diff.clone() } else { written(d) })
            .collect()
    }

    /// Moves the model to the release in memory. The result contains only the files in `releases/`
    /// and those that the layer already has. Other files would only repeat facts of the shipped
    /// model.
    fn bump(&self, asked: &Bump) -> Result<Bumped, Error> {
        let mut bumped = self.stack.bump(&self.folder.display().to_string(), asked)?;
        bumped
            .files
            .retain(|path, _| path.starts_with("releases/") || self.folder.join(path).is_file());
        Ok(bumped)
    }
}

/// Returns the ids of the packages that move, and the split-off recipes that don't. A split-off
/// recipe builds a part of another package, such as comgr of rocm-llvm. The packages are those in
/// `named`, or else those of the settings, or else all with an existing recipe. A named package
/// without an existing recipe is an error.
fn packages<'a>(
    stack: &Stack,
    (settings, checkout): (&Settings, &'a Checkout),
    named: Vec<String>,
    choice: &Choice,
) -> Result<(Vec<String>, Vec<&'a SplitOff>), Error> {
    let backend = checkout.backend();
    let given = if named.is_empty() {
        settings.packages.clone()
    } else {
        named
    };
    let options = Options {
        backends: vec![backend],
        choices: vec![choice.clone()],
        ..Options::everything()
    };
    let there = stack.recipes_there(&options, &settings.folder, checkout)?;
    let in_fork = |name: &String| checkout.package_in(name).map(str::to_owned);
    let all = checkout.split_off().iter();
    let split_off: Vec<&SplitOff> = all
        .filter(|recipe| given.is_empty() || given.contains(&recipe.folder))
        .collect();
    let is_split_off = |name: &String| split_off.iter().any(|recipe| recipe.folder == *name);
    let is_only = there.is_empty() || !given.is_empty() && given.iter().all(is_split_off);
    if let Some(first) = split_off.first().filter(|_| is_only) {
        let SplitOff { folder, .. } = first;
        let said = format!("{folder}: it is not touched: {}", first.reason());
        return Err(Error::Usage(said));
    }
    let given: Vec<String> = given
        .iter()
        .filter(|name| !is_split_off(name))
        .map(|name| in_fork(name).unwrap_or_else(|| name.clone()))
        .collect();
    if there.is_empty() {
        let said = format!(
            "{}: no recipe of the stack lies there",
            settings.folder.display()
        );
        return Err(Error::Usage(format!(
            "{said}; `rocpkg render --package NAME` makes one"
        )));
    }
    if given.is_empty() {
        return Ok((there, split_off));
    }
    let (plans, _) = stack.plans(&[backend], choice, &given)?;
    let of = |name: &String| {
        plans
            .iter()
            .flat_map(|plan| &*plan.packages)
            .find(|p| is_named(p, name))
    };
    let mut all = Vec::new();
    for name in &given {
        match of(name) {
            None => return Err(stack.no_package(&plans, name).into()),
            Some(p) if there.contains(&p.id) => all.push(p.id.clone()),
            Some(_) => {
                let said = format!(
                    "{name}: no recipe of it lies in {}",
                    settings.folder.display()
                );
                return Err(Error::Usage(format!(
                    "{said}; `rocpkg render --package {name}` makes one"
                )));
            }
        }
    }
    Ok((all, split_off))
}

/// Returns the distribution's name of each package in `packages`, by the package's id. `packages`
/// contains ids or names.
fn called(
    stack: &Stack,
    backend: Backend,
    packages: &[String],
    choice: &Choice,
) -> Result<BTreeMap<String, String>, Error> {
    let (plans, _) = stack.plans(&[backend], choice, packages)?;
    let of = plans.iter().flat_map(|plan| &*plan.packages);
    Ok(of
        .filter(|p| packages.iter().any(|name| is_named(p, name)))
        .map(|p| (p.id.clone(), p.name.clone()))
        .collect())
}

/// Returns the arguments of `rocpkg render` that edit the recipes of `packages`.
fn edits(args: &BumpArgs, packages: &[String], choice: &Choice) -> RenderArgs {
    let mut out = RenderArgs {
        package: packages.to_vec(),
        from: args.from.clone(),
        eclass: args.eclass,
        allow_missing: true,
        allow_guesses: args.allow_guesses,
        check: args.dry_run,
        json: args.json,
        ..RenderArgs::default()
    };
    out.plan.release = vec![choice.clone()];
    out
}

/// Tries the steps of the recipes on upstream's files. Missing sources are reported, but are no
/// error.
fn probe(stack: &Stack, asked: &UpstreamProbeArgs, verbose: bool) -> Result<Outcome, Error> {
    match upstream::probe_over(stack, asked, verbose) {
        Err(why @ Error::NoSources(_)) => Ok(Outcome::done(format!("{why}\n"))),
        done => done,
    }
}

/// Returns the review items as text, by package. Items without a package come first, then packages
/// that move. Among these, the packages with the highest risk come first. `names` are the
/// distribution's names of the packages.
fn by_package(
    bumped: &Bumped,
    backend: Backend,
    names: &BTreeSet<String>,
    verbose: bool,
) -> String {
    let mut all: BTreeMap<(bool, usize, &str), Vec<&ReviewItem>> = BTreeMap::new();
    let moves = |name: &str| {
        bumped
            .moved
            .iter()
            .flat_map(|m| &m.packages)
            .any(|p| p.name == name)
    };
    for name_of in names.iter().map(String::as_str) {
        let of = |look: &&ReviewItem| look.packages.iter().any(|p| name(p, backend) == name_of);
        let looks: Vec<&ReviewItem> = bumped.look.iter().filter(of).collect();
        let worst = bumped
            .look
            .iter()
            .position(|look| of(&look))
            .unwrap_or_default();
        if !looks.is_empty() {
            all.insert((!moves(name_of), worst, name_of), looks);
        }
    }
    let shared: Vec<&ReviewItem> = bumped
        .look
        .iter()
        .filter(|look| look.packages.is_empty())
        .collect();
    let parts = Some(("the release", shared))
        .into_iter()
        .filter(|(_, looks)| !looks.is_empty());
    let mut out = String::new();
    for (name, looks) in parts.chain(all.into_iter().map(|((_, _, name), looks)| (name, looks))) {
        out.push_str(&format!("to look at in {name} ({}):\n", looks.len()));
        let shown = if verbose { looks.len() } else { SHOWN };
        for look in looks.iter().take(shown) {
            let place = look
                .place
                .as_ref()
                .map(|place| format!("{place}: "))
                .unwrap_or_default();
            out.push_str(&format!("  {}: {place}{}\n", look.risk, look.said));
        }
        if looks.len() > shown {
            out.push_str(&format!(
                "  and {} more; -v shows them\n",
                looks.len() - shown
            ));
        }
    }
    for risk in bumped.look.chunk_by(|a, b| a.risk == b.risk) {
        out.push_str(&format!("{}: {}\n", risk[0].risk, risk[0].advice));
    }
    out
}

/// Returns the name in a text `DISTRIBUTION:NAME`: `gentoo:rocblas` gives `rocblas`.
fn name(package: &str, backend: Backend) -> &str {
    package
        .strip_prefix(backend.distro())
        .and_then(|rest| rest.strip_prefix(':'))
        .unwrap_or(package)
}
