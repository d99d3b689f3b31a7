//! Recipes that are at the requested release already. The recipe from which an earlier bump made
//! them is merged again, so that a second run finds the same conflicts as the first.

use super::ebuilds::sorted_versions;
use super::existing_recipe::{Conflict, ExistingRecipe, RecipePaths, add};
use super::moved_lines::MovedLines;
use super::renderings::Renderings;
use super::review::differing;
use super::surroundings::{CheckoutFiles, VersionChange};
use super::todo::TodoKind;
use crate::error::Error;
use crate::stack::Stack;
use rocpkg_gentoo::internal::{version_of, whole_version};
use rocpkg_syntax::Outline;
use std::path::Path;

/// The recipe from which an earlier bump probably made a recipe.
pub(super) struct Older {
    pub(super) recipe: ExistingRecipe,
    /// The origin of the recipe, for messages.
    pub(super) origin: &'static str,
}

/// The comparison of a recipe that is at the requested release with the recipe from which it was
/// made.
#[derive(Default)]
pub(super) struct Earlier {
    /// The number of items that differ from the model. It is 0 if an earlier bump made the recipe
    /// as it is.
    pub(super) differences: usize,
    /// The version since which conflicts are listed, and its origin: `7.1.1, by the last commit`.
    pub(super) since: Option<String>,
    pub(super) version: Option<String>,
    pub(super) before: Option<Outline>,
    /// The conflicts, with their places in the recipe.
    pub(super) conflicts: Vec<Conflict>,
}

/// Returns the path of the newest older ebuild in the folder of an ebuild. Returns None if the
/// folder has no older one, and for other distributions than Gentoo, whose recipes have one file
/// for all versions.
pub(super) fn below(t: &ExistingRecipe, out: &Path) -> Option<String> {
    if !t.backend.keeps_several() {
        return None;
    }
    let mut all = sorted_versions(out, &t.place).into_iter();
    all.rfind(|path| version_of(path) != t.version && whole_version(path) < whole_version(&t.place))
}

impl Older {
    /// Returns the recipe from which `t` was made: the next older ebuild, or else the text
    /// `committed` of the recipe in the last commit, if it states an older release. An older recipe
    /// that can't be read is left out.
    pub(super) fn of(
        stack: &Stack,
        t: &ExistingRecipe,
        out: &Path,
        committed: Option<&str>,
    ) -> Option<Self> {
        if let Some(place) = below(t, out) {
            let paths = RecipePaths {
                path: &t.path,
                place: &place,
            };
            let recipe = ExistingRecipe::load(out, paths, t.backend, &t.id).ok()?;
            return Some(Self {
                recipe,
                origin: "by the ebuild below",
            });
        }
        let outline = ExistingRecipe::read(t.backend, &t.place, committed?).ok()?;
        let paths = RecipePaths {
            path: &t.path,
            place: &t.place,
        };
        let recipe = ExistingRecipe::new(paths, t.backend, &t.id, outline);
        let release = |of: &ExistingRecipe| stack.release_of(of.version.as_deref());
        // A package's own version is the number of no release.
        let is_older = match (release(&recipe), release(t)) {
            (Some(old), Some(new)) => old < new,
            _ => recipe.version.is_some() && recipe.version != t.version,
        };
        is_older.then_some(Self {
            recipe,
            origin: "by the last commit",
        })
    }
}

impl Earlier {
    /// Compares the recipe `t` with the rendering `after` at the same release, and with `older`,
    /// the recipe from which it was made. Without one, the model's release before is the old side.
    ///
    /// # Errors
    /// When a recipe can't be rendered.
    pub(super) fn of(
        stack: &Stack,
        t: &ExistingRecipe,
        older: Option<&Older>,
        renderings: &mut Renderings,
        after: &Outline,
        files: CheckoutFiles,
    ) -> Result<Self, Error> {
        let beside = files.of(&t.place);
        let mut out = Self {
            differences: differing(t, after, &beside),
            ..Self::default()
        };
        // The rows of a review don't compare everything that a merge does, such as Solus' steps.
        if out.differences == 0 && older.is_none() {
            return Ok(out);
        }
        let (version, origin) = if let Some(older) = older {
            (older.recipe.version.clone(), older.origin)
        } else {
            let before = stack.release_before(t.version.as_deref());
            let before = before.filter(|_| !t.backend.keeps_several());
            let before = before.map(|release| release.to_string());
            (before, "the release before")
        };
        let Some((before, place)) = renderings.before(t, version.as_deref(), None)? else {
            return Ok(out);
        };
        let before = ExistingRecipe::read(t.backend, &place, &before)?;
        if let Some(Older { recipe, .. }) = older {
            let versions = VersionChange {
                from: recipe.version.as_deref(),
                to: t.version.as_deref(),
            };
            let (text, conflicts) = recipe.merged(&before, after, files, versions);
            let text = recipe.without_stale_sums(text, after);
            let made = ExistingRecipe::read(t.backend, &t.path, &text);
            if made.is_ok_and(|made| differing(t, &made, &beside) == 0) {
                let lines = MovedLines::new(&recipe.outline.text, &t.outline.text);
                out.conflicts = lines.moved(conflicts, &t.place);
                out.differences = 0;
            } else {
                let (_, conflicts) = t.merged(&before, after, files, VersionChange::default());
                out.conflicts = conflicts;
                let is_fetched = t.fetches_known(&t.values(&beside), &beside);
                let unpacks = t.unpacks_as(recipe, files.beside);
                if let Some(conflict) = unpacks.filter(|_| is_fetched) {
                    add(&mut out.conflicts, conflict);
                }
            }
        } else {
            (_, out.conflicts) = t.merged(&before, after, files, VersionChange::default());
        }
        out.conflicts
            .retain(|conflict| conflict.kind != TodoKind::Removed);
        out.since = version
            .as_ref()
            .map(|version| format!("{version}, {origin}"));
        out.version = version;
        out.before = Some(before);
        Ok(out)
    }
}
