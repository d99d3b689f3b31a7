//! Colours, and the pager through which a terminal gets long outputs.

use crate::system::{git, pager};
use clap::ColorChoice as Choice;
use colorchoice::ColorChoice;
use std::env::var_os;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Sets the choice of colours for the process.
pub(crate) fn set_colors(choice: Choice) {
    match choice {
        Choice::Auto => ColorChoice::Auto,
        Choice::Always => ColorChoice::Always,
        Choice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// Returns true if text for `stream` has colours. The variables are those of
/// <https://no-color.org> and <https://bixense.com/clicolors>.
pub(crate) fn has_colors(stream: &impl IsTerminal) -> bool {
    let is_set = |name| var_os(name).is_some_and(|value| !value.is_empty());
    let is_off = |name| var_os(name).is_some_and(|value| value == "0");
    match ColorChoice::global() {
        ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto if is_set("CLICOLOR_FORCE") && !is_off("CLICOLOR_FORCE") => true,
        ColorChoice::Auto => {
            let can_color = var_os("TERM").is_some_and(|terminal| terminal != "dumb");
            stream.is_terminal() && can_color && !is_off("CLICOLOR")
        }
    }
}

/// Prints an error of the command line, or the help, with colours if the stream has them.
pub(crate) fn print_usage(error: &clap::Error) -> io::Result<()> {
    let colors = if error.use_stderr() {
        has_colors(&io::stderr())
    } else {
        has_colors(&io::stdout())
    };
    // clap reads this choice.
    if colors {
        ColorChoice::Always.write_global();
    } else {
        ColorChoice::Never.write_global();
    }
    error.print()
}

/// Returns the value of `--color` in a command line that may have errors.
pub(crate) fn color_in(mut words: impl Iterator<Item = String>) -> Choice {
    let mut choice = Choice::Auto;
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(value) => value.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        choice = match value.as_deref() {
            Some("always") => Choice::Always,
            Some("never") => Choice::Never,
            _ => choice,
        };
    }
    choice
}

/// Prints a text on standard output. With `is_paged`, a terminal gets it through git's pager.
pub(crate) fn print(text: &str, is_paged: bool) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    if is_paged && stdout.is_terminal() && paged(text) {
        return Ok(());
    }
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Prints a text through the pager that git uses. Returns false if there is none; then nothing is
/// printed.
fn paged(text: &str) -> bool {
    let of_git = git(Path::new("."), &["var", "GIT_PAGER"]);
    let command = of_git.unwrap_or_else(|_| {
        let named = ["GIT_PAGER", "PAGER"].into_iter().find_map(var_os);
        named.map_or("less".to_owned(), |named| {
            named.to_string_lossy().into_owned()
        })
    });
    let command = command.trim();
    if command.is_empty() || command == "cat" {
        return false;
    }
    let Ok(mut pager) = pager(command) else {
        return false;
    };
    if let Some(mut input) = pager.stdin.take() {
        // A person may leave the pager before the end of the text.
        let _ = input.write_all(text.as_bytes());
    }
    // A failing pager has said so itself.
    let _ = pager.wait();
    true
}
