//! Checks the values of fields, and whether a field is an array, by the rules of makepkg
//! (`lint_pkgbuild/`).

use super::recipe::Recipe;
use super::values::Element;
use crate::value::ir::Field;
use crate::value::versions::is_relation;
use rocpkg_syntax::{Checked, Fault, Position, Scope, Set, SetKind};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    if recipe.margin.is_open() {
        return;
    }
    architectures(recipe, out);
    sparse(recipe, out);
    let sets = recipe.script.sets.iter();
    let own: Vec<&Set> = sets.filter(|set| set.scope.function.is_none()).collect();
    kinds(recipe, &own, out);
    for name in recipe.margin.names() {
        let value = recipe.value(name);
        values(recipe, name, value.elements().unwrap_or_default(), out);
    }
    let value = recipe.value("pkgname");
    let names = value.texts();
    for (at, function) in recipe.script.functions.iter().enumerate() {
        // makepkg reads `package` for each package without a function of its own
        // (`grep_function` in `util/pkgbuild.sh`).
        let part = function.name.strip_prefix("package_");
        let parts: Vec<&str> = match (part, &names) {
            (Some(part), Some(names)) if !names.contains(&part) => continue,
            (Some(part), _) => vec![part],
            (None, Some(names)) if function.name == "package" => names.clone(),
            _ => continue,
        };
        let own = lines(recipe, at);
        let hidden = hidden(recipe, at);
        let all: Vec<&Set> = own.iter().copied().chain(&hidden).collect();
        misplaced(recipe, &all, out);
        kinds_in_function(recipe, &all, out);
        let mut inside = recipe.margin.sourced();
        if let [part] = parts[..] {
            inside.set("pkgname", part);
        } else {
            inside.forget("pkgname");
        }
        // `=` replaces the lines above, and `+=` adds to them.
        let mut all: BTreeMap<&str, Vec<Element>> = BTreeMap::new();
        for set in own {
            let elements = all.entry(&set.name).or_default();
            if set.kind != SetKind::Append {
                elements.clear();
            }
            elements.extend(inside.assigned(recipe.text, set).unwrap_or_default());
        }
        for (name, elements) in all {
            values(recipe, name, &elements, out);
        }
    }
}

/// Returns the assignments of the function with the index `function` that begin a line of
/// `declare -f`. makepkg reads these lines, whether they run or not.
fn lines<'a>(recipe: &Recipe<'a>, function: usize) -> Vec<&'a Set> {
    let place = &recipe.script.functions[function].at;
    let listed = recipe.listing.functions.iter();
    let listed = listed.filter(|listed| listed.at == *place);
    let listed = listed.flat_map(|listed| &listed.sets);
    let read = listed.filter(|set| matches!(set.position, Position::Whole | Position::Start));
    let starts: BTreeSet<usize> = read.map(|set| set.at.start).collect();
    let body_end = place.end - 1;
    let is_line = |set: &&Set| {
        // makepkg does not read `a[0]=b`, nor `a=` at the end of the function.
        let is_indexed = recipe.slice(&set.at).starts_with(&format!("{}[", set.name));
        let is_last = || recipe.text[set.at.end..body_end].trim().is_empty();
        let is_empty = set.value_at.is_empty() && is_last();
        starts.contains(&set.at.start) && !is_indexed && !is_empty
    };
    let sets = recipe.script.sets.iter();
    let own = sets.filter(|set| set.scope.function == Some(function));
    own.filter(is_line).collect()
}

/// Returns the lines of here-documents and quoted texts in the function with the index `function`
/// that makepkg reads as assignments: blanks, the last of which is a space, and a name with `=`.
fn hidden(recipe: &Recipe, function: usize) -> Vec<Set> {
    let place = &recipe.script.functions[function].at;
    let listed = recipe.listing.functions.iter();
    let texts = listed
        .filter(|listed| listed.at == *place)
        .flat_map(|f| &f.texts);
    let mut out = Vec::new();
    for text in texts {
        // A here-document begins behind the blanks of its first line.
        let above = recipe.text[..text.start].trim_end_matches([' ', '\t']);
        let is_blank = above.ends_with('\n');
        let mut start = if is_blank { above.len() } else { text.start };
        let text = start..text.end;
        for (i, line) in recipe.slice(&text).split_inclusive('\n').enumerate() {
            let begin = start;
            start += line.len();
            let Some((head, value)) = line.trim_end_matches('\n').split_once('=') else {
                continue;
            };
            let name = head.strip_suffix('+').unwrap_or(head);
            let own = name.trim_start_matches([' ', '\t']);
            if (i == 0 && !is_blank)
                || !name[..name.len() - own.len()].ends_with(' ')
                || value.is_empty()
            {
                continue;
            }
            let value_at = begin + head.len() + 1;
            out.push(Set {
                name: own.to_owned(),
                at: begin + name.len() - own.len()..value_at + value.len(),
                value_at: value_at..value_at + value.len(),
                kind: SetKind::Assign,
                scope: Scope::default(),
            });
        }
    }
    out
}

/// Returns the field and the architecture in the name of a variable: `depends_x86_64` -> `depends`
/// and `x86_64`. Returns `None` for a variable that is no field.
fn field<'n>(name: &'n str, recipe: &Recipe) -> Option<(Field, Option<&'n str>)> {
    if let Some(field) = Field::from_name(name) {
        return Some((field, None));
    }
    let (field, arch) = name.split_once('_')?;
    let field = Field::from_name(field)?;
    recipe
        .value("arch")
        .texts()?
        .contains(&arch)
        .then_some(())?;
    Some((field, Some(arch)))
}

/// Reports `any` beside other elements of `arch`, and names with invalid characters (`arch.sh`).
fn architectures(recipe: &Recipe, out: &mut Checked) {
    let value = recipe.value("arch");
    let all = value.elements().unwrap_or_default();
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

/// Reports an array `source` with a gap between its indexes (`source.sh`).
fn sparse(recipe: &Recipe, out: &mut Checked) {
    let (mut count, mut next, mut at) = (0, 0, 0..0);
    for set in recipe.script.sets_at_margin("source") {
        let written = recipe.slice(&set.at);
        let index = written
            .strip_prefix("source[")
            .and_then(|rest| rest.split_once(']'));
        let elements = recipe.margin.assigned(recipe.text, set);
        let (Some(elements), false) = (elements, set.scope.is_conditional) else {
            return;
        };
        if let Some((index, _)) = index {
            let Ok(index) = index.parse::<usize>() else {
                return;
            };
            count += usize::from(index >= next);
            next = next.max(index + 1);
        } else if set.kind == SetKind::Append {
            (count, next) = (count + elements.len(), next + elements.len());
        } else {
            (count, next) = (elements.len(), elements.len());
        }
        at = set.at.clone();
    }
    if count < next {
        let message = "makepkg refuses a gap between the indexes of `source`";
        let fault = Fault::new("E0828", at, message);
        out.faults
            .push(fault.label("expected the indexes from 0 on"));
    }
}

/// Reports fields of the global scope that are set to one value instead of an array, and single
/// fields that are set to an array (`variable.sh`). Also reports fields for an architecture that do
/// not differ between architectures (`arch_specific.sh`).
fn kinds(recipe: &Recipe, sets: &[&Set], out: &mut Checked) {
    let is_array = |set: &Set| {
        let is_indexed = recipe.slice(&set.at).starts_with(&format!("{}[", set.name));
        is_indexed || recipe.slice(&set.value_at).starts_with('(')
    };
    // An array stays an array if its first element is assigned.
    let arrays = sets.iter().filter(|set| is_array(set));
    let arrays: BTreeSet<&str> = arrays.map(|set| set.name.as_str()).collect();
    for set in sets {
        let is_plain = matches!(set.kind, SetKind::Assign | SetKind::Append);
        if !is_plain || set.scope.is_conditional {
            continue;
        }
        let Some(field) = kind(recipe, set, out) else {
            continue;
        };
        if field.is_single() && is_array(set) {
            out.faults.push(of_kind(set, true));
        } else if !field.is_single() && !arrays.contains(set.name.as_str()) {
            out.faults.push(of_kind(set, false));
        }
    }
}

/// Reports such fields in the lines of a package's function. makepkg tests each line by itself.
fn kinds_in_function(recipe: &Recipe, sets: &[&Set], out: &mut Checked) {
    for set in sets {
        let Some(field) = kind(recipe, set, out) else {
            continue;
        };
        let is_list = recipe.slice(&set.value_at).starts_with('(');
        if field.is_single() == is_list {
            out.faults.push(of_kind(set, is_list));
        }
    }
}

/// Returns the field that an assignment sets. Reports a field for an architecture that does not
/// differ between architectures, and returns `None` for it.
fn kind(recipe: &Recipe, set: &Set, out: &mut Checked) -> Option<Field> {
    // `pkgbase` is no field of a package, but has a single value, as `pkgver` has.
    let name = if set.name == "pkgbase" {
        "pkgver"
    } else {
        &set.name
    };
    let (field, arch) = field(name, recipe)?;
    let Some(arch) = arch.filter(|arch| *arch == "any" || !field.has_architectures()) else {
        return Some(field);
    };
    let message = format!(
        "`{}` can't be set for the architecture {arch}",
        field.name()
    );
    let label = format!("expected `{}`", field.name());
    let fault = Fault::new("E0828", set.at.clone(), message);
    out.faults.push(fault.label(label));
    None
}

/// Returns the fault of a field that is set to an array if `is_list` is true, and otherwise to one
/// value.
fn of_kind(set: &Set, is_list: bool) -> Fault {
    let (message, label) = if is_list {
        ("has one value, but is set to a list", "expected a value")
    } else {
        ("is a list, but is set to one value", "expected `( … )`")
    };
    let message = format!("`{}` {message}", set.name);
    Fault::new("E0828", set.at.clone(), message).label(label)
}

/// Reports fields that only the global scope may set, but the function of a package sets
/// (`package_function_variable.sh`).
fn misplaced(recipe: &Recipe, sets: &[&Set], out: &mut Checked) {
    for set in sets {
        let is_base = set.name == "pkgbase";
        let field = field(&set.name, recipe).filter(|(f, _)| !f.is_of_packages());
        let name = match field {
            Some((field, _)) => field.name(),
            None if is_base => "pkgbase",
            None => continue,
        };
        let message = format!(
            "makepkg refuses `{}` in the function of a package",
            set.name
        );
        let label = format!("expected `{name}` outside of functions");
        let fault = Fault::new("E0828", set.at.clone(), message);
        out.faults.push(fault.label(label));
    }
}

/// Reports elements of the variable `name` that makepkg refuses.
fn values(recipe: &Recipe, name: &str, elements: &[Element], out: &mut Checked) {
    let Some((field, _)) = field(name, recipe) else {
        return;
    };
    let rule = rule(field);
    for element in elements {
        let Some(text) = element.text.as_deref() else {
            continue;
        };
        if matches!(field, Field::Install | Field::Changelog) {
            missing(recipe, name, text, element, out);
        } else if let Some((expected, is_valid)) = rule
            && !is_valid(field, text)
        {
            refuse(name, element, expected, text, out);
        }
    }
}

/// Reports the file of `install` or `changelog` if it is not beside the PKGBUILD (`install.sh`,
/// `changelog.sh`).
fn missing(recipe: &Recipe, name: &str, path: &str, element: &Element, out: &mut Checked) {
    let Some(files) = &recipe.surroundings.files else {
        return;
    };
    let own = path.strip_prefix("./").unwrap_or(path);
    let is_elsewhere = own.starts_with(['/', '.']) || own.contains("//") || own.contains("/.");
    if own.is_empty() || is_elsewhere || files.contains(own) {
        return;
    }
    let message = format!("`{path}` is set as `{name}`, but the file is not beside the PKGBUILD");
    let fault = Fault::new("E0823", element.at.clone(), message);
    out.faults
        .push(fault.label("expected a file in this folder"));
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
            let is_end = |(at, _): &(usize, &str)| text[at + 1..].starts_with(char::is_whitespace);
            let end = text.match_indices(':').find(is_end);
            is_relation(
                Field::Optdepends,
                &text[..end.map_or(text.len(), |(at, _)| at)],
            )
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
