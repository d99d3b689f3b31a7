//! One mistake gives one finding. Each shipped profile is broken in turn, and the mistake must not
//! lead to further findings.

use rocpkg::internal::model::{Files, Severity};
use rocpkg::{Options, Stack};
use rocpkg_tests::{readers, sample};

/// Returns the errors of a model with one file changed.
fn errors(profiles: &Files, path: &str, text: &str) -> Vec<String> {
    let mut files = profiles.clone();
    files.insert(path.to_owned(), text.to_owned());
    let stack = Stack::empty().unwrap().texts("", files);
    let options = Options {
        backends: readers(path),
        ..Options::everything()
    };
    let (_, findings) = stack.attempt(&options).unwrap();
    let errors = findings
        .sorted()
        .into_iter()
        .filter(|f| f.severity == Severity::Error);
    errors
        .map(|f| format!("{}: {}", f.code, f.message))
        .collect()
}

#[test]
fn a_spoilt_file_is_one_finding() {
    let profiles = rocpkg::shipped::profiles();
    // `products.yaml` is only read when a name is looked up, or by `rocpkg check`.
    let read = profiles.iter().filter(|(path, _)| *path != "products.yaml");
    let spoilt = read.flat_map(|(path, text)| {
        // One text is not YAML. The other is valid YAML with an unknown key.
        [
            (path, "not YAML", format!("{text}\n  - ]: {{\n")),
            (path, "unknown key", format!("{text}\nsmumary: x\n")),
        ]
    });
    let mut wrong = Vec::new();
    for (path, what, spoilt) in sample("spoilt profiles", 33, spoilt) {
        let found = errors(&profiles, path, &spoilt);
        if found.len() != 1 {
            wrong.push(format!(
                "{path}, {what}: {} errors, {:?}",
                found.len(),
                &found[..found.len().min(4)]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_size_that_is_no_number_is_one_finding() {
    let profiles = rocpkg::shipped::profiles();
    let text = profiles["releases/7.2.yaml"].replacen("size: ", "size: big", 1);
    let found = errors(&profiles, "releases/7.2.yaml", &text);
    assert_eq!(
        found,
        ["E0111: expected a whole number, found `big1950838`"]
    );
}
