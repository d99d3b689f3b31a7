//! Compares rendered files with committed ones: the shipped model with `tests/golden`, and small
//! models with `tests/suite`. A change of the program shows its effect on the output here.
//! `cargo xtask generate` renews both, and a reviewer reads the difference line by line.
//!
//! Each folder of `tests/suite` is a model. Its folder `golden/` contains the files of all
//! distributions, and `golden/findings.txt` the findings. A folder `layer/` is a user's layer,
//! which is merged over the model. The first line of `upstream.yaml` states the subject of the
//! case. Add a folder to test a fixed bug of a backend.

use rocpkg::Options;
use rocpkg::internal::model::Files;
use rocpkg::internal::render::{WriteOptions, check};
use rocpkg::internal::resolve::Model;
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

/// Formats the rendered expressions once more. `render` itself parses the output of the shipped
/// template, but does not format it a second time.
#[test]
fn the_formatter_leaves_its_own_output_alone() {
    let expressions = texts(&fixture("golden/nix"), &["nix"]);
    assert!(expressions.len() > 20);
    for (path, text) in expressions {
        rocpkg::nix::check_style(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
}

/// Every package can be rendered without the overlays of packages, too.
#[test]
fn the_bare_model_renders() {
    let (mut model, findings) = laid(&[]);
    model.strip_overlays();
    let tree = rendered((model, findings), &Options::everything())
        .sound()
        .tree;
    assert!(tree.files.iter().count() > 100);
}

/// Renders a package with the keys that no shipped package uses.
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

/// Renders a small model. Returns each file by its path, and the findings as `findings.txt`.
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
    // Only packages are rendered. tests/golden covers the other files of a distribution's tree.
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
