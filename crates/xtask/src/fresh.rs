//! Implements `cargo xtask fresh`: runs the commands of README.md on a machine that has nothing but
//! a minimal Debian, git, a C compiler, Python and Rust.
//!
//! The machine is a folder that serves as the root of a file system. All mounts are made in a mount
//! namespace, so they end with the processes in it, also after Ctrl-C. `machine.rs` makes the root.

use std::{
    collections::BTreeSet,
    env,
    io::{self, BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use crate::{
    install,
    machine::Machine,
    scratch::Scratch,
    tools::{self, Outcome},
};

const COMMANDS: [&str; 2] = ["cargo run --release -- render --out out", "cargo xtask ci"];

/// The programs that `cargo xtask fresh` starts itself.
const PROGRAMS: [&str; 7] = [
    "bash",
    "chroot",
    "cp",
    "debootstrap",
    "git",
    "mount",
    "unshare",
];

/// The options of `unshare`, by which all mounts and processes in the namespace end with its first
/// process.
const NAMESPACE: [&str; 4] = ["--mount", "--pid", "--fork", "--kill-child"];

/// A script that runs xtask in the namespace, and removes the folder of the machine when the
/// namespace has ended. The script is written for Bash, which runs a trap after Ctrl-C, too.
const KEEPER: &str =
    r#"trap 'rm -rf --one-file-system "$0"' EXIT; unshare "${@:2}" "$1" fresh-inside "$0""#;

/// Texts in a program's output that report a missing program.
const MISSING: [&str; 7] = [
    "is not installed; package",
    "has no row in crates/programs",
    "command not found",
    ": not found",
    "No such file or directory",
    "unable to find",
    "don't run",
];

/// The exit status if this machine refuses mounts or chroot.
const REFUSED: u8 = 2;

/// Runs README's commands in a folder that is the root of a new machine.
pub(crate) fn run() -> ExitCode {
    match keep() {
        Err(Stop::Refused(message)) => {
            eprintln!("error: this machine refuses mounts or chroot, run it as root: {message}");
            ExitCode::from(REFUSED)
        }
        Err(Stop::Failed(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The reason why the commands were not started.
enum Stop {
    Refused(String),
    Failed(String),
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

/// Replaces this process by [`KEEPER`], which removes the folder at the end.
fn keep() -> Result<std::convert::Infallible, Stop> {
    install::only(&PROGRAMS)?;
    let scratch = Scratch::new("fresh")?;
    let unshare = rocpkg_programs::find("unshare")?;
    let attempt = r#"mount --bind "$0" "$0" && chroot / true"#;
    let mut allowed = Command::new(&unshare);
    allowed.args(NAMESPACE).args(["sh", "-c", attempt]);
    tools::output(allowed.arg(&scratch.0)).map_err(Stop::Refused)?;
    let own = env::current_exe().map_err(|e| e.to_string())?;
    let mut keeper = Command::new(rocpkg_programs::find("bash")?);
    keeper.args(["-c", KEEPER]).arg(&scratch.0);
    let error = keeper.arg(own).args(NAMESPACE).exec();
    Err(Stop::Failed(format!("bash: {error}")))
}

/// Makes the machine and runs the commands. This function runs inside the namespace.
pub(crate) fn inside(root: &Path, folder: &Path) -> Outcome {
    let mut report = FreshSteps::default();
    let machine = report.timed("a minimal root", || Machine::new(root, folder))?;
    for command in COMMANDS {
        let mut lines = BTreeSet::new();
        let done = report.timed(command, || run_command(&machine, command, &mut lines));
        if let Err(message) = done {
            report.print();
            for line in &lines {
                println!("missing, by the output: {line}");
            }
            return Err(format!("{command}: {message}"));
        }
    }
    report.print();
    Ok(())
}

/// The steps of a run. Each has its name, the time that it took, downloads included, and true if it
/// succeeded.
#[derive(Default)]
struct FreshSteps(Vec<(String, Duration, bool)>);

impl FreshSteps {
    fn timed<T>(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        println!("==> {name}");
        let start = Instant::now();
        let outcome = work();
        self.0
            .push((name.to_owned(), start.elapsed(), outcome.is_ok()));
        outcome
    }

    fn print(&self) {
        println!("On a fresh machine, downloads included:");
        for (name, time, passed) in &self.0 {
            let word = if *passed { "passed" } else { "failed" };
            println!("  {:>5} s  {word}  {name}", time.as_secs());
        }
    }
}

/// Runs a command in the clone of the workspace, and passes its output through. Adds the lines of
/// the output that name a missing program to `missing`.
fn run_command(machine: &Machine, command: &str, missing: &mut BTreeSet<String>) -> Outcome {
    let (reader, writer) = io::pipe().map_err(|e| e.to_string())?;
    let mut shell = machine.command("sh");
    shell.args(["-c", &format!("cd \"$0\" && exec {command}")]);
    shell.arg(Machine::CLONE);
    shell.stderr(writer.try_clone().map_err(|e| e.to_string())?);
    let mut child = shell.stdout(writer).spawn().map_err(|e| e.to_string())?;
    // `shell` still holds the writing end of the pipe. Until it is dropped, the reading end does
    // not end.
    drop(shell);
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.map_err(|e| e.to_string())?;
        let mut out = io::stdout().lock();
        let _ = out.write_all(&line).and_then(|()| out.write_all(b"\n"));
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        if MISSING.iter().any(|text| line.contains(text)) {
            missing.insert(line);
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() {
        Ok(())
    } else {
        Err(status.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_those_of_the_readme() {
        let readme = std::fs::read_to_string(crate::workspace().join("README.md")).unwrap();
        for command in COMMANDS {
            assert!(readme.lines().any(|line| line == command), "{command}");
        }
    }

    #[test]
    fn its_programs_have_rows() {
        for name in PROGRAMS {
            let mut all = rocpkg_programs::ROWS.iter().flat_map(|row| row.programs);
            assert!(all.any(|known| *known == name), "{name}");
        }
    }
}
