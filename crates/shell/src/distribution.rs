//! The interface by which the library `rocpkg` calls its backends. Each backend implements
//! [`Distribution`] and, with its feature `checkout`, [`ExistingRecipes`].

use rocpkg_model::Findings;
use rocpkg_render::bash::evaluate::{Step, Value};
use rocpkg_render::{Rendered, TemplateError, Templates};
use rocpkg_resolve::{Capabilities, Plan, Planned, Recipes};
use rocpkg_syntax::{Checked, LocalFile, Outline, Reading, RunCommand, Surroundings, Values};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A plan of one version, and the packages whose recipes are rendered from it.
#[derive(Clone, Debug)]
pub struct Edition {
    /// The plan.
    pub plan: Plan,
    /// The ids of the packages whose recipes are rendered; `None` for all.
    pub packages: Option<BTreeSet<String>>,
}

impl Edition {
    /// Returns true if the recipe of the package `id` is rendered at this version.
    pub fn has(&self, id: &str) -> bool {
        self.packages.as_ref().is_none_or(|ids| ids.contains(id))
    }
}

/// A file that the scope of all packages reads, such as nixpkgs' `llvm/default.nix`. Nobody renders
/// the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeFile {
    /// The path of the file, relative to the distribution's folder.
    pub path: String,
    /// The attributes of the scope that the file contains: `llvm`.
    pub attributes: BTreeSet<String>,
    /// The attribute that builds wait for: `llvm.rocmClangStdenv`. None if they wait for none.
    pub built: Option<String>,
    /// The ids of the packages that can't be built without the file, directly or through others.
    pub users: BTreeSet<String>,
}

/// The folder in which patches are applied and phases begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Patches are applied in the folder of the first source. Phases begin in the folder above.
    Above,
    /// The folder of the first source.
    Source,
    /// The folder of the package's project, in a source with many projects.
    Project,
}

/// The way in which recipes change the sources before the build.
#[derive(Clone, Copy, Debug)]
pub struct Preparation {
    /// The phases before the build in which steps change the sources. The value is true for the
    /// phase in which the package's patches are applied.
    pub phases: &'static [(&'static str, bool)],
    /// The folder in which patches are applied and phases begin.
    pub start: Start,
    /// Set if the patches are applied before the steps of their phase, even if a step is the
    /// standard step.
    pub patches_first: bool,
    /// Set if a fetched patch is restricted to the folder of the sources: `relative` of nixpkgs'
    /// `fetchpatch`.
    pub restricts_patches: bool,
    /// Set if a `replace` step fails when the text that it replaces is gone: Nix's
    /// `--replace-fail`. Elsewhere, the step becomes `sed`, which does not fail.
    pub replace_fails: bool,
}

/// The files of a rendering, and for each edition the GPU targets that its recipes pass to
/// upstream's build.
pub type RenderResult = Result<(Rendered, Vec<Recipes>), TemplateError>;

/// The commands of the functions of a recipe.
#[derive(Clone, Debug)]
pub struct Commands {
    /// The names of the functions, each with its commands.
    pub functions: Vec<(String, Vec<Step>)>,
    /// The path of the folder in which sources are unpacked.
    pub unpacked: &'static str,
    /// The path of the folder in which the package manager applies patches by itself; `None` if it
    /// applies none, or if the folder is not known.
    pub start: Option<String>,
}

impl Commands {
    /// Returns the commands, function by function.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.functions.iter().flat_map(|(_, steps)| steps)
    }

    /// Returns the commands with their words as text, to be compared with those of other recipes.
    pub fn listed(&self) -> Vec<RunCommand> {
        let written = |word: &Value| {
            let reason = word.reason().map(ToString::to_string);
            word.written(&reason.unwrap_or_default())
        };
        let all = self.functions.iter().flat_map(|(function, steps)| {
            steps.iter().map(|step| RunCommand {
                function: function.clone(),
                words: [step.name.clone()]
                    .into_iter()
                    .chain(step.words.iter().map(written))
                    .collect(),
                folder: step.folder.clone(),
                is_conditional: step.is_conditional,
                at: step.at.range().unwrap_or_default().start,
            })
        });
        all.collect()
    }
}

/// The rules of a distribution, and the code that renders its recipes. A method has a default if
/// most distributions have the same rule.
pub trait Distribution {
    /// Returns the facts that recipes can express.
    fn capabilities(&self) -> &'static Capabilities;

    /// Returns the names that a reference `${…}` may have. A part in capitals is a placeholder.
    fn words(&self) -> Vec<String>;

    /// Returns the end of each recipe's path, such as `.ebuild`.
    fn recipe_ending(&self) -> &'static str;

    /// Renders at least one edition, and several only if [`Distribution::keeps_several`] is true.
    /// Faults are added to `findings`.
    ///
    /// # Errors
    /// When a template can't be filled in.
    fn render(
        &self,
        editions: &[Edition],
        templates: &Templates,
        findings: &mut Findings,
    ) -> RenderResult;

    /// Returns the GPU targets that the recipes of a plan pass to upstream's build.
    ///
    /// # Errors
    /// When a template can't be filled in.
    fn recipes(
        &self,
        plan: &Plan,
        templates: &Templates,
        findings: &mut Findings,
    ) -> Result<Recipes, TemplateError> {
        let edition = Edition {
            plan: plan.clone(),
            packages: None,
        };
        Ok(self.render(&[edition], templates, findings)?.1.remove(0))
    }

    /// Returns the way in which recipes change the sources before the build.
    fn preparation(&self) -> Preparation;

    /// Returns true if a package must be built before the packages whose texts refer to it: Nix
    /// writes the store path of the built package into these texts.
    fn builds_references(&self) -> bool {
        false
    }

    /// Returns the path of a rendered file in a checkout of the distribution's packages.
    fn in_checkout(&self, path: &str) -> String {
        path.to_owned()
    }

    /// Returns the folder of a package's recipes in a rendered tree.
    fn package_folder(&self, _plan: &Plan, package: &Planned) -> String {
        package.name.clone()
    }

    /// Returns the way in which the distribution itself builds dependents again. `None` if recipes
    /// have a release number that counts rebuilds.
    fn own_rebuilds(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if a review lists the dependencies that packages are built without.
    fn is_reviewed(&self) -> bool {
        true
    }

    /// Returns true if the distribution keeps several versions of a package side by side.
    fn keeps_several(&self) -> bool {
        false
    }

    /// Returns true if packages refer to each other in one scope. A package can then be left out
    /// only together with those that refer to it.
    fn needs_all(&self) -> bool {
        false
    }

    /// Returns true if the texts of a package's overlay refer to another package of the scope,
    /// beside the package's dependencies.
    fn refers_to(&self, _package: &Planned, _other: &Planned) -> bool {
        false
    }

    /// Returns the files that the scope of all packages reads, with the packages that need them.
    fn scope_files(&self, _plan: &Plan) -> Vec<ScopeFile> {
        Vec::new()
    }

    /// Returns true if users choose the features of a package.
    fn users_choose(&self) -> bool {
        self.capabilities().chooses != Some(false)
    }
}

/// The facts by which a checkout of a distribution's packages is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landmark {
    /// Patterns of folders, relative to the checkout, of which one contains a recipe: `*/*`.
    Recipes(&'static [&'static str]),
    /// A folder that the checkout contains.
    Folder(&'static str),
}

/// The kind of a folder that contains a recipe at its top.
#[derive(Clone, Copy, Debug)]
pub enum TopRecipe {
    /// The checkout of a single package. The function returns the package's name, or the reason why
    /// it is not known.
    Package(fn(&str) -> Result<String, &'static str>),
    /// No checkout, for the stated reason.
    Refused(&'static str),
    /// The same kind as a folder without a recipe at its top.
    Any,
}

/// The folders of a checkout of a distribution's packages.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The facts by which the checkout is recognised.
    pub landmark: Landmark,
    /// The kind of a folder with a recipe at its top.
    pub top: TopRecipe,
    /// The pattern of the packages' folders, relative to the checkout: `*` or `*/*`. `None` if
    /// folders are not searched for packages under other names, such as forks.
    pub packages: Option<&'static str>,
    /// The folders at the top that contain no packages.
    pub without_packages: &'static [&'static str],
}

impl Layout {
    /// Returns true if the folder of a package is in the folder of its category.
    pub fn has_categories(&self) -> bool {
        self.packages.is_some_and(|pattern| pattern.contains('/'))
    }
}

/// A dependency whose version range excludes the version of its package.
#[derive(Clone, Debug)]
pub struct Excluded {
    /// The bytes of the dependency in the recipe's text.
    pub at: Range<usize>,
    /// The dependency: `=dev-util/hip-6*`, `rocsolver=7.2.3`.
    pub dependency: String,
    /// The package: `dev-util/hip`.
    pub package: String,
    /// The version that the range excludes.
    pub version: String,
}

/// A checksum of a recipe that is not that of the recipe's source.
#[derive(Clone, Debug)]
pub struct WrongSum {
    /// The keys of the item: `sha256sums`.
    pub item: Vec<String>,
    /// The first byte of the checksum in the recipe's text.
    pub at: usize,
    /// Set if the checksum is a stand-in.
    pub is_unknown: bool,
    /// The reason why the checksum is wrong, as a sentence.
    pub reason: String,
}

/// The code for recipes that a distribution's repository already contains.
pub trait ExistingRecipes: Distribution {
    /// Returns the folders of a checkout.
    fn layout(&self) -> Layout;

    /// Returns true if the recipes of a checkout share the settings of a repository, which has
    /// eclasses, profiles and `metadata/layout.conf` (PMS 4).
    fn has_repository(&self) -> bool {
        false
    }

    /// Returns true if a file that is named like a recipe, and has the text `text`, is the recipe
    /// of a package.
    fn is_package(&self, _text: &str) -> bool {
        true
    }

    /// Returns the item that each recipe has, if a recipe can have a version and no text: an
    /// ebuild's version is that of its file name.
    fn required(&self) -> Option<&'static str> {
        None
    }

    /// Returns the parser for the recipe at `path`.
    fn reading(&self, path: &str) -> Reading;

    /// Checks a recipe as a whole. `surroundings` are the files beside the recipe.
    fn check(&self, text: &str, surroundings: &Surroundings) -> Checked;

    /// Returns true if [`ExistingRecipes::check`] reports the checksums that are unknown.
    fn checks_unknown_sums(&self) -> bool {
        false
    }

    /// Returns the dependencies in the recipe at `path` whose version range excludes the version of
    /// their package. `versions` has the versions by package, such as `dev-util/hip`.
    fn excluded(
        &self,
        _recipe: &Outline,
        _path: &str,
        _versions: &BTreeMap<String, String>,
    ) -> Vec<Excluded> {
        Vec::new()
    }

    /// Returns the checksums in `new`, an edited recipe, that are not those of its sources, as far
    /// as the rendering `after` of the same release shows it.
    fn wrong_sums(&self, _new: &Outline, _after: &Outline) -> Vec<WrongSum> {
        Vec::new()
    }

    /// Returns `text`, the edited recipe, with stand-ins in the place of the checksums that belong
    /// to the version of `existing`: their source changed and they did not. `after` is the
    /// rendering at the new version. Its checksums are kept, and in a PKGBUILD they replace those
    /// of the same file.
    fn without_stale_sums(&self, _existing: &Outline, text: String, _after: &Outline) -> String {
        text
    }

    /// Returns `text`, a recipe with stand-ins for unknown checksums, with those that the recipe
    /// `there` states for the same sources.
    fn with_sums_of(&self, text: &str, _there: &str) -> String {
        text.to_owned()
    }

    /// Returns the values of the variables of a recipe, as far as they are known without running
    /// it. `surroundings` are the files beside the recipe.
    fn values(&self, _text: &str, _surroundings: &Surroundings) -> Values {
        Values::new()
    }

    /// Returns the commands of the functions of the recipe at `path`. `None` if they are not
    /// followed.
    fn commands(&self, _text: &str, _path: &str) -> Option<Commands> {
        None
    }

    /// Returns true if a recipe whose commands are not followed may enter another folder.
    fn may_enter_folder(&self, _text: &str) -> bool {
        false
    }

    /// Returns true if recipes apply fetched patches by their addresses. Otherwise a recipe names
    /// the file of the patch, such as one in Gentoo's `DISTDIR`.
    fn applies_addresses(&self) -> bool {
        false
    }

    /// Returns the files beside the recipe at `path` that it uses, such as patches. `None` if the
    /// recipe can't be parsed, or if only running it would show the files.
    fn local_files(&self, text: &str, path: &str) -> Option<Vec<LocalFile>>;

    /// Returns the file that lists further patches of the recipe, one on each line, with the bytes
    /// of the recipe that apply them. Paths in the list are relative to its folder.
    fn patch_list(&self, _text: &str) -> Option<LocalFile> {
        None
    }

    /// Returns `text` with the values that continue from an existing recipe: keywords and copyright
    /// years in Gentoo, pkgrel and epoch in Arch, the release number in Solus. In Nix, `text` is
    /// formatted if the existing recipe is. `texts` are the existing and the rendered recipe.
    /// `is_same` is true if the version stays, and `again` if the package is built again, so that
    /// its counter increases.
    fn counted(&self, text: &str, texts: (&str, &str), is_same: bool, again: bool) -> String;

    /// Returns `rendered`, a rendered recipe, in the form in which the existing recipe `there`
    /// states the same facts: an ebuild may leave its list of GPU targets to the eclass. Most
    /// recipes have the model's form, and `rendered` is returned as it is.
    fn in_form_of(&self, rendered: String, _there: &str) -> String {
        rendered
    }

    /// Returns the keys of the items that [`ExistingRecipes::counted`] takes from the existing
    /// recipe, such as `pkgrel`.
    fn counters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the version that the recipe at `path` states.
    fn stated(&self, recipe: &Outline, _path: &str) -> Option<String> {
        let node = recipe.version_item()?;
        Some(node.value.real.trim_matches('"').to_owned())
    }

    /// Returns the variable in which a recipe names the versions of plain LLVM that it can be built
    /// with, and the major versions. `None` if the recipe names none, or if they are known only
    /// when it runs.
    fn llvm(&self, _text: &str, _path: &str) -> Option<(&'static str, Vec<u64>)> {
        None
    }

    /// Returns true if the variable names only the highest version of LLVM.
    fn names_highest_llvm(&self, _variable: &str) -> bool {
        false
    }

    /// Returns an existing recipe that names other versions of LLVM, edited where they are written.
    /// `None` if no edit gives exactly these versions.
    fn set_llvm(&self, _text: &str, _path: &str, _majors: &[u64]) -> Option<String> {
        None
    }

    /// Returns a rendered recipe with other versions of LLVM in the variable that
    /// [`llvm`](Self::llvm) returns.
    fn with_llvm(&self, rendered: &str, _variable: &str, _majors: &[u64]) -> String {
        rendered.to_owned()
    }

    /// Returns the function of an eclass that runs in each phase that an ebuild does not define, by
    /// phase: `src_configure` -> `cmake_src_configure`.
    fn default_phases(&self, _text: &str, _beside: &Surroundings) -> BTreeMap<String, String> {
        BTreeMap::new()
    }
}
