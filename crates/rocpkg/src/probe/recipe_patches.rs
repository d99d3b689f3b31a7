//! Tries the patches that existing recipes apply on upstream's sources.

use super::source_trees::{SourceProject, SourceTrees};
use super::sources_of;
use super::tasks::SourcesByName;
use crate::backend::Backend;
use crate::error::Error;
use crate::output::UpstreamedPatch;
use rocpkg_model::Fetch;
use rocpkg_resolve::{Plan, Planned};
use rocpkg_syntax::{LocalFile, Node, Outline};
use rocpkg_upstream::probe::{Fate, Files, Slack, Step, join};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// An existing recipe of a checkout.
#[derive(Clone, Debug)]
pub(crate) struct RecipeText {
    pub(crate) backend: Backend,
    /// The package's id.
    pub(crate) id: String,
    /// The path, relative to the checkout.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A patch that an existing recipe applies, as tried on upstream's sources of a release.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TriedPatch {
    /// The package's id.
    pub package: String,
    /// The path of the recipe, relative to the checkout.
    pub path: String,
    /// The line of the recipe that names the patch, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The name of the patch's file, or the address of a commit.
    pub patch: String,
    /// The result.
    pub fate: Fate,
    /// The names by which the recipe refers to the patch.
    names: BTreeSet<String>,
    /// The path of the patch, relative to the recipe's folder; none if the patch is fetched.
    file: Option<String>,
    /// Set if the distribution's tool refuses patches with fuzz, as Gentoo's `eapply` does.
    refuses_fuzz: bool,
}

impl TriedPatch {
    /// Returns true if the recipe works with the patch unchanged.
    pub fn applies(&self) -> bool {
        let is_refused = matches!(self.fate, Fate::Shifted(Slack { fuzz: 1.., .. }));
        self.fate.is_fine() && !(is_refused && self.refuses_fuzz)
    }

    /// Returns the patch as one to remove from its recipe.
    pub fn upstreamed(&self) -> UpstreamedPatch {
        UpstreamedPatch {
            patch: self.patch.clone(),
            names: self.names.clone(),
            file: self.file.clone(),
        }
    }
}

/// A patch of a recipe before it is tried.
struct Patch {
    shown: String,
    names: BTreeSet<String>,
    /// The first byte of the text that names the patch.
    at: usize,
    origin: Origin,
}

/// The origin of a patch's text.
enum Origin {
    /// A file in the recipe's folder.
    File(String),
    /// A commit in a repository on GitHub.
    Commit(CommitAddress),
    /// The patch can't be tried, for this reason.
    Unknown(&'static str),
}

impl Origin {
    /// Returns the id of the commit that the patch is fetched from.
    fn commit(&self) -> Option<String> {
        match self {
            Self::Commit(commit) => Some(commit.id.clone()),
            Self::File(_) | Self::Unknown(_) => None,
        }
    }

    /// Returns the path of the patch, relative to the recipe's folder.
    fn file(&self) -> Option<String> {
        match self {
            Self::File(path) => Some(path.clone()),
            Self::Commit(_) | Self::Unknown(_) => None,
        }
    }
}

/// The parts of an address such as `https://github.com/ROCm/hip/commit/ID.patch`.
struct CommitAddress {
    owner: String,
    repository: String,
    id: String,
}

/// Tries the patches of `recipe` on the sources of the package in `plan`. `folder` is the checkout.
/// Returns no patches if none of the package's sources is on this machine.
///
/// # Errors
/// When a source can't be read.
pub(crate) fn try_patches(
    recipe: &RecipeText,
    plan: &Plan,
    folder: &Path,
    trees: &SourceTrees,
) -> Result<Vec<TriedPatch>, Error> {
    let outline = recipe.backend.reading(&recipe.path).read(&recipe.text);
    let (Ok(outline), Some(p)) = (outline, plan.get(&recipe.id)) else {
        return Ok(Vec::new());
    };
    let sources = sources_of(p, trees)?;
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let named = sources
        .iter()
        .map(|(name, found)| (name.clone(), &found.tree));
    let mut files = Files::new(named.collect());
    let folders = folders(
        p,
        &sources
            .iter()
            .map(|(name, found)| (name.as_str(), found.project.as_str()))
            .collect(),
    );
    let mut out = Vec::new();
    for patch in patches(recipe, &outline) {
        let fate = match text(&patch, recipe, folder, trees)? {
            Err(why) => Fate::Unknown(why),
            Ok(text) => {
                let fate = applied(&mut files, &text, &folders, strip(&recipe.text, &patch))?;
                let commit = patch.origin.commit().or_else(|| commit_of(&text));
                if !fate.is_fine() && contains(&sources, commit.as_deref())? {
                    Fate::Already
                } else {
                    fate
                }
            }
        };
        let (line, column) = outline.place(patch.at);
        out.push(TriedPatch {
            package: recipe.id.clone(),
            path: recipe.path.clone(),
            line,
            column,
            patch: patch.shown,
            fate,
            file: patch.origin.file(),
            names: patch.names,
            refuses_fuzz: recipe.backend == Backend::Gentoo,
        });
    }
    Ok(out)
}

/// Returns the id of the commit that a patch states in its first line, as `git format-patch` prints
/// it: `From ID Mon Sep 17 00:00:00 2001`.
fn commit_of(text: &[u8]) -> Option<String> {
    let first = text.split(|byte| *byte == b'\n').next()?;
    let first = std::str::from_utf8(first).ok()?;
    let id = first.strip_prefix("From ")?.split(' ').next()?;
    (id.len() == 40 && id.chars().all(|c| c.is_ascii_hexdigit())).then(|| id.to_owned())
}

/// Returns true if `commit` is in the history of one of the sources. Later commits may have changed
/// its lines again, so that neither the patch nor its reverse applies.
fn contains(sources: &SourcesByName, commit: Option<&str>) -> Result<bool, Error> {
    let Some(commit) = commit else {
        return Ok(false);
    };
    for (git, revision) in sources.values().filter_map(|found| found.git.as_ref()) {
        if git.commit(commit)?.is_some() && git.holds(revision, commit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the folders in which a patch may apply: of each source the folder of the package's
/// project, and the whole tree. `projects` are the folders of the projects, by the names of the
/// sources.
fn folders(p: &Planned, projects: &BTreeMap<&str, &str>) -> Vec<String> {
    let mut out = Vec::new();
    let fetched = p
        .sources
        .iter()
        .filter(|source| source.fetch != Fetch::File);
    for source in fetched {
        if let Some(project) = projects.get(source.name.as_str()) {
            out.push(join(&source.name, project));
            out.push(source.name.clone());
        }
    }
    out.dedup();
    out
}

/// Applies a patch in the first of `folders` in which it applies, or else finds the folder in which
/// it is already applied. Otherwise returns the result in the first folder with the patch's files.
fn applied(
    files: &mut Files,
    text: &[u8],
    folders: &[String],
    strip: usize,
) -> Result<Fate, Error> {
    let mut fates = Vec::new();
    for folder in folders {
        let fate = files.take(&Step::Patch {
            text: text.to_owned(),
            strip,
            folder: folder.clone(),
            relative: String::new(),
            leaves: Vec::new(),
        })?;
        if fate.is_fine() {
            return Ok(fate);
        }
        fates.push(fate);
    }
    let rank = |fate: &Fate| match fate {
        Fate::Already => 0,
        Fate::NoFile(_) => 2,
        _ => 1,
    };
    let best = fates.into_iter().min_by_key(rank);
    Ok(best.unwrap_or_else(|| Fate::Unknown("the package has no source".to_owned())))
}

/// Returns the patches of a recipe, in the order of its text.
fn patches(recipe: &RecipeText, outline: &Outline) -> Vec<Patch> {
    let local = recipe
        .backend
        .implementation()
        .local_files(&recipe.text, &recipe.path);
    let local = local.into_iter().flatten().filter(LocalFile::is_patch);
    let mut all: Vec<Patch> = local
        .filter(LocalFile::is_known)
        .map(|file| Patch {
            shown: file.name().to_owned(),
            names: [file.name().to_owned()].into(),
            at: file.at.start,
            origin: if is_reversed(&recipe.text, file.name()) {
                Origin::Unknown(REVERSED)
            } else {
                Origin::File(file.path)
            },
        })
        .collect();
    // In Gentoo, patches are files of the repository.
    if matches!(recipe.backend, Backend::Arch | Backend::Nix) {
        fetched(&outline.root.nodes, None, outline, &mut all);
    }
    all.sort_by_key(|patch| patch.at);
    // A step may name the file again.
    let mut seen = BTreeSet::new();
    all.retain(|patch| seen.insert(patch.shown.clone()));
    all
}

/// The reason why a patch whose reverse is applied is not tried.
const REVERSED: &str = "the recipe applies its reverse";

/// Returns true if a line of a recipe that contains `name` has the option `-R` of `patch`.
fn is_reversed(text: &str, name: &str) -> bool {
    let is_reverse = |word: &str| {
        let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        word == "--reverse" || short.is_some_and(|letters| letters.contains('R'))
    };
    let mut lines = text.lines().filter(|line| line.contains(name));
    lines.any(|line| line.split_whitespace().any(is_reverse))
}

/// Returns the number of parts that a recipe removes from the paths in a patch: the number behind
/// `-p` in a line that names the patch, or else 1.
fn strip(text: &str, patch: &Patch) -> usize {
    let names = |line: &&str| patch.names.iter().any(|name| line.contains(name.as_str()));
    let level = |word: &str| {
        let (_, digits) = word.strip_prefix('-')?.rsplit_once('p')?;
        digits.parse().ok()
    };
    let mut words = text.lines().filter(names).flat_map(str::split_whitespace);
    words.find_map(level).unwrap_or(1)
}

/// Adds the patches that `nodes` fetch from commits on GitHub. `around` is the item that contains
/// the nodes.
fn fetched(nodes: &[Node], around: Option<&Node>, outline: &Outline, out: &mut Vec<Patch>) {
    for node in nodes {
        let value = if node.value.real.is_empty() {
            &node.key
        } else {
            &node.value
        };
        let address = value.real.trim_matches('"');
        if let (None, Some(commit)) = (&node.body, CommitAddress::read(address)) {
            let mut names = BTreeSet::from([address.to_owned()]);
            let written = outline.text[node.at.clone()].trim_matches(['"', '\'']);
            let saved = match written.split_once("::") {
                Some((name, _)) => name,
                None => address.rsplit('/').next().unwrap_or_default(),
            };
            names.insert(saved.to_owned());
            // Nix changes the patch by these attributes, or applies its reverse.
            let is_changed = around
                .and_then(|around| around.body.as_ref())
                .is_some_and(|body| {
                    CHANGES
                        .iter()
                        .any(|attribute| body.get(attribute).is_some())
                });
            let origin = if is_changed || saved.contains('$') {
                Origin::Unknown("the recipe changes it, or names it by a variable")
            } else if is_reversed(&outline.text, saved) {
                Origin::Unknown(REVERSED)
            } else {
                Origin::Commit(commit)
            };
            out.push(Patch {
                shown: address.to_owned(),
                names,
                at: node.at.start,
                origin,
            });
        }
        fetched(node.nodes(), Some(node), outline, out);
    }
}

/// The attributes by which nixpkgs' `fetchpatch` changes a patch.
const CHANGES: [&str; 8] = [
    "decode",
    "excludes",
    "extraPrefix",
    "hunks",
    "includes",
    "relative",
    "revert",
    "stripLen",
];

impl CommitAddress {
    /// Reads an address; none if it is not that of a commit's patch on GitHub.
    fn read(address: &str) -> Option<Self> {
        let path = address.strip_prefix("https://github.com/")?;
        let path = path.split(['?', '#']).next()?;
        let parts: Vec<&str> = path.split('/').collect();
        let [owner, repository, "commit", file] = parts[..] else {
            return None;
        };
        let id = file
            .strip_suffix(".patch")
            .or_else(|| file.strip_suffix(".diff"))?;
        let is_id = id.len() >= 7 && id.chars().all(|c| c.is_ascii_hexdigit());
        is_id.then(|| Self {
            owner: owner.to_owned(),
            repository: repository.to_owned(),
            id: id.to_owned(),
        })
    }
}

/// Returns the text of a patch, or the reason why it is not known.
///
/// # Errors
/// When a repository can't be read.
fn text(
    patch: &Patch,
    recipe: &RecipeText,
    folder: &Path,
    trees: &SourceTrees,
) -> Result<Result<Vec<u8>, String>, Error> {
    let commit = match &patch.origin {
        Origin::Unknown(why) => return Ok(Err((*why).to_owned())),
        Origin::File(file) => {
            let home = folder.join(&recipe.path);
            let home = home.parent().unwrap_or(folder);
            return Ok(fs::read(home.join(file)).map_err(|e| e.to_string()));
        }
        Origin::Commit(commit) => commit,
    };
    let wanted = SourceProject {
        owner: &commit.owner,
        repository: &commit.repository,
        path: None,
        revision: &commit.id,
    };
    match trees.repository(wanted)? {
        Some(git) => Ok(Ok(git.patch(&commit.id)?)),
        None => Ok(Err("no repository with its commit was found".to_owned())),
    }
}
