//! The patches that a recipe applies, however it gets them.

use crate::backend::Backend;
use rocpkg_syntax::{LocalFile, Node, Outline};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
pub(crate) struct RecipeText {
    pub(crate) backend: Backend,
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A patch of a recipe before it is tried.
pub(crate) struct Patch {
    /// The name of the patch's file, or the address of a commit.
    pub(crate) shown: String,
    /// The names by which the recipe refers to the patch.
    pub(crate) names: BTreeSet<String>,
    /// The first byte of the text that names the patch.
    pub(crate) at: usize,
    pub(crate) origin: Origin,
}

pub(crate) enum Origin {
    File(String),
    /// A commit in a repository on GitHub.
    Commit(CommitAddress),
    /// The patch can't be tried, for this reason.
    Unknown(&'static str),
}

impl Origin {
    /// Returns the id of the commit that the patch is fetched from.
    #[cfg(feature = "upstream")]
    pub(crate) fn commit(&self) -> Option<&str> {
        match self {
            Self::Commit(commit) => Some(&commit.id),
            Self::File(_) | Self::Unknown(_) => None,
        }
    }

    /// Returns the path of the patch, relative to the recipe's folder.
    pub(crate) fn file(&self) -> Option<String> {
        match self {
            Self::File(path) => Some(path.clone()),
            Self::Commit(_) | Self::Unknown(_) => None,
        }
    }
}

/// The parts of an address such as `https://github.com/ROCm/hip/commit/ID.patch`.
pub(crate) struct CommitAddress {
    pub(crate) owner: String,
    pub(crate) repository: String,
    pub(crate) id: String,
}

/// Returns the files beside a recipe that it uses, those of a list of patches included; None if
/// they can't be determined. `read` returns the text of a file in the recipe's folder.
pub(super) fn local_files(
    backend: Backend,
    (path, text): (&str, &str),
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<LocalFile>> {
    let own = backend.implementation();
    let mut all = own.local_files(text, path)?;
    if let Some(list) = own.patch_list(text) {
        let names = read(&list.path).unwrap_or_default();
        let (folder, _) = list.path.rsplit_once('/').unwrap_or_default();
        let names = names
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default());
        let names = names.filter_map(|line| line.split_whitespace().next());
        all.extend(names.map(|name| LocalFile {
            path: format!("{folder}/{name}"),
            at: list.at.clone(),
        }));
        all.push(list);
    }
    Some(all)
}

/// Returns the patches of a recipe, in the order of its text. `read` returns the text of a file in
/// the recipe's folder.
pub(crate) fn patches(
    recipe: &RecipeText,
    outline: &Outline,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<Patch> {
    let local = local_files(recipe.backend, (&recipe.path, &recipe.text), read);
    let local = local.into_iter().flatten().filter(LocalFile::is_patch);
    let local = local.filter(LocalFile::is_known);
    let mut all: Vec<Patch> = local
        .map(|file| Patch {
            shown: file.name().to_owned(),
            names: [file.name().to_owned()].into(),
            at: file.at.start,
            origin: Origin::File(file.path),
        })
        .collect();
    fetched(&outline.root.nodes, None, outline, &mut all);
    if !recipe.backend.implementation().applies_addresses() {
        let is_commit = |patch: &&mut Patch| patch.origin.file().is_none();
        for patch in all.iter_mut().filter(is_commit) {
            patch.origin = Origin::Unknown("the recipe does not apply it by its address");
        }
    }
    all.sort_by_key(|patch| patch.at);
    let names: BTreeSet<String> = all.iter().flat_map(|patch| patch.names.clone()).collect();
    let reversed = Reversed::of(&recipe.text, &names);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut out: Vec<Patch> = Vec::new();
    for mut patch in all {
        if patch.names.iter().any(|name| reversed.has(name)) {
            patch.origin = Origin::Unknown("the recipe applies its reverse");
        }
        match seen.get(&patch.shown).map(|at| &mut out[*at]) {
            None => {
                seen.insert(patch.shown.clone(), out.len());
                out.push(patch);
            }
            // A list for another architecture may name the file again.
            Some(known)
                if known.origin.file().is_some() && known.origin.file() == patch.origin.file() => {}
            Some(known) => known.origin = Origin::Unknown("several patches have this name"),
        }
    }
    out
}

/// The patches of a recipe whose reverse it applies.
enum Reversed {
    These(BTreeSet<String>),
    /// Perhaps any patch: a variable stands for it, or the attribute `patchFlags` is set.
    Perhaps,
}

impl Reversed {
    /// Reads the recipe `text`. `names` are the names of all of its patches.
    fn of(text: &str, names: &BTreeSet<String>) -> Self {
        let is_reverse = |word: &str| {
            let word = word.trim_matches(['"', '\'']);
            let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            word == "--reverse" || short.is_some_and(|letters| letters.contains('R'))
        };
        let text = text.replace("\\\n", " ");
        let mut these = BTreeSet::new();
        for line in text.lines() {
            let is_of_patch = line.contains("patch") || line.contains("apply");
            if line.contains("patchFlags") {
                return Self::Perhaps;
            }
            if is_of_patch && line.split_whitespace().any(is_reverse) {
                let before = these.len();
                let is_in_line = |name: &&String| line.contains(name.as_str());
                these.extend(names.iter().filter(is_in_line).cloned());
                if these.len() == before {
                    return Self::Perhaps;
                }
            }
        }
        Self::These(these)
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::These(names) => names.contains(name),
            Self::Perhaps => true,
        }
    }
}

/// Adds the patches that `nodes` fetch, such as commits on GitHub. `around` is the item that
/// contains the nodes.
fn fetched(nodes: &[Node], around: Option<&Node>, outline: &Outline, out: &mut Vec<Patch>) {
    for node in nodes {
        let value = if node.value.real.is_empty() {
            &node.key
        } else {
            &node.value
        };
        let address = value.real.trim_matches('"');
        let address = address.split_whitespace().next().unwrap_or_default();
        if node.body.is_none() && is_patch(address) {
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
            } else {
                CommitAddress::read(address)
                    .map_or(Origin::Unknown("it is no commit on GitHub"), Origin::Commit)
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

/// Returns true if an address is that of a patch, by its ending.
pub(super) fn is_patch(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let is_fetched = path.contains("://");
    is_fetched && [".patch", ".diff"].iter().any(|end| path.ends_with(end))
}

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
