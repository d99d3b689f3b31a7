//! What the command tells of itself: its version, its manual pages, what shells complete.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::outcome::Outcome;
use clap::CommandFactory;
use rocpkg::resolve::Release;
use rocpkg::{Error, Stack};

/// What git noted last where this was built: a line for each commit that was checked out, its second word the commit.
const COMMIT: Option<[u8; 12]> = last_commit(include_bytes!(env!("ROCPKG_COMMITS")));

const fn last_commit(log: &[u8]) -> Option<[u8; 12]> {
    let mut start = log.len().saturating_sub(1);
    while start > 0 && log[start - 1] != b'\n' {
        start -= 1;
    }
    let mut at = start;
    while at < log.len() && log[at] != b' ' {
        at += 1;
    }
    let (mut out, mut letter) = ([0; 12], 0);
    while letter < out.len() {
        if at + 1 + letter >= log.len() {
            return None;
        }
        out[letter] = log[at + 1 + letter];
        letter += 1;
    }
    Some(out)
}

/// The version, the commit, and the newest release that the built-in profiles know.
pub(crate) fn version() -> Result<Outcome, Error> {
    let stack = Stack::shipped()?;
    let known = stack.model().lines.values().flat_map(|line| line.versions.keys());
    let newest = known.filter_map(|v| v.parse::<Release>().ok()).max();
    let commit = COMMIT.as_ref().and_then(|c| std::str::from_utf8(c).ok()).map(|c| format!("commit {c}, "));
    let newest = newest.map(|n| n.to_string()).unwrap_or_default();
    let commit = commit.unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    Ok(Outcome::done(format!("rocpkg {version} ({commit}newest release modelled {newest})\n")))
}

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Outcome {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rocpkg", &mut out);
    Outcome::done(String::from_utf8_lossy(&out).into_owned())
}

/// Prints the manual page of the command, or writes those of all.
pub(crate) fn man(args: &ManArgs) -> Result<Outcome, Error> {
    let unwritten = |place: &str| {
        let place = place.to_owned();
        move |e: std::io::Error| Error::Asked(format!("{place}: {e}"))
    };
    let Some(dir) = &args.dir else {
        let mut out = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut out).map_err(unwritten("the page"))?;
        return Ok(Outcome::done(String::from_utf8_lossy(&out).into_owned()));
    };
    let shown = dir.display().to_string();
    std::fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
        .map_err(unwritten(&shown))?;
    Ok(Outcome::default())
}
