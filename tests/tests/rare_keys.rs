//! Small models laid over the shipped one, each rendered for all distributions and read as a snapshot.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test may read plainly, and panics when it can't go on"
)]

use rocpkg::model::Files;
use rocpkg::resolve::Model;
use rocpkg::{Stack, StackOptions};
use rocpkg_tests::fixture;
use std::fs;
use std::path::Path;

#[test]
fn keys_that_no_shipped_package_uses_are_printed() {
    insta::assert_snapshot!(rendered("rare-keys", "rocrare"));
}

/// Everything rendered of one package of a case.
fn rendered(case: &str, package: &str) -> String {
    let mut files = Files::new();
    let root = fixture(case);
    read(&root, &root, &mut files);
    let (model, mut findings) = Model::load(&[(String::new(), rocpkg::profiles()), (case.to_owned(), files)]);
    let stack = Stack::new(model, &rocpkg::templates()).unwrap();
    let options = StackOptions { packages: vec![package.to_owned()], ..StackOptions::everything() };
    let tree = stack.render(&options, &mut findings).unwrap();
    assert!(!findings.has_errors(), "{}", findings.render(stack.sources(), false));
    let named = |path: &str| path.to_lowercase().contains(package);
    let each = tree.files.iter().filter(|(path, _)| named(path.as_str()));
    each.map(|(path, bytes)| format!("=== {path}\n{}\n", String::from_utf8_lossy(bytes))).collect()
}

/// All files of a folder, by path inside it.
fn read(root: &Path, at: &Path, out: &mut Files) {
    for entry in fs::read_dir(at).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(root, &path, out);
        } else {
            let inside = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            out.insert(inside, fs::read_to_string(&path).unwrap());
        }
    }
}
