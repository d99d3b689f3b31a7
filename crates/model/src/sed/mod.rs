//! Scripts of sed, read far enough to know that they change the text before them and nothing else.
//!
//! GNU sed also runs programs (`e`, and `e` behind a replacement), reads files (`r`, `R`) and writes them (`w`, `W`). A script is
//! data, so these are refused, and so is what can't be read: what sed makes of it is not known.

mod program;

use crate::finding::{Finding, Findings};
use crate::step::{Replace, Sed};
use crate::text::{Piece, Text};
use program::Program;

/// What stands for a reference while a script is read: no character of a profile.
const REFERENCE: char = '\u{fffc}';

/// Reports scripts that do more than change text, and those that sed refuses whatever the files hold.
pub(crate) fn check_scripts(sed: &Sed, findings: &mut Findings) {
    let refused = |span, reason: String, label: &str| Finding::error("E0564", span, reason).label(label);
    let mut program = Program { extended: sed.extended, ..Program::default() };
    for (at, script) in sed.scripts.0.iter().enumerate() {
        program.script = at;
        if let Err(reason) = script_text(script).and_then(|text| program.read(&text)) {
            findings.push(
                refused(
                    script.span,
                    reason,
                    "expected commands that change text: they run, read and write nothing",
                )
                .hint("use `replace` or a patch"),
            );
            return;
        }
    }
    if let (true, Some(last)) = (program.depth > 0, sed.scripts.0.last()) {
        findings.push(refused(last.span, "a `{` of sed that nothing closes".to_owned(), "expected `}`"));
    }
    if let Some((label, at)) = program.lost() {
        let message = format!("sed knows no label `{label}`");
        findings.push(refused(sed.scripts.0[at].span, message, "expected a label that `:` sets"));
    }
}

/// Reports a replacement of nothing, and patterns of the shell in one: both sides are literal.
pub(crate) fn check_replace(replace: &Replace, findings: &mut Findings) {
    if replace.from.as_literal().is_some_and(|text| text.is_empty()) {
        findings.push(
            Finding::error("E0562", replace.from.span, "an empty text can't be replaced")
                .label("expected the text as the file has it"),
        );
    }
    for side in [&replace.from, &replace.to] {
        if let Err(reason) = script_text(side) {
            findings.push(Finding::error("E0564", side.span, reason).label("expected text"));
        }
    }
}

/// A text with a sign for each reference.
fn script_text(text: &Text) -> Result<String, String> {
    let mut out = String::new();
    for piece in &text.pieces {
        match piece {
            Piece::Literal(t) if t.contains(REFERENCE) => return Err(format!("sed reads no {REFERENCE:?}")),
            Piece::Literal(t) => out.push_str(t),
            Piece::Reference(name) if name == "*" || name.starts_with("glob:") => {
                return Err(format!("`${{{name}}}` is a pattern of the shell, and no text"));
            }
            Piece::Reference(_) => out.push(REFERENCE),
        }
    }
    Ok(out)
}
