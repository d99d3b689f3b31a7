//! The command `rocpkg`: reads the command line, and calls the module of the subcommand.

mod about;
mod args;
mod audit;
mod bump;
mod cells;
mod changes;
mod check;
mod compare;
mod diffs;
mod error;
mod explain;
mod gpu;
mod health;
mod list;
mod mistakes;
mod order;
mod outcome;
mod package_use;
mod plan;
mod render;
mod report;
mod schemas;
mod settings;
mod site;
mod sums;
mod system;
mod terminal;
mod timeline;
mod todos;
mod trackers;
mod upstream;

use args::{Cli, Command, RowFormat};
use clap::Parser;
use clap::error::{self as clap_error, ContextKind, ContextValue};
use outcome::{OK, Outcome, Verbosity, WRONG, failed, or_json};
use rocpkg::Stack;
use std::env;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) if e.kind() == clap_error::ErrorKind::DisplayVersion => {
            return end(about::version(), Verbosity::Normal);
        }
        // Help goes to standard output, which may be full too.
        Err(e) => {
            let status = if e.use_stderr() { WRONG } else { OK };
            terminal::set_colors(terminal::color_in(env::args()));
            return ExitCode::from(after(terminal::print_usage(&advised(e)), status));
        }
    };
    terminal::set_colors(cli.color);
    let verbosity = cli.verbosity();
    let result = match &cli.command {
        Command::Render(a) => or_json(render::run(a, verbosity), a.json),
        Command::Init(a) => settings::init(a, verbosity),
        Command::List(a) => list::run(a),
        Command::Explain(a) => explain::run(a, verbosity),
        Command::Compare(a) => or_json(compare::run(a, verbosity), a.format != RowFormat::Text),
        Command::Check(a) => check::run(a, verbosity),
        Command::Audit(a) => audit::run(a, verbosity),
        Command::Use(a) => package_use::run(a, verbosity),
        Command::Order(a) => order::run(a),
        Command::Sums(a) => sums::run(a, verbosity),
        Command::Bump(a) => or_json(bump::run(a, verbosity), a.json),
        Command::Changes(a) => changes::run(a, cli.verbose),
        Command::Plan(a) => plan::run(a, cli.verbose),
        Command::Trackers(a) => trackers::run(a),
        Command::Schema(a) => Ok(schemas::run(a)),
        Command::Gpu(a) => gpu::run(a, cli.verbose),
        Command::Report(a) => site::run(a),
        Command::Upstream(a) => upstream::run(a, cli.verbose),
        Command::Completions(a) => Ok(about::completions(a)),
        Command::Man(a) => about::man(a),
    };
    end(result, verbosity)
}

/// Prints the outcome of a command, and returns its exit status.
fn end(result: Result<Outcome, error::Error>, verbosity: Verbosity) -> ExitCode {
    let outcome = result.unwrap_or_else(|e| failed(&e, verbosity));
    // If standard error can't be written to, the failure can't be reported anywhere.
    let _ = std::io::stderr().write_all(outcome.err.as_bytes());
    let written = terminal::print(&outcome.out, outcome.is_paged);
    ExitCode::from(after(written, outcome.status))
}

/// Adds a tip to an error: about a read-only distribution, or the command that the user most likely
/// meant. A tip of clap about a misspelt name stays as it is.
fn advised(mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let place = text(ContextKind::InvalidArg).unwrap_or_default();
    let is_distro = ["[DISTROS]...", "[DISTRO]", "<DISTRO>"]
        .iter()
        .any(|word| place.ends_with(word));
    let name = text(ContextKind::InvalidValue).unwrap_or_default();
    let tip = if text(ContextKind::SuggestedValue).is_some() {
        return error;
    } else if is_distro && is_read_only(&name) {
        format!(
            "{name} is read-only: `rocpkg gpu` and `rocpkg report` show its package index, and nothing is rendered for it"
        )
    } else {
        let arguments: Vec<String> = env::args().skip(1).collect();
        match mistakes::meant(&arguments) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => return error,
        }
    };
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
    error
}

/// Returns true if `name` is the name of a read-only distribution, or its beginning up to a hyphen.
/// The model has the package index of such a distribution, and nothing is rendered for it.
fn is_read_only(name: &str) -> bool {
    let named = |known: &String| {
        known
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    Stack::shipped().is_ok_and(|s| {
        s.registry()
            .is_ok_and(|r| r.file().read_only.keys().any(named))
    })
}

/// Returns the exit status of the process. `status` is that of the command, and `written` the
/// result of writing to standard output. A failure to write is an error, except when the reader
/// closed the pipe (`rocpkg list | head`).
fn after(written: io::Result<()>, status: u8) -> u8 {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: standard output can't be written: {e}");
            WRONG
        }
        _ => status,
    }
}
