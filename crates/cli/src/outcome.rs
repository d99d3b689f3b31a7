//! What a command leaves behind: text for each stream, and the exit status.

use crate::error::Error;
use rocpkg::checkout::{OwnPatch, State};
use rocpkg::model::{Finding, Findings, Sources, Span, legible};
use rocpkg::render::{Difference, WriteError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::IsTerminal;

// `exit.txt` tells them to whoever asks for help.
/// Everything went well.
pub(crate) const OK: u8 = 0;
/// It would change, or there are conflicts.
pub(crate) const DIFFERS: u8 = 1;
/// The input is wrong; what it is about was not written.
pub(crate) const WRONG: u8 = 2;

/// The result of a command.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// For standard output.
    pub(crate) out: String,
    /// For standard error.
    pub(crate) err: String,
    /// The exit status.
    pub(crate) status: u8,
    /// The state of each package of a checkout, by its id.
    pub(crate) states: BTreeMap<String, State>,
    /// The patches that edited recipes of a checkout apply, by the package's id.
    pub(crate) patches: BTreeMap<String, Vec<OwnPatch>>,
}

impl Outcome {
    /// A command that did what was asked.
    pub(crate) fn done(out: String) -> Self {
        Self {
            out,
            ..Self::default()
        }
    }

    /// The same, as JSON.
    pub(crate) fn json(value: &Value) -> Self {
        Self::done(format!("{value:#}\n"))
    }
}

/// Remarks by their rules, each with its name and what it is about, in SARIF 2.1.0.
pub(crate) fn remarks(rules: &[(&str, &str)], results: &[Value]) -> Value {
    let rule = |(id, about): &(&str, &str)| json!({"id": id, "shortDescription": {"text": about}});
    let rules: Vec<Value> = rules.iter().map(rule).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "rocpkg", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    })
}

/// Why a command did nothing.
pub(crate) fn failed(error: &Error, verbose: bool) -> Outcome {
    let code = match error {
        Error::Library(rocpkg::Error::Findings(problems)) => {
            let err = shown(&problems.findings, &problems.sources, verbose);
            return Outcome {
                err,
                status: WRONG,
                ..Outcome::default()
            };
        }
        Error::Library(rocpkg::Error::Write(e)) => format!("[{}]", e.code()),
        _ => String::new(),
    };
    let mut err = String::new();
    for line in error.to_string().lines() {
        let head = if line.starts_with("  ") {
            String::new()
        } else {
            format!("error{code}: ")
        };
        err.push_str(&format!("{head}{}\n", legible(line)));
    }
    let Error::Library(error) = error else {
        return Outcome {
            err,
            status: WRONG,
            ..Outcome::default()
        };
    };
    match error {
        rocpkg::Error::Write(WriteError::Conflicts(list)) => err.push_str(&ways_out(list, verbose)),
        rocpkg::Error::Older(_) => err.push_str("hint: --older goes back to it\n"),
        rocpkg::Error::NoTable(_) => err.push_str("hint: --eclass none leaves it, whole replaces it\n"),
        _ => {}
    }
    Outcome {
        err,
        status: WRONG,
        ..Outcome::default()
    }
}

/// The same as JSON, where a command that answers so finds its profiles wrong.
pub(crate) fn or_json(result: Result<Outcome, Error>, as_json: bool) -> Result<Outcome, Error> {
    match result {
        Err(Error::Library(rocpkg::Error::Findings(wrong))) if as_json => {
            let list = findings(&wrong.findings, &wrong.sources);
            Ok(Outcome {
                status: WRONG,
                ..Outcome::json(&json!({"findings": list}))
            })
        }
        done => done,
    }
}

/// What was found, as JSON.
pub(crate) fn findings(findings: &Findings, sources: &Sources) -> Vec<Value> {
    findings
        .sorted()
        .iter()
        .map(|f| described(f, sources))
        .collect()
}

pub(crate) fn described(f: &Finding, sources: &Sources) -> Value {
    let place = |span: Option<Span>| span.map(|s| sources.place(s));
    let (here, other) = (
        place(f.span),
        place(f.others.first().map(|(span, _)| *span)),
    );
    json!({"code": f.code, "severity": f.severity.word(), "message": f.message, "place": here, "other": other, "label": f.label, "hint": f.hint})
}

/// How many diffs are shown where not all are asked for.
const SHOWN_DIFFS: usize = 2;

/// What hands made of some files, and what may be done.
fn ways_out(list: &[Difference], verbose: bool) -> String {
    let shown = if verbose { list.len() } else { SHOWN_DIFFS };
    let mut text: String = list.iter().take(shown).map(|d| d.diff.as_str()).collect();
    if list.len() > shown {
        text.push_str(&format!(
            "({} more diffs; -v or --check shows them)\n",
            list.len() - shown
        ));
    }
    text.push_str(
        "help: an edit lasts in a folder of profiles (--profiles DIR), or in a checkout, where recipes are edited (--into DIR)\n\
         help: moved away, these files are written anew\n",
    );
    text
}

/// The findings as standard error shows them: each of them when asked for with `-v`, else many
/// alike as one.
pub(crate) fn shown(findings: &Findings, sources: &Sources, verbose: bool) -> String {
    // https://no-color.org, and what a terminal without colours calls itself.
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let color = std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb;
    if verbose {
        findings.render(sources, color)
    } else {
        findings.summary(sources, color)
    }
}
