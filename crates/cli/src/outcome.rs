//! The outcome of a command: the text for each stream, and the exit status.

use crate::error::Error;
use crate::terminal::has_colors;
use rocpkg::internal::model::{Finding, Findings, Severity, Sources, Span, legible};
use rocpkg::internal::render::{Difference, WriteError};
use serde_json::{Value, json};

// `--help` prints `exit.txt`, which explains these statuses to users.
/// The exit status if everything went well.
pub(crate) const OK: u8 = 0;
/// The exit status if something would change, or if the maintainer has to decide something.
pub(crate) const DIFFERS: u8 = 1;
/// The exit status if the input is wrong. Packages with an error were not written.
pub(crate) const WRONG: u8 = 2;

/// The amount of text that a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors, and the findings that cause an exit status other than 0.
    Quiet,
    Normal,
    /// All findings, and lists that are otherwise counted.
    Verbose,
}

impl Verbosity {
    pub(crate) fn is_quiet(self) -> bool {
        self == Self::Quiet
    }

    /// Returns [`Verbosity::Verbose`], unless the output is quiet.
    pub(crate) fn with_all(self) -> Self {
        if self.is_quiet() { self } else { Self::Verbose }
    }

    pub(crate) fn is_verbose(self) -> bool {
        self == Self::Verbose
    }
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) status: u8,
    /// Set if a terminal gets the text for standard output through a pager.
    pub(crate) is_paged: bool,
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
pub(crate) fn failed(error: &Error, verbosity: Verbosity) -> Outcome {
    let code = match error {
        Error::Library(rocpkg::Error::Findings(problems)) => {
            let err = shown(&problems.findings, &problems.sources, verbosity);
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
        rocpkg::Error::Write(WriteError::Conflicts(list)) => {
            err.push_str(&ways_out(list, verbosity));
        }
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
fn ways_out(list: &[Difference], verbosity: Verbosity) -> String {
    let shown = match verbosity {
        Verbosity::Verbose => list.len(),
        Verbosity::Normal => SHOWN_DIFFS,
        Verbosity::Quiet => return String::new(),
    };
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

/// Returns the findings as text for standard error. If verbose, each finding is printed. Otherwise
/// similar findings are summed up as one. If quiet, only errors are printed.
pub(crate) fn shown(findings: &Findings, sources: &Sources, verbosity: Verbosity) -> String {
    let color = has_colors(&std::io::stderr());
    match verbosity {
        Verbosity::Verbose => findings.render(sources, color),
        Verbosity::Normal => findings.summary(sources, color),
        Verbosity::Quiet => {
            let mut errors = findings.clone();
            errors.retain(|finding| finding.severity == Severity::Error);
            errors.summary(sources, color)
        }
    }
}
