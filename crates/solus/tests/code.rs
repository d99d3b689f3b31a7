//! Tests of recipes that are made from code: a recipe that ypkg would refuse is refused before it
//! is printed.

use rocpkg_render::bash::run;
use rocpkg_solus::{Recipe, Step};

fn recipe(release: u64, address: &str, sum: &str) -> Recipe {
    let names = ("thing", "1.0", release);
    Recipe::new(names, "programming", ["MIT"], ("A thing", "A thing."))
        .homepage("https://example.org/thing")
        .source(address, sum)
        .step(Step::Install, vec![run("true", [])])
}

/// Asserts that a recipe is refused with an error that contains `text`.
#[track_caller]
fn refused(recipe: &Recipe, text: &str) {
    let found = recipe.check().expect_err(&recipe.to_string()).to_string();
    assert!(found.contains(text), "{found}");
}

#[test]
fn version_release_and_sources_fit_each_other() {
    let (archive, sum) = ("https://example.org/thing-1.0.tar.gz", "0".repeat(64));
    assert_eq!(recipe(1, archive, &sum).check(), Ok(()));
    refused(
        &recipe(0, archive, &sum),
        "the release `0` is not a positive number",
    );
    refused(&recipe(1, archive, "0123"), "`0123` is not a checksum");
    let other = "https://example.org/thing-2.0.tar.gz";
    refused(&recipe(1, other, &sum), "the source has version 2.0");
    refused(
        &recipe(1, "git|https://example.org/thing.git", ""),
        "has no checksum",
    );
}

#[test]
fn texts_stay_inside_of_their_keys() {
    let sum = "0".repeat(64);
    let sound = || recipe(1, "https://example.org/thing-1.0.tar.gz", &sum);
    for sign in ["\r", "\u{85}", "\u{2028}"] {
        let mut broken = sound();
        broken.description = format!("a{sign}clang: yes");
        refused(&broken, "ends a line of YAML");
    }
    let mut bell = sound();
    bell.summary = "a\u{7}".to_owned();
    refused(&bell, "the package.yml can't be read");
    let mut switched = sound();
    switched.switches.push(("a: 1\nclang".to_owned(), true));
    refused(&switched, "is no switch of ypkg");
    switched.switches = vec![("clang".to_owned(), true)];
    assert_eq!(switched.check(), Ok(()));
}
