//! Compares the `.SRCINFO` beside a PKGBUILD with the plain values of the PKGBUILD.

use super::recipe::Recipe;
use crate::value::srcinfo::{Srcinfo, is_field, normal, read_srcinfo};
use rocpkg_syntax::{Checked, Fault, SetKind};
use std::collections::BTreeSet;
use std::ops::Range;

/// The name of the file with the `.SRCINFO`.
const NAME: &str = ".SRCINFO";

/// Reports fields whose values in the `.SRCINFO` differ from those in the PKGBUILD. Reports nothing
/// if there is no `.SRCINFO`.
pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let Some(text) = recipe.surroundings.texts.get(NAME) else {
        return;
    };
    let info = match read_srcinfo(text) {
        Ok(info) => info,
        Err(line) => return out.not_checked(0, NAME, format!("line {line} can't be read")),
    };
    if recipe.margin.is_open() {
        return out.not_checked(0, NAME, "another script may set any variable");
    }
    names(recipe, &info, out);
    let stated = info.fields.iter().map(|(name, _)| name.as_str());
    let fields: BTreeSet<&str> = recipe
        .margin
        .names()
        .filter(|name| is_field(name))
        .chain(stated)
        .collect();
    for name in fields {
        let at = recipe.place(name).or_else(|| recipe.place("pkgver"));
        compare(name, recipe.value(name).texts(), &info.fields, at, out);
    }
    for (package, stated) in &info.packages {
        functions(recipe, package, stated, out);
    }
}

/// Compares `pkgname` and `pkgbase`.
fn names(recipe: &Recipe, info: &Srcinfo, out: &mut Checked) {
    let value = recipe.value("pkgname");
    let Some(names) = value.texts() else {
        return out.not_checked(
            recipe.start("pkgname"),
            format!("`pkgname` in {NAME}"),
            "only bash can compute the value",
        );
    };
    let stated: Vec<_> = info
        .packages
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let place = || recipe.place("pkgname").unwrap_or_default();
    if stated != names {
        let label = format!("{NAME} has `{}`", stated.join(" "));
        out.faults.push(stale("pkgname", place()).label(label));
    }
    let stated_base = recipe.value("pkgbase");
    let base = match stated_base.elements() {
        Some([]) => names.first().copied(),
        _ => stated_base.text(),
    };
    if let Some(base) = base.filter(|base| *base != info.base) {
        let label = format!("{NAME} has `{}`, but the PKGBUILD has `{base}`", info.base);
        let at = recipe.place("pkgbase").unwrap_or_else(place);
        out.faults.push(stale("pkgbase", at).label(label));
    }
}

/// Compares the fields that the function of `package` sets with `stated`, the package's section of
/// the `.SRCINFO`.
fn functions(recipe: &Recipe, package: &str, stated: &[(String, String)], out: &mut Checked) {
    let functions = &recipe.script.functions;
    let own = format!("package_{package}");
    let is_its = |name: &str| {
        name == own
            || (name == "package"
                && recipe
                    .value("pkgname")
                    .texts()
                    .is_some_and(|all| all.len() == 1))
    };
    let Some(function) = functions.iter().position(|function| is_its(&function.name)) else {
        return;
    };
    let of_function = || {
        recipe
            .script
            .sets
            .iter()
            .filter(|set| set.scope.function == Some(function) && is_field(&set.name))
    };
    let mut values = recipe.margin.in_function(recipe.script, function);
    values.set("pkgname", package);
    let mut sets = BTreeSet::new();
    for set in recipe
        .script
        .sets
        .iter()
        .filter(|set| set.scope.function == Some(function))
    {
        values.take(recipe.text, set);
        if is_field(&set.name) {
            sets.insert(set.name.as_str());
        }
    }
    for name in sets {
        // makepkg reads all lines of a function that set a field, whether they run or not.
        let mut all = of_function().filter(|set| set.name == name);
        let (Some(set), None) = (all.next(), all.next()) else {
            out.not_checked(
                recipe.script.functions[function].at.start,
                format!("`{name}` of `{package}` in {NAME}"),
                "the function sets it more than once",
            );
            continue;
        };
        if set.kind != SetKind::Assign {
            out.not_checked(
                set.at.start,
                format!("`{name}` of `{package}` in {NAME}"),
                "the function appends to it",
            );
            continue;
        }
        compare(name, values.texts(name), stated, Some(set.at.clone()), out);
    }
}

/// Compares the values of the field `name`: `own`, those in the PKGBUILD, and those in `stated`, a
/// section of the `.SRCINFO`. A fault is reported at `at`.
fn compare(
    name: &str,
    own: Option<Vec<&str>>,
    stated: &[(String, String)],
    at: Option<Range<usize>>,
    out: &mut Checked,
) {
    let Some(own) = own else {
        return out.not_checked(
            at.map_or(0, |at| at.start),
            format!("`{name}` in {NAME}"),
            "only bash can compute the value",
        );
    };
    let own: Vec<String> = own
        .into_iter()
        .map(normal)
        .filter(|value| !value.is_empty())
        .collect();
    let stated: Vec<&str> = stated
        .iter()
        .filter(|(field, value)| field == name && !value.is_empty())
        .map(|(_, value)| value.as_str())
        .collect();
    if own == stated {
        return;
    }
    let differs = (0..own.len().max(stated.len()))
        .find(|i| own.get(*i).map(String::as_str) != stated.get(*i).copied());
    let shown = |value: Option<&str>| {
        value.map_or_else(|| "nothing".to_owned(), |value| format!("`{value}`"))
    };
    let i = differs.unwrap_or_default();
    let label = format!(
        "{NAME} has {}, but the PKGBUILD has {}",
        shown(stated.get(i).copied()),
        shown(own.get(i).map(String::as_str))
    );
    out.faults
        .push(stale(name, at.unwrap_or_default()).label(label));
}

fn stale(name: &str, at: Range<usize>) -> Fault {
    let message = format!("`{name}` in {NAME} differs from the PKGBUILD");
    Fault::new("E0825", at, message)
        .hint("create the .SRCINFO with `makepkg --printsrcinfo`")
        .harmless()
}
