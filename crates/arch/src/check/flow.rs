//! Follows the commands of the global scope to its end, and reports a PKGBUILD that makepkg can't
//! source: one that exits, or whose last command fails (`source_safe` in makepkg's `util/util.sh`).

use super::values::Values;
use rocpkg_bash::evaluate::Status;
use rocpkg_syntax::words::Word;
use rocpkg_syntax::{Call, Checked, Fault, Listing, Scope, Script, Use};

/// Reports a global scope that makepkg can't source. Statements behind a `return` never run, so
/// they are removed from `script` and `listing`.
pub(super) fn check(
    text: &str,
    values: &Values,
    script: &mut Script,
    listing: &mut Listing,
    out: &mut Checked,
) {
    characters(text, out);
    nounset(script, out);
    required(text, script, out);
    // Without commands, only the output of a command or a test may fail.
    let is_plain = script
        .calls
        .iter()
        .all(|call| call.scope.function.is_some());
    let last = listing.statements.last().cloned().unwrap_or_default();
    let is_certain = {
        let is_function = listing.functions.last().is_some_and(|f| f.at == last);
        is_function || !text[last.clone()].contains(['`', '(', '['])
    };
    if is_plain && is_certain {
        return;
    }
    let Some(end) = values.run.ends.first() else {
        return match values.status {
            Status::Success => {}
            Status::Unknown => {
                let reason = "only bash can decide if it fails";
                out.not_checked(last.start, "the last command", reason);
            }
            Status::Failed => {
                let message = "the last command of the PKGBUILD fails, so makepkg refuses it";
                let fault = Fault::new("E0831", last, message);
                let fault = fault.label("expected a command that succeeds");
                out.faults
                    .push(fault.hint("use `if`, or add the line `true`"));
            }
        };
    };
    let at = end.at.range().unwrap_or_default();
    let written = format!("`{}`", &text[at.clone()]);
    if !end.is_certain {
        let reason = "only bash can decide if it runs in the global scope";
        return out.not_checked(at.start, written, reason);
    }
    if end.name == "exit" {
        let message = "`exit` in the global scope ends makepkg";
        let fault = Fault::new("E0831", at, message);
        out.faults
            .push(fault.label("expected no `exit` outside of functions"));
        return;
    }
    match end.status {
        Status::Success => {
            script.sets.retain(|set| set.at.start < at.start);
            script.uses.retain(|used| used.at.start < at.start);
            script.calls.retain(|call| call.at.start < at.start);
            script
                .functions
                .retain(|function| function.at.start < at.start);
            listing
                .statements
                .retain(|statement| statement.start < at.start);
            listing
                .functions
                .retain(|function| function.at.start < at.start);
        }
        Status::Failed => {
            let message = format!("{written} makes makepkg refuse the PKGBUILD");
            let fault = Fault::new("E0831", at, message);
            out.faults
                .push(fault.label("expected `return 0`, or no `return`"));
        }
        Status::Unknown => {
            let reason = "only bash can compute the status";
            out.not_checked(at.start, written, reason);
        }
    }
}

/// Reports a carriage return, which makepkg refuses wherever it is. (The reader refuses only those
/// outside of quotes and comments.)
fn characters(text: &str, out: &mut Checked) {
    if let Some(at) = text.find('\r') {
        let message = "the PKGBUILD contains a carriage return, so makepkg refuses it";
        let fault = Fault::new("E0831", at..at + 1, message);
        out.faults
            .push(fault.label("expected lines that end with a line feed only"));
    }
}

/// Reports `${_NAME:?…}` of a private variable that is not set, which ends makepkg.
fn required(text: &str, script: &Script, out: &mut Checked) {
    let is_unset = |used: &&Use| {
        let rest = text[used.at.clone()].strip_prefix("${").unwrap_or_default();
        let operator = rest.strip_prefix(used.name.as_str()).unwrap_or_default();
        let is_required = operator.starts_with('?') || operator.starts_with(":?");
        is_required && used.name.starts_with('_') && used.scope == Scope::default()
    };
    for used in script.uses.iter().filter(is_unset) {
        if script.sets.iter().all(|set| set.name != used.name) {
            let message = format!("`{}` is not set, so bash ends makepkg here", used.name);
            let fault = Fault::new("E0831", used.at.clone(), message);
            out.faults
                .push(fault.label("expected a variable that is set above"));
        }
    }
}

/// Reports `set -u` without a later `set +u`: makepkg uses variables that are not set.
fn nounset(script: &Script, out: &mut Checked) {
    let is_at_margin = |call: &&Call| call.scope == Scope::default() && call.name == "set";
    let mut last = None;
    for call in script.calls.iter().filter(is_at_margin) {
        let words: Vec<&str> = call.words.iter().filter_map(Word::text).collect();
        let is_given = |sign: char| {
            let is_letter = |w: &&str| w.starts_with(sign) && w.contains('u');
            let named = format!("{sign}o");
            let is_named = |pair: &[&str]| pair[0].ends_with('o') && pair[1] == "nounset";
            words.iter().any(is_letter)
                || words
                    .windows(2)
                    .any(|pair| pair[0].starts_with(&named[..1]) && is_named(pair))
        };
        if is_given('-') || is_given('+') {
            last = Some(call).filter(|_| is_given('-'));
        }
    }
    if let Some(call) = last {
        let message = "`set -u` stays on while makepkg reads the fields, so makepkg fails";
        let fault = Fault::new("E0831", call.at.clone(), message);
        out.faults.push(fault.label("expected `set +u` below"));
    }
}
