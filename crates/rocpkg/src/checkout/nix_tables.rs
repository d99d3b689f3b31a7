//! Tables of sources in a checkout of Nix files, from which recipes take their versions: the edits
//! of their entries.

use super::existing_recipe::{Conflict, ExistingRecipe};
use super::line_ends::read_text;
use super::nix_pin::{Pin, PinKind};
use super::todo::TodoKind;
use crate::error::Error;
use crate::sums::is_stand_in;
use rocpkg_nix::internal::Literal;
use rocpkg_syntax::Outline;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Moves the entry of a table, from which the recipe `t` takes its version, to the version `to`.
/// Conflicts about items that the recipe takes from the entry are removed from `conflicts`.
/// `models` are the renderings before and after.
///
/// Another place than an entry is not edited, nor is an entry with facts that the recipe does not
/// take from it, such as a tag. It becomes the reason of the conflict about the version.
pub(super) fn settle(
    t: &ExistingRecipe,
    conflicts: &mut Vec<Conflict>,
    models: [&Outline; 2],
    to: &str,
    edits: &mut BTreeSet<TableEdit>,
) {
    let Some((pin, version)) = t
        .pin
        .as_ref()
        .and_then(|pin| Some((pin, pin.beside.first()?)))
    else {
        return;
    };
    let is_version = |conflict: &Conflict| conflict.item.last().is_some_and(|key| key == VERSION);
    let edit = |literal: &Literal, to: &str| TableEdit {
        path: pin.path.clone(),
        at: literal.at,
        from: literal.text.clone(),
        to: to.to_owned(),
    };
    // The string of the entry that an item selects, with the new value.
    let moved = |conflict: &Conflict| {
        if is_version(conflict) {
            return Some(edit(version, to));
        }
        let item: Vec<&str> = conflict.item.iter().map(String::as_str).collect();
        let values = models.map(|model| {
            let node = model.get(&item)?;
            let value = &model.text[node.value_at.clone()];
            Some(value.trim_matches('"').to_owned())
        });
        let own = conflict.existing.as_deref().or(item.last().copied());
        let own = own.and_then(|own| pin.selected(own))?;
        let [Some(old), Some(new)] = values else {
            return None;
        };
        (own.text == old).then(|| edit(own, &new))
    };
    let made: BTreeSet<TableEdit> = conflicts.iter().filter_map(&moved).collect();
    let is_edited = |literal: &&Literal| made.iter().any(|edit| edit.at == literal.at);
    let is_of_release =
        |literal: &&Literal| literal.text.contains(&version.text) || literal.text.contains("sha");
    let mut of_release = pin.beside.iter().filter(is_of_release);
    let is_entry = pin.kind == PinKind::Source
        && Some(&version.text) == t.version.as_ref()
        && of_release.all(|literal| is_edited(&literal));
    if is_entry {
        conflicts.retain(|conflict| moved(conflict).is_none());
        conflicts.extend(unknown_sums(t, pin, &made));
        edits.extend(made);
        return;
    }
    for conflict in conflicts.iter_mut().filter(|conflict| is_version(conflict)) {
        let reason = format!("it is set in {}: change it to {to}", pin.place());
        (conflict.before, conflict.after) = (None, None);
        conflict.kind = TodoKind::Leftover;
        conflict.reason = Some(reason);
    }
}

/// Returns a conflict for each checksum in the entry `pin` that is a stand-in after `edits`.
fn unknown_sums(t: &ExistingRecipe, pin: &Pin, edits: &BTreeSet<TableEdit>) -> Vec<Conflict> {
    let value = |literal: &Literal| {
        let edit = edits.iter().find(|edit| edit.at == literal.at);
        edit.map_or_else(|| literal.text.clone(), |edit| edit.to.clone())
    };
    let open = pin.beside.iter().filter(|own| is_stand_in(&value(own)));
    let place = pin.place();
    let conflict = |own: &Literal| Conflict {
        kind: TodoKind::Sum,
        ..t.untouched(format!(
            "`{}` beside {place} is unknown",
            own.names.last().map(String::as_str).unwrap_or_default()
        ))
    };
    open.map(conflict).collect()
}

/// Returns the conflicts of a recipe that is at the requested release: `conflicts` without those
/// about items that the recipe takes from the place that sets its version, if the model has the
/// same value, and the unknown checksums at this place.
pub(super) fn without_set(t: &ExistingRecipe, mut conflicts: Vec<Conflict>) -> Vec<Conflict> {
    if let Some(pin) = &t.pin {
        conflicts.retain(|conflict| {
            let name = conflict.item.last().map_or("", String::as_str);
            let (own, model) = (conflict.existing.as_deref(), conflict.after.as_deref());
            !pin.explains(name, own, model)
        });
        conflicts.extend(unknown_sums(t, pin, &BTreeSet::new()));
    }
    conflicts
}

/// Returns the recipe with the version of the place from which it takes its version.
pub(super) fn with_pin(t: ExistingRecipe, pins: &[Pin]) -> ExistingRecipe {
    match set_by(&t, pins) {
        Some(pin) => ExistingRecipe {
            version: Some(pin.release.to_string()),
            pin: Some(pin),
            ..t
        },
        None => t,
    }
}

/// A change of a string in a table of sources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TableEdit {
    pub(super) path: String,
    at: usize,
    from: String,
    to: String,
}

/// Returns the texts of the tables in the folder `out` after `edits`, by their paths.
///
/// # Errors
/// When a file can't be read.
pub(super) fn edited(
    out: &Path,
    edits: &BTreeSet<TableEdit>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    // Edits of one file are applied from its end, so that the offsets of the others stay.
    for edit in edits.iter().rev() {
        let text = match texts.entry(edit.path.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(read_text(&out.join(&edit.path))?.unwrap_or_default()),
        };
        let start = text[edit.at..]
            .find(&edit.from)
            .map(|found| edit.at + found);
        if let Some(start) = start {
            text.replace_range(start..start + edit.from.len(), &edit.to);
        }
    }
    Ok(texts)
}

/// Returns the place from which a recipe takes its version. Returns None if the recipe states a
/// version, or if the place is not certain.
fn set_by(t: &ExistingRecipe, pins: &[Pin]) -> Option<Pin> {
    if t.version.is_some() {
        return None;
    }
    let item = t.outline.version_item()?;
    let expression = &t.outline.text[item.value_at.clone()];
    let is_it = |pin: &&Pin| {
        let is_of_kind = match pin.kind {
            PinKind::Source => pin.package.as_ref() == Some(&t.id),
            PinKind::Release => true,
            _ => false,
        };
        let own = pin.beside.first().filter(|_| is_of_kind);
        own.is_some_and(|own| {
            pin.selected(expression) == Some(own)
                && (is_selected_by(own, expression) || is_read(&pin.path, &t.outline.text))
        })
    };
    let found: Vec<&Pin> = pins.iter().filter(is_it).collect();
    let of_package = found.iter().find(|pin| pin.package.is_some());
    let is_one = found.iter().all(|pin| pin.release == found[0].release);
    let pin = of_package.or(found.first())?;
    is_one.then(|| (*pin).clone())
}

/// Returns true if the names in an expression leave no doubt about the string that it selects:
/// `sources.rocblas.version`, or `rocmVersion`, but not `version`.
fn is_selected_by(literal: &Literal, expression: &str) -> bool {
    let mut names = literal.names.iter().rev();
    let mut parts = expression.rsplit('.');
    let (Some(name), Some(_)) = (names.next(), parts.next()) else {
        return false;
    };
    match (names.next(), parts.next()) {
        (Some(above), Some(part)) => above == part,
        _ => name != VERSION,
    }
}

/// Returns true if the text of a Nix file names the file `path` by its last part.
pub(super) fn is_read(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    text.contains(&format!("/{name}"))
}

/// The name of a version in a derivation, and in most tables.
pub(super) const VERSION: &str = "version";
