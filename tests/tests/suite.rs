//! Small models in `tests/suite`: each folder is one, with what all distributions make of it in `golden/` and what is said
//! about it in `golden/findings.txt`. A folder `layer/` in it is a user's, laid over the model.
//!
//! A backend's bug gets its test by adding a folder. `ROCPKG_RENEW=1` writes what comes out (so does `cargo xtask generate`);
//! read the difference first.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test may read and write plainly")]

use rocpkg::model::Files;
use rocpkg::resolve::Model;
use rocpkg::{Stack, StackOptions};
use rocpkg_tests::{fixture, texts};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What a model's packages become: each file by its path, and the findings.
fn rendered(case: &Path) -> BTreeMap<String, String> {
    let mut model: Files = texts(case, &["yaml", "yml"]);
    model.retain(|path, _| !path.starts_with("golden/"));
    let mut layer = Files::new();
    for path in model.keys().filter(|p| p.starts_with("layer/")).cloned().collect::<Vec<_>>() {
        layer.insert(path["layer/".len()..].to_owned(), model.remove(&path).unwrap());
    }
    let names: Vec<String> = model
        .keys()
        .filter_map(|p| Some(p.strip_prefix("components/")?.strip_suffix(".yaml")?.to_owned()))
        .collect();
    let (model, mut findings) = Model::load(&[(String::new(), model), ("layer".to_owned(), layer)]);
    let stack = Stack::new(model, &rocpkg::templates()).unwrap();
    // Of packages alone: what a distribution's tree holds beside them is in tests/golden.
    let options = StackOptions { packages: names, ..StackOptions::everything() };
    let tree = stack.render(&options, &mut findings).unwrap();
    let mut out: BTreeMap<String, String> = tree
        .files
        .iter()
        .map(|(path, bytes)| (path.as_str().to_owned(), String::from_utf8(bytes.to_vec()).unwrap()))
        .collect();
    out.insert("findings.txt".to_owned(), findings.render(stack.sources(), false));
    out
}

#[test]
fn every_case_renders_what_is_committed() {
    let renew = std::env::var_os("ROCPKG_RENEW").is_some();
    let mut wrong = Vec::new();
    let mut cases: Vec<_> = fs::read_dir(fixture("suite")).unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    for case in cases.into_iter().filter(|c| c.is_dir()) {
        let golden = case.join("golden");
        let fresh = rendered(&case);
        if renew {
            if golden.exists() {
                fs::remove_dir_all(&golden).unwrap();
            }
            for (path, text) in &fresh {
                let at = golden.join(path);
                fs::create_dir_all(at.parent().unwrap()).unwrap();
                fs::write(at, text).unwrap();
            }
        }
        let committed = if golden.is_dir() { texts(&golden, &[]) } else { BTreeMap::new() };
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        for path in fresh.keys().chain(committed.keys()) {
            let (is, ought) = (fresh.get(path), committed.get(path));
            if is != ought {
                let text = is.map_or("(no longer rendered)", String::as_str);
                wrong.push(format!("{name}/{path} is now\n{text}"));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}\nROCPKG_RENEW=1 renews them", wrong.join("\n"));
}
