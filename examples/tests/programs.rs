//! The programs of `examples/` answer what they are there to show.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
#![allow(clippy::disallowed_methods, reason = "programs are run as people run them")]

use std::process::Command;

/// What a program prints. Cargo builds the examples with the tests, beside them.
fn printed(name: &str) -> String {
    let here = std::env::current_exe().unwrap();
    let program = here.ancestors().nth(2).unwrap().join("examples").join(name);
    let run = Command::new(program).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn a_package_is_held_in_a_snapshot() {
    printed("snapshot");
}

#[test]
fn questions_about_gpus_are_answered() {
    insta::assert_snapshot!(printed("gpus"));
}

#[test]
fn the_dependency_language_stands_alone() {
    insta::assert_snapshot!(printed("dependencies"));
}
