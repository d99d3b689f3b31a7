//! Checks the values of fields, and whether a field is an array, by the rules of makepkg
//! (`lint_pkgbuild/`).

use super::recipe::Recipe;
use super::values::{Element, Values, events};
use crate::ir::Field;
use crate::versions::is_relation;
use rocpkg_syntax::{Checked, Fault, Set, SetKind};

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    if recipe.margin.is_open() {
        return;
    }
    architectures(recipe, out);
    let sets = |function| -> Vec<&Set> {
        let all = recipe.script.sets.iter();
        all.filter(|set| set.scope.function == function).collect()
    };
    kinds(recipe, &sets(None), out);
    values(recipe, recipe.margin, |_| true, out);
    for (at, function) in recipe.script.functions.iter().enumerate() {
        // makepkg reads no field from a function named `package`.
        if !function.name.starts_with("package_") {
            continue;
        }
        let mut own = sets(Some(at));
        own.retain(|set| matches!(set.kind, SetKind::Assign | SetKind::Append));
        misplaced(recipe, &own, out);
        kinds(recipe, &own, out);
        let mut inside = recipe.margin.in_function(recipe.script, at);
        for event in events(recipe.script, Some(at)) {
            inside.take(recipe.text, recipe.script, &event);
        }
        let is_set = |name: &str| own.iter().any(|set| set.name == name);
        values(recipe, &inside, is_set, out);
    }
}

/// Returns the field and the architecture in the name of a variable: `depends_x86_64` -> `depends`
/// and `x86_64`. Returns `None` for a variable that is no field.
fn field<'n>(name: &'n str, recipe: &Recipe) -> Option<(Field, Option<&'n str>)> {
    if let Some(field) = Field::from_name(name) {
        return Some((field, None));
    }
    let (field, arch) = name.split_once('_')?;
    let all = recipe.margin.texts("arch")?;
    let field = Field::from_name(field).filter(|_| all.contains(&arch))?;
    Some((field, Some(arch)))
}

/// Reports `any` beside other elements of `arch`, and names with invalid characters (`arch.sh`).
fn architectures(recipe: &Recipe, out: &mut Checked) {
    let all = recipe.margin.elements("arch").unwrap_or_default();
    let named = |element: &&Element| element.text.as_deref() == Some("any");
    if let Some(any) = all.iter().find(named).filter(|_| all.len() > 1) {
        let message = "makepkg refuses `any` beside other architectures";
        let fault = Fault::new("E0828", any.at.clone(), message);
        out.faults.push(fault.label("expected only `any`"));
    }
    for element in all {
        let Some(text) = element.text.as_deref() else {
            continue;
        };
        if !text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            refuse(
                "arch",
                element,
                "expected letters, digits and `_`",
                text,
                out,
            );
        }
    }
}

/// Reports arrays that are set to one value, and single fields that are set to an array
/// (`variable.sh`). Also reports fields for an architecture that do not differ between
/// architectures (`arch_specific.sh`).
fn kinds(recipe: &Recipe, sets: &[&Set], out: &mut Checked) {
    for set in sets {
        let name = &set.name;
        // `pkgbase` is no field of a package, but has a single value, as `pkgver` has.
        let known = if name == "pkgbase" { "pkgver" } else { name };
        let Some((field, arch)) = field(known, recipe) else {
            continue;
        };
        if set.kind != SetKind::Assign || set.scope.is_conditional {
            continue;
        }
        if let Some(arch) = arch.filter(|arch| *arch == "any" || !field.has_architectures()) {
            let message = format!(
                "`{}` can't be set for the architecture {arch}",
                field.name()
            );
            let label = format!("expected `{}`", field.name());
            let fault = Fault::new("E0828", set.at.clone(), message);
            out.faults.push(fault.label(label));
            continue;
        }
        let is_list = recipe.slice(&set.value_at).starts_with('(');
        let is_indexed = recipe.slice(&set.at).starts_with(&format!("{name}["));
        let others = sets.iter().filter(|other| other.name == *name);
        // An array stays an array if its first element is assigned.
        let others = others.filter(|other| recipe.slice(&other.value_at).starts_with('('));
        let (message, label) = match (field.is_single(), is_list) {
            (true, true) => ("has one value, but is set to a list", "expected a value"),
            (false, false) if !is_indexed && others.count() == 0 => {
                ("is a list, but is set to one value", "expected `( … )`")
            }
            _ => continue,
        };
        let fault = Fault::new("E0828", set.at.clone(), format!("`{name}` {message}"));
        out.faults.push(fault.label(label));
    }
}

/// Reports fields that only the global scope may set, but the function of a package sets
/// (`package_function_variable.sh`).
fn misplaced(recipe: &Recipe, sets: &[&Set], out: &mut Checked) {
    for set in sets {
        let Some((field, _)) = field(&set.name, recipe).filter(|(f, _)| !f.is_of_packages()) else {
            continue;
        };
        let message = format!(
            "makepkg refuses `{}` in the function of a package",
            set.name
        );
        let label = format!("expected `{}` outside of functions", field.name());
        let fault = Fault::new("E0828", set.at.clone(), message);
        out.faults.push(fault.label(label));
    }
}

/// Reports elements of arrays that makepkg refuses, in the variables for which `is_set` returns
/// true.
fn values(recipe: &Recipe, values: &Values, is_set: impl Fn(&str) -> bool, out: &mut Checked) {
    for name in values.names().filter(|name| is_set(name)) {
        let Some((field, _)) = field(name, recipe) else {
            continue;
        };
        let Some((expected, is_valid)) = rule(field) else {
            continue;
        };
        for element in values.elements(name).unwrap_or_default() {
            let Some(text) = element.text.as_deref() else {
                continue;
            };
            if !is_valid(field, text) {
                refuse(name, element, expected, text, out);
            }
        }
    }
}

fn refuse(name: &str, element: &Element, expected: &str, text: &str, out: &mut Checked) {
    let message = format!("makepkg refuses `{}` in `{name}`", text.escape_debug());
    let fault = Fault::new("E0828", element.at.clone(), message);
    out.faults.push(fault.label(expected.to_owned()));
}

/// The expected form of an array's elements as text, and a function that returns true for a valid
/// element.
type Rule = (&'static str, fn(Field, &str) -> bool);

fn rule(field: Field) -> Option<Rule> {
    let rule: Rule = match field {
        Field::Depends | Field::Makedepends | Field::Checkdepends | Field::Conflicts => (
            "expected a package, or a package and a version joined by `=`, `<`, `>`, `<=` or `>=`",
            is_relation,
        ),
        Field::Provides => (
            "expected a name, or a name and a version joined by `=`",
            is_relation,
        ),
        Field::Optdepends => ("expected `package: reason`", |_, text| {
            let end = text.find(": ").or_else(|| text.find(":\t"));
            is_relation(Field::Depends, &text[..end.unwrap_or(text.len())])
        }),
        Field::Backup => ("expected a path without a leading slash", |_, text| {
            !text.starts_with('/')
        }),
        Field::Options => (
            "expected an option of makepkg, such as `!lto`",
            |_, text| {
                let name = text.strip_prefix('!').unwrap_or(text);
                OPTIONS.contains(&name)
            },
        ),
        _ if field.is_sums() => ("expected `SKIP` or a checksum of this kind", is_sum),
        _ => return None,
    };
    Some(rule)
}

/// The options of makepkg's `packaging_options` and `build_options`.
const OPTIONS: [&str; 14] = [
    "autodeps",
    "buildflags",
    "ccache",
    "debug",
    "distcc",
    "docs",
    "emptydirs",
    "libtool",
    "lto",
    "makeflags",
    "purge",
    "staticlibs",
    "strip",
    "zipman",
];

/// Returns true for `SKIP`, or a checksum of the kind that the field contains, in hexadecimal
/// digits. `cksums` contains decimal digits.
fn is_sum(field: Field, text: &str) -> bool {
    let digits = match field {
        Field::Md5sums => 32,
        Field::Sha1sums => 40,
        Field::Sha224sums => 56,
        Field::Sha256sums => 64,
        Field::Sha384sums => 96,
        Field::Sha512sums | Field::B2sums => 128,
        _ => return text == "SKIP" || text.bytes().all(|b| b.is_ascii_digit()),
    };
    text == "SKIP" || text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit())
}
