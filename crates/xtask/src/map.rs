//! Checks that documents name files that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The documents whose names of files are checked, beside the documentation of modules.
const DOCUMENTS: [&str; 2] = ["crates/README.md", ".github/CONTRIBUTING.md"];

/// Returns a fault for each name of a Rust file, in backticks, that is no file of Git. Names are
/// looked for in [`DOCUMENTS`] and in the documentation of modules. `b.rs` and `a/b.rs` are names
/// of a file `crates/a/b.rs`. `sources` are the texts of files by their paths, and `files` the
/// paths of all files.
pub(crate) fn missing_files(sources: &BTreeMap<&str, String>, files: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for (file, text) in sources {
        let is_document = DOCUMENTS.contains(file);
        let is_rust = Path::new(file).extension().is_some_and(|end| end == "rs");
        for (at, line) in text.lines().enumerate() {
            if !(is_document || is_rust && line.trim_start().starts_with("//!")) {
                continue;
            }
            for name in names(line) {
                if !exists(&name, files) {
                    faults.push(format!("{file}:{}: no file is called `{name}`", at + 1));
                }
            }
        }
    }
    faults
}

/// Returns the names of Rust files in backticks in a line. A name with braces is several names:
/// `src/{a,b}.rs` gives `src/a.rs` and `src/b.rs`.
fn names(line: &str) -> BTreeSet<String> {
    let spans = line.split('`').skip(1).step_by(2);
    let is_name = |span: &&str| {
        let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./{,}".contains(c);
        let Some(path) = span.strip_suffix(".rs") else {
            return false;
        };
        // `NAME.rs` stands for any name.
        let is_placeholder = |stem: &str| stem.chars().all(|c| c.is_ascii_uppercase());
        path.chars().all(is_path) && !path.rsplit('/').next().is_some_and(is_placeholder)
    };
    spans.filter(is_name).flat_map(unbraced).collect()
}

fn unbraced(name: &str) -> Vec<String> {
    let Some((head, rest)) = name.split_once('{') else {
        return vec![name.to_owned()];
    };
    let Some((inside, tail)) = rest.split_once('}') else {
        return vec![name.to_owned()];
    };
    let all = inside.split(',').map(|part| format!("{head}{part}{tail}"));
    all.flat_map(|name| unbraced(&name)).collect()
}

fn exists(name: &str, files: &[String]) -> bool {
    let end = format!("/{name}");
    files
        .iter()
        .any(|file| file == name || file.ends_with(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_found_without_braces() {
        let found = names("see `src/{a,b}.rs` and `c.rs`, but `Type::d` and `x.yaml` not");
        let expected = ["c.rs", "src/a.rs", "src/b.rs"].map(str::to_owned);
        assert_eq!(found, BTreeSet::from(expected));
    }

    #[test]
    fn a_file_that_is_gone_is_named() {
        let text = "//! Read `old.rs` next.\nlet a = \"`none.rs`\";\n".to_owned();
        let sources = BTreeMap::from([("crates/a/src/new.rs", text)]);
        let files = vec!["crates/a/src/new.rs".to_owned()];
        let expected = "crates/a/src/new.rs:1: no file is called `old.rs`";
        assert_eq!(missing_files(&sources, &files), [expected]);
    }
}
