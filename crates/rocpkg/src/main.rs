//! The command `rocpkg`.

mod args;
mod check;
mod companions;
mod explain;
mod list;
mod manifests;
mod outcome;
mod package_use;
mod pms;
mod present;
mod profiles;
mod render;
mod schemas;
mod stats;
mod targets;

use args::{Cli, Command};
use clap::Parser;
use outcome::{OK, WRONG, failed};
use rocpkg::model::legible;
use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help goes to standard output, which may be full too.
        Err(e) => {
            let status = if e.use_stderr() { WRONG } else { OK };
            // clap repeats arguments as they are.
            let odd = |a: OsString| matches!(legible(&a.to_string_lossy()), Cow::Owned(_));
            let printed = if e.use_stderr() && env::args_os().any(odd) {
                let said = e.render().to_string();
                said.lines().try_for_each(|line| writeln!(io::stderr(), "{}", legible(line)))
            } else {
                e.print()
            };
            return ExitCode::from(after(printed, status));
        }
    };
    let result = match &cli.command {
        Command::Render(a) => Ok(render::run(a)),
        Command::List(a) => list::run(a),
        Command::Explain(a) => explain::run(a),
        Command::Check(a) => check::run(a),
        Command::Use(a) => package_use::run(a),
        Command::Schema(a) => Ok(schemas::run(a)),
        Command::Pms => pms::run(),
        Command::Targets(a) => targets::run(&a.command),
    };
    let outcome = result.unwrap_or_else(|e| failed(&e));
    // Where standard error can't be written to, there is no place to say so.
    let _ = std::io::stderr().write_all(outcome.err.as_bytes());
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(outcome.out.as_bytes()).and_then(|()| stdout.flush());
    ExitCode::from(after(written, outcome.status))
}

/// The exit status after an attempt to write: an answer that did not arrive is no success. A pipe that was closed
/// (`rocpkg list | head`) is the reader's wish.
fn after(written: io::Result<()>, status: u8) -> u8 {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: standard output can't be written: {e}");
            WRONG
        }
        _ => status,
    }
}
