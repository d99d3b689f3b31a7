//! Renderings of the model at the releases that recipes of a checkout state. They are the old side
//! of a merge: the new side is the requested release.

use super::existing_recipe::ExistingRecipe;
use super::fetched::fetched;
use super::folder_kind::Checkout;
use super::surroundings::folder;
use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_resolve::{Choice, Release};
use std::collections::{BTreeMap, BTreeSet};

/// The model rendered at several releases. A release is rendered when it is first needed, and kept.
pub(super) struct Renderings<'a> {
    stack: &'a Stack,
    checkout: &'a Checkout,
    /// The options of the rendering at the requested release.
    asked: &'a Options,
    /// The ids of the packages that are rendered.
    ids: BTreeSet<String>,
    made: BTreeMap<String, Option<Tree>>,
}

impl<'a> Renderings<'a> {
    /// Renders only the packages `ids`. `asked` are the options of the requested release.
    pub(super) fn new(
        stack: &'a Stack,
        checkout: &'a Checkout,
        asked: &'a Options,
        ids: BTreeSet<String>,
    ) -> Self {
        Self {
            stack,
            checkout,
            asked,
            ids,
            made: BTreeMap::new(),
        }
    }

    /// Returns the text of the model's recipe for the package of `existing`, and the path by which
    /// this text is parsed. The recipe is rendered at `from`, if that is given, and else at the
    /// release in which the package has the version `version`.
    ///
    /// Returns None if `version` and `from` are None, or if the model has no such recipe.
    ///
    /// # Errors
    /// When the packages can't be rendered with these options.
    pub(super) fn before(
        &mut self,
        existing: &ExistingRecipe,
        version: Option<&str>,
        from: Option<&Choice>,
    ) -> Result<Option<(String, String)>, Error> {
        let (Some(version), None) = (version, from) else {
            let Some(from) = from else { return Ok(None) };
            return Ok(self.at(from)?.and_then(|tree| recipe(tree, existing)));
        };
        // A version that upstream gives to the component may be that of several releases, or of
        // none that is known.
        let fetched = fetched(self.stack, existing.backend, &existing.outline);
        if let Some(release) = fetched {
            let tree = self.at(&Choice::Release(release))?;
            return Ok(tree.and_then(|tree| recipe(tree, existing)));
        }
        let tree = self.of(existing.backend, &existing.id, version)?;
        Ok(tree.and_then(|tree| recipe(tree, existing)))
    }

    /// Returns the tree of the release in which the package `id` has the version `version`. First,
    /// the release of the same name is tried. If the package has another version in that release,
    /// all releases are searched, the newest first. Returns None if none of them matches.
    pub(super) fn of(
        &mut self,
        backend: Backend,
        id: &str,
        version: &str,
    ) -> Result<Option<&Tree>, Error> {
        let named = self.stack.release_of(Some(version));
        let mut all: Vec<Choice> = named.map(Choice::Release).into_iter().collect();
        let lines = self.stack.model().lines.values();
        let mut releases: Vec<Release> = lines
            .flat_map(|line| line.versions.keys())
            .filter_map(|v| v.parse().ok())
            .collect();
        releases.sort();
        all.extend(releases.into_iter().rev().map(Choice::Release));
        for choice in all {
            let Some(tree) = self.at(&choice)? else {
                continue;
            };
            if tree.version_of(backend, id).as_deref() == Some(version) {
                return self.at(&choice);
            }
        }
        Ok(None)
    }

    /// Returns the tree of a release with its paths in the checkout. Returns None if the model does
    /// not have the release.
    fn at(&mut self, choice: &Choice) -> Result<Option<&Tree>, Error> {
        let key = format!("{choice:?}");
        if !self.made.contains_key(&key) {
            let backend = self.checkout.backend();
            let options = Options {
                choices: vec![choice.clone()],
                backends: vec![backend],
                packages: Vec::new(),
                rebuild: Vec::new(),
                allow_guesses: true,
                ..self.asked.clone()
            };
            let is_known = match choice {
                Choice::Release(release) => self.stack.listed(release).is_some(),
                _ => true,
            };
            let tree = if is_known {
                let tree = self.stack.make_only(backend, &options, &self.ids)?;
                Some(self.checkout.placed(tree)?)
            } else {
                None
            };
            self.made.insert(key.clone(), tree);
        }
        Ok(self.made.get(&key).and_then(Option::as_ref))
    }
}

/// Returns the text of the recipe in `tree` that belongs to `existing`, and the path by which this
/// text is parsed. In Gentoo, that is the ebuild in the same folder, and elsewhere the file at the
/// same path. Returns None if the tree has no such file.
fn recipe(tree: &Tree, existing: &ExistingRecipe) -> Option<(String, String)> {
    let path = if existing.backend.keeps_several() {
        let mut all = tree.recipes_of(existing.backend.distro(), &existing.id);
        let is_beside = |path: &str| folder(path) == folder(&existing.path);
        all.find(|(path, _)| is_beside(path))?.0
    } else {
        &existing.path
    };
    let text = existing.formed(tree.text(path)?.to_owned());
    Some((text, tree.origin(path).to_owned()))
}
