//! The commands about `rocpkg` itself: its version, its manual pages and its completions for
//! shells.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::error::Error;
use crate::outcome::Outcome;
use clap::CommandFactory;
use rocpkg::Stack;

/// Prints the version of rocpkg, and the newest release in the built-in profiles. Only the files of
/// the releases are read.
pub(crate) fn version() -> Result<Outcome, Error> {
    let mut profiles = rocpkg::shipped::profiles();
    profiles.retain(|path, _| path.starts_with("releases/"));
    let newest = newest(&Stack::empty()?.texts("", profiles));
    let version = env!("CARGO_PKG_VERSION");
    Ok(Outcome::done(format!(
        "rocpkg {version} (newest release modelled {newest})\n"
    )))
}

/// Returns the newest release in a model, or an empty text if the model has none.
pub(crate) fn newest(stack: &Stack) -> String {
    let newest = stack.model().newest();
    newest.map(|n| n.to_string()).unwrap_or_default()
}

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Outcome {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rocpkg", &mut out);
    Outcome::done(String::from_utf8_lossy(&out).into_owned())
}

/// Prints the manual page of the command, or writes the pages of all commands to a folder.
pub(crate) fn man(args: &ManArgs) -> Result<Outcome, Error> {
    let wrong = |place: &str, e: &dyn std::fmt::Display| Error::Usage(format!("{place}: {e}"));
    let Some(dir) = &args.dir else {
        let mut out = Vec::new();
        clap_mangen::Man::new(Cli::command())
            .render(&mut out)
            .map_err(|e| wrong("the page", &e))?;
        return Ok(Outcome::done(String::from_utf8_lossy(&out).into_owned()));
    };
    let made =
        std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(Cli::command(), dir));
    made.map_err(|e| wrong(&dir.display().to_string(), &e))?;
    Ok(Outcome::default())
}
