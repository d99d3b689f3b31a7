//! Recipes of a checkout whose folders have other names than their packages: forks, and packages in
//! another category.

use super::ebuilds::sorted_versions;
use super::line_ends::read_text;
use super::surroundings::names;
use crate::backend::Backend;
use crate::error::Error;
use crate::names::is_named;
use crate::stack::Stack;
use rocpkg_resolve::{Choice, Plan, Planned};
use rocpkg_syntax::{List, Node, Outline, repository};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// A recipe of a package in a folder of another name, such as `rocblas-gfx803` for rocblas.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Fork {
    /// The package's id.
    pub package: String,
    /// The folder of the recipe, relative to the checkout: `rocblas-gfx803`,
    /// `sci-libs/rocblas-mine`.
    pub folder: String,
    /// Set if the package has no recipe in the folder of its own name.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) is_only: bool,
}

impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: a recipe of {}", self.folder, self.package)
    }
}

/// A recipe that builds a single package, which in the model is a part of another package's recipe:
/// `comgr`, a part of rocm-llvm. The model does not describe a recipe for this package alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct SplitOff {
    /// The id of the package whose recipe contains this package in the model: `rocm-llvm`.
    pub package: String,
    /// The folder of the recipe, relative to the checkout. If the checkout has only this recipe,
    /// the recipe's name.
    pub folder: String,
}

impl SplitOff {
    /// Returns the reason why the recipe is not touched, as a clause about the recipe.
    pub fn reason(&self) -> String {
        format!(
            "the model builds this package with {}, and has no separate recipe for it",
            self.package
        )
    }
}

impl Fork {
    /// Returns the path of a package's file in the folder of the fork. `file` is relative to the
    /// package's own folder, and `name` is the last part of that folder's path. The name of an
    /// ebuild begins with the name of its folder: with `name` = `rocBLAS`, the file
    /// `rocBLAS-7.2.4.ebuild` becomes `sci-libs/rocblas-mine/rocblas-mine-7.2.4.ebuild`.
    pub(super) fn path(&self, backend: Backend, name: &str, file: &str) -> String {
        let own = self.folder.rsplit('/').next().unwrap_or_default();
        let rest = file.strip_prefix(name).filter(|_| backend.is_recipe(file));
        match rest.filter(|_| backend == Backend::Gentoo) {
            Some(rest) => format!("{}/{own}{rest}", self.folder),
            None => format!("{}/{file}", self.folder),
        }
    }
}

/// Finds the forks in the checkout `out`. `table` maps folders of recipes, or the last parts of
/// their paths, to names of packages.
///
/// The second value lists the recipes that build a single package, which in the model is a part of
/// another package's recipe.
///
/// A recipe that is not in the table is a fork of a package if both fetch from a repository of the
/// same name, and if the recipe names the package: in `_upstream_pkgname`, `_pkgname`, `MY_PN` or
/// `provides`, or at the beginning of its folder's name or its `pkgname`. There, the package's name
/// is followed by a `-` or by nothing: `rocblas-gfx803` is a fork of rocblas, but `lib32-rocblas`
/// and `rocblas7` are not. Live recipes are skipped, since they are of no release.
///
/// # Errors
/// When the table names an unknown package or a folder without a recipe, or a release can't be
/// planned.
pub(super) fn find(
    stack: &Stack,
    backend: Backend,
    out: &Path,
    table: &BTreeMap<String, String>,
) -> Result<(Vec<Fork>, Vec<SplitOff>), Error> {
    let folders = folders(backend, out);
    if folders.is_empty() && table.is_empty() {
        return Ok(Default::default());
    }
    let shipped = &stack.plan(backend, &Choice::Shipped)?;
    let mut plans: BTreeMap<String, Plan> = BTreeMap::new();
    let (mut all, mut apart) = (Vec::new(), Vec::new());
    let mut fork = |package: &Planned, folder: &str| {
        let own = backend.implementation().package_folder(shipped, package);
        if own != folder {
            all.push(Fork {
                package: package.id.clone(),
                folder: folder.to_owned(),
                is_only: !folders.contains(&own),
            });
        }
    };
    let last = |folder: &str| folder.rsplit('/').next().unwrap_or_default().to_owned();
    let mut named = BTreeSet::new();
    for (name, package) in table {
        let folder = folders.iter().find(|f| *f == name || last(f) == *name);
        let folder = folder.ok_or_else(|| {
            let said = format!("[recipes]: no recipe is in a folder `{name}`");
            Error::place(out, &said)
        })?;
        let package = shipped.packages.iter().find(|p| is_named(p, package));
        let package = package.ok_or_else(|| stack.no_package([shipped], &table[name]))?;
        fork(package, folder);
        named.insert(folder);
    }
    let own: BTreeSet<String> = shipped
        .packages
        .iter()
        .map(|p| backend.implementation().package_folder(shipped, p))
        .collect();
    let stack_name = stack.model().stack().to_lowercase();
    for folder in folders
        .iter()
        .filter(|f| !own.contains(*f) && !named.contains(f))
    {
        let Some(path) = newest_recipe(backend, out, folder) else {
            continue;
        };
        // A file in another encoding than UTF-8 can't be edited, so it is no fork.
        let Ok(Some(text)) = read_text(&out.join(&path)) else {
            continue;
        };
        if !text.to_lowercase().contains(&stack_name) {
            continue;
        }
        let Ok(recipe) = backend.reading(&path).read(&text) else {
            continue;
        };
        let version = backend.stated(&recipe, &path);
        let choice = release(stack, version.as_deref());
        let plan = match plans.entry(format!("{choice:?}")) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(new) => new.insert(stack.plan(backend, &choice)?),
        };
        // The recipe may already fetch from the repository that later releases are in.
        let of = |plan| package(plan, &recipe, version.as_deref(), Some(&last(folder)));
        let found = of(plan).or_else(|| of(shipped));
        match found {
            Some(package) if is_split_off(package, &recipe) => apart.push(SplitOff {
                package: package.id.clone(),
                folder: folder.clone(),
            }),
            Some(package) => fork(package, folder),
            None => {}
        }
    }
    Ok((all, apart))
}

/// Returns true if `recipe` builds exactly one package, which the model builds as one of several in
/// the recipe of `package`.
fn is_split_off(package: &Planned, recipe: &Outline) -> bool {
    let names = said(recipe, "pkgname");
    let split = package.package.pkgbuild.as_ref().map(|b| &b.packages);
    let is_part = |name: &String| split.is_some_and(|split| split.contains_key(name));
    matches!(names.as_slice(), [name] if *name != package.name && is_part(name))
}

/// Returns the name of the package that the PKGBUILD `text` builds or is a fork of. If the PKGBUILD
/// builds a single package, which in the model is a part of another package's recipe, only the
/// second value is set. For any other PKGBUILD, both values are None.
///
/// # Errors
/// When a release can't be planned.
pub(super) fn package_of(
    stack: &Stack,
    text: &str,
) -> Result<(Option<String>, Option<SplitOff>), Error> {
    let backend = Backend::Arch;
    let Ok(recipe) = backend.reading("PKGBUILD").read(text) else {
        return Ok((None, None));
    };
    let version = backend.stated(&recipe, "PKGBUILD");
    let plan = stack.plan(backend, &release(stack, version.as_deref()))?;
    Ok(match package(&plan, &recipe, version.as_deref(), None) {
        Some(package) if is_split_off(package, &recipe) => {
            let package = package.id.clone();
            let name = said(&recipe, "pkgname").into_iter().next();
            let folder = name.unwrap_or_default();
            (None, Some(SplitOff { package, folder }))
        }
        found => (found.map(|package| package.name.clone()), None),
    })
}

/// Returns the model's release for the version that a recipe states. Returns the release that the
/// distribution ships if the model does not have that version.
fn release(stack: &Stack, version: Option<&str>) -> Choice {
    stack
        .release_of(version)
        .map_or(Choice::Shipped, Choice::Release)
}

/// Returns the package of `plan` that `recipe` is a fork of, by the rules of [`find`]. `version` is
/// the version that the recipe states, and `folder` the name of its folder, if that counts. Returns
/// None for a live recipe, and if no package or several packages match.
fn package<'p>(
    plan: &'p Plan,
    recipe: &Outline,
    version: Option<&str>,
    folder: Option<&str>,
) -> Option<&'p Planned> {
    // A live recipe fetches the newest commit.
    if recipe.get(&["pkgver()"]).is_some() || version.is_none() {
        return None;
    }
    let sources = repositories(&recipe.root.nodes);
    let fetches = |package: &&Planned, name: &str| {
        let mut own = package.sources.iter();
        own.any(|source| source.repository.eq_ignore_ascii_case(name))
    };
    let candidates: Vec<&Planned> = plan
        .packages
        .iter()
        .filter(|p| sources.iter().any(|name| fetches(p, name)))
        .collect();
    if let Some(whole) = candidates.iter().find(|p| is_split_off(p, recipe)) {
        return Some(whole);
    }
    let one = |mut found: Vec<&'p Planned>| (found.len() == 1).then(|| found.remove(0));
    for variable in ["_upstream_pkgname", "_pkgname", "MY_PN", "provides"] {
        let names = said(recipe, variable);
        let is_it = |p: &&&Planned| names.iter().any(|name| is_named(p, name));
        if let Some(found) = one(candidates.iter().filter(is_it).copied().collect()) {
            return Some(found);
        }
    }
    let names: Vec<String> = folder.map(str::to_owned).into_iter().collect();
    [names, said(recipe, "pkgname")].iter().find_map(|names| {
        let name = names.first()?.to_lowercase();
        let begins = |p: &&&Planned| {
            let rest = name.strip_prefix(&p.name.to_lowercase());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let found = candidates.iter().filter(begins);
        found.max_by_key(|p| p.name.len()).copied()
    })
}

/// Returns the names of the repositories that a recipe fetches from, in the order of the recipe.
fn repositories(nodes: &[Node]) -> Vec<String> {
    let mut all = Vec::new();
    for node in nodes {
        let Some(body) = &node.body else { continue };
        if matches!(body.list, Some(List::Sources | List::Addresses)) {
            let texts = body.nodes.iter().flat_map(|n| [&n.key.real, &n.value.real]);
            let names = texts.filter_map(|text| repository(text)?.rsplit('/').next());
            all.extend(names.map(str::to_owned));
        }
        all.extend(repositories(&body.nodes));
    }
    all
}

/// Returns the words of `variable` in a recipe, without versions: `rocblas` for
/// `provides=('rocblas=7.2.4')`. Returns none if the recipe does not set the variable.
fn said(recipe: &Outline, variable: &str) -> Vec<String> {
    let Some(node) = recipe.get(&[variable]) else {
        return Vec::new();
    };
    let name = |text: &String| {
        text.split(['=', '<', '>'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    match &node.body {
        Some(body) => body.nodes.iter().map(|n| name(&n.key.real)).collect(),
        None => vec![name(&node.value.real)],
    }
}

/// Returns the folders of a checkout that contain recipes, in alphabetical order. Returns none for
/// distributions without forks.
pub(super) fn folders(backend: Backend, out: &Path) -> BTreeSet<String> {
    let holds = |folder: &str| {
        names(&out.join(folder))
            .iter()
            .any(|file| backend.is_recipe(file))
    };
    let first = names(out).into_iter().filter(|name| !name.starts_with('.'));
    match backend {
        Backend::Arch => first.filter(|name| holds(name)).collect(),
        Backend::Gentoo => first
            .filter(|name| !NO_CATEGORIES.contains(&name.as_str()))
            .flat_map(|category| {
                let packages = names(&out.join(&category)).into_iter();
                packages.map(move |package| format!("{category}/{package}"))
            })
            .filter(|folder| holds(folder))
            .collect(),
        _ => BTreeSet::new(),
    }
}

/// The folders at the top of a Gentoo repository that are no categories of packages.
const NO_CATEGORIES: [&str; 4] = ["metadata", "profiles", "eclass", "licenses"];

/// Returns the path of the newest recipe of a folder. Live recipes are left out. Returns None for a
/// folder with live ebuilds only.
pub(super) fn newest_recipe(backend: Backend, out: &Path, folder: &str) -> Option<String> {
    match backend {
        Backend::Gentoo => sorted_versions(out, &format!("{folder}/")).pop(),
        _ => Some(format!("{folder}/PKGBUILD")),
    }
}
