//! All tests of the workspace, as many programs at a time as there are processors.
//!
//! `cargo test` runs one program after the other, so one long test keeps the other processors waiting.

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use crate::tools::{self, Outcome};

/// One program that cargo built of tests.
struct Program {
    /// The crate's folder and the program's name, for people.
    name: String,
    /// Where it is.
    file: PathBuf,
    /// The crate's folder, in which cargo runs it.
    folder: PathBuf,
}

/// Builds and runs every test, also after one that failed.
pub(crate) fn run(root: &Path) -> Outcome {
    let programs = built(root)?;
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|s| {
        for _ in 0..workers {
            s.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(message) = run_one(root, program) {
                        failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(message);
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failed.extend(
        tools::succeed(&mut tools::cargo(
            root,
            &["test", "--workspace", "--locked", "--doc", "--quiet", "--no-fail-fast"],
        ))
        .err(),
    );
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Has cargo build the tests. Those of the last crate take longest, so they come first.
fn built(root: &Path) -> Result<Vec<Program>, String> {
    let arguments =
        ["test", "--workspace", "--locked", "--no-run", "--message-format=json-render-diagnostics"];
    let output = tools::cargo(root, &arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo test --no-run: {}", output.status));
    }
    let mut programs: Vec<Program> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| program(root, line)).collect();
    programs.sort_by(|a, b| b.name.cmp(&a.name));
    // Without this, a change of cargo's messages would pass every test.
    if programs.is_empty() { Err("cargo built no tests".to_owned()) } else { Ok(programs) }
}

/// The program that a line of cargo's messages speaks of, if it is one of tests.
///
/// Source: the Cargo book, "External tools", JSON messages.
fn program(root: &Path, line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let file = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let shown = folder.strip_prefix(root).unwrap_or(folder).display();
    Some(Program {
        name: format!("{shown} {}", message["target"]["name"].as_str()?),
        file: file.into(),
        folder: folder.to_owned(),
    })
}

/// Runs one program: what it printed is shown when it failed.
fn run_one(root: &Path, program: &Program) -> Outcome {
    let start = Instant::now();
    let mut command = Command::new(&program.file);
    tools::name_tools(root, &mut command);
    command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
    let output = command.output().map_err(|e| format!("{}: {e}", program.name))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds = start.elapsed().as_secs_f32();
    if output.status.success() {
        println!("    {}: {} in {seconds:.1} s", program.name, passed(&text));
        return Ok(());
    }
    println!("{text}{}", String::from_utf8_lossy(&output.stderr));
    println!("    {}: {}", program.name, output.status);
    Err(program.name.clone())
}

/// What the harness says of a program that passed: `12 passed`.
fn passed(text: &str) -> &str {
    let counts = text.lines().rev().find_map(|line| line.strip_prefix("test result: ok. "));
    counts.and_then(|counts| counts.split(';').next()).unwrap_or("no count")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_tests_is_found_in_cargos_messages() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{"name":"laws"},
            "profile":{"test":true},"executable":"/w/target/laws-1"}"#;
        let found = program(Path::new("/w"), line).unwrap();
        assert_eq!(
            (found.name.as_str(), found.file.as_path()),
            ("crates/a laws", Path::new("/w/target/laws-1"))
        );
        assert_eq!(found.folder, Path::new("/w/crates/a"));
        assert!(program(Path::new("/w"), &line.replace("\"test\":true", "\"test\":false")).is_none());
        assert!(program(Path::new("/w"), "Compiling a").is_none());
    }

    #[test]
    fn what_passed_is_counted() {
        assert_eq!(passed("running\ntest result: ok. 12 passed; 0 failed; 0 ignored\n"), "12 passed");
    }
}
