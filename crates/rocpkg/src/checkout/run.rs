//! Moves a checkout to another release: the model in a layer of the checkout, and its recipes.

use super::asked::Asked;
use super::bump_request::BumpRequest;
use super::dependents::dependents;
use super::nix_pin::{Pin, PinKind};
use super::{
    Checkout, Compared, Fork, Merged, Output, RecipeReport, RemovedPatch, Todo, TodoKind,
    UpstreamedPatch, Written, protect,
};
use crate::backend::Backend;
use crate::changes::printed;
use crate::error::Error;
#[cfg(feature = "upstream")]
use crate::gathered::Gathered;
use crate::model_bump::{Bump, Bumped, ReviewItem, Risk};
use crate::names::is_named;
use crate::needs;
use crate::options::Options;
#[cfg(feature = "upstream")]
use crate::probe::{PatchFiles, Probe, Probed, ProbedStep, TriedPatch};
use crate::stack::Stack;
use rocpkg_model::Files;
use rocpkg_render::Difference;
use rocpkg_resolve::{Choice, Planned};
#[cfg(feature = "upstream")]
use rocpkg_upstream::probe::Fate;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The edits of recipes in a checkout: written, or only computed in a dry run.
#[derive(Clone, Debug)]
pub enum RecipeEdits {
    /// The edits were written.
    Written(Written),
    /// The edits were compared with the existing files.
    Compared(Compared),
}

impl RecipeEdits {
    /// Returns the facts about the edits, whether they were written or not.
    pub fn merged(&self) -> &Merged {
        match self {
            Self::Written(written) => &written.merged,
            Self::Compared(compared) => &compared.merged,
        }
    }

    /// Returns the paths of the files that change.
    fn changed(&self) -> BTreeSet<&str> {
        match self {
            Self::Written(written) => {
                let paths = written.report.written.iter();
                paths.map(String::as_str).collect()
            }
            Self::Compared(compared) => {
                let paths = compared.differences.iter();
                paths.map(|difference| difference.path.as_str()).collect()
            }
        }
    }

    /// Returns the patches that were removed from recipes, because upstream's sources contain their
    /// changes.
    #[doc(hidden)]
    pub fn removed_patches(&self) -> &[RemovedPatch] {
        &self.merged().removed_patches
    }

    /// Returns `patch` as a patch that was removed from its recipe; none if it was not removed.
    #[cfg(feature = "upstream")]
    #[doc(hidden)]
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
    #[doc(hidden)]
    pub stack: Stack,
    /// The checkout.
    pub checkout: Checkout,
    /// The changes of the model, with the review items about the packages that move.
    #[doc(hidden)]
    pub bumped: Bumped,
    /// The differences in the layer. They were written, unless the request was a dry run.
    #[doc(hidden)]
    pub profiles: Vec<Difference>,
    /// The edits of the recipes.
    pub edits: RecipeEdits,
    /// A report on each recipe of the requested packages, with all that is left. The state of each
    /// recipe, what is committed and the exit status are functions of these reports.
    pub recipes: Vec<RecipeReport>,
    /// The facts about the release as a whole that a person has to review.
    pub release_notes: Vec<String>,
    /// The gathered checksums. `None` if none were requested.
    #[cfg(feature = "upstream")]
    #[doc(hidden)]
    pub gathered: Option<Gathered>,
    /// The steps of the recipes as tried on upstream's sources. `None` if they were not tried.
    #[cfg(feature = "upstream")]
    #[doc(hidden)]
    pub probed: Option<Probed>,
    /// The patches of the existing recipes as tried on upstream's sources. A patch whose changes
    /// the sources contain was removed from its recipe if [`RecipeEdits::removed_patches`] has it.
    #[cfg(feature = "upstream")]
    #[doc(hidden)]
    pub tried_patches: Vec<TriedPatch>,
    /// The forks of the packages that move.
    pub forks: Vec<Fork>,
    /// The distribution's names of the packages that move, by their ids.
    #[doc(hidden)]
    pub names: BTreeMap<String, String>,
    /// The versions of these packages at the release, as recipes print them, by the packages' ids.
    pub versions: BTreeMap<String, String>,
    /// The packages that each of these packages depends on, by ids. Optional dependencies are left
    /// out.
    #[doc(hidden)]
    pub needs: BTreeMap<String, BTreeSet<String>>,
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
        tag: request.tag.clone(),
        sums: request.known_sums.clone(),
        ..Bump::new(request.version.clone())
    };
    let bumped = layer.bump(&model_bump)?;
    let stack = layer.after(&bumped);
    let choice = Choice::Release(request.version.clone());
    let checkout = stack.checkout(backend, &request.folder, &request.recipes)?;
    let checkout = checkout.only(&request.packages);
    let asked = Asked::of(&stack, &checkout, request)?;
    let packages = asked.packages.clone();
    let options = Options {
        backends: vec![backend],
        choices: vec![choice.clone()],
        packages: packages.clone(),
        ..Options::everything()
    };
    // Without names, options request all packages.
    let is_empty = packages.is_empty();
    #[cfg(feature = "upstream")]
    let sums = request.sums.as_ref().filter(|_| !is_empty);
    #[cfg(feature = "upstream")]
    let gather = |from| stack.gather_sums(&options, from);
    #[cfg(feature = "upstream")]
    let gathered = sums.map(gather).transpose()?;
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
    let tried_patches = match request.sources.as_ref().filter(|_| !is_empty) {
        None => Vec::new(),
        Some(trees) => stack.try_patches(&options, &checkout, &request.folder, trees)?,
    };
    #[cfg(feature = "upstream")]
    let tries = Tries::of(&tried_patches);
    #[cfg(not(feature = "upstream"))]
    let tries = Tries::default();
    let edits = match (is_empty, request.dry_run) {
        (false, _) => edits(&stack, &checkout, request, &options, tries)?,
        (true, true) => RecipeEdits::Compared(Compared::default()),
        (true, false) => RecipeEdits::Written(Written::default()),
    };
    if !request.dry_run && !profiles.is_empty() {
        bumped.write(&request.layer)?;
    }
    #[cfg(feature = "upstream")]
    let probed = probed(&stack, request, &packages, &edits)?;
    let planned = PlannedNames::of(&stack, backend, &asked.packages, &choice)?;
    let mut recipes = reports(request, &asked, &edits, &planned);
    #[cfg(feature = "upstream")]
    add_failing_steps(&mut recipes, &planned.names, probed.as_ref());
    let release_notes = add_items(&mut recipes, backend, &bumped.look, &planned.names);
    let PlannedNames {
        names,
        versions,
        needs,
        ..
    } = planned;
    let mut bumped = bumped;
    for moved in &mut bumped.moved {
        moved.packages.retain(|p| names.contains_key(&p.id));
    }
    let forks = checkout.forks().iter();
    let forks = forks.filter(|fork| packages.contains(&fork.package));
    Ok(BumpReport {
        forks: forks.cloned().collect(),
        stack,
        checkout,
        bumped,
        profiles,
        edits,
        recipes,
        release_notes,
        #[cfg(feature = "upstream")]
        gathered,
        #[cfg(feature = "upstream")]
        probed,
        #[cfg(feature = "upstream")]
        tried_patches,
        names,
        versions,
        needs,
    })
}

/// The patches of recipes that were tried, as [`Output`] takes them.
#[derive(Default)]
struct Tries {
    /// As in [`Output::upstreamed`].
    upstreamed: BTreeMap<String, Vec<UpstreamedPatch>>,
    /// As in [`Output::tried`].
    tried: BTreeMap<String, BTreeMap<String, Option<String>>>,
}

#[cfg(feature = "upstream")]
impl Tries {
    fn of(all: &[TriedPatch]) -> Self {
        let mut out = Self::default();
        for patch in all.iter().filter(|patch| patch.is_tried()) {
            let name = patch.patch.clone();
            let failure = (!patch.applies()).then(|| patch.fate.to_string());
            let tried = out.tried.entry(patch.path.clone()).or_default();
            tried.insert(name, failure);
            if patch.fate == Fate::Already {
                let upstreamed = out.upstreamed.entry(patch.path.clone()).or_default();
                upstreamed.push(patch.upstreamed());
            }
        }
        out
    }
}

/// Edits the recipes that `options` request, or compares them in a dry run.
fn edits(
    stack: &Stack,
    checkout: &Checkout,
    request: &BumpRequest,
    options: &Options,
    tries: Tries,
) -> Result<RecipeEdits, Error> {
    let tree = stack.render(options)?;
    let output = Output {
        from: request.from.clone(),
        checkout: Some(checkout.clone()),
        eclass: request.eclass,
        leaves_newer: true,
        upstreamed: tries.upstreamed,
        tried: tries.tried,
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

/// Returns the reports on the recipes of the requested packages, under the distribution's names,
/// and on recipes that the release concerns.
fn reports(
    request: &BumpRequest,
    asked: &Asked,
    edits: &RecipeEdits,
    planned: &PlannedNames,
) -> Vec<RecipeReport> {
    let is_meant = |report: &&RecipeReport| {
        asked.packages.contains(&report.package) || report.package.is_empty()
    };
    let mut all: Vec<RecipeReport> = edits
        .merged()
        .recipes
        .iter()
        .filter(is_meant)
        .cloned()
        .collect();
    for report in all.iter_mut().filter(|report| report.recipe.is_empty()) {
        let places = asked.existing.get(&report.package);
        let place = places.and_then(|all| all.first());
        report.recipe = place.cloned().unwrap_or_default();
        for todo in &mut report.todos {
            todo.recipe.clone_from(&report.recipe);
        }
    }
    let known: BTreeSet<&str> = all.iter().map(|report| report.recipe.as_str()).collect();
    let moving = all.iter().filter(|report| !report.is_untouched());
    let moving = moving.filter_map(|report| {
        let folder = planned.folders.get(&report.package)?;
        let version = planned.versions.get(&report.package)?;
        Some((folder.clone(), version.clone()))
    });
    let folder = &request.folder;
    let dependents = dependents(request.backend, folder, &moving.collect(), &known);
    all.extend(dependents);
    all.extend(asked.reports.iter().cloned());
    let version = request.version.to_string();
    let changed = edits.changed();
    // The entry of a table that was edited is no todo.
    let is_edited = |pin: &&Pin| {
        let is_moved = pin
            .package
            .as_ref()
            .is_some_and(|id| asked.packages.contains(id));
        pin.kind == PinKind::Source && is_moved && changed.contains(pin.path.as_str())
    };
    let pins = asked.pins.iter().filter(|pin| !is_edited(pin));
    all.extend(pins.map(|pin| pin.report(request.backend, &version)));
    let todos = all.iter_mut().flat_map(|report| &mut report.todos);
    for todo in todos.filter(|todo| todo.kind == TodoKind::Newer) {
        todo.blocks = request.is_named;
    }
    for report in all.iter_mut().filter(|report| !report.is_fork) {
        if let Some(name) = planned.names.get(&report.package) {
            report.name.clone_from(name);
        }
    }
    all
}

/// Adds each step of the model that fails on upstream's sources to the reports on its package.
/// Patches are tried as the recipes apply them.
#[cfg(feature = "upstream")]
fn add_failing_steps(
    recipes: &mut [RecipeReport],
    names: &BTreeMap<String, String>,
    probed: Option<&Probed>,
) {
    let steps = probed.iter().flat_map(|probed| &probed.steps);
    for step in steps.filter(|step| step.fails() && step.patch.is_none()) {
        let is_its = |report: &&mut RecipeReport| {
            names.get(&report.package) == Some(&step.package) && !report.is_untouched()
        };
        for report in recipes.iter_mut().filter(is_its) {
            let text = format!("{}: {}", step.what, step.fate);
            report.add(Todo::new(&report.recipe, TodoKind::Step, text));
        }
    }
}

/// Adds the review items about GPU targets and about the release to the reports on their packages.
/// Other items are about facts that the reports have from the recipes themselves. Returns the items
/// about the release as a whole.
fn add_items(
    recipes: &mut [RecipeReport],
    backend: Backend,
    items: &[ReviewItem],
    names: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut notes = Vec::new();
    for item in items {
        let kind = match item.risk {
            Risk::Target => TodoKind::Target,
            Risk::Release => TodoKind::Note,
            _ => continue,
        };
        if item.packages.is_empty() && item.is_shared() {
            notes.push(item.said.clone());
        }
        let packages: BTreeSet<&str> = item.packages_of(backend).collect();
        let is_its = |report: &&mut RecipeReport| {
            let name = names.get(&report.package);
            name.is_some_and(|name| packages.contains(name.as_str())) && !report.is_untouched()
        };
        for report in recipes.iter_mut().filter(is_its) {
            report.add(Todo::new(&report.recipe, kind, &item.said));
        }
    }
    notes
}

/// Tries the steps of the recipes of `packages` on upstream's sources, if the request has any.
///
/// # Errors
/// The errors of [`Stack::probe`].
#[cfg(feature = "upstream")]
fn probed(
    stack: &Stack,
    request: &BumpRequest,
    packages: &[String],
    edits: &RecipeEdits,
) -> Result<Option<Probed>, Error> {
    let sources = request.sources.as_ref().filter(|_| !packages.is_empty());
    let Some(sources) = sources else {
        return Ok(None);
    };
    let all = stack.probe(&Probe {
        backends: vec![request.backend],
        choice: Choice::Release(request.version.clone()),
        packages: packages.to_vec(),
        trees: sources,
        patches: PatchFiles::of(std::slice::from_ref(&request.folder))?,
    })?;
    Ok(Some(without_removed(all, edits)))
}

/// Removes from `probed` the model's steps for patches that were removed from the recipes.
#[cfg(feature = "upstream")]
fn without_removed(mut probed: Probed, recipes: &RecipeEdits) -> Probed {
    let removed = recipes.removed_patches();
    let is_removed = |step: &ProbedStep| {
        let mut all = removed.iter();
        all.any(|patch| step.patch.as_ref() == Some(&patch.patch))
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

    fn after(&self, bumped: &Bumped) -> Stack {
        let name = self.folder.display().to_string();
        self.stack.clone().texts(&name, bumped.files.clone())
    }
}

/// Texts of packages, by the packages' ids.
type ById = BTreeMap<String, String>;

/// The packages of a request in the plan of its release.
struct PlannedNames {
    names: ById,
    /// The folders of the packages, which in Gentoo are the names that dependencies have of them.
    folders: ById,
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
        let (mut names, mut folders, mut versions) = (ById::new(), ById::new(), ById::new());
        let own = backend.implementation();
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for plan in &plans {
            let is_meant = |p: &&Planned| packages.iter().any(|name| is_named(p, name));
            for p in plan.packages.iter().filter(is_meant) {
                names.insert(p.id.clone(), p.name.clone());
                folders.insert(p.id.clone(), own.package_folder(plan, p));
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
            folders,
            versions,
            needs: all,
        })
    }
}

#[cfg(all(test, feature = "gentoo"))]
mod tests {
    use super::super::Output;
    use super::{BumpRequest, bump};
    use crate::backend::Backend;
    use crate::options::Options;
    use crate::stack::Stack;
    use rocpkg_resolve::{Choice, Release};
    use std::collections::BTreeMap;

    /// Returns a stack whose plans no other test makes.
    fn own_stack() -> Stack {
        let text = "summary: Linear algebra\n".to_owned();
        let files = BTreeMap::from([("components/rocblas.yaml".to_owned(), text)]);
        Stack::shipped()
            .expect("sound templates")
            .texts("own", files)
    }

    #[test]
    fn each_plan_is_made_once() {
        let stack = own_stack();
        let options = Options {
            backends: vec![Backend::Gentoo],
            choices: vec![Choice::Shipped],
            packages: vec!["rocblas".to_owned()],
            ..Options::everything()
        };
        for _ in 0..2 {
            stack.plan(Backend::Gentoo, &Choice::Shipped).unwrap();
            stack.render(&options).unwrap();
        }
        assert_eq!(stack.loaded().planned(), [Choice::Shipped]);
        let options = Options {
            maintainers: Some(Vec::new()),
            ..options
        };
        for _ in 0..2 {
            stack.render(&options).unwrap();
        }
        let twice = [Choice::Shipped, Choice::Shipped];
        assert_eq!(stack.loaded().planned(), twice);
        // A layer without files changes nothing.
        let same = stack.clone().texts("empty", BTreeMap::new());
        assert_eq!(same.loaded().planned(), twice);
        let text = "summary: BLAS\n".to_owned();
        let files = BTreeMap::from([("components/rocblas.yaml".to_owned(), text)]);
        assert!(stack.texts("mine", files).loaded().planned().is_empty());
    }

    /// Plans of the shipped version, of the version of the recipes and of the requested release.
    /// The newest release is planned only to recognise recipes in folders of other names.
    #[test]
    fn a_bump_makes_a_plan_for_each_release() {
        let stack = own_stack();
        let release = |text: &str| text.parse::<Release>().unwrap();
        let root = tempfile::tempdir().unwrap();
        let old = Options {
            backends: vec![Backend::Gentoo],
            choices: vec![Choice::Release(release("7.1.1"))],
            packages: vec!["rocblas".to_owned(), "hipblas".to_owned()],
            ..Options::everything()
        };
        let tree = stack.render(&old).unwrap();
        stack.write(&tree, root.path(), &Output::default()).unwrap();
        let folder = root.path().join("gentoo");
        let report = bump(
            &stack,
            &BumpRequest {
                allow_guesses: true,
                dry_run: true,
                ..BumpRequest::new(
                    Backend::Gentoo,
                    folder.clone(),
                    folder.join("rocm-profiles"),
                    release("7.2.4"),
                )
            },
        );
        let of = |text: &str| Choice::Release(release(text));
        assert_eq!(
            report.unwrap().stack.loaded().planned(),
            [Choice::Shipped, of("7.1.1"), of("7.2.4")]
        );
    }
}
