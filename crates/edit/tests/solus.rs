//! What is carried over to a `package.yml`.

use rocpkg_edit::{Checks, carry};
use rocpkg_syntax::{Language, Reading, Rules};

static RULES: Rules = Rules {
    version: "version",
    lists: &[],
    of_sources: &[],
    source_folder: "",
    asks: &[],
};

fn carried(there: &str, before: &str, after: &str) -> String {
    let reading = Reading {
        language: Language::Yaml,
        rules: &RULES,
        given: Vec::new(),
    };
    let read = |text: &str| reading.read(text).unwrap();
    carry(&read(there), &read(before), &read(after), Checks::NONE).text
}

fn rendered(version: &str, more: &str) -> String {
    format!(
        "name       : hip\nversion    : {version}\nbuilddeps  :\n    - cmake\n{more}setup      : |\n    %cmake_ninja\n"
    )
}

#[test]
fn quotes_and_remarks_stay() {
    let (before, after) = (rendered("7.1.1", ""), rendered("7.2.4", ""));
    for (old, new) in [
        ("'7.1.1'", "'7.2.4'"),
        ("\"7.1.1\"", "\"7.2.4\""),
        ("7.1.1", "7.2.4"),
        ("'7.1.1' # mine", "'7.2.4' # mine"),
        ("7.1.1 # mine", "7.2.4 # mine"),
    ] {
        let there = rendered(old, "    - own # why\n");
        let expected = rendered(new, "    - own # why\n");
        assert_eq!(carried(&there, &before, &after), expected);
    }
}

#[test]
fn a_value_that_needs_quotes_has_them() {
    let (before, after) = (rendered("7.1.1", ""), rendered("\"7.10\"", ""));
    assert_eq!(carried(&before, &before, &after), after);
    let there = rendered("'7.1.1'", "");
    assert_eq!(carried(&there, &before, &after), rendered("'7.10'", ""));
}

#[test]
fn line_ends_stay() {
    let (before, after) = (
        rendered("7.1.1", ""),
        rendered("7.2.4", "    - ninja\n").replace("%cmake_ninja", "%cmake_ninja -DA=B\n    make"),
    );
    let there = before.replace('\n', "\r\n");
    assert_eq!(
        carried(&there, &before, &after),
        after.replace('\n', "\r\n")
    );
}
