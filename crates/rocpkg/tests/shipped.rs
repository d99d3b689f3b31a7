//! Tests that the built-in profiles and templates are those of the checkout, and that no new file
//! is left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Returns the files with one ending below a folder, by path inside it.
fn files(folder: &Path, ending: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                let inside = path
                    .strip_prefix(folder)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                out.insert(inside, fs::read_to_string(&path).unwrap());
            }
        }
    }
    out
}

#[test]
fn what_lies_in_the_checkout_is_what_is_built_in() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert_eq!(
        rocpkg::shipped::profiles(),
        files(&root.join("profiles"), "yaml")
    );
    let templates = rocpkg::shipped::templates();
    assert_eq!(templates, files(&root.join("templates"), "j2"));
}

#[test]
fn templates_lay_out_and_compute_nothing() {
    let is_name = |word: &str| {
        word.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.".contains(&b))
    };
    for (name, text) in rocpkg::shipped::templates() {
        let tags = text
            .split('{')
            .filter_map(|rest| rest.split_once('}'))
            .map(|(tag, _)| tag);
        for tag in tags.filter(|tag| tag.starts_with('%')) {
            let words: Vec<&str> = tag.trim_matches(['%', '-']).split_whitespace().collect();
            assert!(
                ["if", "elif", "else", "endif", "for", "endfor"].contains(&words[0]),
                "{name}: {tag}"
            );
            assert!(words.iter().all(|word| is_name(word)), "{name}: {tag}");
        }
        for tag in text
            .split("{{")
            .skip(1)
            .filter_map(|rest| rest.split_once("}}"))
            .map(|(tag, _)| tag)
        {
            assert!(is_name(tag.trim_matches([' ', '-'])), "{name}: {tag}");
        }
    }
}

/// The program in README.md is also in the crate's documentation, where it is compiled.
#[test]
fn readme_shows_what_is_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let shown = readme
        .split("```rust\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let documentation = fs::read_to_string(root.join("crates/rocpkg/src/lib.rs")).unwrap();
    assert!(
        shown.lines().all(|line| documentation.contains(line)),
        "{shown}"
    );
}
