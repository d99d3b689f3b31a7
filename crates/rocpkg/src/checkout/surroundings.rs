//! Surroundings: the files and facts beside a recipe in a checkout that the check of the recipe
//! uses.

use super::line_ends::read_text;
use super::masters::masters;
use crate::backend::Backend;
use crate::changes::printed;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_model::Fetch;
use rocpkg_resolve::{Choice, with_version};
use rocpkg_syntax::Surroundings;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The files and facts that all recipes of a checkout share: the checkout's eclasses, and the
/// folders in the archives that the model knows.
pub(super) struct Beside<'a> {
    out: &'a Path,
    /// The texts of the eclasses of the repository and of its masters, by path:
    /// `eclass/rocm.eclass`. An eclass of the repository overrides that of a master.
    eclasses: BTreeMap<String, Arc<str>>,
    /// The names of the top folders of each archive, by the archive's address. An empty list is an
    /// archive that unpacks without a folder.
    archives: BTreeMap<String, Vec<String>>,
    /// The same folder names by package id and version, and then by the archive's name without a
    /// version.
    layouts: BTreeMap<(String, String), BTreeMap<String, Vec<String>>>,
    /// The packages of each release by id: the names that dependencies have of them, such as
    /// `dev-util/hip`, and their versions. Empty outside of Gentoo and Arch.
    releases: Vec<BTreeMap<String, (String, String)>>,
    /// The variables by which upstream's build takes GPU targets, by package id.
    variables: BTreeMap<String, BTreeSet<String>>,
}

/// The versions of a package before and after a bump. Each is None if it is not known.
#[derive(Clone, Copy, Default)]
pub(super) struct VersionChange<'a> {
    pub(super) from: Option<&'a str>,
    pub(super) to: Option<&'a str>,
}

/// The files of a checkout, and the rendering that is written into it.
#[derive(Clone, Copy)]
pub(super) struct CheckoutFiles<'a> {
    pub(super) beside: &'a Beside<'a>,
    pub(super) tree: &'a Tree,
}

impl CheckoutFiles<'_> {
    /// Returns the surroundings of the recipe at `path`; see [`Beside::of`].
    pub(super) fn of(&self, path: &str) -> Surroundings {
        self.beside.of(path, self.tree)
    }
}

impl<'a> Beside<'a> {
    /// Reads the files and facts that the recipes of the checkout `out` share. `choices` are the
    /// releases whose archives are included.
    ///
    /// # Errors
    /// When a release can't be planned, or a file can't be read.
    pub(super) fn read(
        stack: &Stack,
        out: &'a Path,
        backend: Backend,
        choices: &[Choice],
    ) -> Result<Self, Error> {
        let (mut archives, mut layouts) = (BTreeMap::new(), BTreeMap::new());
        let mut releases = Vec::new();
        let mut variables = BTreeMap::new();
        // Most recipes state the same release, so `choices` contains it many times.
        let mut done = BTreeSet::new();
        for choice in choices
            .iter()
            .filter(|choice| done.insert(format!("{choice:?}")))
        {
            let plan = stack.plan(backend, choice)?;
            let own = backend.implementation();
            let name = |p| (own.package_folder(&plan, p), printed(&plan, p));
            let packages = plan.packages.iter();
            releases.push(packages.map(|p| (p.id.clone(), name(p))).collect());
            for package in &plan.packages {
                let own: &mut BTreeSet<_> = variables.entry(package.id.clone()).or_default();
                own.extend(package.known_variables.keys().cloned());
                let key = (package.id.clone(), package.version.to_string());
                let layout: &mut BTreeMap<_, _> = layouts.entry(key).or_default();
                for source in &package.sources {
                    let folders = match source.fetch {
                        Fetch::Archive => {
                            vec![with_version(&source.archive_folder(), &source.version)]
                        }
                        Fetch::Asset if source.flat => Vec::new(),
                        Fetch::Asset => vec![
                            source
                                .asset
                                .clone()
                                .unwrap_or_else(|| source.repository.clone()),
                        ],
                        _ => continue,
                    };
                    // One repository may have several archives of a release, so the archive's own
                    // name is used first.
                    let name = source.asset.as_ref().unwrap_or(&source.repository);
                    layout.insert(name.clone(), folders.clone());
                    archives.insert(with_version(&source.url, &source.version), folders);
                }
            }
        }
        let mut eclasses = BTreeMap::new();
        if backend.implementation().has_repository() {
            let own = [out.to_owned()];
            for folder in masters(out).iter().chain(&own) {
                let all = names(&folder.join("eclass")).into_iter();
                for file in all.filter(|file| file.ends_with(".eclass")) {
                    let path = format!("eclass/{file}");
                    if let Some(text) = read_text(&folder.join(&path))? {
                        eclasses.insert(path, text.into());
                    }
                }
            }
        }
        Ok(Self {
            out,
            eclasses,
            archives,
            layouts,
            releases,
            variables,
        })
    }

    /// Returns the versions of all packages at the release at which the package `id` has a version,
    /// by the names that dependencies have of them: `dev-util/hip` -> `7.2.4`. Empty if no such
    /// release was read, and outside of Gentoo and Arch.
    pub(super) fn versions(&self, id: &str, version: Option<&str>) -> BTreeMap<String, String> {
        let mut all = self.releases.iter();
        let is_of = |of: &&BTreeMap<String, (String, String)>| {
            of.get(id)
                .is_some_and(|(_, own)| Some(own.as_str()) == version)
        };
        let packages = all.find(is_of).into_iter().flat_map(BTreeMap::values);
        packages.cloned().collect()
    }

    /// Returns a sentence if archives of `package` unpack into folders in one of `versions`, and
    /// without folders in the other: `the archives of rocblas unpack into folders at 7.2.4, unlike
    /// at 7.1.1`. Returns None if they unpack alike, or if a version is None or unknown.
    pub(super) fn unpacked_otherwise(
        &self,
        package: &str,
        versions: VersionChange,
    ) -> Option<String> {
        let layout = |version: &str| self.layouts.get(&(package.to_owned(), version.to_owned()));
        let (from, version) = (versions.from?, versions.to?);
        let (old, new) = (layout(from)?, layout(version)?);
        let is_other = |name: &&String| {
            let is_flat =
                |layout: &BTreeMap<String, Vec<String>>| Some(layout.get(*name)?.is_empty());
            is_flat(old)
                .zip(is_flat(new))
                .is_some_and(|(old, new)| old != new)
        };
        let others: Vec<&str> = new.keys().filter(is_other).map(String::as_str).collect();
        let (_, folders) = new
            .iter()
            .find(|(name, _)| others.contains(&name.as_str()))?;
        let way = if folders.is_empty() {
            "without folders"
        } else {
            "into folders"
        };
        Some(format!(
            "the archives of {} unpack {way} at {version}, unlike at {from}",
            others.join(", ")
        ))
    }

    /// Returns the files of the checkout together with `tree`, a rendering.
    pub(super) fn with<'t>(&'t self, tree: &'t Tree) -> CheckoutFiles<'t> {
        CheckoutFiles { beside: self, tree }
    }

    /// Returns the variables by which the package of the recipe at `path` takes GPU targets.
    fn rivals(&self, path: &str, tree: &Tree) -> BTreeSet<String> {
        let is_in = |other: &&String| folder(other) == folder(path);
        let owner = tree.owners.get(path);
        let owner = owner.or_else(|| {
            let path = tree.owners.keys().find(is_in)?;
            tree.owners.get(path)
        });
        let all = owner.and_then(|(_, id)| self.variables.get(id));
        all.cloned().unwrap_or_default()
    }

    /// Returns the surroundings of the recipe at `path`. Its files are those of the checkout and
    /// those of `tree` in the recipe's folder.
    pub(super) fn of(&self, path: &str, tree: &Tree) -> Surroundings {
        let folder = folder(path);
        let mut all = BTreeSet::new();
        list(&self.out.join(folder), "", &mut all);
        let inside = |path: &str| {
            let rest = path.strip_prefix(folder)?;
            let rest = rest.strip_prefix('/').or(folder.is_empty().then_some(rest));
            rest.map(str::to_owned)
        };
        all.extend(
            tree.files
                .iter()
                .filter_map(|(path, _)| inside(path.as_str())),
        );
        all.extend(tree.companions.iter().filter_map(|c| inside(&c.path)));
        Surroundings {
            path: path.to_owned(),
            files: Some(all),
            texts: self.eclasses.clone(),
            archives: self.archives.clone(),
            rivals: self.rivals(path, tree),
        }
    }
}

/// Returns the folder of a path: `a/b` for `a/b/PKGBUILD`. Returns an empty text for a file at the
/// top of the checkout.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns true if `name` is the path `folder`, or its last part.
pub(super) fn is_called(folder: &str, name: &str) -> bool {
    folder == name || folder.rsplit('/').next() == Some(name)
}

/// Returns the names of the files and folders in a folder, sorted. Returns an empty list if the
/// folder can't be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    all.sort();
    all
}

/// Returns the paths below `folder` that match `pattern`, whose parts are names, and `*` for any
/// name. Hidden files and folders are left out.
pub(super) fn matching(folder: &Path, pattern: &str) -> Vec<String> {
    let parts = pattern.split('/').filter(|part| !part.is_empty());
    parts.fold(vec![String::new()], |all, part| {
        let inside = |above: String| {
            let found = match part {
                "*" => names(&folder.join(&above)),
                name => vec![name.to_owned()],
            };
            let found = found.into_iter().filter(|name| !name.starts_with('.'));
            found.map(move |name| {
                [above.as_str(), &name]
                    .join("/")
                    .trim_start_matches('/')
                    .to_owned()
            })
        };
        all.into_iter().flat_map(inside).collect()
    })
}

/// The most levels of folders below a recipe's folder that are searched. Without a limit, a
/// symbolic link to a folder above would be followed for ever.
const MOST_LEVELS: usize = 4;

/// Adds to `out` the paths of the files in `folder` and below. `prefix` is put before each path.
fn list(folder: &Path, prefix: &str, out: &mut BTreeSet<String>) {
    for name in names(folder) {
        let (at, path) = (folder.join(&name), format!("{prefix}{name}"));
        if !at.is_dir() {
            out.insert(path);
        } else if path.matches('/').count() < MOST_LEVELS && !name.starts_with('.') {
            list(&at, &format!("{path}/"), out);
        }
    }
}
