//! Recipes of a checkout whose folders have other names than their packages: forks, and packages in
//! another category.

use super::ebuilds::newest;
use super::left_out::{LeftOut, LeftOutReason};
use super::line_ends::read_text;
use super::surroundings::{is_called, matching, names};
use crate::backend::Backend;
use crate::error::Error;
use crate::names::is_named;
use crate::stack::Stack;
use rocpkg_resolve::{Choice, Plan, Planned};
use rocpkg_syntax::{List, Node, Outline, fetched, repository};
#[cfg(feature = "serde")]
use serde::Serialize;
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

impl Fork {
    /// Returns the path of a package's file in the folder of the fork. `file` is relative to the
    /// package's own folder, and `name` is the last part of that folder's path. The name of an
    /// ebuild begins with the name of its folder: with `name` = `rocBLAS`, the file
    /// `rocBLAS-7.2.4.ebuild` becomes `sci-libs/rocblas-mine/rocblas-mine-7.2.4.ebuild`.
    pub(super) fn path(&self, backend: Backend, name: &str, file: &str) -> String {
        let own = self.folder.rsplit('/').next().unwrap_or_default();
        let rest = file.strip_prefix(name).filter(|_| backend.is_recipe(file));
        match rest.filter(|_| backend.keeps_several()) {
            Some(rest) => format!("{}/{own}{rest}", self.folder),
            None => format!("{}/{file}", self.folder),
        }
    }
}

/// Finds the forks in the checkout `out`. `table` maps folders of recipes, or the last parts of
/// their paths, to names of packages.
///
/// The second value lists the recipes of the stack that are not in the folder of a package and are
/// no forks, each with the reason.
///
/// A recipe that is not in the table is a fork of a package if it fetches from a repository that
/// the package was fetched from at any release, and if the recipe names the package: in
/// `_upstream_pkgname`, `_pkgname`, `MY_PN` or `provides`, or at the beginning of its folder's name
/// or its `pkgname`. There, the package's name is followed by a `-` or by nothing: `rocblas-gfx803`
/// is a fork of rocblas, but `lib32-rocblas` and `rocblas7` are not. If several recipes only begin
/// with the name, they may be parts of the package, such as `rocm-llvm-lld`, and are no forks. Live
/// recipes are no forks, since they are of no release.
///
/// # Errors
/// When the table names an unknown package or a folder without a recipe, or a release can't be
/// planned.
pub(super) fn find(
    stack: &Stack,
    backend: Backend,
    out: &Path,
    table: &BTreeMap<String, String>,
) -> Result<(Vec<Fork>, Vec<LeftOut>), Error> {
    let folders = folders(backend, out);
    if folders.is_empty() && table.is_empty() {
        return Ok(Default::default());
    }
    let mut known = Known::of(stack, backend)?;
    let homes = known.folders();
    let strange = folders.iter().filter(|f| !homes.contains_key(f.as_str()));
    let strange: Vec<Strange> = strange
        .filter_map(|f| Strange::read(stack, backend, out, f))
        .collect();
    if !strange.is_empty() || !table.is_empty() {
        known.add_newest()?;
    }
    let homes = known.folders();
    let own: BTreeMap<&str, &String> = homes.iter().map(|(home, id)| (*id, home)).collect();
    let (mut all, mut left_out): (Vec<Fork>, Vec<LeftOut>) = Default::default();
    let mut fork = |package: &Planned, folder: &str| {
        let own = own[package.id.as_str()];
        if own != folder {
            all.push(Fork {
                package: package.id.clone(),
                folder: folder.to_owned(),
                is_only: !folders.contains(own),
            });
        }
    };
    let last = |folder: &str| folder.rsplit('/').next().unwrap_or_default().to_owned();
    let mut named = BTreeSet::new();
    for (name, package) in table {
        let folder = folders.iter().find(|folder| is_called(folder, name));
        let folder = folder.ok_or_else(|| {
            let said = format!("[recipes]: no recipe is in a folder `{name}`");
            Error::place(out, &said)
        })?;
        let mut packages = known.packages().map(|(_, p)| p);
        let package = packages.find(|p| is_named(p, package));
        let package = package.ok_or_else(|| stack.no_package(&known.plans, &table[name]))?;
        fork(package, folder);
        named.insert(folder);
    }
    let mut begun: BTreeMap<&str, (&Planned, Vec<&String>)> = BTreeMap::new();
    for Strange { folder, path, text } in &strange {
        let folder = *folder;
        if homes.contains_key(folder.as_str()) || named.contains(folder) {
            continue;
        }
        match known.recognise(text, path, Some(&last(folder))) {
            Recognised::Fork(package) => fork(package, folder),
            Recognised::Begins(package) => {
                let of = begun
                    .entry(package.id.as_str())
                    .or_insert((package, Vec::new()));
                of.1.push(folder);
            }
            Recognised::LeftOut(reason) => left_out.push(LeftOut {
                folder: folder.clone(),
                reason,
            }),
            Recognised::Foreign => {}
        }
    }
    for (package, folders) in begun.into_values() {
        match folders.as_slice() {
            [folder] => fork(package, folder),
            several => left_out.extend(several.iter().map(|folder| LeftOut {
                folder: (*folder).clone(),
                reason: LeftOutReason::OneOfSeveral {
                    package: package.name.clone(),
                },
            })),
        }
    }
    all.sort_by(|a, b| a.folder.cmp(&b.folder));
    left_out.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok((all, left_out))
}

/// A recipe that names the stack, in a folder of another name than a package's.
struct Strange<'f> {
    folder: &'f String,
    path: String,
    text: String,
}

impl<'f> Strange<'f> {
    /// Reads the recipe of a folder. Returns None if it does not name the stack, and for a file in
    /// another encoding than UTF-8, which can't be edited.
    fn read(stack: &Stack, backend: Backend, out: &Path, folder: &'f String) -> Option<Self> {
        let path = any_recipe(backend, out, folder)?;
        let text = read_text(&out.join(&path)).ok()??;
        let stack_name = stack.model().stack().to_lowercase();
        let names_it = text.to_lowercase().contains(&stack_name);
        names_it.then_some(Self { folder, path, text })
    }
}

/// Returns the name of the package that the recipe `text` builds or is a fork of. For a recipe of
/// the stack that is neither, the second value is set.
///
/// # Errors
/// When a release can't be planned.
pub(super) fn package_of(
    stack: &Stack,
    backend: Backend,
    text: &str,
) -> Result<(Option<String>, Option<LeftOutReason>), Error> {
    let mut known = Known::of(stack, backend)?;
    known.add_newest()?;
    Ok(
        match known.recognise(text, backend.implementation().recipe_ending(), None) {
            Recognised::Fork(p) | Recognised::Begins(p) => (Some(p.name.clone()), None),
            Recognised::LeftOut(reason) => (None, Some(reason)),
            Recognised::Foreign => (None, None),
        },
    )
}

/// The kind of a recipe, as its contents say.
enum Recognised<'p> {
    /// A recipe of the package, in a folder of any name.
    Fork(&'p Planned),
    /// A recipe whose name begins with the package's name: a variant of the package, or a part of
    /// it, such as `rocm-llvm-lld`.
    Begins(&'p Planned),
    /// A recipe of the stack that is not edited.
    LeftOut(LeftOutReason),
    /// A recipe that the stack has nothing to do with.
    Foreign,
}

/// The packages of a distribution at the release that it ships, and if needed at the newest
/// release.
struct Known<'s> {
    stack: &'s Stack,
    backend: Backend,
    plans: Vec<Plan>,
    /// The repositories that each package was ever fetched from, by the packages' ids.
    repositories: BTreeMap<String, BTreeSet<String>>,
}

impl<'s> Known<'s> {
    /// # Errors
    /// When a release can't be planned.
    fn of(stack: &'s Stack, backend: Backend) -> Result<Self, Error> {
        let mut known = Self {
            stack,
            backend,
            plans: Vec::new(),
            repositories: BTreeMap::new(),
        };
        known.add(&Choice::Shipped)?;
        Ok(known)
    }

    /// Adds the plan of the newest release, which may have other packages.
    ///
    /// # Errors
    /// When the release can't be planned.
    fn add_newest(&mut self) -> Result<(), Error> {
        let newest = self.stack.model().newest();
        let newest = newest.filter(|newest| *newest != self.plans[0].version);
        newest.map_or(Ok(()), |newest| self.add(&Choice::Release(newest)))
    }

    fn add(&mut self, choice: &Choice) -> Result<(), Error> {
        let plan = self.stack.plan(self.backend, choice)?;
        let (model, distro) = (self.stack.model(), self.backend.distro());
        let of = |p: &Planned| (p.id.clone(), model.repositories_of(distro, &p.id));
        self.repositories.extend(plan.packages.iter().map(of));
        self.plans.push(plan);
        Ok(())
    }

    /// Returns the ids of the packages by the folders of their own recipes.
    fn folders(&self) -> BTreeMap<String, &str> {
        let own = self.backend.implementation();
        let all = self.packages();
        all.map(|(plan, p)| (own.package_folder(plan, p), p.id.as_str()))
            .collect()
    }

    /// Returns the packages with their plans. A package of both plans is returned as shipped.
    fn packages(&self) -> impl Iterator<Item = (&Plan, &Planned)> {
        let all = self.plans.iter().enumerate();
        all.flat_map(move |(at, plan)| {
            let is_new =
                move |p: &&Planned| self.plans[..at].iter().all(|e| e.get(&p.id).is_none());
            plan.packages.iter().filter(is_new).map(move |p| (plan, p))
        })
    }

    /// Returns the kind of the recipe `text`. `folder` is the name of its folder, if that counts.
    fn recognise(&self, text: &str, path: &str, folder: Option<&str>) -> Recognised<'_> {
        let recipe = match self.backend.reading(path).read(text) {
            Ok(recipe) => recipe,
            Err(fault) => return Recognised::LeftOut(LeftOutReason::Unreadable(fault.to_string())),
        };
        let sources = repositories(&recipe.root.nodes);
        let is_from = |own: &BTreeSet<String>| sources.iter().any(|s| own.contains(&s.name));
        let candidates = self.packages().map(|(_, p)| p);
        let candidates = candidates.filter(|p| is_from(&self.repositories[&p.id]));
        let candidates: Vec<&Planned> = candidates.collect();
        let names = names_of(&recipe, folder);
        if let Some(p) = candidates.iter().find(|p| is_part(p, &recipe)) {
            let package = p.id.clone();
            return Recognised::LeftOut(LeftOutReason::Part { package });
        }
        // A live recipe fetches the newest commit.
        let is_live = recipe.get(&["pkgver()"]).is_some()
            || (self.backend.stated(&recipe, path)).is_none_or(|v| v.ends_with("9999"));
        if is_live && !candidates.is_empty() {
            return Recognised::LeftOut(LeftOutReason::Live);
        }
        match named(&candidates, &recipe, &names) {
            Some(found) => found,
            None => self
                .reason(&recipe, &sources, &candidates, &names)
                .map_or(Recognised::Foreign, Recognised::LeftOut),
        }
    }

    /// Returns the reason why a recipe that is no fork of the packages `candidates`, from whose
    /// repositories it fetches, is left out. Returns None for a recipe that the stack has nothing
    /// to do with.
    fn reason(
        &self,
        recipe: &Outline,
        sources: &[Repository],
        candidates: &[&Planned],
        names: &[String],
    ) -> Option<LeftOutReason> {
        let model = self.stack.model();
        let plan = &self.plans[0];
        let mut consumers = plan.consumers.iter();
        if consumers.any(|p| names.contains(&p.name.to_lowercase())) {
            return Some(LeftOutReason::Application);
        }
        if let Some(source) = sources.first().filter(|_| !candidates.is_empty()) {
            let contained = |p: &&&Planned| {
                let mut names = names.iter();
                names.any(|name| name.contains(&p.name.to_lowercase()))
            };
            let nearest = candidates
                .iter()
                .filter(contained)
                .max_by_key(|p| p.name.len());
            let is_own = |p: &&&Planned| {
                let own = source.name.replace('_', "-");
                sources.len() == 1 && (p.id == own || p.name == own)
            };
            let nearest = nearest.or_else(|| candidates.iter().find(is_own));
            return Some(LeftOutReason::OtherName {
                package: nearest.map(|p| p.name.clone()),
            });
        }
        let is_built = fetches_built(&recipe.root.nodes);
        let mut addresses = sources_of(&recipe.root.nodes).into_iter();
        let stack_name = model.stack().to_lowercase();
        if is_built && addresses.any(|address| address.to_lowercase().contains(&stack_name)) {
            return Some(LeftOutReason::Built);
        }
        let mut components = model.components.keys();
        let component = components.find(|id| {
            let own = model.repositories_of(self.backend.distro(), id);
            sources.iter().any(|source| own.contains(&source.name))
        });
        if let Some(component) = component {
            return Some(LeftOutReason::NotPackaged {
                component: component.clone(),
                distribution: plan.distro_name.clone(),
            });
        }
        let owner = format!("github.com/{}", model.owner().to_lowercase());
        let mut unknown = sources.iter().filter(|source| source.owner == owner);
        if let Some(source) = unknown.next() {
            return Some(LeftOutReason::UnknownRepository(source.name.clone()));
        }
        let is_named = |p: &&Planned| names.iter().any(|name| begins(name, &p.name));
        let package = self.packages().map(|(_, p)| p).find(is_named)?;
        Some(LeftOutReason::OtherSource {
            package: package.name.clone(),
        })
    }
}

/// Returns true if `recipe` builds exactly one package, which the model builds as one of several in
/// the recipe of `package`.
fn is_part(package: &Planned, recipe: &Outline) -> bool {
    let names = said(recipe, "pkgname");
    let split = package.package.pkgbuild.as_ref().map(|b| &b.packages);
    let is_part = |name: &String| split.is_some_and(|split| split.contains_key(name));
    matches!(names.as_slice(), [name] if *name != package.name && is_part(name))
}

/// Returns the package among `candidates` that `recipe` names, by the rules of [`find`], as
/// [`Recognised::Fork`] or [`Recognised::Begins`].
fn named<'p>(
    candidates: &[&'p Planned],
    recipe: &Outline,
    names: &[String],
) -> Option<Recognised<'p>> {
    for variable in ["_upstream_pkgname", "_pkgname", "MY_PN", "provides"] {
        let names = said(recipe, variable);
        // A part of the package may provide one of its components.
        let is_whole = |p: &Planned, name: &str| name == p.name || name == p.id;
        let is_it = |p: &&&Planned| {
            let mut names = names.iter();
            names.any(|name| is_whole(p, name) || variable != "provides" && is_named(p, name))
        };
        let mut found = candidates.iter().filter(is_it);
        if let (Some(one), None) = (found.next(), found.next()) {
            return Some(Recognised::Fork(one));
        }
    }
    names.iter().find_map(|name| {
        let found = candidates.iter().filter(|p| begins(name, &p.name));
        let package = found.max_by_key(|p| p.name.len()).copied()?;
        let rest = &name[package.name.len()..];
        Some(if rest.is_empty() || rest.contains("gfx") {
            Recognised::Fork(package)
        } else {
            Recognised::Begins(package)
        })
    })
}

/// Returns true if `name`, in lower case, is the name `package`, or begins with it and a hyphen.
fn begins(name: &str, package: &str) -> bool {
    let rest = name.strip_prefix(&package.to_lowercase());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Returns the names of a recipe in lower case: that of its folder, if that counts, and its
/// `pkgname`.
fn names_of(recipe: &Outline, folder: Option<&str>) -> Vec<String> {
    let own = said(recipe, "pkgname");
    let all = folder.into_iter().chain(own.first().map(String::as_str));
    all.map(str::to_lowercase).collect()
}

struct Repository {
    /// The owner under the present name, after the host: `github.com/rocm`.
    owner: String,
    name: String,
}

/// Returns the repositories that a recipe fetches from, in the order of the recipe.
fn repositories(nodes: &[Node]) -> Vec<Repository> {
    let read = |text: &String| {
        let address = fetched(text).to_lowercase();
        let (_, address) = repository(&address)?.split_once("://")?;
        let (owner, name) = address.rsplit_once('/')?;
        let (owner, name) = (owner.to_owned(), name.to_owned());
        Some(Repository { owner, name })
    };
    sources_of(nodes).iter().filter_map(read).collect()
}

/// Returns the addresses that a recipe fetches from, as it states them.
fn sources_of(nodes: &[Node]) -> Vec<String> {
    let mut all = Vec::new();
    for node in nodes {
        let Some(body) = &node.body else { continue };
        if matches!(body.list, Some(List::Sources | List::Addresses)) {
            let texts = body.nodes.iter().flat_map(|n| [&n.key.real, &n.value.real]);
            all.extend(texts.cloned());
        }
        all.extend(sources_of(&body.nodes));
    }
    all
}

/// Returns true if a recipe fetches packages that somebody else built.
fn fetches_built(nodes: &[Node]) -> bool {
    let endings = [".deb", ".rpm", ".run", ".whl", ".pkg.tar.zst"];
    let is_built = |text: &String| endings.iter().any(|ending| text.ends_with(ending));
    sources_of(nodes).iter().any(is_built)
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
    let layout = backend.implementation().layout();
    let all = layout.packages.into_iter();
    let all = all.flat_map(|pattern| matching(out, pattern));
    let has_packages = |folder: &String| {
        let top = folder.split('/').next().unwrap_or_default();
        !layout.without_packages.contains(&top)
    };
    all.filter(has_packages)
        .filter(|folder| backend.is_recipe_in(&out.join(folder)))
        .collect()
}

/// Returns the path of the newest recipe of a folder, or of a live recipe if there is no other.
fn any_recipe(backend: Backend, out: &Path, folder: &str) -> Option<String> {
    newest_recipe(backend, out, folder).or_else(|| {
        let mut files = names(&out.join(folder)).into_iter();
        let file = files.find(|file| backend.is_recipe(file))?;
        Some(format!("{folder}/{file}"))
    })
}

/// Returns the path of the newest recipe of a folder. Live recipes are left out. Returns None for a
/// folder with live ebuilds only.
pub(super) fn newest_recipe(backend: Backend, out: &Path, folder: &str) -> Option<String> {
    let file = backend.implementation().recipe_ending();
    newest(backend, out, &format!("{folder}/{file}"))
}
