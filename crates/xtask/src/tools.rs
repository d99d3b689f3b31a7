//! Runs commands for the other modules.

use std::{ffi::OsStr, iter, path::Path, process::Command};

/// The result of a step. The error is the reason why the step failed, for a person to read.
pub(crate) type Outcome = Result<(), String>;

/// Runs a command and passes its output through. Fails unless the command succeeds.
pub(crate) fn succeed(command: &mut Command) -> Outcome {
    let shown = shown(command);
    let status = command.status().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{shown}: {status}"))
    }
}

/// Runs a command and returns its standard output. An error contains all that the command printed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = shown(command);
    let done = command.output().map_err(|e| format!("{shown}: {e}"))?;
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    if done.status.success() {
        return Ok(printed);
    }
    let complaint = String::from_utf8_lossy(&done.stderr);
    Err(format!("{shown}: {}\n{printed}{complaint}", done.status))
}

/// Returns the words of a command as text. The program is named without its folder.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = iter::once(program.file_name().unwrap_or_default()).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

/// Returns a command that runs cargo in the workspace. Tests find the tools by
/// `.cargo/config.toml`.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = rocpkg_programs::cargo();
    command
        .args(arguments)
        .current_dir(root)
        .env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// The package that turns on the same features of other crates as the tests of all members do.
pub(crate) const FEATURES: &str = "rocpkg-features";

/// Builds the command `rocpkg` of `workspace` into the `target` folder of `root`, and returns a
/// command that runs it in `root`. Other crates are built with the same features as for the tests,
/// so that they are not built once more.
pub(crate) fn rocpkg(root: &Path, workspace: &Path) -> Result<Command, String> {
    let build = ["build", "--quiet", "-p", "rocpkg-cli", "-p", FEATURES];
    succeed(cargo(workspace, &build).env("CARGO_TARGET_DIR", root.join("target")))?;
    let mut command = Command::new(root.join("target/debug/rocpkg"));
    command.current_dir(root);
    Ok(command)
}

/// Runs `rocpkg-generate`, the part of xtask that depends on the crates of rocpkg.
pub(crate) fn generate(root: &Path, arguments: &[&str]) -> Outcome {
    let run = ["run", "--quiet", "--locked", "-p", "rocpkg-generate", "--"];
    succeed(cargo(root, &run).args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_command_is_named() {
        let message = succeed(&mut Command::new("/bin/false")).unwrap_err();
        assert_eq!(message, "false: exit status: 1");
        let script = ["-c", "echo a; echo b >&2; exit 3"];
        let message = output(Command::new("/bin/sh").args(script)).unwrap_err();
        assert_eq!(
            message,
            "sh -c echo a; echo b >&2; exit 3: exit status: 3\na\nb\n"
        );
    }
}
