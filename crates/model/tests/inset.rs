//! A place inside a scalar is the same place in its file.

use rocpkg_model::{Findings, Node, Sources, parse};

fn scalar(yaml: &str) -> (Sources, Node) {
    let mut sources = Sources::default();
    let file = sources.add("x.yaml", yaml);
    let node = parse(file, yaml, &mut Findings::default()).unwrap();
    let inner = node.get("a").and_then(|n| n.get("text")).unwrap().clone();
    (sources, inner)
}

/// Every byte of the text is found again in the file.
fn all_found(yaml: &str) {
    let (sources, node) = scalar(yaml);
    let text = node.text().unwrap();
    assert!(node.span.inset.is_some(), "{yaml}");
    for (i, c) in text.char_indices().filter(|(_, c)| *c != '\n') {
        let place = node.span.inside(text, i, i + c.len_utf8());
        let written = &sources.get(0).unwrap().text[place.start as usize..place.end as usize];
        assert_eq!(written, c.to_string(), "byte {i} of {text:?} in {yaml:?}");
    }
}

#[test]
fn texts_that_stand_as_they_are() {
    for yaml in [
        "a:\n  text: |\n    one\n    two\n",
        "a:\n  text: |\n    one\n\n      two # é\n    three é x\n\nb: 1\n",
        "a:\n  text: |\n\n\n    one\n",
        "a:\n  text: |-\n    one",
        "a:\n  text: |+\n    one\n\n\nb: 1\n",
        "a:\n  text: |2 # a comment\n      deeper\n    one\n",
        "a:\n    text: |\n        one\n          two\n",
        "a: {text: \"in quotes\", b: 1}",
        "a: {text: 'in quotes'}",
        "a:\n  text: plain text # a comment\n",
        "a: {text: é}",
    ] {
        all_found(yaml);
    }
}

#[test]
fn other_texts_are_one_place() {
    for yaml in [
        "a:\n  text: >\n    one\n    two\n",
        "a:\n  text: \"es\\\"caped\"\n",
        "a:\n  text: 'a''b'\n",
        "a:\n  text: plain text\n    in two lines\n",
        "a:\n  text: |\n    one\n  \n    two\n",
    ] {
        let (_, node) = scalar(yaml);
        let text = node.text().unwrap();
        assert_eq!(node.span.inside(text, 2, 3), node.span, "{yaml}");
    }
}

#[test]
fn lines_and_columns() {
    let (sources, node) = scalar("a:\n  text: |\n    one\n\n    two three\n");
    let text = node.text().unwrap();
    let at = text.find("three").unwrap();
    assert_eq!(
        sources.place(node.span.inside(text, at, at + 5)),
        "x.yaml:5:9"
    );
    assert_eq!(sources.place(node.span.inside(text, 0, 1)), "x.yaml:3:5");
    assert_eq!(sources.place(node.span.inside(text, 1, 2)), "x.yaml:3:6");
}

#[test]
fn the_end_of_a_block_lies_within_its_file() {
    // YAML ends the last line of a block, whether the file does or not.
    for yaml in [
        "a:\n  text: |\n    one",
        "a:\n  text: |\n    one\n\n    two",
        "a:\n  text: |+\n    one\n\n",
    ] {
        let (_, node) = scalar(yaml);
        let text = node.text().unwrap();
        assert!(node.span.inset.is_some(), "{yaml:?}");
        for at in [text.len() - 1, text.len()] {
            let place = node.span.inside(text, at, text.len());
            assert!(
                place.start <= place.end && place.end as usize <= yaml.len(),
                "{place:?} of {yaml:?}"
            );
        }
    }
}
