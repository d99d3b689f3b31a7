//! Computes Nix's hashes of trees: of unpacked archives, and of checkouts.

use super::{Reference, Sums, Upstream};
use crate::failure::Failure;
use crate::git::{Entry, Exported, Repository};
use crate::nar;
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;

/// A repository whose files were added to a checkout, and its place there.
struct Taken<'a> {
    git: &'a Repository<'a>,
    commit: &'a str,
    /// The address of the repository upstream. Relative addresses of its submodules are resolved
    /// against it.
    upstream: &'a str,
    /// The path of the repository in the checkout, with a slash at its end; empty at the top.
    below: &'a str,
}

impl Upstream {
    /// Returns Nix's hash of the unpacked archive of GitHub.
    pub(super) fn tree(&self, repository: &str, reference: &Reference) -> Result<Sums, Failure> {
        let (git, commit) = self.whole(repository, reference)?;
        Self::check_substitutions(&git, &commit)?;
        let folder = self.cache.folder()?;
        Self::add(folder.path(), &git, &commit, (Exported::AsArchive, "", &[]))?;
        Self::hashed(folder.path())
    }

    /// Returns Nix's hash of the checkout that nixpkgs' `nix-prefetch-git` makes. If `folders` is
    /// not empty, only these folders are checked out, by the rules of the cone mode of
    /// `git sparse-checkout`. If `submodules` is set, all submodules are checked out, even those
    /// outside of the cone.
    pub(super) fn checkout(
        &self,
        repository: &str,
        reference: &Reference,
        folders: &[String],
        submodules: bool,
    ) -> Result<Sums, Failure> {
        let git = Repository::open(&self.cache, &self.address(repository)?, self.bounds)?;
        let commit = self.fetch(&git, reference, !folders.is_empty())?;
        let paths = Self::cone(&git, &commit, folders)?;
        let mut needed = git.entries(&commit, &paths, true)?;
        // Git reads the attributes in all folders.
        let all = git.entries(&commit, &[], true)?;
        needed.extend(all.into_iter().filter(is_attributes));
        git.complete(&needed)?;
        let folder = self.cache.folder()?;
        Self::add(
            folder.path(),
            &git,
            &commit,
            (Exported::AsCheckout, "", &paths),
        )?;
        if submodules {
            let taken = Taken {
                git: &git,
                commit: &commit,
                upstream: repository,
                below: "",
            };
            self.modules(folder.path(), &taken)?;
        }
        Self::hashed(folder.path())
    }

    /// Returns the paths that the cone mode of `git sparse-checkout` checks out for `folders`:
    /// these folders, and the files (but no folders) in each folder above them. Returns no paths if
    /// `folders` is empty, which stands for the whole tree.
    fn cone(git: &Repository, commit: &str, folders: &[String]) -> Result<Vec<String>, Failure> {
        let mut paths = Vec::new();
        let mut above = BTreeSet::new();
        for folder in folders {
            let folder = folder.trim_matches('/');
            let found = git.entries(commit, &[folder.to_owned()], false)?;
            if !found.iter().any(|entry| entry.kind == "tree") {
                let what = format!("commit {commit} has no folder {folder}");
                return Err(Failure::Missing {
                    url: git.url().to_owned(),
                    what,
                });
            }
            paths.push(folder.to_owned());
            above.extend(
                folder
                    .match_indices('/')
                    .map(|(at, _)| folder[..=at].to_owned()),
            );
        }
        if folders.is_empty() {
            return Ok(paths);
        }
        let mut beside = git.entries(commit, &[], false)?;
        for folder in above {
            beside.extend(git.entries(commit, &[folder], false)?);
        }
        paths.extend(
            beside
                .into_iter()
                .filter(|entry| entry.kind != "tree")
                .map(|entry| entry.path),
        );
        Ok(paths)
    }

    /// Adds all submodules of the repository `of` to the checkout in `folder`, and their own
    /// submodules.
    fn modules(&self, folder: &Path, of: &Taken) -> Result<(), Failure> {
        let declared = of.git.modules(of.commit)?;
        let all = of.git.entries(of.commit, &[], true)?;
        for Entry { id, path, .. } in all.into_iter().filter(|entry| entry.kind == "commit") {
            let unknown = |why: &str| {
                Failure::Unknown(format!("{}: the submodule {path} {why}", of.upstream))
            };
            let module = declared
                .get(&path)
                .ok_or_else(|| unknown("is not declared in .gitmodules"))?;
            if module.get("update").is_some_and(|way| way != "checkout") {
                return Err(unknown("has an `update` other than `checkout`"));
            }
            let url = module.get("url").ok_or_else(|| unknown("has no `url`"))?;
            let url = relative(of.upstream, url)
                .ok_or_else(|| unknown("has a relative `url` that leads above the host"))?;
            let git = Repository::open(&self.cache, &self.address(&url)?, self.bounds)?;
            let commit = self.fetch(&git, &Reference::Commit(id), false)?;
            git.complete(&git.entries(&commit, &[], true)?)?;
            let below = format!("{}{path}/", of.below);
            Self::add(folder, &git, &commit, (Exported::AsCheckout, &below, &[]))?;
            self.modules(
                folder,
                &Taken {
                    git: &git,
                    commit: &commit,
                    upstream: &url,
                    below: &below,
                },
            )?;
        }
        Ok(())
    }

    fn add(
        folder: &Path,
        git: &Repository,
        commit: &str,
        (exported, below, paths): (Exported, &str, &[String]),
    ) -> Result<(), Failure> {
        let (archive, out) = git.archive(commit, exported, "tar", below, paths)?;
        let added = nar::unpack(out, folder);
        // An error of git is reported first, since it is the reason why an archive is incomplete.
        archive
            .end()
            .and_then(|()| added.map_err(Failure::file(folder)))
    }

    fn hashed(folder: &Path) -> Result<Sums, Failure> {
        Ok(Sums::from([(
            "sri",
            nar::of_folder(folder).map_err(Failure::file(folder))?,
        )]))
    }

    /// Returns an error if the archive of a commit contains texts that only GitHub's own repository
    /// determines: abbreviated ids, whose length varies, or the names of branches and tags.
    pub(super) fn check_substitutions(git: &Repository, commit: &str) -> Result<(), Failure> {
        let all = git.entries(commit, &[], true)?;
        let mut substitutes = false;
        for entry in all.iter().filter(|entry| is_attributes(entry)) {
            let text = git.blob(entry)?;
            substitutes |= String::from_utf8_lossy(&text).contains("export-subst");
        }
        if !substitutes {
            return Ok(());
        }
        let pattern =
            Regex::new(r"\$Format:[^$]*%(?:[-+ ]?[htpdDNS]|[-+ ]?g|G|\((?:describe|decorate))")
                .map_err(|e| Failure::Unknown(e.to_string()))?;
        let files = git.substituted(commit, &all)?;
        for entry in files.iter().filter(|entry| entry.kind == "blob") {
            if pattern.is_match(&String::from_utf8_lossy(&git.blob(entry)?)) {
                let (url, path) = (git.url(), &entry.path);
                return Err(Failure::Unknown(format!(
                    "{url}: GitHub fills in {path} from its own repository (export-subst), so the archive must be fetched"
                )));
            }
        }
        Ok(())
    }
}

fn is_attributes(entry: &Entry) -> bool {
    entry.path.rsplit('/').next() == Some(".gitattributes")
}

/// Returns the address of a submodule. `url` is the address in `.gitmodules`. If it is relative, it
/// is resolved against `base`, the address of the repository. Returns `None` if it leads above the
/// host.
fn relative(base: &str, url: &str) -> Option<String> {
    if !url.starts_with("./") && !url.starts_with("../") {
        return Some(url.to_owned());
    }
    let (mut at, mut rest) = (base.trim_end_matches('/'), url);
    loop {
        if let Some(below) = rest.strip_prefix("./") {
            rest = below;
        } else if let Some(below) = rest.strip_prefix("../") {
            at = at
                .rsplit_once('/')
                .map(|(above, _)| above)
                .filter(|above| !above.ends_with('/'))?;
            rest = below;
        } else {
            return Some(format!("{at}/{rest}"));
        }
    }
}
