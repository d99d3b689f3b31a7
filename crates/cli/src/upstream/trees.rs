//! Where source trees lie on this machine: folders, or commits of git repositories.

use crate::error::Error;
use rocpkg_upstream::tree::{Repository, Tree, TreeError};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A project that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Project<'a> {
    pub(super) owner: &'a str,
    pub(super) repository: &'a str,
    /// Its folder in the repository; none where it is the whole.
    pub(super) path: Option<&'a str>,
    /// The tag, branch or commit; of no use in a folder.
    pub(super) revision: &'a str,
}

/// A project that was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The whole tree.
    pub(super) tree: Tree,
    /// The project's folder in it; empty where the tree holds nothing else.
    pub(super) project: String,
    /// The repository that it is of, with the revision.
    pub(super) git: Option<(Repository, String)>,
}

impl Found {
    /// The project's tree.
    pub(super) fn own(&self) -> Tree {
        self.tree
            .inside(&self.project)
            .unwrap_or_else(|| self.tree.clone())
    }
}

/// Source trees.
#[derive(Debug)]
pub(super) struct Trees {
    at: At,
    /// What was looked at, by its place and revision.
    seen: RefCell<BTreeMap<(PathBuf, String), Option<Tree>>>,
}

#[derive(Debug)]
enum At {
    Folder(PathBuf),
    Mirror(String),
}

impl Trees {
    /// The source trees in a folder.
    ///
    /// # Errors
    /// When it is no folder.
    pub(super) fn folder(folder: &Path) -> Result<Self, Error> {
        if !folder.is_dir() {
            let reason = "no such folder; --mirror names git repositories";
            return Err(Error::file(folder, reason));
        }
        Ok(Self {
            at: At::Folder(folder.to_owned()),
            seen: RefCell::default(),
        })
    }

    /// Those in git repositories.
    ///
    /// # Errors
    /// When they don't lie on this machine.
    pub(super) fn mirror(template: &str) -> Result<Self, Error> {
        let path = template.strip_prefix("file://").unwrap_or(template);
        if path.contains("://") {
            return Err(Error::Usage(format!(
                "--mirror {template}: expected a path on this machine"
            )));
        }
        let folder = Path::new(path);
        if !path.contains('{') && !folder.is_dir() {
            return Err(Error::file(folder, "no such folder"));
        }
        Ok(Self {
            at: At::Mirror(path.to_owned()),
            seen: RefCell::default(),
        })
    }

    /// A project; none where it is not there, or has no such revision.
    ///
    /// # Errors
    /// When what is there can't be read.
    pub(super) fn find(&self, wanted: Project) -> Result<Option<Found>, Error> {
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

    /// A project at a place: of a folder as it is where no revision is named.
    fn at(
        &self,
        place: PathBuf,
        project: &str,
        revision: Option<&str>,
    ) -> Result<Option<Found>, TreeError> {
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
        Ok(tree.map(|tree| Found {
            tree,
            project: project.to_owned(),
            git,
        }))
    }

    /// Whether the repository is there, with the revision or without it.
    pub(super) fn has_repository(&self, wanted: Project) -> bool {
        let At::Mirror(template) = &self.at else {
            return false;
        };
        repositories(template, wanted)
            .iter()
            .any(|place| Repository::at(place).is_some())
    }
}

/// Where a folder may have a project, each with the project's folder there.
fn in_folder<'w>(folder: &Path, wanted: Project<'w>) -> Vec<(PathBuf, Option<&'w str>)> {
    let (repository, path) = (wanted.repository, wanted.path);
    let last = path.and_then(|path| path.rsplit('/').next());
    // A checkout of the repository, or its archive; the project as an asset brings it; a tree that
    // holds the project.
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

/// Where a mirror may have a repository.
fn repositories(template: &str, wanted: Project) -> Vec<PathBuf> {
    let Project {
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
        // Which one it is, its path tells, or the project in it.
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

/// Folders of archives of a repository, such as `rocBLAS-rocm-7.1.0`.
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
