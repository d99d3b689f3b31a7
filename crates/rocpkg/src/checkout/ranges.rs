//! Dependencies of an edited recipe whose version ranges exclude the release.

use super::existing_recipe::{Conflict, ExistingRecipe};
use rocpkg_shell::Excluded;
use rocpkg_syntax::Outline;
use std::collections::BTreeMap;

/// Returns a conflict for each dependency in `text`, the new text of a recipe, whose
/// version range excludes the version that its package has at the same release. `versions` has the
/// versions of the release by package, such as `dev-util/hip`. A dependency that the rendering
/// `after` has too is no conflict.
pub(super) fn ranges(
    existing: &ExistingRecipe,
    text: &str,
    after: &Outline,
    versions: &BTreeMap<String, String>,
) -> Vec<Conflict> {
    let Ok(new) = ExistingRecipe::read(existing.backend, &existing.path, text) else {
        return Vec::new();
    };
    let own = existing.backend.implementation();
    let known = own.excluded(after, &existing.path, versions);
    let is_known = |own: &Excluded| known.iter().any(|k| k.dependency == own.dependency);
    let found = own.excluded(&new, &existing.path, versions).into_iter();
    let conflict = |own: Excluded| {
        let reason = format!(
            "`{}` excludes {}, which is the version of {} at this release",
            own.dependency, own.version, own.package
        );
        Conflict {
            existing: Some(new.text[own.at.clone()].to_owned()),
            ..existing.fact(new.keys_at(own.at.start), &new, own.at.start, reason)
        }
    };
    found.filter(|own| !is_known(own)).map(conflict).collect()
}
