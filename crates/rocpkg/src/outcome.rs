//! What a command leaves behind: text for each stream, and the exit status.

use rocpkg::model::{Findings, Sources, legible};
use rocpkg::render::WriteError;
use std::io::IsTerminal;

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// `--check` found a difference.
pub(crate) const DIFFERS: u8 = 1;
/// The input is wrong; nothing was written.
pub(crate) const WRONG: u8 = 2;

/// Begins another line of an error. No name of a file, no argument and no profile can hold it, so none can begin one.
pub(crate) const NEXT_LINE: &str = "\0";

/// The result of a command.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// For standard output.
    pub(crate) out: String,
    /// For standard error.
    pub(crate) err: String,
    /// The exit status.
    pub(crate) status: u8,
}

impl Outcome {
    /// A command that did what was asked.
    pub(crate) fn done(out: String) -> Self {
        Self { out, err: String::new(), status: OK }
    }

    /// Wrong input.
    pub(crate) fn wrong(findings: &Findings, sources: &Sources, verbose: bool) -> Self {
        Self { out: String::new(), err: shown(findings, sources, verbose), status: WRONG }
    }
}

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// In words.
    Said(String),
    /// By a file that can't be read or written, with its code.
    Refused(WriteError),
}

impl From<String> for Stop {
    fn from(said: String) -> Self {
        Self::Said(said)
    }
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Self {
        Self::Refused(error)
    }
}

/// Why a command did nothing, in one line or in several ([`NEXT_LINE`]).
pub(crate) fn failed(error: &str) -> Outcome {
    let lines: Vec<_> = error.split(NEXT_LINE).map(legible).collect();
    Outcome { err: format!("error: {}\n", lines.join("\n")), status: WRONG, ..Outcome::default() }
}

/// Why the files can't be compared or written.
pub(crate) fn refused(error: &WriteError) -> Outcome {
    let said = error.to_string();
    let said = match error {
        // One line for each file of ours, whose names are plain.
        WriteError::Conflicts(_) => said,
        _ => legible(&said).into_owned(),
    };
    let err = format!("error[{}]: {said}\n", error.code());
    Outcome { err, status: WRONG, ..Outcome::default() }
}

/// The findings as standard error shows them: each of them when asked for with `-v`, else many alike as one.
pub(crate) fn shown(findings: &Findings, sources: &Sources, verbose: bool) -> String {
    let color = is_colored();
    if verbose { findings.render(sources, color) } else { findings.summary(sources, color) }
}

/// Whether standard error is shown in colours.
pub(crate) fn is_colored() -> bool {
    // https://no-color.org, and what a terminal without colours calls itself.
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb
}
