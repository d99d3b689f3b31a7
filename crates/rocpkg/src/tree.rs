//! What is rendered: files, and what is known of them.

use crate::backend::Backend;
use crate::error::Error;
use crate::rebuilds::Rebuild;
use rocpkg_model::{Finding, Findings, Sources};
use rocpkg_render::bash::Counts;
use rocpkg_render::{Companion, FileTree, Listing, Rendered, UnknownSum};
use rocpkg_resolve::{Model, Plan, Proof, bare};
use std::collections::{BTreeMap, BTreeSet};

/// The rendered packages.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Tree {
    /// The files, each distribution's under the folder of its backend.
    pub files: FileTree,
    /// Warnings and notes; no error.
    pub findings: Findings,
    /// How many packages, by backend.
    pub packages: BTreeMap<Backend, usize>,
    /// Files that the user supplies; paths as in `files`.
    pub companions: Vec<Companion>,
    /// Checksums that nobody knows; paths as in `files`.
    pub unknown_sums: Vec<UnknownSum>,
    /// The names of recipes whose keywords are stated for their version.
    pub(crate) keywords_stated: BTreeSet<String>,
    /// Whether unknown checksums may be missing, where that is looked at when the tree is written.
    pub(crate) open: Option<bool>,
    /// What the proof says of each distribution.
    pub proofs: Vec<(Backend, Proof)>,
    /// Lines by origin, by backend.
    pub counts: BTreeMap<&'static str, Counts>,
    /// The packages that are built again, in build order.
    pub rebuilt: Vec<(Backend, Rebuild)>,
    /// The packages that files belong to, by path.
    pub(crate) owners: BTreeMap<String, (Backend, String)>,
    /// Packages that were left out, since they rest on guesses.
    pub(crate) guessed: BTreeSet<(Backend, String)>,
    /// The folders that this rendering speaks of, for removing what went away.
    pub(crate) scope: Vec<String>,
    /// What belongs to a whole distribution's tree, when only some packages were asked for: they need it, and it is
    /// written where it is not there yet.
    pub(crate) shared: FileTree,
    /// Lists of archives; paths as in `files`.
    pub(crate) listings: Vec<Listing>,
    /// The profiles that speak of the packages asked for and no others; absent when all were.
    pub(crate) profiles: Option<BTreeSet<String>>,
    /// Names asked for that no package of these distributions has.
    pub(crate) unknown: Vec<String>,
    /// Names that packages have, for a hint.
    pub(crate) names: BTreeSet<String>,
}

impl Tree {
    /// The text of a file, such as `arch/rocblas/PKGBUILD`.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// The packages asked for by their ids, which are known even where a package can't be read.
    pub(crate) fn wanted(
        &mut self,
        model: &Model,
        plan: &Plan,
        asked: &mut BTreeMap<&str, bool>,
    ) -> BTreeSet<String> {
        let mut wanted = BTreeSet::new();
        for id in plan.distro.packages.keys() {
            let mut names = [vec![id.clone()], model.components_of(&plan.distro_name, id)].concat();
            names.extend(plan.get(id).map(|p| p.name.clone()));
            for (name, met) in asked.iter_mut() {
                if names.iter().any(|n| n.eq_ignore_ascii_case(bare(name))) {
                    *met = true;
                    wanted.insert(id.clone());
                }
            }
            self.names.extend(names);
        }
        wanted
    }

    /// Notes the profiles of some packages.
    pub(crate) fn note_profiles(&mut self, model: &Model, plan: &Plan, wanted: &BTreeSet<String>) {
        self.profiles.get_or_insert_default().extend(profiles(model, plan, wanted));
    }

    /// True for a finding that has to do with what was asked for.
    pub(crate) fn concerns(&self, finding: &Finding, sources: &Sources) -> bool {
        self.profiles.as_ref().is_none_or(|profiles| concerns(profiles, finding, sources))
    }

    /// The recipes, each with its backend.
    pub(crate) fn recipes(&self) -> impl Iterator<Item = (&str, Backend)> {
        let owned = self.owners.iter().map(|(path, (backend, _))| (path.as_str(), *backend));
        owned.filter(|(path, backend)| backend.is_recipe(path) && self.files.get(path).is_some())
    }

    /// The recipes of a package in a distribution, with their texts.
    pub fn recipes_of<'a>(
        &'a self,
        distro: &'a str,
        id: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let owned = self.owners.iter().filter(move |(_, (b, of))| b.distro() == distro && of == id);
        owned
            .filter(|(path, (b, _))| b.is_recipe(path))
            .filter_map(|(path, _)| Some((path.as_str(), self.text(path)?)))
    }

    /// The files of the whole distribution.
    pub(crate) fn of_all(&self) -> Vec<(String, Vec<u8>)> {
        let all = self.files.iter().chain(self.shared.iter());
        let all = all.filter(|(path, _)| !self.owners.contains_key(path.as_str()));
        all.map(|(path, bytes)| (path.as_str().to_owned(), bytes.to_vec())).collect()
    }

    /// Gives a file of a package another name.
    ///
    /// # Errors
    /// When there is one of that name.
    pub(crate) fn rename(&mut self, path: &str, to: &str) -> Result<(), Error> {
        let bytes = self.files.get(path).unwrap_or_default().to_vec();
        self.files.insert(to, bytes)?;
        self.files.remove(path);
        if let Some(owner) = self.owners.remove(path) {
            self.owners.insert(to.to_owned(), owner);
        }
        Ok(())
    }

    /// Takes the files of one backend: all, or those of the packages asked for.
    pub(crate) fn take(
        &mut self,
        backend: Backend,
        rendered: Rendered,
        wanted: Option<&BTreeSet<String>>,
    ) -> Result<(), Error> {
        let folder = backend.folder();
        let Rendered {
            tree,
            owners,
            companions,
            listings,
            unknown_sums,
            counts,
            keywords_stated,
            left_out: _,
        } = rendered;
        self.keywords_stated.extend(keywords_stated);
        let ours = |id: &str| wanted.is_none_or(|w| w.contains(id));
        let owned = owners.iter().map(|(path, id)| (format!("{folder}/{path}"), (backend, id.clone())));
        self.owners.extend(owned);
        let listings = listings.into_iter().filter(|l| ours(&l.package));
        self.listings.extend(listings.map(|l| Listing { path: format!("{folder}/{}", l.path), ..l }));
        let unknown = unknown_sums.into_iter().filter(|u| ours(&u.package));
        let placed = |u: UnknownSum| UnknownSum { path: format!("{folder}/{}", u.path), ..u };
        self.unknown_sums.extend(unknown.map(placed));
        match wanted {
            None => {
                self.scope.push(folder.to_owned());
                self.files.graft(folder, tree)?;
            }
            Some(wanted) => {
                for (path, bytes) in tree.iter() {
                    if owners.get(path.as_str()).is_some_and(|id| wanted.contains(id)) {
                        let at = format!("{folder}/{path}");
                        if let Some((home, _)) = at.rsplit_once('/')
                            && !self.scope.iter().any(|s| s == home)
                        {
                            self.scope.push(home.to_owned());
                        }
                        self.files.insert(at, bytes)?;
                    } else if !owners.contains_key(path.as_str()) {
                        self.shared.insert(format!("{folder}/{path}"), bytes)?;
                    }
                }
            }
        }
        self.counts.insert(folder, counts);
        self.companions.extend(
            companions
                .into_iter()
                .filter(|c| c.package.is_empty() || ours(&c.package))
                .map(|c| Companion { path: format!("{folder}/{}", c.path), ..c }),
        );
        Ok(())
    }
}

/// The profiles of some packages, and of what they need that could not be read: without it an edge would be missing.
pub(crate) fn profiles(model: &Model, plan: &Plan, wanted: &BTreeSet<String>) -> BTreeSet<String> {
    let distro = plan.distro_name.as_str();
    let mut ids: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let unread: Vec<&String> = plan.distro.packages.keys().filter(|id| plan.unread.contains(*id)).collect();
    for p in plan.packages.iter().filter(|p| wanted.contains(&p.id)) {
        for name in p.package.depends.keys().filter(|name| plan.unread.contains(*name)) {
            let of = |id: &&&String| **id == name || model.components_of(distro, id).contains(name);
            let before = ids.len();
            ids.extend(unread.iter().filter(of).map(|id| id.as_str()));
            // An overlay that can't be read does not say what its package is made of.
            if ids.len() == before {
                ids.extend(unread.iter().map(|id| id.as_str()));
            }
        }
    }
    let mut profiles = BTreeSet::new();
    for id in ids {
        profiles.insert(format!("distros/{distro}/{id}.yaml"));
        let components = model.components_of(distro, id);
        let components = components.iter().flat_map(|c| model.with_bases(c));
        profiles.extend(components.map(|c| format!("components/{c}.yaml")));
    }
    profiles
}

/// True for a finding about one of these profiles, or about what all packages share.
pub(crate) fn concerns(profiles: &BTreeSet<String>, finding: &Finding, sources: &Sources) -> bool {
    // What nobody reads may have been meant for it.
    if matches!(finding.code, "E0120" | "E0122") {
        return true;
    }
    let Some(file) = finding.span.and_then(|s| sources.get(s.file)) else { return true };
    // A path begins with the folder of its layer.
    let parts: Vec<&str> = file.path.rsplit('/').take(3).collect();
    let profile = match parts.as_slice() {
        [file, "components", ..] => format!("components/{file}"),
        [file, distro, "distros"] => format!("distros/{distro}/{file}"),
        _ => return true,
    };
    profiles.contains(&profile)
}
