//! Recipes that are at the requested release already: the changes that an earlier bump left to the
//! maintainer, and whether an ebuild is what a bump makes.

use super::ebuilds::sorted_versions;
use super::existing_recipe::{Conflict, ExistingRecipe, RecipePaths, add};
use super::renderings::Renderings;
use super::review::differing;
use super::stale::without_stale_sums;
use super::surroundings::{CheckoutFiles, VersionChange};
use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use rocpkg_gentoo::{version_of, whole_version};
use rocpkg_syntax::Outline;
use std::path::Path;

/// Returns the version that a recipe was probably made from: the version of the next older ebuild,
/// or in other distributions the model's previous release. The recipe itself does not state this
/// version. Returns None if there is no such ebuild or release.
pub(super) fn base(stack: &Stack, t: &ExistingRecipe, out: &Path) -> Option<String> {
    if t.backend != Backend::Gentoo {
        let before = stack.release_before(t.version.as_deref());
        return before.map(|release| release.to_string());
    }
    below(t, out).and_then(|path| version_of(&path))
}

/// Returns the path of the newest older ebuild in the folder of an ebuild. Returns None if the
/// folder has no older one, and for other distributions than Gentoo, whose recipes have one file
/// for all versions.
pub(super) fn below(t: &ExistingRecipe, out: &Path) -> Option<String> {
    if t.backend != Backend::Gentoo {
        return None;
    }
    let mut all = sorted_versions(out, &t.place).into_iter();
    all.rfind(|path| version_of(path) != t.version && whole_version(path) < whole_version(&t.place))
}

/// Returns again the conflicts that an earlier bump to the same release left to the maintainer. The
/// model's changes between the version `base` and the rendering `after` are tried again on the
/// recipe `t`, and the unpacking of archives is compared with that in the next older ebuild.
/// Returns no conflicts if the model has no recipe of the version `base`.
///
/// # Errors
/// When a recipe can't be rendered, or the older ebuild can't be read.
pub(super) fn told_again(
    t: &ExistingRecipe,
    out: &Path,
    base: Option<&str>,
    renderings: &mut Renderings,
    after: &Outline,
    files: CheckoutFiles,
) -> Result<Vec<Conflict>, Error> {
    let Some((before, place)) = renderings.before(t, base, None)? else {
        return Ok(Vec::new());
    };
    let before = ExistingRecipe::read(t.backend, &place, &before)?;
    let (_, mut conflicts) = t.merged(&before, after, files, VersionChange::default());
    conflicts.retain(|conflict| !conflict.is_comment());
    if let Some(older) = older(t, out)
        && let Some(conflict) = t.unpacks_as(&older?, files.beside)
    {
        add(&mut conflicts, conflict);
    }
    Ok(conflicts)
}

/// Returns the newest older ebuild in the folder of an ebuild; see [`below`].
fn older(t: &ExistingRecipe, out: &Path) -> Option<Result<ExistingRecipe, Error>> {
    let place = below(t, out)?;
    let paths = RecipePaths {
        path: &t.path,
        place: &place,
    };
    Some(ExistingRecipe::load(out, paths, t.backend, &t.id))
}

/// Returns the number of items in which the recipe `t` differs from the rendering `after`. Returns
/// 0 if an earlier bump made the recipe: a bump of the next older ebuild, whose version is `base`,
/// gives the same.
///
/// # Errors
/// When a recipe can't be rendered.
pub(super) fn differences(
    t: &ExistingRecipe,
    out: &Path,
    base: Option<&str>,
    renderings: &mut Renderings,
    after: &Outline,
    files: CheckoutFiles,
) -> Result<usize, Error> {
    let beside = files.of(&t.place);
    let count = differing(t, after, &beside);
    if count == 0 {
        return Ok(0);
    }
    // An older ebuild that can't be read says nothing about this one.
    let older = older(t, out).and_then(Result::ok);
    let Some((older, (before, place))) = older.zip(renderings.before(t, base, None)?) else {
        return Ok(count);
    };
    let before = ExistingRecipe::read(t.backend, &place, &before)?;
    let versions = VersionChange {
        from: older.version.as_deref(),
        to: t.version.as_deref(),
    };
    let (text, _) = older.merged(&before, after, files, versions);
    let text = without_stale_sums(&older, text, after);
    let is_made = |made: &Outline| differing(t, made, &beside) == 0;
    let made = ExistingRecipe::read(t.backend, &t.path, &text);
    Ok(if made.is_ok_and(|made| is_made(&made)) {
        0
    } else {
        count
    })
}
