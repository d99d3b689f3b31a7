//! What a command leaves behind: text for each stream, and the exit status.

use rocpkg::model::{Findings, Sources};
use std::io::IsTerminal;

/// Everything went well.
pub(crate) const OK: u8 = 0;
/// `--check` found a difference.
pub(crate) const DIFFERS: u8 = 1;
/// The input is wrong; nothing was written.
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
}

impl Outcome {
    /// A command that did what was asked.
    pub(crate) fn done(out: String) -> Self {
        Self { out, err: String::new(), status: OK }
    }

    /// Wrong input.
    pub(crate) fn wrong(findings: &Findings, sources: &Sources) -> Self {
        Self { out: String::new(), err: shown(findings, sources), status: WRONG }
    }
}

/// The findings as standard error shows them.
pub(crate) fn shown(findings: &Findings, sources: &Sources) -> String {
    findings.render(sources, std::io::stderr().is_terminal())
}
