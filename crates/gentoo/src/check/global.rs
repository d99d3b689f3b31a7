//! E0871 to E0873: the place and value of `EAPI`, commands of the global scope that Portage
//! refuses, and functions with the names of Portage's helpers.

use super::given::COMMANDS;
use super::recipe::Recipe;
use rocpkg_bash::evaluate::RefusedCommand;
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
    let fault = |refused: &RefusedCommand| {
        let at = refused.at.range().unwrap_or_default();
        let name = refused.name.as_str();
        let message = match name {
            "" => "the global scope fails".to_owned(),
            name => format!("`{name}` can't be used in the global scope"),
        };
        // A name that contains the value of a variable is not what the text has.
        let rest = &recipe.text[at.start..];
        let at = match name {
            "" => at.start..at.start + rest.chars().next().map_or(0, char::len_utf8),
            name if rest.starts_with(name) => at.start..at.start + name.len(),
            _ => at,
        };
        Fault::new("E0872", at, message).label(refused.reason.as_str())
    };
    out.faults.extend(globals.refused.iter().map(fault));
    let intercepted = globals.intercepted.iter().map(fault);
    out.faults.extend(intercepted.map(Fault::accepted));
    if globals.is_failed && globals.refused.is_empty() {
        let end = recipe.text.trim_end().len();
        let start = recipe.text[..end].rfind('\n').map_or(0, |at| at + 1);
        let fault = Fault::new("E0872", start..end, "the global scope fails");
        out.faults
            .push(fault.label("the last command returns an error, so Portage refuses the ebuild"));
    }
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
