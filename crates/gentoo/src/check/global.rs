//! E0871 to E0873: the place and value of `EAPI`, commands of the global scope that Portage
//! refuses, and functions with the names of Portage's helpers.

use super::given::COMMANDS;
use super::recipe::Recipe;
use rocpkg_syntax::{Checked, Fault};
use std::ops::Range;

/// The versions of the ebuild API that Portage supports.
const EAPIS: Range<u32> = 0..10;

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    eapi(recipe, out);
    commands(recipe, out);
    helpers(recipe, out);
}

/// Checks that `EAPI` is set in the first line that is neither empty nor a comment (PMS 7.3.1).
fn eapi(recipe: &Recipe, out: &mut Checked) {
    let Some(set) = recipe.script.sets.iter().find(|set| set.name == "EAPI") else {
        return;
    };
    let mut lines = recipe.text.split('\n');
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    };
    let stated = lines.find(is_code).and_then(stated);
    let fault = |label: String| {
        Fault::new("E0871", set.at.clone(), "Portage can't read `EAPI`").label(label)
    };
    let Some(stated) = stated else {
        let label = "expected `EAPI=8` in the first line that is no comment";
        return out.faults.push(fault(label.to_owned()));
    };
    if !stated.parse().is_ok_and(|number| EAPIS.contains(&number)) {
        return out
            .faults
            .push(fault(format!("Portage knows no EAPI `{stated}`")));
    }
    let value = recipe.value("EAPI").unwrap_or_default();
    if value.known().is_some_and(|value| value != stated) {
        let label = "`EAPI` has another value at the end of the ebuild".to_owned();
        out.faults.push(fault(label));
    }
}

/// Returns the value of `EAPI` in a line, as Portage reads it without running bash.
fn stated(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix("EAPI=")?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let rest = &rest[quote.map_or(0, char::len_utf8)..];
    let is_value = |c: char| c.is_ascii_alphanumeric() || "+_.-".contains(c);
    let end = rest.find(|c| !is_value(c)).unwrap_or(rest.len());
    let (value, behind) = rest.split_at(end);
    let behind = match quote {
        Some(quote) => behind.strip_prefix(quote)?,
        None => behind,
    };
    let comment = behind.trim_start_matches([' ', '\t']);
    let is_end = comment.is_empty() || comment.len() < behind.len() && comment.starts_with('#');
    is_end.then_some(value)
}

fn commands(recipe: &Recipe, out: &mut Checked) {
    let globals = recipe.globals();
    for refused in &globals.refused {
        let at = place(recipe, &refused.name);
        let message = match refused.name.as_str() {
            "" => "the global scope fails".to_owned(),
            name => format!("`{name}` can't be used in the global scope"),
        };
        let fault = Fault::new("E0872", at, message);
        out.faults.push(fault.label(refused.reason.as_str()));
    }
    for name in &globals.intercepted {
        let message = format!("`{name}` can't be used in the global scope");
        let fault = Fault::new("E0872", place(recipe, name), message);
        let label = "Portage does not run it here, and takes it for failed";
        out.faults.push(fault.label(label).accepted());
    }
    if globals.is_failed && globals.refused.is_empty() {
        let end = recipe.text.trim_end().len();
        let start = recipe.text[..end].rfind('\n').map_or(0, |at| at + 1);
        let fault = Fault::new("E0872", start..end, "the global scope fails");
        out.faults
            .push(fault.label("the last command returns an error, so Portage refuses the ebuild"));
    }
}

/// Returns the bytes of the first call of a command, in the global scope if there is one.
fn place(recipe: &Recipe, name: &str) -> Range<usize> {
    let calls = || recipe.script.calls.iter().filter(|call| call.name == name);
    let global = calls().find(|call| call.scope.function.is_none());
    let found = global.or_else(|| calls().next());
    found.map_or(0..0, |call| {
        call.at.start..call.at.start + name.len().max(1)
    })
}

/// Reports functions that replace a helper of Portage, which other helpers and eclasses call.
fn helpers(recipe: &Recipe, out: &mut Checked) {
    for function in &recipe.script.functions {
        let name = function.name.as_str();
        if !COMMANDS.contains(&name) {
            continue;
        }
        let message = format!("the function `{name}` replaces a command of Portage");
        let fault = Fault::new("E0873", function.name_at.clone(), message);
        out.faults.push(fault.label("name it otherwise"));
    }
}
