//! `cargo xtask ci`: the checks that must pass before a change is merged.

use std::{num::NonZero, path::Path, thread, time::Instant};

use crate::{
    install, members, pages, publish, tidy,
    tools::{self, Outcome},
};

/// A check, as its name and the function that runs the check.
type Check<'a> = (&'a str, &'a dyn Fn() -> Outcome);

/// Runs every check, also after one that failed. The quick checks come first, and the slow ones
/// last.
pub(crate) fn run(root: &Path) -> Outcome {
    let start = Instant::now();
    let lints = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    let tests = [
        "test",
        "--workspace",
        "--locked",
        "--quiet",
        "--no-fail-fast",
    ];
    let gentoo_alone = [
        "check",
        "--quiet",
        "--locked",
        "-p",
        "rocpkg",
        "--no-default-features",
        "--features",
        "gentoo",
    ];
    let steps: [Check; 9] = [
        ("project rules", &|| tidy::run(root, false)),
        ("formatting", &|| cargo(root, &["fmt", "--all", "--check"])),
        ("tools", &install::run),
        ("lints", &|| cargo(root, &lints)),
        ("Gentoo alone", &|| cargo(root, &gentoo_alone)),
        ("generated text", &|| {
            tools::generate(root, &["generate", "--check"])
        }),
        ("shared facts", &|| tools::generate(root, &["shared"])),
        ("tests", &|| {
            // Many tests wait for programs that they start.
            let threads = 2 * thread::available_parallelism().map_or(1, NonZero::get);
            let mut tests = tools::cargo(root, &tests);
            tools::succeed(tests.env("RUST_TEST_THREADS", threads.to_string()))
        }),
        ("packages", &|| publish::run(root, false)),
    ];
    all(&steps, start)
}

/// Runs all checks, also after one that failed. `start` is the time from which the run time is
/// counted.
fn all(steps: &[Check], start: Instant) -> Outcome {
    let failed: Vec<_> = steps
        .iter()
        .filter_map(|step| run_step(step).err())
        .collect();
    if failed.is_empty() {
        println!("All checks passed in {} s.", start.elapsed().as_secs());
        return Ok(());
    }
    Err(format!(
        "{} of {} checks failed\n{}",
        failed.len(),
        steps.len(),
        failed.join("\n")
    ))
}

/// Runs the checks that are too slow for CI: all of them, or those that `wanted` names.
/// `dependencies` checks licences, advisories and origin of the crates that we depend on. `portage`
/// makes 200,000 comparisons with Portage. `tests` runs those tests in full of which CI runs a
/// sample. `pages` reads the pages of `rocpkg report` with a browser.
pub(crate) fn whole(root: &Path, wanted: &[&str]) -> Outcome {
    let start = Instant::now();
    let test = |arguments: &[&str], variables: &[(&str, &str)]| {
        let arguments = [&["test", "--locked"], arguments, &["--nocapture"]].concat();
        tools::succeed(tools::cargo(root, &arguments).envs(variables.iter().copied()))
    };
    let oracle = [
        "--release",
        "-p",
        "rocpkg-pms",
        "--test",
        "main",
        "--",
        "portage_oracle",
    ];
    let tests = ["-p", "rocpkg-tests", "--test", "main", "--"];
    let steps: [Check; 4] = [
        ("dependencies", &|| dependencies(root)),
        ("portage", &|| {
            test(&oracle, &[("ROCPKG_PORTAGE_QUESTIONS", "200000")])
        }),
        ("tests", &|| test(&tests, &[("ROCPKG_WHOLE", "1")])),
        ("pages", &|| pages::run(root)),
    ];
    if let Some(strange) = wanted
        .iter()
        .find(|name| steps.iter().all(|(known, _)| *known != **name))
    {
        let known = steps.map(|(name, _)| name).join(", ");
        return Err(format!("unknown part `{strange}`: expected {known}"));
    }
    install::run()?;
    let steps: Vec<Check> = steps
        .into_iter()
        .filter(|(name, _)| wanted.is_empty() || wanted.contains(name))
        .collect();
    all(&steps, start)
}

/// Checks the crates of others that this workspace depends on with `cargo deny`. Installs
/// cargo-deny only if it is missing, because building it takes longer than all of CI.
fn dependencies(root: &Path) -> Outcome {
    if cargo(root, &["deny", "--version"]).is_err() {
        cargo(root, &["install", "--locked", "--quiet", "cargo-deny"])?;
    }
    cargo(root, &["deny", "check"])
}

/// Runs the tests of the crate `name`. `arguments` are further arguments of `cargo test`, such as a
/// part of a test's name.
pub(crate) fn test(root: &Path, name: &str, arguments: &[&str]) -> Outcome {
    let members = members::all(root)?;
    let package = members::package(&members, name)?;
    let test = ["test", "--quiet", "--locked", "-p", package];
    tools::succeed(tools::cargo(root, &test).args(arguments))
}

fn run_step((name, work): &Check) -> Outcome {
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

fn cargo(root: &Path, arguments: &[&str]) -> Outcome {
    tools::succeed(&mut tools::cargo(root, arguments))
}
