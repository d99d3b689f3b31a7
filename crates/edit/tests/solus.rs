//! Tests of edits of a `package.yml`.

use rocpkg_edit::{Checks, merge3};
use rocpkg_syntax::{Language, Reading, Rules};

static RULES: Rules = Rules {
    version: "version",
    ..Rules::NONE
};

fn carried(there: &str, before: &str, after: &str) -> String {
    let reading = Reading {
        language: Language::Yaml,
        rules: &RULES,
        given: Vec::new(),
    };
    let read = |text: &str| reading.read(text).unwrap();
    merge3(&read(there), &read(before), &read(after), Checks::NONE).text
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

#[test]
fn quotes_in_lists_stay() {
    let source = |old: &str, sum: &str| {
        format!(
            "name : hip\nsource :\n    - {old} : {sum}\n    - git|https://b/x.git : v1\nbuilddeps :\n    - cmake\n"
        )
    };
    let (address, next) = ("https://a/7.1.1.tar.gz", "https://a/7.2.4.tar.gz");
    let (before, after) = (source(address, "aa"), source(next, "bb"));
    for quote in ["'", "\"", ""] {
        for other in ["'", "\"", ""] {
            let quoted = |address: &str, sum: &str| {
                let quoted = |text: &str, quote: &str| format!("{quote}{text}{quote}");
                source(&quoted(address, quote), &quoted(sum, other))
            };
            let there = format!("# Ours\n{}", quoted(address, "aa"));
            let expected = format!("# Ours\n{}", quoted(next, "bb"));
            assert_eq!(carried(&there, &before, &after), expected);
        }
    }
}

#[test]
fn a_new_element_is_quoted_as_its_neighbours() {
    let list = |all: &str| format!("name : hip\nbuilddeps :\n{all}networking : yes\n");
    let (before, after) = (
        list("    - cmake\n    - zlib\n"),
        list("    - cmake\n    - ninja\n    - zlib\n"),
    );
    let there = list("    - 'cmake'\n    - own\n    - 'zlib'\n");
    let expected = list("    - 'cmake'\n    - 'ninja'\n    - own\n    - 'zlib'\n");
    assert_eq!(carried(&there, &before, &after), expected);
}

#[test]
fn columns_of_keys_and_values_stay() {
    let text = |version: &str| {
        format!(
            "name       : hip\nversion    : {version}\nsource     :\n    - https://a/{version}.tgz : aa\n"
        )
    };
    let (before, after) = (text("7.1.1"), text("7.2.4"));
    for spaced in [
        ("version    : ", "version: "),
        ("version    : ", "version :   "),
        (".tgz : aa", ".tgz   :   aa  # sum"),
        ("    - ", "- "),
    ] {
        let own = |text: String| text.replace(spaced.0, spaced.1);
        assert_eq!(
            carried(&own(before.clone()), &before, &after),
            own(after.clone())
        );
    }
}

/// Returns a recipe with a script as its `setup`.
fn with_setup(version: &str, lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!(
        "name       : hip\nversion    : {version}\nsetup      : |\n{lines}build      : |\n    %ninja_build\n"
    )
}

#[test]
fn options_of_a_call_are_items_in_whatever_order_and_layout() {
    let before = with_setup("7.1.1", &["%cmake_ninja -L \\", "  -DA=1 \\", "  -DB=2"]);
    let after = [
        "%cmake_ninja -S hip -L \\",
        "  -DA=\"3;4\" \\",
        "  -DC=$workdir/c",
    ];
    let after = with_setup("7.2.4", &after);
    let there = [
        "%cmake_ninja -L -D B=2 -D OWN=ON -D A=1",
        "%cmake_ninja \\\n      -DOWN=ON \\\n      -DB=2 \\\n      -DA=1",
    ];
    let expected = [
        "%cmake_ninja -S hip -L -D OWN=ON -D A=\"3;4\" -D C=$workdir/c",
        "%cmake_ninja \\\n      -DOWN=ON \\\n      -S hip \\\n      -DA=\"3;4\" \\\n      -DC=$workdir/c",
    ];
    for (there, expected) in there.into_iter().zip(expected) {
        let there = with_setup("7.1.1", &[there]);
        let made = carried(&there, &before, &after);
        assert_eq!(made, with_setup("7.2.4", &[expected]));
        assert_eq!(carried(&made, &before, &after), made);
    }
}

#[test]
fn repeated_steps_are_those_beside_the_same_steps() {
    let before = with_setup("7.1.1", &["pushd hip", "%patch a.patch", "popd", "make"]);
    let after = [
        "pushd clr",
        "%patch b.patch",
        "popd",
        "pushd hip",
        "%patch a.patch",
        "popd",
        "make",
    ];
    let after = with_setup("7.2.4", &after);
    let there = [
        "pushd own",
        "popd",
        "pushd hip",
        "%patch a.patch",
        "popd",
        "make",
        "pushd late",
        "popd",
    ];
    let there = with_setup("7.1.1", &there);
    let expected = [
        "pushd own",
        "popd",
        "pushd clr",
        "%patch b.patch",
        "popd",
        "pushd hip",
        "%patch a.patch",
        "popd",
        "make",
        "pushd late",
        "popd",
    ];
    let made = carried(&there, &before, &after);
    assert_eq!(made, with_setup("7.2.4", &expected));
    assert_eq!(carried(&made, &before, &after), made);
    assert_eq!(carried(&made, &after, &before), there);
}
