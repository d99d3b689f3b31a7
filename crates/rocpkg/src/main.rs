//! The command `rocpkg`.

mod args;
mod check;
mod explain;
mod list;
mod outcome;
mod package_use;
mod pms;
mod profiles;
mod render;
mod schemas;
mod stats;
mod targets;

use args::{Cli, Command};
use clap::Parser;
use outcome::{Outcome, WRONG};
use std::io::Write;
use std::process::ExitCode;

/// Trees of facts are thousands of small pieces, which come and go with each plan.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Render(a) => render::run(a),
        Command::List(a) => list::run(a),
        Command::Explain(a) => explain::run(a),
        Command::Check(a) => check::run(a),
        Command::Use(a) => package_use::run(a),
        Command::Schema(a) => Ok(schemas::run(a)),
        Command::Pms => pms::run(),
        Command::Targets(a) => targets::run(&a.command),
    };
    let outcome = result.unwrap_or_else(|e| Outcome {
        out: String::new(),
        err: format!("error: {e}\n"),
        status: WRONG,
    });
    // A closed pipe (`rocpkg list | head`) is no fault of ours.
    let _ = std::io::stderr().write_all(outcome.err.as_bytes());
    let _ = std::io::stdout().write_all(outcome.out.as_bytes());
    ExitCode::from(outcome.status)
}
