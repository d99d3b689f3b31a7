//! Checks versions, names of packages and names of functions, by the rules of makepkg
//! (`lint_pkgbuild/`).

use super::recipe::Recipe;
use crate::lower::lint::is_name;
use crate::value::versions::{is_epoch, is_pkgrel, is_pkgver};
use rocpkg_model::slip;
use rocpkg_syntax::{Checked, Fault};

/// The functions that makepkg calls, without `package_NAME`.
const FUNCTIONS: [&str; 6] = ["prepare", "build", "check", "package", "pkgver", "verify"];

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    required(recipe, out);
    versions(recipe, out);
    packages(recipe, out);
    misspelt(recipe, out);
}

/// Reports required fields that are not set.
fn required(recipe: &Recipe, out: &mut Checked) {
    for name in ["pkgname", "pkgver", "pkgrel", "arch"] {
        let value = recipe.value(name);
        if value.elements().is_some_and(<[_]>::is_empty) {
            let message = format!("`{name}` is not set");
            let at = recipe.place(name).unwrap_or_default();
            let fault = Fault::new("E0828", at, message);
            out.faults.push(fault.label("makepkg needs it"));
        }
    }
}

/// A rule of makepkg: a function that returns true for a valid value.
type Rule = fn(&str) -> bool;

fn versions(recipe: &Recipe, out: &mut Checked) {
    let rules: [(&str, Rule, &str); 3] = [
        (
            "pkgver",
            is_pkgver,
            "expected ASCII letters, digits and signs, but no `:`, `/`, `-` or blanks",
        ),
        (
            "pkgrel",
            is_pkgrel,
            "expected a number such as `1` or `1.1`",
        ),
        (
            "epoch",
            |epoch| epoch.is_empty() || is_epoch(epoch),
            "expected a number",
        ),
    ];
    for (name, is_valid, label) in rules {
        let Some(at) = recipe.place(name) else {
            continue;
        };
        let value = recipe.value(name);
        match (value.text(), &value.open) {
            (Some(text), _) if !is_valid(text) => {
                let message = format!("makepkg refuses the {name} `{}`", text.escape_debug());
                out.faults
                    .push(Fault::new("E0828", at, message).label(label));
            }
            (None, Some(open)) => {
                out.not_checked(open.at, format!("`{name}`"), open.reason.clone());
            }
            _ => {}
        }
    }
}

/// Reports invalid names of packages, and functions that don't match the packages.
fn packages(recipe: &Recipe, out: &mut Checked) {
    let script = recipe.script;
    let Some(at) = recipe.place("pkgname") else {
        return;
    };
    let value = recipe.value("pkgname");
    let Some(names) = value.texts() else {
        let reason = value.open.map_or_else(String::new, |open| open.reason);
        return out.not_checked(at.start, "`pkgname`", reason);
    };
    let base = recipe.value("pkgbase");
    let base = base.text().filter(|base| !base.is_empty());
    let base = base.filter(|base| !names.contains(base));
    let all = names.iter().copied().chain(base);
    for name in all.filter(|name| !is_name(name)) {
        let message = format!("`{}` can't be the name of a package", name.escape_debug());
        let label = "expected letters, digits and `@._+-`, not starting with `-` or `.`";
        out.faults
            .push(Fault::new("E0828", at.clone(), message).label(label));
    }
    if names.len() > 1 && script.defines("package") {
        let message = "a split PKGBUILD can't have a function `package`";
        let fault = Fault::new("E0828", at.clone(), message);
        out.faults
            .push(fault.label("expected one function for each package"));
    }
    let builds = script.defines("build");
    for name in &names {
        let own = format!("package_{name}");
        let message = match (
            names.len() > 1,
            script.defines("package"),
            script.defines(&own),
        ) {
            (true, _, false) => format!("the function `{own}` is missing"),
            (false, false, false) if builds => "the function `package` is missing".to_owned(),
            (false, true, true) => format!("`package` and `{own}` are both set"),
            _ => continue,
        };
        let label = format!("makepkg needs a function for `{name}`");
        out.faults
            .push(Fault::new("E0828", at.clone(), message).label(label));
    }
    for function in &script.functions {
        let Some(name) = function.name.strip_prefix("package_") else {
            continue;
        };
        if !names.contains(&name) && !is_called(recipe, &function.name) {
            let message = format!(
                "the function `{}` is for a package that is not in `pkgname`",
                function.name
            );
            let fault = Fault::new("E0828", function.name_at.clone(), message).harmless();
            out.faults
                .push(fault.label(format!("expected `{name}` in `pkgname`")));
        }
    }
}

/// Reports functions that nothing calls, and whose names differ by one letter from those that
/// makepkg calls.
fn misspelt(recipe: &Recipe, out: &mut Checked) {
    for function in &recipe.script.functions {
        let name = function.name.as_str();
        let word = name.split('_').next().unwrap_or(name);
        let is_own = FUNCTIONS.contains(&word) || word.is_empty();
        let meant = if word == name {
            slip(name, FUNCTIONS)
        } else {
            slip(word, ["package"])
        };
        let Some(meant) = meant
            .filter(|meant| !is_own && !name.starts_with(meant) && !recipe.script.defines(meant))
        else {
            continue;
        };
        if !is_called(recipe, name) {
            let message = format!("nothing calls the function `{name}`");
            out.faults.push(
                Fault::new("E0829", function.name_at.clone(), message)
                    .label(format!("expected `{meant}`")),
            );
        }
    }
}

/// Returns true if the PKGBUILD contains the name of a function outside of its definitions.
fn is_called(recipe: &Recipe, name: &str) -> bool {
    let function = recipe
        .script
        .functions
        .iter()
        .filter(|function| function.name == name);
    let defined = function.count();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let whole = recipe.text.match_indices(name).filter(|(at, _)| {
        let (before, behind) = (&recipe.text[..*at], &recipe.text[at + name.len()..]);
        !before.ends_with(is_part) && !behind.starts_with(is_part)
    });
    whole.count() > defined
}
