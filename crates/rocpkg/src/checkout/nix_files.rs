//! The Nix files of a checkout, and the files among them that are recipes of packages. A recipe is
//! in the scope's folder, or it is found by the call of its file, by its path or by its `pname`.

use super::surroundings::{folder, names};
use crate::backend::Backend;
use crate::error::Error;
use crate::names::is_named;
use crate::stack::Stack;
use rocpkg_nix::internal::{FileCall, attribute, expression_path, file_calls, one_derivation};
use rocpkg_resolve::{Choice, Planned};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The most folders between the checkout and a file: `pkgs/by-name/ro/rocblas` has four.
const MOST_FOLDERS: usize = 6;

/// The largest file in bytes that is read. Recipes, scopes and tables of sources are smaller.
const MOST_BYTES: u64 = 1 << 20;

/// Folders without files of the checkout.
const FOREIGN: [&str; 4] = [".direnv", ".git", ".jj", "node_modules"];

/// The names of files that a folder of a package has for its recipe.
pub(super) const IN_FOLDER: [&str; 2] = ["default.nix", "package.nix"];

/// The places of recipes in a checkout of Nix files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NixPlaces {
    /// The path from the checkout to the scope's folder, with a slash at its end, or empty.
    pub(super) prefix: String,
    /// The folder that was searched, relative to the checkout. It is that of the scope in nixpkgs,
    /// and empty elsewhere, for the whole checkout.
    pub(super) searched: String,
    /// The recipes that are not at their usual place below the scope's folder, by this place
    /// without [`NixPlaces::prefix`], each with the package's name: `rocminfo/default.nix` ->
    /// `pkgs/by-name/ro/rocminfo/package.nix`, `rocminfo`.
    pub(super) moved: BTreeMap<String, (String, String)>,
    /// Further recipes of packages, which no bump moves: the packages' ids by the paths.
    pub(super) further: BTreeMap<String, String>,
}

impl NixPlaces {
    /// Returns the place in the checkout of a file. `path` is relative to the scope's folder. A
    /// file beside a recipe that is somewhere else is there, too.
    pub(super) fn place(&self, path: &str) -> String {
        if let Some((place, _)) = self.moved.get(path) {
            return place.clone();
        }
        let is_beside = |(own, _): &(&String, &(String, String))| {
            let home = folder(own);
            !home.is_empty() && path.starts_with(&format!("{home}/"))
        };
        if let Some((own, (place, _))) = self.moved.iter().find(is_beside) {
            let rest = path[folder(own).len()..].trim_start_matches('/');
            let place = [folder(place), rest].join("/");
            return place.trim_start_matches('/').to_owned();
        }
        let new = self.by_name(path);
        new.unwrap_or_else(|| format!("{}{path}", self.prefix))
    }

    /// Returns the place of a new file in a checkout that has recipes by name: `hip/default.nix` ->
    /// `pkgs/by-name/hi/hip/package.nix`. Returns None for other checkouts, and for a file outside
    /// of a package's folder.
    fn by_name(&self, path: &str) -> Option<String> {
        let mut moved = self.moved.values();
        let above = moved.find_map(|(place, name)| {
            let place = place.strip_suffix(&format!("{}/{name}/package.nix", shard(name)))?;
            place.ends_with('/').then_some(place)
        })?;
        let (name, file) = path.split_once('/')?;
        let file = if file == IN_FOLDER[0] {
            IN_FOLDER[1]
        } else {
            file
        };
        Some(format!("{above}{}/{name}/{file}", shard(name)))
    }

    /// Returns true if a recipe that is not at its usual place is at `place`.
    pub(super) fn is_moved(&self, place: &str) -> bool {
        self.moved.values().any(|(own, _)| own == place)
    }
}

/// Returns the name of the folder in `pkgs/by-name` that contains the folder of a package: its
/// first two letters.
fn shard(name: &str) -> String {
    name.chars().take(2).collect::<String>().to_lowercase()
}

/// The texts of the Nix files and of the JSON files of a checkout that name the stack or a package
/// of the model, by their paths relative to the checkout.
pub(super) struct NixFiles(pub(super) BTreeMap<String, String>);

impl NixFiles {
    /// Reads the files in the folder `below` of the checkout `out`. Files that can't be read, and
    /// links, are left out.
    pub(super) fn read(stack: &Stack, out: &Path, below: &str, packages: &[Planned]) -> Self {
        let mut known: BTreeSet<String> = packages.iter().map(|p| p.name.clone()).collect();
        known.extend(packages.iter().map(attribute));
        known.insert(stack.model().stack().to_lowercase());
        let mut all = BTreeMap::new();
        let mut open = vec![(below.trim_end_matches('/').to_owned(), 0)];
        while let Some((above, depth)) = open.pop() {
            for name in names(&out.join(&above)) {
                let path = [above.as_str(), &name].join("/");
                let path = path.trim_start_matches('/').to_owned();
                let file = out.join(&path);
                let Ok(metadata) = fs::symlink_metadata(&file) else {
                    continue;
                };
                if metadata.is_dir() {
                    if depth < MOST_FOLDERS && !FOREIGN.contains(&name.as_str()) {
                        open.push((path, depth + 1));
                    }
                    continue;
                }
                let is_read = [".nix", ".json"].iter().any(|end| name.ends_with(end));
                if !is_read || !metadata.is_file() || metadata.len() > MOST_BYTES {
                    continue;
                }
                let text = super::line_ends::read_text(&file).ok().flatten();
                let names_one = |text: &String| known.iter().any(|name| text.contains(name));
                if let Some(text) = text.filter(names_one) {
                    all.insert(path, text);
                }
            }
        }
        Self(all)
    }

    fn nix(&self) -> impl Iterator<Item = (&String, &String)> {
        let is_nix = |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| end == "nix");
        self.0.iter().filter(move |(path, _)| is_nix(path))
    }

    /// Returns the calls of files, each with the path of the file that calls and the path of the
    /// called file, relative to the checkout. Calls of files outside of the checkout are left out.
    pub(super) fn calls(&self) -> Vec<(&str, String, FileCall)> {
        let all = self.nix().flat_map(|(path, text)| {
            let calls = file_calls(text).into_iter();
            calls.filter_map(|call| Some((path.as_str(), joined(folder(path), &call.path)?, call)))
        });
        all.collect()
    }
}

/// Returns the path `path`, which is relative to `folder`. Returns None if it leads out of the
/// checkout.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl Stack {
    /// Finds the recipes in a checkout of Nix files. In nixpkgs, only the scope's folder is
    /// searched.
    ///
    /// The scope's folder is the one with the most recipes. Of several such folders, it is the one
    /// whose recipes state the newest release.
    ///
    /// # Errors
    /// When the packages can't be planned.
    pub(super) fn nix_places(&self, backend: Backend, out: &Path) -> Result<NixPlaces, Error> {
        let distro = self.model().distros.get(backend.distro());
        let scope = distro.and_then(|distro| distro.scope.as_ref()?.folder.as_ref());
        let usual = scope.map(|scope| scope.value.trim_end_matches('/'));
        let usual = usual.filter(|scope| out.join(scope).is_dir());
        let plan = self.plan(backend, &Choice::Shipped)?;
        let files = NixFiles::read(self, out, usual.unwrap_or_default(), &plan.packages);
        let own: BTreeMap<String, &Planned> = plan
            .packages
            .iter()
            .map(|p| (expression_path(p), p))
            .collect();
        let prefix = match usual {
            Some(usual) => format!("{usual}/"),
            None => self.scope_folder(&files, &own),
        };
        let mut places = NixPlaces {
            prefix,
            searched: usual.unwrap_or_default().to_owned(),
            ..NixPlaces::default()
        };
        let calls = files.calls();
        let mut taken = BTreeSet::new();
        for (path, p) in &own {
            let found = candidates(&files, &calls, p);
            let there = format!("{}{path}", places.prefix);
            let chosen = if files.0.contains_key(&there) || out.join(&there).is_file() {
                there
            } else if let Some(first) = found.first() {
                let place = (first.clone(), p.name.clone());
                places.moved.insert(path.clone(), place);
                first.clone()
            } else {
                continue;
            };
            taken.insert(folder(&chosen).to_owned());
            // The files of one folder are parts of one recipe.
            let further = found
                .into_iter()
                .filter(|path| folder(path) != folder(&chosen));
            places
                .further
                .extend(further.map(|path| (path, p.id.clone())));
        }
        let further = &mut places.further;
        further.retain(|path, _| !taken.contains(folder(path)));
        Ok(places)
    }

    /// Returns the folder that contains most of the recipes `own` at their usual places, with a
    /// slash at its end, or an empty text.
    fn scope_folder(&self, files: &NixFiles, own: &BTreeMap<String, &Planned>) -> String {
        let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, text) in &files.0 {
            let names = own.keys();
            for prefix in names.filter_map(|name| path.strip_suffix(name.as_str())) {
                if prefix.is_empty() || prefix.ends_with('/') {
                    found.entry(prefix).or_default().push(text);
                }
            }
        }
        let best = found.into_iter().max_by_key(|(prefix, texts)| {
            let stated = texts.iter().filter_map(|text| {
                let version = one_derivation(text)?.remove("version");
                self.release_of(version.as_deref())
            });
            let depth = prefix.matches('/').count();
            (
                depth == 0,
                texts.len(),
                stated.max(),
                std::cmp::Reverse(depth),
            )
        });
        best.map(|(prefix, _)| prefix.to_owned())
            .unwrap_or_default()
    }
}

/// Returns the files that are recipes of the package `p`, the surest first: files that are called
/// under its name, files whose path has its name, and derivations with its name as `pname`.
fn candidates(files: &NixFiles, calls: &[(&str, String, FileCall)], p: &Planned) -> Vec<String> {
    let attribute = attribute(p);
    let is_its = |name: &str| name == attribute || name == p.name;
    let called = calls
        .iter()
        .filter(|(_, place, call)| is_its(&call.attribute) && files.0.contains_key(place));
    let called: BTreeSet<&String> = called.map(|(_, place, _)| place).collect();
    let rank = |path: &String, text: &String| {
        if called.contains(path) {
            return Some(0);
        }
        let (home, file) = (folder(path), path.rsplit('/').next().unwrap_or_default());
        let last = home.rsplit('/').next().unwrap_or_default();
        let is_by_path = IN_FOLDER.contains(&file) && is_its(last)
            || file.strip_suffix(".nix").is_some_and(is_its);
        // Other files are not parsed, unless they may contain the name.
        let may_be = is_by_path || text.contains(&format!("\"{attribute}\""));
        let own = may_be.then(|| one_derivation(text)).flatten()?;
        let is_named_so = own.get("pname").is_some_and(|name| is_named(p, name));
        match (is_by_path, is_named_so) {
            (true, _) => Some(1),
            (false, true) => Some(2),
            (false, false) => None,
        }
    };
    let mut all: Vec<(i32, usize, &String)> = files
        .nix()
        .filter_map(|(path, text)| Some((rank(path, text)?, path.matches('/').count(), path)))
        .collect();
    all.sort();
    all.into_iter().map(|(.., path)| path.clone()).collect()
}
