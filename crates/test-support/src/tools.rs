use std::{
    env,
    io::Write,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

/// The Python environment: `ROCPKG_VENV`, or the one that xtask makes.
fn venv() -> PathBuf {
    env::var_os("ROCPKG_VENV").map_or_else(
        || Path::new(crate::ROOT).join("target/tools/venv"),
        PathBuf::from,
    )
}

/// An engine that runs plans, or a check of their files: `ninja`, `snakemake` or `check-jsonschema`, of the Python environment.
pub fn engine(name: &str) -> PathBuf {
    let path = venv().join("bin").join(name);
    let path = path.canonicalize().unwrap_or_else(|_| path.clone());
    assert!(
        path.is_file(),
        "no {}: run `cargo xtask install-tools`, or set ROCPKG_VENV",
        path.display()
    );
    path
}

/// The Python environment that holds Portage and pkgcheck.
pub fn portage_venv() -> PathBuf {
    let venv = venv();
    assert!(
        venv.join("bin/pkgcheck").is_file(),
        "no Portage and pkgcheck in {}: run `cargo xtask install-tools`, or set ROCPKG_VENV",
        venv.display()
    );
    venv.canonicalize()
        .unwrap_or_else(|e| panic!("{}: {e}", venv.display()))
}

/// A program of the Python environment, such as `emerge`.
pub fn portage_tool(name: &str) -> PathBuf {
    let path = portage_venv().join("bin").join(name);
    assert!(
        path.is_file(),
        "no {name} in the Python environment: run `cargo xtask install-tools`"
    );
    path
}

/// A program of the system, such as `makepkg`, by its full path.
pub fn system_tool(name: &str) -> PathBuf {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{name} is not installed: run `cargo xtask install-tools`"))
}

/// Whether the tests run as root: Portage wants to know who it is, and makepkg refuses root.
pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Output {
    command
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}", command.get_program().display()))
}

/// Runs a command to its end, with this on its standard input.
pub(crate) fn run_with(command: &mut Command, input: Vec<u8>) -> Output {
    let program = command.get_program().to_owned();
    let fail = |e: std::io::Error| -> ! { panic!("{}: {e}", program.display()) };
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|e| fail(e));
    let mut pipe = child.stdin.take().expect("it was asked for");
    // A thread, since the command may print before it has read all.
    let writer = thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().unwrap_or_else(|e| fail(e));
    // A command that did not read to the end says why itself.
    let _ = writer.join();
    output
}

/// What a command printed, or what it complained about when it failed.
pub(crate) fn outcome(output: &Output) -> Result<String, String> {
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}\n{stdout}{stderr}", output.status))
}
