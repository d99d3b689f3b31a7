//! Counters of recipes in an output folder that is no checkout, such as `pkgrel`.

use super::existing_recipe::Conflict;
use super::recipe_bump::{Edited, existing};
use super::srcinfo;
use crate::error::Error;
use crate::tree::Tree;
use std::path::Path;

/// Continues the counters of recipes, such as `pkgrel` and keywords, from the existing files of an
/// output folder that is no checkout. The recipes of such a folder are not edited otherwise.
///
/// # Errors
/// When a file can't be read.
pub(super) fn count(tree: &mut Tree, out: &Path) -> Result<Edited, Error> {
    let (all, unreadable) = existing(tree, out);
    if let Some((_, Conflict { reason, .. })) = unreadable.into_iter().next() {
        return Err(Error::Recipe(reason.unwrap_or_default()));
    }
    for t in all {
        let rendered = tree.text(&t.path).unwrap_or_default().to_owned();
        let after = t.backend.reading(&t.path).read(&rendered);
        let version = after
            .ok()
            .and_then(|after| t.backend.stated(&after, &t.path));
        let again = tree.is_rebuilt(t.backend, &t.id);
        let is_same = t.version == version;
        let text = t.backend.implementation().counted(
            &rendered,
            (&t.outline.text, &rendered),
            is_same,
            again,
        );
        let is_counted = text != rendered;
        tree.files.replace(t.path.as_str(), text)?;
        if is_counted {
            srcinfo::renew(tree, &t.path)?;
        }
        if t.place != t.path && is_same {
            tree.rename(&t.path, &t.place)?;
        }
    }
    Ok(Edited::default())
}
