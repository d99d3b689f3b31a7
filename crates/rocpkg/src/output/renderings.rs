//! Renderings of the model at the releases that recipes of a checkout state.

use super::checkout::Checkout;
use super::existing_recipe::ExistingRecipe;
use super::surroundings::folder;
use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_resolve::{Choice, Release};
use std::collections::BTreeMap;

/// The renderings of the model, by release. Each is rendered when it is first needed.
pub(super) struct Renderings<'a> {
    stack: &'a Stack,
    checkout: &'a Checkout,
    /// The options that the tree was rendered with.
    asked: &'a Options,
    made: BTreeMap<String, Option<Tree>>,
}

impl<'a> Renderings<'a> {
    pub(super) fn new(stack: &'a Stack, checkout: &'a Checkout, asked: &'a Options) -> Self {
        Self {
            stack,
            checkout,
            asked,
            made: BTreeMap::new(),
        }
    }

    /// Returns the model's recipe of a version, and the path that decides how the recipe is read.
    /// Returns none if the model has no recipe of that version.
    ///
    /// # Errors
    /// When an option can't be met.
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
        let tree = self.of(existing.backend, &existing.id, version)?;
        Ok(tree.and_then(|tree| recipe(tree, existing)))
    }

    /// Returns the tree in which a package has a version. Most packages have the version of the
    /// release. For packages with a version of their own, all releases are searched.
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

    /// Returns the tree at a release. Returns none if the model does not have the release.
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
                let model = self.stack.changed(&options)?;
                Some(
                    self.checkout
                        .placed(self.stack.make_tree(&model, &[backend], &options)?)?,
                )
            } else {
                None
            };
            self.made.insert(key.clone(), tree);
        }
        Ok(self.made.get(&key).and_then(Option::as_ref))
    }
}

/// Returns the recipe of a package in a tree, and the path that decides how the recipe is read. The
/// recipe is the same file, or the ebuild of the same folder.
fn recipe(tree: &Tree, existing: &ExistingRecipe) -> Option<(String, String)> {
    let path = match existing.backend {
        Backend::Gentoo => {
            let mut all = tree.recipes_of(existing.backend.distro(), &existing.id);
            all.find(|(path, _)| folder(path) == folder(&existing.path))?
                .0
        }
        _ => &existing.path,
    };
    Some((tree.text(path)?.to_owned(), tree.origin(path).to_owned()))
}
