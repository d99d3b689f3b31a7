//! All that has to hold before a change goes in.

use std::{env, path::Path, process::Command, time::Instant};

use crate::{Outcome, generate, tidy, tools};

/// Runs every check; the quick ones come first and cargo's summary of the tests last.
pub(crate) fn run(root: &Path) -> Outcome {
    let start = Instant::now();
    step("rules of the house", || tidy::run(root))?;
    step("formatting", || cargo(root, &["fmt", "--all", "--check"]))?;
    step("tools", || tools::install(root))?;
    step("lints", || {
        cargo(root, &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
    })?;
    step("documentation", || cargo(root, &["doc", "--workspace", "--no-deps", "--locked", "--quiet"]))?;
    step("generated text", || generate::run(root, generate::Mode::Check))?;
    step("tests", || cargo(root, &["test", "--workspace", "--locked", "--no-fail-fast"]))?;
    println!("All checks passed in {} s.", start.elapsed().as_secs());
    Ok(())
}

fn step(name: &str, work: impl FnOnce() -> Outcome) -> Outcome {
    println!("==> {name}");
    let start = Instant::now();
    work().map_err(|message| format!("{name}: {message}"))?;
    println!("    {:.1} s", start.elapsed().as_secs_f32());
    Ok(())
}

/// Runs cargo in the workspace, with the tools that the tests use named in its environment.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    let venv = tools::venv(root);
    command.env("ROCPKG_PORTAGE_PYTHON", venv.join("bin/python")).env("ROCPKG_VENV", venv);
    command.env("RUSTDOCFLAGS", "-D warnings");
    tools::succeed(&mut command)
}
