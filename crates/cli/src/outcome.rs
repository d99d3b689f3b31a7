//! The outcome of a command: the text for each stream, and the exit status.

use crate::error::Error;
use rocpkg::model::{Finding, Findings, Sources, Span, legible};
use rocpkg::render::{Difference, WriteError};
use serde_json::{Value, json};
use std::io::IsTerminal;

// `--help` prints `exit.txt`, which explains these statuses to users.
/// The exit status if everything went well.
pub(crate) const OK: u8 = 0;
/// The exit status if something would change, or if the maintainer has to decide something.
pub(crate) const DIFFERS: u8 = 1;
/// The exit status if the input is wrong. Packages with an error were not written.
pub(crate) const WRONG: u8 = 2;

/// The result of a command.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The text for standard output.
    pub(crate) out: String,
    /// The text for standard error.
    pub(crate) err: String,
    /// The exit status.
    pub(crate) status: u8,
}

impl Outcome {
    /// Returns the outcome of a command that succeeded.
    pub(crate) fn done(out: String) -> Self {
        Self {
            out,
            ..Self::default()
        }
    }

    /// Returns the outcome of a command that succeeded and prints JSON.
    pub(crate) fn json(value: &Value) -> Self {
        Self::done(format!("{value:#}\n"))
    }
}

/// Returns `results` as a document in SARIF 2.1.0. `rules` contains the name and the description of
/// each rule.
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

/// Returns the outcome of a command that failed with this error.
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
    if let Error::OlderRelease { hint, .. } = error {
        err.push_str(&format!("hint: {hint}\n"));
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
        rocpkg::Error::Older(_) => err.push_str("hint: --older permits the older release\n"),
        rocpkg::Error::NoTable(_) => {
            err.push_str("hint: --eclass none keeps the file, --eclass whole replaces it\n");
        }
        _ => {}
    }
    Outcome {
        err,
        status: WRONG,
        ..Outcome::default()
    }
}

/// Returns the outcome that prints errors in the profiles as JSON, if `result` is such an error and
/// `as_json` is set. Otherwise returns `result`.
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

/// Returns the findings as JSON.
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

/// The number of diffs that are shown without `-v`.
const SHOWN_DIFFS: usize = 2;

/// Returns the diffs of files that were edited by hand, followed by the ways to keep such edits.
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
        "help: to keep edits, make them in a folder of profiles (--profiles DIR), or render into a checkout (--into DIR)\n\
         help: to discard them, move these files away and render again\n",
    );
    text
}

/// Returns the findings as text for standard error. With `verbose`, each finding is printed.
/// Otherwise similar findings are summed up as one.
pub(crate) fn shown(findings: &Findings, sources: &Sources, verbose: bool) -> String {
    // <https://no-color.org>, and the name of a terminal without colours.
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let color = std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb;
    if verbose {
        findings.render(sources, color)
    } else {
        findings.summary(sources, color)
    }
}
