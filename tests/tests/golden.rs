//! The shipped model as rendered, beside what is committed in `tests/golden`: a change shows here what it does to the
//! output. `cargo xtask generate` renews the trees.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test may read plainly")]

use rocpkg::model::Findings;
use rocpkg::render::{WriteOptions, check};
use rocpkg::resolve::Model;
use rocpkg::{Stack, StackOptions};
use rocpkg_tests::{fixture, texts};
use std::collections::BTreeSet;

#[test]
fn the_shipped_model_renders_what_is_committed() {
    let (model, mut findings): (Model, Findings) = Model::load(&[(String::new(), rocpkg::profiles())]);
    let stack = Stack::new(model, &rocpkg::templates()).unwrap();
    let options = StackOptions::everything();
    let tree = stack.render(&options, &mut findings).unwrap();
    assert!(!findings.has_errors(), "{}", findings.render(stack.sources(), false));

    let golden = fixture("golden");
    let committed: BTreeSet<String> = texts(&golden, &[]).into_keys().collect();
    let rendered: BTreeSet<String> = tree.files.iter().map(|(p, _)| p.as_str().to_owned()).collect();
    let differences = check(&tree.files, &golden, &WriteOptions::default()).unwrap();
    let text: String =
        differences.iter().map(|d| format!("{}: {}\n{}", d.kind, d.path, d.diff)).take(20).collect();
    let gone: Vec<&String> = committed.difference(&rendered).collect();
    assert!(
        differences.is_empty() && gone.is_empty(),
        "{} files differ from tests/golden, {} are no longer rendered: {gone:?}\n\
         `cargo xtask generate` renews them; read the difference line by line first\n{text}",
        differences.len(),
        gone.len(),
    );
}

/// `render` parses what it prints with the template that ships, and formats it no second time.
#[test]
fn the_formatter_leaves_its_own_output_alone() {
    let expressions = texts(&fixture("golden/nix"), &["nix"]);
    assert!(expressions.len() > 20);
    for (path, text) in expressions {
        rocpkg::nix::check(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
}

/// What is left without the packages' overlays can be rendered too, of every package.
#[test]
fn the_bare_model_renders() {
    let (mut model, mut findings) = Model::load(&[(String::new(), rocpkg::profiles())]);
    model.strip_overlays();
    let stack = Stack::new(model, &rocpkg::templates()).unwrap();
    let options = StackOptions::everything();
    let tree = stack.render(&options, &mut findings).unwrap();
    assert!(!findings.has_errors(), "{}", findings.render(stack.sources(), false));
    assert!(tree.files.iter().count() > 100);
}
