//! `rocpkg upstream`: compares releases of upstream's sources, and tries whether the steps of
//! recipes still fit them, and looks up new releases.

mod diff;
mod latest;
mod located;
mod probe;

use crate::args::UpstreamCommand;
use crate::error::Error;
use crate::outcome::Outcome;
pub(crate) use latest::other_forms;
pub(crate) use probe::ShownProbe;

pub(crate) fn run(command: &UpstreamCommand, verbose: bool) -> Result<Outcome, Error> {
    match command {
        UpstreamCommand::Diff(a) => diff::run(a, verbose),
        UpstreamCommand::Probe(a) => probe::run(a, verbose),
        UpstreamCommand::Latest(a) => latest::run(a, verbose),
    }
}
