//! Nix evaluates the rendered scope.

use crate::stack::{NEXT, tree, tree_at};
use rocpkg::internal::render::{WriteOptions, write};
use rocpkg::{Backend, Options, Stack, Tree};
use rocpkg_tests::{NixTree, companion, write_file};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[test]
fn every_file_parses() {
    let nix = NixTree::with_own_externals(&tree("nix"));
    assert!(nix.files().len() >= 20);
    nix.parse().unwrap();
}

#[test]
fn the_scope_evaluates_by_default_and_narrowed() {
    let nix = NixTree::with_own_externals(&tree("nix"));
    let whole = nix.eval(None).unwrap_or_else(|e| panic!("{e}"));
    let names = |facts: &Value| {
        facts["packages"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert!(names(&whole).len() >= 20, "{:?}", names(&whole));
    for scope in ["gfx1030", "gfx1201", "gfx9", "gfx90a", "gfx942"] {
        let facts = nix
            .eval(Some(scope))
            .unwrap_or_else(|e| panic!("{scope}: {e}"));
        assert_eq!(names(&facts), names(&whole), "{scope}");
    }
}

#[test]
fn the_scope_of_the_next_release_evaluates() {
    let nix = NixTree::with_own_externals(&tree_at(NEXT[0], "nix"));
    let facts = nix.eval(None).unwrap_or_else(|e| panic!("{e}"));
    assert!(facts["packages"].as_object().unwrap().len() >= 50);
}

/// Writes a tree of nixpkgs and the files that it names, and returns the packages that Nix finds in
/// the scope.
fn packages(tree: &Tree, root: &Path) -> Map<String, Value> {
    write(&tree.files, root, &WriteOptions::default()).unwrap();
    for c in &tree.companions {
        let path = root.join(&c.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, companion(c.path.split_once('/').unwrap().1));
    }
    let nix = NixTree::with_own_externals(&root.join("nix"));
    let facts = nix.eval(None).unwrap_or_else(|e| panic!("{e}"));
    facts["packages"].as_object().unwrap().clone()
}

/// A guess keeps its package and what needs it out of the scope, and nothing else.
#[test]
fn a_scope_without_guesses_evaluates_as_a_whole() {
    let (stack, dir) = (Stack::shipped().unwrap(), tempfile::tempdir().unwrap());
    for release in NEXT {
        let options = Options {
            backends: vec![Backend::Nix],
            choices: vec![release.parse().unwrap()],
            allow_missing: true,
            ..Options::default()
        };
        let tree = stack.render(&options).unwrap();
        assert_eq!(tree.stopped.len(), 0, "{release}");
        let warned = tree.findings.iter().any(|f| f.code == "W0202");
        assert!(warned && tree.text("nix/hipsparselt/default.nix").is_none());
        let packages = packages(&tree, &dir.path().join(release));
        assert!(packages.len() >= 40, "{release}: {}", packages.len());
        assert!(packages.contains_key("rocblas") && !packages.contains_key("migraphx"));
    }
}

/// So does an unknown checksum.
#[test]
fn a_scope_without_an_unknown_checksum_evaluates_as_a_whole() {
    let (shipped, dir) = (Stack::shipped().unwrap(), tempfile::tempdir().unwrap());
    let options = Options {
        backends: vec![Backend::Nix],
        ..Options::default()
    };
    let all = shipped.render(&options).unwrap();
    let all = packages(&all, &dir.path().join("all"));
    let key = "rocm-libraries/tree/projects/rocrand+shared";
    let table = format!("versions:\n  \"7.2.3\":\n    checksums:\n      {key}: {{sri: ~}}\n");
    let files = BTreeMap::from([("releases/7.2.yaml".to_owned(), table)]);
    let stack = shipped.clone().texts("layer", files);
    let tree = stack.render(&options).unwrap();
    let mut warned = tree.findings.iter().filter(|f| f.code == "W0202");
    insta::assert_snapshot!(warned.next().unwrap().message, @"left out of nixpkgs, because a checksum is unknown: hipfft (needs rocfft), hiprand (needs rocrand), migraphx (needs miopen), miopen (needs rocrand), mivisionx (needs miopen), rocalution (needs rocrand), rocfft (needs hiprand), rocrand");
    let packages = packages(&tree, &dir.path().join("some"));
    let gone: Vec<&String> = all
        .keys()
        .filter(|name| !packages.contains_key(*name))
        .collect();
    let expected = [
        "hipfft",
        "hiprand",
        "migraphx",
        "miopen",
        "miopen-hip",
        "mivisionx",
        "mivisionx-cpu",
        "mivisionx-hip",
        "rocalution",
        "rocfft",
        "rocrand",
    ];
    assert_eq!(gone, expected);
    // At this release, hardly any checksum is known.
    let later = Options {
        choices: vec!["7.2.4".parse().unwrap()],
        ..options
    };
    let tree = shipped.render(&later).unwrap();
    let packages = self::packages(&tree, &dir.path().join("later"));
    for gone in ["clr", "rocm-comgr", "composable_kernel", "ck4inductor"] {
        assert!(!packages.contains_key(gone), "{gone}");
    }
}

/// Packages that are built for other targets in a scope for gfx1030 alone, each with the reason.
const EXCEPTIONS: [(&str, &str); 2] = [
    (
        "hipblaslt",
        "it can't be built for gfx1030, is linked to all the same, and is built for a target that nobody runs",
    ),
    (
        "rocprofiler-register",
        "nixpkgs' expression does not look at the scope, and what it ships is what is rendered",
    ),
];

#[test]
fn a_scope_for_one_target_builds_for_no_other() {
    let nix = NixTree::with_own_externals(&tree("nix"));
    let facts = nix.eval(Some("gfx1030")).unwrap_or_else(|e| panic!("{e}"));
    let mut narrowed = 0;
    for (name, package) in facts["packages"].as_object().unwrap() {
        for flag in package["cmakeFlags"].as_array().unwrap() {
            let (variable, value) = flag.as_str().unwrap().split_once('=').unwrap_or_default();
            let targets: Vec<_> = value
                .split([';', ','])
                .filter(|word| word.starts_with("gfx"))
                .collect();
            if !targets.is_empty() {
                let excused = EXCEPTIONS.iter().any(|(exception, _)| exception == name);
                assert_eq!(
                    targets != ["gfx1030"],
                    excused,
                    "{name}: {variable}: {targets:?}"
                );
                narrowed += 1;
            }
        }
    }
    assert!(
        narrowed >= 8,
        "only {narrowed} lists of targets are passed on"
    );
}
