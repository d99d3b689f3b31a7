//! What is rendered, beside what is committed: the shipped model in `tests/golden`, and small
//! models in `tests/suite`. A change shows here what it does to the output; `cargo xtask generate`
//! renews both, and the difference is read line by line.
//!
//! Each folder of `tests/suite` is a model with what all distributions make of it in `golden/` and
//! what is said about it in `golden/findings.txt`; a folder `layer/` in it is a user's, laid over
//! the model. A backend's bug gets its test by adding a folder.

use rocpkg::Options;
use rocpkg::model::Files;
use rocpkg::render::{WriteOptions, check};
use rocpkg::resolve::Model;
use rocpkg_tests::{fixture, laid, rendered, texts, write_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[test]
fn the_shipped_model_renders_what_is_committed() {
    let tree = rendered(laid(&[]), &Options::everything()).sound().tree;
    let golden = fixture("golden");
    let committed: BTreeSet<String> = texts(&golden, &[]).into_keys().collect();
    let fresh: BTreeSet<String> = tree
        .files
        .iter()
        .map(|(p, _)| p.as_str().to_owned())
        .collect();
    let differences = check(&tree.files, &golden, &WriteOptions::default()).unwrap();
    let text: String = differences
        .iter()
        .map(|d| format!("{}: {}\n{}", d.kind, d.path, d.diff))
        .take(20)
        .collect();
    let gone: Vec<&String> = committed.difference(&fresh).collect();
    assert!(
        differences.is_empty() && gone.is_empty(),
        "{} files differ from tests/golden, {} are no longer rendered: {gone:?}\n{text}",
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
        rocpkg::nix::check_style(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
}

/// What is left without the packages' overlays can be rendered too, of every package.
#[test]
fn the_bare_model_renders() {
    let (mut model, findings) = laid(&[]);
    model.strip_overlays();
    let tree = rendered((model, findings), &Options::everything())
        .sound()
        .tree;
    assert!(tree.files.iter().count() > 100);
}

/// Keys that no shipped package uses, laid over the shipped model.
#[test]
fn rare_keys_are_printed() {
    let files = texts(&fixture("rare-keys"), &["yaml"]);
    let over: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let options = Options {
        packages: vec!["rocrare".to_owned()],
        ..Options::everything()
    };
    let tree = rendered(laid(&over), &options).sound().tree;
    let each = tree
        .files
        .iter()
        .filter(|(path, _)| path.as_str().to_lowercase().contains("rocrare"));
    let text =
        each.map(|(path, bytes)| format!("=== {path}\n{}\n", String::from_utf8_lossy(bytes)));
    insta::assert_snapshot!(text.collect::<String>());
}

/// What a small model's packages become: each file by its path, and the findings.
fn case(folder: &Path) -> BTreeMap<String, String> {
    let mut model: Files = texts(folder, &["yaml", "yml"]);
    model.retain(|path, _| !path.starts_with("golden/"));
    let mut layer = Files::new();
    for path in model
        .keys()
        .filter(|p| p.starts_with("layer/"))
        .cloned()
        .collect::<Vec<_>>()
    {
        layer.insert(
            path["layer/".len()..].to_owned(),
            model.remove(&path).unwrap(),
        );
    }
    let component = |path: &String| {
        Some(
            path.strip_prefix("components/")?
                .strip_suffix(".yaml")?
                .to_owned(),
        )
    };
    // Of packages alone: what a distribution's tree holds beside them is in tests/golden.
    let packages = model
        .keys()
        .chain(layer.keys())
        .filter_map(component)
        .collect();
    let options = Options {
        packages,
        ..Options::everything()
    };
    let made = rendered(
        Model::load(&[(String::new(), model), ("layer".to_owned(), layer)]),
        &options,
    );
    let files = made
        .tree
        .files
        .iter()
        .map(|(path, _)| (path.as_str().to_owned(), made.text(path.as_str())));
    let said = made.findings.render(made.stack.sources(), false);
    files.chain([("findings.txt".to_owned(), said)]).collect()
}

#[test]
fn every_small_model_renders_what_is_committed() {
    let mut wrong = Vec::new();
    let cases: BTreeSet<_> = fs::read_dir(fixture("suite"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    for folder in cases.into_iter().filter(|c| c.is_dir()) {
        let golden = folder.join("golden");
        let fresh = case(&folder);
        if std::env::var_os("ROCPKG_RENEW").is_some() {
            if golden.exists() {
                fs::remove_dir_all(&golden).unwrap();
            }
            for (path, text) in &fresh {
                let at = golden.join(path);
                fs::create_dir_all(at.parent().unwrap()).unwrap();
                write_file(at, text);
            }
        }
        let committed = if golden.is_dir() {
            texts(&golden, &[])
        } else {
            BTreeMap::new()
        };
        let paths: BTreeSet<_> = fresh.keys().chain(committed.keys()).collect();
        for path in paths
            .into_iter()
            .filter(|path| fresh.get(*path) != committed.get(*path))
        {
            let text = fresh
                .get(path)
                .map_or("(no longer rendered)", String::as_str);
            wrong.push(format!("{}/{path} is now\n{text}", folder.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n`cargo xtask generate` renews them",
        wrong.join("\n")
    );
}
