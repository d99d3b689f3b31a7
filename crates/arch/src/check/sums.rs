//! Compares the number of elements of each array of checksums with that of its array of sources.

use super::recipe::Recipe;
use crate::value::ir::Field;
use rocpkg_syntax::{Checked, Fault};

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    for name in recipe.margin.names() {
        let Some((field, rest)) = list(name) else {
            continue;
        };
        let sources = format!("source{rest}");
        let values = (recipe.value(name), recipe.value(&sources));
        let (Some(sums), Some(all)) = (values.0.elements(), values.1.elements()) else {
            out.not_checked(
                recipe.start(name),
                format!("`{name}`"),
                format!("only bash can count the elements of `{name}` or `{sources}`"),
            );
            continue;
        };
        if sums.len() == all.len() || (sums.is_empty() && has_others(recipe, field, rest)) {
            continue;
        }
        let Some(at) = recipe.place(name) else {
            continue;
        };
        let message = format!(
            "`{name}` has {}, but `{sources}` has {}",
            elements(sums.len()),
            elements(all.len())
        );
        out.faults.push(
            Fault::new("E0822", at, message).label(format!("expected {}", elements(all.len()))),
        );
    }
}

fn elements(n: usize) -> String {
    match n {
        1 => "1 element".to_owned(),
        n => format!("{n} elements"),
    }
}

/// Returns the field and the end in the name of an array of checksums: `md5sums_x86_64` ->
/// `md5sums` and `_x86_64`. Returns `None` for any other name.
fn list(name: &str) -> Option<(Field, &str)> {
    let end = name.find('_').unwrap_or(name.len());
    let field = Field::from_name(&name[..end]).filter(|field| field.is_sums())?;
    Some((field, &name[end..]))
}

/// Returns true if another array has checksums for the same sources. `field` and `rest` are the
/// field and the end of the name of the empty array, which makepkg ignores.
fn has_others(recipe: &Recipe, field: Field, rest: &str) -> bool {
    let others = Field::ALL
        .iter()
        .filter(|other| other.is_sums() && **other != field);
    let mut lists = others.map(|other| recipe.value(&format!("{}{rest}", other.name())));
    lists.any(|list| list.elements().is_none_or(|list| !list.is_empty()))
}
