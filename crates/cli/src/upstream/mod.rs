//! `rocpkg upstream`: what changed in the sources, and whether what recipes do to them still fits.

mod diff;
mod located;
mod probe;
mod steps;
mod trees;

use crate::error::Error;
use crate::args::UpstreamCommand;
use crate::outcome::Outcome;
pub(crate) use probe::over as probe_over;

/// Runs one of them.
pub(crate) fn run(command: &UpstreamCommand, verbose: bool) -> Result<Outcome, Error> {
    match command {
        UpstreamCommand::Diff(a) => diff::run(a, verbose),
        UpstreamCommand::Probe(a) => probe::run(a, verbose),
    }
}
