//! Tries the patches that existing recipes apply on upstream's sources.

use super::patch_folders::PatchFolder;
use super::source_trees::{SourceProject, SourceTrees};
use super::sources_of;
use super::tasks::SourcesByName;
use crate::checkout::UpstreamedPatch;
use crate::checkout::patches::{Origin, Patch, RecipeText, patches};
use crate::error::Error;
use rocpkg_model::Fetch;
use rocpkg_resolve::{Plan, Planned, ResolvedSource};
use rocpkg_upstream::probe::{Fate, Files, ProbeStep, join};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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
}

impl TriedPatch {
    /// Returns true if the recipe works with the patch unchanged.
    pub fn applies(&self) -> bool {
        self.fate.is_fine()
    }

    /// Returns true if the patch was tried, whether it applies or not.
    pub fn is_tried(&self) -> bool {
        !matches!(self.fate, Fate::Unknown(_))
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
    let sources = sources_of(p, trees)?.sources;
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let named = sources
        .iter()
        .map(|(name, found)| (name.clone(), &found.tree));
    let mut files = Files::new(named.collect());
    let home = folder.join(&recipe.path);
    let home = home.parent().unwrap_or(folder);
    let read = |file: &str| fs::read_to_string(home.join(file)).ok();
    let mut out = Vec::new();
    for patch in patches(recipe, &outline, &read) {
        let fate = match text(&patch, recipe, folder, trees)? {
            Err(why) => Fate::Unknown(why),
            Ok(text) => {
                let entered =
                    PatchFolder::of(recipe.backend, &recipe.text, &recipe.path, &patch.names);
                let folders = Folders::of(p, &sources, entered);
                let fate = applied(&mut files, &text, &folders, strip(&recipe.text, &patch))?;
                match patch.origin.commit().filter(|_| !fate.is_fine()) {
                    Some(commit) if contains(&sources, commit)? => Fate::Already,
                    _ => fate,
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
        });
    }
    Ok(out)
}

/// Returns true if `commit` is in the history of one of the sources, and no later commit reverts
/// it. Later commits may have changed its lines again, so that neither the patch nor its reverse
/// applies.
fn contains(sources: &SourcesByName, commit: &str) -> Result<bool, Error> {
    for (git, revision) in sources.values().filter_map(|found| found.git.as_ref()) {
        if git.commit(commit)?.is_some()
            && git.holds(revision, commit)?
            && !git.reverts(revision, commit)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The folders in which a patch may apply.
struct Folders {
    /// The paths: the name of a source, followed by the path in the source's tree.
    all: Vec<String>,
    /// Set if the recipe enters one of these folders for certain.
    is_certain: bool,
}

impl Folders {
    /// Returns the folders of `sources` that may be the folder `entered`. A recipe unpacks a whole
    /// repository, or only the package's project in it.
    fn of(p: &Planned, sources: &SourcesByName, entered: PatchFolder) -> Self {
        let fetched = p.sources.iter().filter(|s| s.fetch != Fetch::File);
        let found: Vec<_> = fetched
            .filter_map(|source| Some((source, sources.get(&source.name)?)))
            .collect();
        let whole = |is_certain: bool| {
            let paths = found.iter().flat_map(|(source, found)| {
                [join(&source.name, &found.project), source.name.clone()]
            });
            let mut all: Vec<String> = paths.collect();
            all.dedup();
            Self { all, is_certain }
        };
        let folder = match entered {
            PatchFolder::Standard => return whole(true),
            PatchFolder::Unknown => return whole(false),
            PatchFolder::Entered(folder) => folder,
        };
        let Some((top, below)) = folder.split_first() else {
            return whole(false);
        };
        // The longest name decides: `hipBLAS-common-rocm-7.1` is not hipBLAS.
        let named = found
            .iter()
            .map(|(source, found)| (longest(p, source, top), source, found));
        let named: Vec<_> = named.filter(|(length, ..)| *length > 0).collect();
        let most = named.iter().map(|(length, ..)| *length).max();
        let mut all = Vec::new();
        for (_, source, found) in named.iter().filter(|(length, ..)| Some(*length) == most) {
            let below = below.join("/");
            let inner = [join(&found.project, &below), below.clone()];
            let there: Vec<&String> = inner
                .iter()
                .filter(|path| found.tree.inside(path).is_some())
                .collect();
            let paths = if there.is_empty() {
                vec![&below]
            } else {
                there
            };
            all.extend(paths.into_iter().map(|path| join(&source.name, path)));
        }
        all.dedup();
        if all.is_empty() {
            return whole(false);
        }
        Self {
            all,
            is_certain: true,
        }
    }
}

/// Returns the length of the longest name of `source` with which the folder `top` begins; 0 if none
/// does. The names of the package are those of its first source.
fn longest(p: &Planned, source: &ResolvedSource, top: &str) -> usize {
    let folder = source.folder.as_ref().map(ToString::to_string);
    let folder = folder
        .as_deref()
        .map(|text| text.split(['/', '$']).next().unwrap_or_default());
    let path = source
        .path
        .as_ref()
        .and_then(|path| path.rsplit('/').next());
    let mut names = vec![source.repository.as_str()];
    names.extend(
        path.into_iter()
            .chain(source.asset.as_deref())
            .chain(folder),
    );
    if p.sources
        .first()
        .is_some_and(|first| first.name == source.name)
    {
        names.extend([p.name.as_str(), p.id.as_str()]);
    }
    let top = top.to_lowercase();
    // A version follows, and `hip-tests-rocm-7.1` is not hip.
    let is_version = |rest: &str| {
        let rest = rest.trim_start_matches(['-', '_']);
        let rest = rest.strip_prefix("rocm-").unwrap_or(rest);
        let rest = rest.strip_prefix("therock-").unwrap_or(rest);
        rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit() || c == '$')
    };
    let begins = |name: &&str| {
        let rest = top.strip_prefix(&name.to_lowercase());
        !name.is_empty() && rest.is_some_and(is_version)
    };
    let names = names.iter().map(|name| name.trim_end_matches('-'));
    names.filter(begins).map(str::len).max().unwrap_or_default()
}

/// Applies a patch in the first of `folders` in which it applies. Otherwise returns the result in
/// the first folder with the patch's files.
fn applied(files: &mut Files, text: &[u8], folders: &Folders, strip: usize) -> Result<Fate, Error> {
    let mut fates = Vec::new();
    for folder in &folders.all {
        let fate = files.take(&ProbeStep::Patch {
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
    let is_there = |fate: &&Fate| !matches!(fate, Fate::NoFile(_));
    let best = fates.iter().find(is_there).or(fates.first());
    Ok(match best {
        None => Fate::Unknown("the package has no source".to_owned()),
        Some(Fate::Fails(..) | Fate::NoFile(_)) if !folders.is_certain => {
            Fate::Unknown("its folder can't be read from the recipe".to_owned())
        }
        Some(fate) => fate.clone(),
    })
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
