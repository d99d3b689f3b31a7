use std::{
    io::Write,
    os::unix::fs::MetadataExt,
    process::{Command, Output, Stdio},
    thread,
};

/// Returns true if the tests run as root. Then the variable `PORTAGE_USERNAME` must be `root`, and
/// makepkg, which refuses root, must run as "nobody".
pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

/// Runs a command to its end, and returns its output.
pub(crate) fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}", command.get_program().display()))
}

/// Runs a command to its end with `input` on its standard input, and returns its output.
pub(crate) fn run_with(command: &mut Command, input: Vec<u8>) -> Output {
    let program = command.get_program().to_owned();
    let fail = |e: std::io::Error| -> ! { panic!("{}: {e}", program.display()) };
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|e| fail(e));
    let mut pipe = child.stdin.take().expect("it was asked for");
    // The input is written by a thread, since the command may print before it has read all of it.
    let writer = thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().unwrap_or_else(|e| fail(e));
    // A command that did not read its whole input reports the reason itself.
    let _ = writer.join();
    output
}

/// Returns the standard output of a command. If the command failed, the error contains its status
/// and all of its output.
pub(crate) fn outcome(output: &Output) -> Result<String, String> {
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}\n{stdout}{stderr}", output.status))
}
