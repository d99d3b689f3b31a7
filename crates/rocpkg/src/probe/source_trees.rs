//! Finds source trees on this machine: folders, or commits of git repositories.

use crate::error::Error;
use rocpkg_upstream::tree::{Repository, Tree, TreeError};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A project to look for: a repository, or a folder of a repository.
#[derive(Clone, Copy, Debug)]
pub struct SourceProject<'a> {
    /// The owner of the repository, such as `ROCm`.
    pub owner: &'a str,
    /// The name of the repository.
    pub repository: &'a str,
    /// The folder of the project in the repository; `None` if the project is the whole repository.
    pub path: Option<&'a str>,
    /// The tag, branch or commit. It is not used in a folder of source trees.
    pub revision: &'a str,
}

/// A project that was found.
#[derive(Clone, Debug)]
pub struct SourceTree {
    /// The whole tree that contains the project.
    #[doc(hidden)]
    pub tree: Tree,
    /// The folder of the project in the tree; empty if the tree contains only the project.
    pub project: String,
    /// The git repository of the project, with the tag, branch or commit that was read. `None` if
    /// the folder is no git repository.
    #[doc(hidden)]
    pub git: Option<(Repository, String)>,
}

impl SourceTree {
    /// Returns the tree of the project.
    #[doc(hidden)]
    pub fn own(&self) -> Tree {
        self.tree
            .inside(&self.project)
            .unwrap_or_else(|| self.tree.clone())
    }
}

/// The source trees on this machine.
#[derive(Debug)]
pub struct SourceTrees {
    at: At,
    /// The trees that were read, by their path and revision. `None` for a repository without the
    /// revision.
    seen: RefCell<BTreeMap<(PathBuf, String), Option<Tree>>>,
}

#[derive(Debug)]
enum At {
    Folder(PathBuf),
    Mirror(String),
}

impl SourceTrees {
    /// Returns the source trees in a folder: unpacked archives or checkouts.
    ///
    /// # Errors
    /// When the folder does not exist.
    pub fn folder(folder: &Path) -> Result<Self, Error> {
        if !folder.is_dir() {
            let reason = "no such folder; use --mirror for git repositories";
            return Err(Error::place(folder, reason));
        }
        Ok(Self {
            at: At::Folder(folder.to_owned()),
            seen: RefCell::default(),
        })
    }

    /// Returns the source trees in git repositories. `template` is their path with `{owner}` and
    /// `{repository}`, the path of a folder of repositories, or that of a single repository.
    ///
    /// # Errors
    /// When the repositories are not on this machine.
    pub fn mirror(template: &str) -> Result<Self, Error> {
        let path = template.strip_prefix("file://").unwrap_or(template);
        if path.contains("://") {
            let said = "expected a path on this machine";
            return Err(Error::place(Path::new(template), said));
        }
        let folder = Path::new(path);
        if !path.contains('{') && !folder.is_dir() {
            return Err(Error::place(folder, "no such folder"));
        }
        Ok(Self {
            at: At::Mirror(path.to_owned()),
            seen: RefCell::default(),
        })
    }

    /// Returns the sources of a project, or `None` if the project is not found or does not have the
    /// revision.
    ///
    /// # Errors
    /// When the tree of the project can't be read.
    #[doc(hidden)]
    pub fn find(&self, wanted: SourceProject) -> Result<Option<SourceTree>, Error> {
        let (places, revision) = match &self.at {
            At::Folder(folder) => (in_folder(folder, wanted), None),
            At::Mirror(template) => {
                let places = repositories(template, wanted).into_iter();
                (
                    places.map(|place| (place, wanted.path)).collect(),
                    Some(wanted.revision),
                )
            }
        };
        for (place, path) in places.into_iter().filter(|(place, _)| place.is_dir()) {
            let found = self.at(place, path.unwrap_or_default(), revision);
            if let Some(found) = found? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns a project in the folder `place`. `project` is its folder there. Without a revision,
    /// the files of the folder are read; otherwise the commit of a git repository.
    fn at(
        &self,
        place: PathBuf,
        project: &str,
        revision: Option<&str>,
    ) -> Result<Option<SourceTree>, TreeError> {
        let git = Repository::at(&place);
        let key = (place, revision.unwrap_or_default().to_owned());
        let known = self.seen.borrow().get(&key).cloned();
        let tree = match (known, revision, &git) {
            (Some(known), ..) => known,
            (None, None, _) => Some(Tree::folder(&key.0)?),
            (None, Some(revision), Some(git)) if git.commit(revision)?.is_some() => {
                Some(Tree::commit(git, revision)?)
            }
            _ => None,
        };
        self.seen.borrow_mut().insert(key, tree.clone());
        let git = git.map(|git| (git, revision.unwrap_or("HEAD").to_owned()));
        let tree = tree.filter(|tree| tree.inside(project).is_some());
        Ok(tree.map(|tree| SourceTree {
            tree,
            project: project.to_owned(),
            git,
        }))
    }

    /// Returns the git repository of a project, if it has the revision. Returns none for a folder
    /// of source trees.
    ///
    /// # Errors
    /// When git can't be run.
    #[doc(hidden)]
    pub fn repository(&self, wanted: SourceProject) -> Result<Option<Repository>, Error> {
        let At::Mirror(template) = &self.at else {
            return Ok(None);
        };
        for place in repositories(template, wanted) {
            if let Some(git) = Repository::at(&place)
                && git.commit(wanted.revision)?.is_some()
            {
                return Ok(Some(git));
            }
        }
        Ok(None)
    }

    /// Returns true if the repository of a project exists, with or without the revision. Returns
    /// false for a folder of source trees.
    #[doc(hidden)]
    pub fn has_repository(&self, wanted: SourceProject) -> bool {
        let At::Mirror(template) = &self.at else {
            return false;
        };
        repositories(template, wanted)
            .iter()
            .any(|place| Repository::at(place).is_some())
    }
}

/// Returns the paths below `folder` that may contain the project `wanted`. Each has the folder of
/// the project at that path, or `None` if the path contains only the project.
fn in_folder<'w>(folder: &Path, wanted: SourceProject<'w>) -> Vec<(PathBuf, Option<&'w str>)> {
    let (repository, path) = (wanted.repository, wanted.path);
    let last = path.and_then(|path| path.rsplit('/').next());
    // The places are, in this order: a checkout of the repository, its archives, the project as an
    // asset contains it, and a tree that contains the project.
    let mut places = vec![(folder.join(repository), path)];
    places.extend(unpacked(folder, repository).map(|place| (place, path)));
    places.extend(last.map(|last| (folder.join(last), None)));
    places.extend(path.map(|path| (folder.to_owned(), Some(path))));
    let own = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let is_own =
        |name: &str| own.eq_ignore_ascii_case(name) || own.starts_with(&format!("{name}-"));
    if last.is_some_and(is_own) || path.is_none() && is_own(repository) {
        places.push((folder.to_owned(), None));
    }
    places
}

/// Returns the paths at which a mirror may have the repository of the project `wanted`. For
/// `template`, see [`SourceTrees::mirror`].
fn repositories(template: &str, wanted: SourceProject) -> Vec<PathBuf> {
    let SourceProject {
        owner,
        repository,
        path,
        ..
    } = wanted;
    let folder = Path::new(template);
    if template.contains('{') {
        return vec![PathBuf::from(
            template
                .replace("{owner}", owner)
                .replace("{repository}", repository),
        )];
    }
    if Repository::at(folder).is_some() {
        // A single repository matches if its path contains the name. It may also match if the
        // project is a folder, which is looked up in it later.
        let parts: Vec<_> = folder
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let is = |part: &str| {
            part.trim_end_matches(".git")
                .eq_ignore_ascii_case(repository)
        };
        let is_named = parts.iter().flat_map(|part| part.split('+')).any(is);
        return if is_named || path.is_some() {
            vec![folder.to_owned()]
        } else {
            Vec::new()
        };
    }
    let (bare, below) = (format!("{repository}.git"), folder.join(owner));
    vec![
        folder.join(repository),
        folder.join(&bare),
        below.join(repository),
        below.join(bare),
    ]
}

/// Returns the folders in `folder` that are unpacked archives of a repository: `rocBLAS-rocm-7.1.0`
/// for `rocBLAS`.
fn unpacked(folder: &Path, repository: &str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let head = format!("{repository}-");
    let mut all: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let rest = name.strip_prefix(&head).map(|rest| {
                rest.trim_start_matches("rocm-")
                    .trim_start_matches("therock-")
            });
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
        .map(|entry| entry.path())
        .collect();
    all.sort();
    all.into_iter()
}
