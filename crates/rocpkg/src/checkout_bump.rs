//! Moves a checkout to another release: the model in a layer of the checkout, and its recipes.

use crate::backend::Backend;
use crate::changes::printed;
use crate::error::Error;
#[cfg(feature = "upstream")]
use crate::gathered::{Gathered, SumSources};
use crate::model_bump::{Bump, Bumped, ReviewItem, Risk};
use crate::names::is_named;
use crate::needs;
use crate::options::Options;
use crate::output::{
    Checkout, Compared, Eclass, Fork, Output, OwnPatch, RemovedPatch, SplitOff, State,
    UpstreamedPatch, Written,
};
use crate::output::{has_only_live, protect};
#[cfg(feature = "upstream")]
use crate::probe::{PatchFiles, Probe, Probed, ProbedStep, SourceTrees, TriedPatch};
use crate::stack::Stack;
use rocpkg_model::{Files, Maintainer};
use rocpkg_render::Difference;
use rocpkg_resolve::{Choice, Planned, Release};
#[cfg(feature = "upstream")]
use rocpkg_upstream::probe::Fate;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A request to move the recipes of a checkout to a release.
#[derive(Debug)]
pub struct BumpRequest {
    /// The distribution of the checkout.
    pub backend: Backend,
    /// The folder of the checkout.
    pub folder: PathBuf,
    /// The folder of profiles to which the model's changes are written. It need not exist.
    pub layer: PathBuf,
    /// The release to move to.
    pub version: Release,
    /// The packages, by any of their names, or by the folders of forks. If empty, all packages with
    /// an existing recipe.
    pub packages: Vec<String>,
    /// The packages of recipes in folders of other names, as for [`Stack::checkout`].
    pub recipes: BTreeMap<String, String>,
    /// The GPUs that packages are built for, as in [`Options::targets`].
    pub targets: Option<String>,
    /// The maintainers of new packages, as in [`Options::maintainers`].
    pub maintainers: Option<Vec<Maintainer>>,
    /// The release of recipes whose version the model does not have, as in [`Output::from`].
    pub from: Option<Choice>,
    /// The treatment of the eclass, as in [`Output::eclass`].
    pub eclass: Option<Eclass>,
    /// Set if packages that rest on guesses are edited too.
    pub allow_guesses: bool,
    /// Set if makepkg may run, as in [`Output::run_makepkg`].
    pub run_makepkg: bool,
    /// Set if nothing is written.
    pub dry_run: bool,
    /// The paths of files that must not be changed, relative to the checkout, as in
    /// [`Output::protected`]. They may be in the layer.
    pub protected: BTreeSet<String>,
    /// Checksums to add to the release's table, as in [`Bump::sums`].
    pub known_sums: Vec<(String, String)>,
    /// The places from which unknown checksums are gathered first. If `None`, none are gathered.
    #[cfg(feature = "upstream")]
    pub sums: Option<SumSources>,
    /// Upstream's sources, on which the steps of the recipes are tried. If `None`, none are tried.
    #[cfg(feature = "upstream")]
    pub sources: Option<SourceTrees>,
}

/// The edits of recipes in a checkout: written, or only computed in a dry run.
#[derive(Clone, Debug)]
pub enum RecipeEdits {
    /// The edits were written.
    Written(Written),
    /// The edits were compared with the existing files.
    Compared(Compared),
}

impl RecipeEdits {
    /// Returns the state of each package, by its id.
    pub fn states(&self) -> &BTreeMap<String, State> {
        match self {
            Self::Written(written) => &written.states,
            Self::Compared(compared) => &compared.states,
        }
    }

    /// Returns the patches that edited recipes apply, by the package's id.
    pub fn patches(&self) -> &BTreeMap<String, Vec<OwnPatch>> {
        match self {
            Self::Written(written) => &written.patches,
            Self::Compared(compared) => &compared.patches,
        }
    }

    /// Returns the patches that were removed from recipes, because upstream's sources contain their
    /// changes.
    pub fn removed_patches(&self) -> &[RemovedPatch] {
        match self {
            Self::Written(written) => &written.removed_patches,
            Self::Compared(compared) => &compared.removed_patches,
        }
    }

    /// Returns `patch` as a patch that was removed from its recipe; none if it was not removed.
    #[cfg(feature = "upstream")]
    pub fn removed(&self, patch: &TriedPatch) -> Option<&RemovedPatch> {
        let mut all = self.removed_patches().iter();
        all.find(|removed| removed.path == patch.path && removed.patch == patch.patch)
    }
}

/// The result of [`bump`].
#[derive(Debug)]
#[non_exhaustive]
pub struct BumpReport {
    /// The model after the bump. Findings of the report point into its texts.
    pub stack: Stack,
    /// The checkout.
    pub checkout: Checkout,
    /// The changes of the model, with the review items about the packages that move.
    pub bumped: Bumped,
    /// The differences in the layer. They were written, unless the request was a dry run.
    pub profiles: Vec<Difference>,
    /// The edits of the recipes.
    pub recipes: RecipeEdits,
    /// The gathered checksums. `None` if none were requested.
    #[cfg(feature = "upstream")]
    pub gathered: Option<Gathered>,
    /// The steps of the recipes as tried on upstream's sources. `None` if they were not tried.
    #[cfg(feature = "upstream")]
    pub probed: Option<Probed>,
    /// The patches of the existing recipes as tried on upstream's sources. A patch whose changes
    /// the sources contain was removed from its recipe if [`RecipeEdits::removed_patches`] has it.
    #[cfg(feature = "upstream")]
    pub tried_patches: Vec<TriedPatch>,
    /// The state of each requested package, by its id. Split-off recipes are included, by their
    /// folders.
    pub states: BTreeMap<String, State>,
    /// The forks of the packages that move.
    pub forks: Vec<Fork>,
    /// The distribution's names of the packages that move, by their ids.
    pub names: BTreeMap<String, String>,
    /// The versions of these packages at the release, as recipes print them, by the packages' ids.
    pub versions: BTreeMap<String, String>,
    /// The packages that each of these packages depends on, by ids. Optional dependencies are left
    /// out.
    pub needs: BTreeMap<String, BTreeSet<String>>,
}

impl BumpReport {
    /// Returns true if nothing is left to do: every package is done, and every checksum is known.
    pub fn is_done(&self) -> bool {
        let mut items = self.bumped.look.iter();
        // A recipe without its checksums can't be built.
        let is_without_sums = items.any(|item| item.risk == Risk::Checksum);
        !is_without_sums && self.states.values().all(State::is_done)
    }
}

/// Moves the recipes of a checkout to a release.
///
/// A release that is not in the model, and the checksums that are gathered for it, are written to
/// the layer of the request. The existing recipes are edited. If upstream's sources are given, the
/// steps of the recipes are tried on them. A second run at the same release changes nothing, and
/// reports the review items again.
///
/// `stack` is the model of the checkout, with or without the layer.
///
/// # Errors
/// When the folder is no checkout of the distribution, or has no recipe of the requested packages.
/// Also the errors of [`Stack::bump`], [`Stack::render`] and [`Stack::write`].
pub fn bump(stack: &Stack, request: &BumpRequest) -> Result<BumpReport, Error> {
    let backend = request.backend;
    let layer = Layer::of(stack, &request.layer)?;
    let model_bump = Bump {
        backends: vec![backend],
        sums: request.known_sums.clone(),
        ..Bump::new(request.version.clone())
    };
    let bumped = layer.bump(&model_bump)?;
    let stack = layer.after(&bumped);
    let choice = Choice::Release(request.version.clone());
    let checkout = stack.checkout(backend, &request.folder, &request.recipes)?;
    let (packages, split_off) = packages(&stack, &checkout, request)?;
    let options = Options {
        backends: vec![backend],
        choices: vec![choice.clone()],
        packages: packages.clone(),
        ..Options::everything()
    };
    #[cfg(feature = "upstream")]
    let gather = |from| stack.gather_sums(&options, from);
    #[cfg(feature = "upstream")]
    let gathered = request.sums.as_ref().map(gather).transpose()?;
    #[cfg(feature = "upstream")]
    let (stack, bumped) = match &gathered {
        None => (stack, bumped),
        Some(gathered) => {
            let name = "the checksums that were computed".to_owned();
            let mut model_bump = model_bump;
            model_bump.sums.push((name, gathered.table(&stack)));
            let bumped = layer.bump(&model_bump)?;
            (layer.after(&bumped), bumped)
        }
    };
    let options = Options {
        decide_when_written: true,
        allow_guesses: request.allow_guesses,
        targets: request.targets.clone(),
        maintainers: request.maintainers.clone(),
        ..options
    };
    let profiles = bumped.differences(&request.layer)?;
    if !request.dry_run
        && let Ok(below) = request.layer.strip_prefix(&request.folder)
    {
        protect(
            &profiles,
            &format!("{}/", below.display()),
            &request.protected,
        )?;
    }
    #[cfg(feature = "upstream")]
    let tried_patches = match &request.sources {
        None => Vec::new(),
        Some(trees) => stack.try_patches(&options, &checkout, &request.folder, trees)?,
    };
    #[cfg(feature = "upstream")]
    let upstreamed = upstreamed(&tried_patches);
    #[cfg(not(feature = "upstream"))]
    let upstreamed = BTreeMap::new();
    let recipes = edits(&stack, &checkout, request, &options, upstreamed)?;
    if !request.dry_run && !profiles.is_empty() {
        bumped.write(&request.layer)?;
    }
    #[cfg(feature = "upstream")]
    let probed = match &request.sources {
        None => None,
        Some(trees) => Some(stack.probe(&Probe {
            backends: vec![backend],
            choice: choice.clone(),
            packages: packages.clone(),
            trees,
            patches: PatchFiles::of(std::slice::from_ref(&request.folder))?,
        })?),
    };
    #[cfg(feature = "upstream")]
    let probed = probed.map(|probed| without_removed(probed, &recipes));
    let PlannedNames {
        names,
        versions,
        needs,
    } = PlannedNames::of(&stack, backend, &packages, &choice)?;
    let mut bumped = bumped;
    keep_items_of(&mut bumped, backend, &names);
    with_own_patches(&mut bumped, backend, recipes.patches(), &names);
    #[cfg(feature = "upstream")]
    without_tried(&mut bumped, backend, &tried_patches, &names);
    let mut states = recipes.states().clone();
    states.retain(|id, _| packages.contains(id));
    #[cfg(feature = "upstream")]
    {
        with_failing_patches(&mut states, &tried_patches, &recipes);
        with_failing_steps(&mut states, probed.as_ref(), &names);
    }
    states.extend(split_off.iter().map(|recipe| {
        let reason = recipe.reason();
        (recipe.folder.clone(), State::Untouched { reason })
    }));
    let forks = checkout.forks().iter();
    let forks = forks.filter(|fork| packages.contains(&fork.package));
    Ok(BumpReport {
        forks: forks.cloned().collect(),
        stack,
        checkout,
        bumped,
        profiles,
        recipes,
        #[cfg(feature = "upstream")]
        gathered,
        #[cfg(feature = "upstream")]
        probed,
        #[cfg(feature = "upstream")]
        tried_patches,
        states,
        names,
        versions,
        needs,
    })
}

/// Returns the patches to remove from the recipes, by the recipes' paths: those of `tried` whose
/// changes upstream's sources contain.
#[cfg(feature = "upstream")]
fn upstreamed(tried: &[TriedPatch]) -> BTreeMap<String, Vec<UpstreamedPatch>> {
    let mut out: BTreeMap<String, Vec<UpstreamedPatch>> = BTreeMap::new();
    for patch in tried.iter().filter(|patch| patch.fate == Fate::Already) {
        let all = out.entry(patch.path.clone()).or_default();
        all.push(patch.upstreamed());
    }
    out
}

/// Edits the recipes that `options` request, or compares them in a dry run. `upstreamed` are the
/// patches to remove from them, by the paths of the existing recipes.
fn edits(
    stack: &Stack,
    checkout: &Checkout,
    request: &BumpRequest,
    options: &Options,
    upstreamed: BTreeMap<String, Vec<UpstreamedPatch>>,
) -> Result<RecipeEdits, Error> {
    let tree = stack.render(options)?;
    let output = Output {
        from: request.from.clone(),
        checkout: Some(checkout.clone()),
        eclass: request.eclass,
        upstreamed,
        protected: request.protected.clone(),
        run_makepkg: request.run_makepkg,
        ..Output::default()
    };
    let folder = &request.folder;
    Ok(if request.dry_run {
        RecipeEdits::Compared(stack.compare(&tree, folder, &output)?)
    } else {
        RecipeEdits::Written(stack.write(&tree, folder, &output)?)
    })
}

/// Counts each patch that does not apply, and that is still in its recipe, as a conflict that is
/// left to the maintainer.
#[cfg(feature = "upstream")]
fn with_failing_patches(
    states: &mut BTreeMap<String, State>,
    tried: &[TriedPatch],
    recipes: &RecipeEdits,
) {
    let failing = tried
        .iter()
        .filter(|patch| patch.is_tried() && !patch.applies());
    for patch in failing.filter(|patch| recipes.removed(patch).is_none()) {
        add_row(states, &patch.package);
    }
}

/// Counts each step of the model that fails on upstream's sources as a conflict that is left to the
/// maintainer. Patches are counted as the recipes apply them, by [`with_failing_patches`]. `names`
/// are the distribution's names of the packages, by id.
#[cfg(feature = "upstream")]
fn with_failing_steps(
    states: &mut BTreeMap<String, State>,
    probed: Option<&Probed>,
    names: &BTreeMap<String, String>,
) {
    let steps = probed.iter().flat_map(|probed| &probed.steps);
    for step in steps.filter(|step| step.fails() && step.patch().is_none()) {
        let id = names.iter().find(|(_, name)| **name == step.package);
        if let Some((id, _)) = id {
            add_row(states, id);
        }
    }
}

/// Counts one more conflict of the package `id`.
#[cfg(feature = "upstream")]
fn add_row(states: &mut BTreeMap<String, State>, id: &str) {
    match states.get_mut(id) {
        Some(State::Conflicts { rows }) => *rows += 1,
        Some(state) if state.is_done() => *state = State::Conflicts { rows: 1 },
        _ => {}
    }
}

/// Removes from `probed` the model's steps for patches that were removed from the recipes.
#[cfg(feature = "upstream")]
fn without_removed(mut probed: Probed, recipes: &RecipeEdits) -> Probed {
    let removed = recipes.removed_patches();
    let is_removed = |step: &ProbedStep| {
        let mut all = removed.iter();
        all.any(|patch| step.patch() == Some(&patch.patch))
    };
    probed.steps.retain(|step| !is_removed(step));
    probed
}

/// The folder of profiles to which a bump of a checkout is written.
struct Layer<'f> {
    /// The model, including the layer as it is before the bump.
    stack: Stack,
    folder: &'f Path,
}

impl<'f> Layer<'f> {
    /// Adds the layer to `stack`, unless the stack has it.
    fn of(stack: &Stack, folder: &'f Path) -> Result<Self, Error> {
        let (name, stack) = (folder.display().to_string(), stack.clone());
        let stack = if stack.layers.iter().any(|(layer, _)| *layer == name) {
            stack
        } else if folder.is_dir() {
            stack.layer(folder)?
        } else {
            stack.texts(&name, Files::new())
        };
        Ok(Self { stack, folder })
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

    /// Returns the model after the bump.
    fn after(&self, bumped: &Bumped) -> Stack {
        let name = self.folder.display().to_string();
        self.stack.clone().texts(&name, bumped.files.clone())
    }
}

/// Returns the ids of the packages that move, and the split-off recipes that don't. A split-off
/// recipe builds a part of another package, such as comgr of rocm-llvm. The packages are those of
/// the request, or else all with an existing recipe. A requested package without an existing recipe
/// is an error.
fn packages<'c>(
    stack: &Stack,
    checkout: &'c Checkout,
    request: &BumpRequest,
) -> Result<(Vec<String>, Vec<&'c SplitOff>), Error> {
    let (given, folder) = (&request.packages, &request.folder);
    let choice = Choice::Release(request.version.clone());
    let options = Options {
        backends: vec![request.backend],
        choices: vec![choice.clone()],
        ..Options::everything()
    };
    let existing = stack.recipes_there(&options, folder, checkout)?;
    let all = checkout.split_off().iter();
    let split_off: Vec<&SplitOff> = all
        .filter(|recipe| given.is_empty() || given.contains(&recipe.folder))
        .collect();
    let is_split_off = |name: &String| split_off.iter().any(|recipe| recipe.folder == *name);
    let is_only = existing.is_empty() || !given.is_empty() && given.iter().all(is_split_off);
    if let Some(first) = split_off.first().filter(|_| is_only) {
        let said = format!("the recipe is left as it is: {}", first.reason());
        return Err(Error::place(Path::new(&first.folder), said));
    }
    if existing.is_empty() {
        return Err(Error::NoRecipe {
            folder: folder.clone(),
            package: None,
        });
    }
    if given.is_empty() {
        return Ok((existing, split_off));
    }
    let in_fork = |name: &String| checkout.package_in(name).map(str::to_owned);
    let named = given.iter().filter(|name| !is_split_off(name));
    let named: Vec<String> = named
        .map(|name| in_fork(name).unwrap_or_else(|| name.clone()))
        .collect();
    let (plans, _) = stack.plans(&[request.backend], &choice, &named)?;
    let mut all = Vec::new();
    for name in named {
        let known = plans.iter();
        let mut known = known.flat_map(|plan| plan.packages.iter().map(move |p| (plan, p)));
        let own = request.backend.implementation();
        match known.find(|(_, p)| is_named(p, &name)) {
            None => return Err(stack.no_package(&plans, &name)),
            Some((_, p)) if existing.contains(&p.id) => all.push(p.id.clone()),
            Some((plan, p)) if has_only_live(folder, &own.package_folder(plan, p)) => {
                let said = format!(
                    "only a live ebuild of {name} is in this folder; `rocpkg render --package {name}` makes one of a release"
                );
                return Err(Error::place(folder, &said));
            }
            Some(_) => {
                return Err(Error::NoRecipe {
                    folder: folder.clone(),
                    package: Some(name),
                });
            }
        }
    }
    Ok((all, split_off))
}

/// Texts of packages, by the packages' ids.
type ById = BTreeMap<String, String>;

/// The packages of a request in the plan of its release.
struct PlannedNames {
    /// The distribution's names of the packages.
    names: ById,
    /// The versions of the packages, as recipes print them.
    versions: ById,
    /// The ids of the packages that each package depends on.
    needs: BTreeMap<String, BTreeSet<String>>,
}

impl PlannedNames {
    /// Plans a release. `packages` contains ids or names.
    ///
    /// # Errors
    /// All errors in the profiles of the packages.
    fn of(
        stack: &Stack,
        backend: Backend,
        packages: &[String],
        choice: &Choice,
    ) -> Result<Self, Error> {
        let (plans, _) = stack.plans(&[backend], choice, packages)?;
        let (mut names, mut versions) = (ById::new(), ById::new());
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for plan in &plans {
            let is_meant = |p: &&Planned| packages.iter().any(|name| is_named(p, name));
            for p in plan.packages.iter().filter(is_meant) {
                names.insert(p.id.clone(), p.name.clone());
                versions.insert(p.id.clone(), printed(plan, p));
            }
            // No build order satisfies the needs of a circle, and all of them are needs here.
            let (satisfied, circular) = needs::needs(backend, plan);
            for need in satisfied.into_iter().chain(circular) {
                all.entry(need.from).or_default().insert(need.to);
            }
        }
        all.retain(|id, _| names.contains_key(id));
        Ok(Self {
            names,
            versions,
            needs: all,
        })
    }
}

/// Removes the review items and moved packages that don't concern a package in `names`. Review
/// items without a package stay, unless they are about the distribution's files in the model, which
/// a checkout does not contain.
fn keep_items_of(bumped: &mut Bumped, backend: Backend, names: &BTreeMap<String, String>) {
    let is_meant = |name: &str| names.values().any(|own| own == name);
    let of_model = |item: &ReviewItem| {
        let place = item.place.as_ref();
        place.is_some_and(|place| place.starts_with("distros/"))
    };
    bumped.look.retain(|item| {
        let is_shared = item.packages.is_empty() && !of_model(item);
        is_shared || item.packages_of(backend).any(is_meant)
    });
    for moved in &mut bumped.moved {
        moved.packages.retain(|p| is_meant(&p.name));
    }
}

/// Removes the review items about patches that were tried on upstream's sources. `names` are the
/// distribution's names of the packages, by their ids.
#[cfg(feature = "upstream")]
fn without_tried(
    bumped: &mut Bumped,
    backend: Backend,
    tried: &[TriedPatch],
    names: &BTreeMap<String, String>,
) {
    let all = tried.iter().filter(|patch| patch.is_tried());
    let decided: BTreeSet<(String, &str)> = all
        .filter_map(|patch| {
            let package = format!("{}:{}", backend.distro(), names.get(&patch.package)?);
            Some((package, patch.patch.as_str()))
        })
        .collect();
    bumped.look.retain_mut(|item| {
        let file = item.said.split('`').nth(1).unwrap_or_default();
        let file = file.rsplit('/').next().unwrap_or_default();
        let packages = item.packages.len();
        if item.risk == Risk::Patch {
            item.packages
                .retain(|package| !decided.contains(&(package.clone(), file)));
        }
        packages == 0 || !item.packages.is_empty()
    });
}

/// Adapts the review items about patches to the edited recipes. Removes the items about patches of
/// the model that the recipes don't apply, and adds items about patches that only the recipes have.
/// `patches` are those of the recipes, by the packages' ids, and `names` the distribution's names
/// of the packages, by their ids.
fn with_own_patches(
    bumped: &mut Bumped,
    backend: Backend,
    patches: &BTreeMap<String, Vec<OwnPatch>>,
    names: &BTreeMap<String, String>,
) {
    let prefix = format!("{}:", backend.distro());
    let of = |package: &str| {
        let name = package.strip_prefix(&prefix).unwrap_or(package);
        let id = names.iter().find(|(_, own)| *own == name);
        patches.get(id?.0)
    };
    let items = bumped.look.iter_mut();
    for item in items.filter(|item| item.risk == Risk::Patch) {
        let file = item.said.split('`').nth(1).unwrap_or_default().to_owned();
        let is_file = Path::new(&file)
            .extension()
            .is_some_and(|end| end == "patch" || end == "diff");
        let is_it = |patch: &OwnPatch| patch.file.rsplit('/').next() == file.rsplit('/').next();
        item.packages
            .retain(|p| !is_file || of(p).is_none_or(|own| own.iter().any(is_it)));
    }
    bumped
        .look
        .retain(|item| item.risk != Risk::Patch || !item.packages.is_empty());
    for (id, own) in patches {
        let Some(name) = names.get(id) else {
            continue;
        };
        for patch in own.iter().filter(|patch| patch.is_own) {
            let place = format!("{}:{}:{}", patch.path, patch.line, patch.column);
            let item = ReviewItem::of_patch(place, &patch.file, format!("{prefix}{name}"));
            bumped.look.push(item);
        }
    }
    bumped.look.sort_by_key(|item| item.risk);
}
