//! All that has to hold before a change goes in.

use std::{env, path::Path, process::Command, time::Instant};

use crate::{Outcome, dependencies, generate, release, testing, tidy, tools};

/// A check by its name.
type Step<'a> = (&'a str, &'a dyn Fn() -> Outcome);

/// Runs every check, also after one that failed; the quick ones come first and the tests last.
pub(crate) fn run(root: &Path) -> Outcome {
    let start = Instant::now();
    let lints = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    let shared = ["run", "--locked", "--quiet", "-p", "xtask", "--", "shared"];
    let steps: [Step; 9] = [
        ("rules of the house", &|| tidy::run(root)),
        ("dependencies", &|| dependencies::run(root)),
        ("formatting", &|| cargo(root, &["fmt", "--all", "--check"])),
        ("tools", &|| tools::install(root)),
        ("lints", &|| cargo(root, &lints)),
        ("documentation", &|| cargo(root, &["doc", "--workspace", "--no-deps", "--locked", "--quiet"])),
        ("generated text", &|| generate::run(root, generate::Mode::Check)),
        ("shared facts", &|| cargo(root, &shared)),
        ("tests", &|| testing::run(root)),
    ];
    let failed: Vec<_> = steps.iter().filter_map(|step| run_step(step).err()).collect();
    if failed.is_empty() {
        println!("All checks passed in {} s.", start.elapsed().as_secs());
        return Ok(());
    }
    Err(format!("{} of {} checks failed\n{}", failed.len(), steps.len(), failed.join("\n")))
}

/// Asks Portage 200,000 questions about its language, has it confirm 500 answers of `rocpkg use`, and resolve every package
/// at every target under each way of handing targets on; asks for advisories about the crates that we depend on; and lays a
/// million hostile strings into a small model, and some into the shipped one; and builds the command in two folders.
pub(crate) fn whole(root: &Path) -> Outcome {
    tools::install(root)?;
    if cargo(root, &["deny", "--version"]).is_err() {
        cargo(root, &["install", "--locked", "--quiet", "cargo-deny"])?;
    }
    cargo(root, &["deny", "check", "advisories"])?;
    let questions = ["test", "--locked", "--release", "-p", "rocpkg-pms", "--test", "portage_oracle"];
    let mut oracle = cargo_command(root, &questions);
    tools::succeed(oracle.args(["--", "--nocapture"]).env("ROCPKG_PORTAGE_QUESTIONS", "200000"))?;
    let emerge = ["test", "--locked", "-p", "rocpkg-tests", "--test", "gentoo", "--", "--nocapture"];
    tools::succeed(cargo_command(root, &emerge).env("ROCPKG_WHOLE", "1"))?;
    let strings =
        ["test", "--locked", "--release", "-p", "rocpkg-tests", "--test", "injection", "--", "--nocapture"];
    tools::succeed(cargo_command(root, &strings).env("ROCPKG_INJECTIONS", "1000000"))?;
    let mut shipped = cargo_command(root, &strings);
    tools::succeed(shipped.env("ROCPKG_INJECTIONS", "2000").env("ROCPKG_INJECTION_SHIPPED", "1"))?;
    release::twice(root)
}

fn run_step((name, work): &Step) -> Outcome {
    println!("==> {name}");
    let start = Instant::now();
    let outcome = work().map_err(|message| format!("{name}: {message}"));
    println!(
        "    {}, {:.1} s",
        if outcome.is_ok() { "passed" } else { "failed" },
        start.elapsed().as_secs_f32()
    );
    outcome
}

/// Runs cargo in the workspace.
fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    tools::succeed(&mut cargo_command(root, arguments))
}

/// Cargo in the workspace, with the tools that the tests use named in its environment.
pub(crate) fn cargo_command(root: &Path, arguments: &[&str]) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root).env("RUSTDOCFLAGS", "-D warnings");
    name_tools(root, &mut command);
    command
}

/// Names the tools that the tests use in a program's environment.
pub(crate) fn name_tools(root: &Path, command: &mut Command) {
    let venv = tools::venv(root);
    command.env("ROCPKG_PORTAGE_PYTHON", venv.join("bin/python")).env("ROCPKG_VENV", venv);
}
