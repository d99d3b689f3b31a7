//! Laws of the raw layer: what is printed reads back, layers behave, no input panics.

use proptest::prelude::*;
use rocpkg_model::{Cond, Findings, Node, Span, Text, Value, parse, slip};

fn cond() -> impl Strategy<Value = Cond> {
    let leaf = prop_oneof![
        "[a-z][a-z0-9-]{0,6}".prop_map(Cond::Feature),
        "gfx[0-9]{3,4}".prop_map(Cond::Target),
        ">=[0-9]\\.[0-9]".prop_map(Cond::Release),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| Cond::Not(Box::new(c))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Cond::All),
            prop::collection::vec(inner, 2..4).prop_map(Cond::Any),
        ]
    })
}

/// The value of a condition when exactly the leaves with an even number of letters hold.
fn value(c: &Cond) -> bool {
    c.reduce(&|leaf| Some(leaf.to_string().len() % 2 == 0))
        .unwrap()
}

fn read(text: &str) -> (Option<Node>, Findings) {
    let mut findings = Findings::default();
    (parse(0, text, &mut findings), findings)
}

/// The tree without places, so that two can be compared.
fn plain(node: &Node) -> String {
    match &node.value {
        Value::Null => "~".into(),
        Value::Scalar { text, .. } => format!("{text:?}"),
        Value::Seq(items) => format!(
            "[{}]",
            items.iter().map(plain).collect::<Vec<_>>().join(",")
        ),
        Value::Map(entries) => {
            format!(
                "{{{}}}",
                entries
                    .iter()
                    .map(|(k, v)| format!("{}:{}", k.name, plain(v)))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        }
    }
}

proptest! {
    #[test]
    fn a_printed_condition_reads_back_with_the_same_meaning(c in cond()) {
        let again = Cond::parse(&c.to_string()).unwrap();
        prop_assert_eq!(value(&again), value(&c));
        prop_assert_eq!(again.to_string(), c.to_string());
    }

    #[test]
    fn any_text_reads_back(parts in prop::collection::vec(prop_oneof!["[ -~]{0,8}", Just("$${".to_owned()), "[$][{][a-z:]{1,6}[}]"], 0..6)) {
        let text = parts.concat();
        if let Ok(read) = Text::parse(&text, Span::default()) {
            let again = Text::parse(&read.to_string(), Span::default());
            prop_assert_eq!(again, Ok(read), "{:?}", text);
        }
    }

    #[test]
    fn a_letter_more_less_or_elsewhere_is_a_slip(word in "[a-dä€𝄞]{5,9}", at in 0_usize..5, other in "[x-z]", kind in 0..4) {
        let mut letters: Vec<char> = word.chars().collect();
        match kind {
            0 => letters.insert(at, other.chars().next().unwrap()),
            1 => _ = letters.remove(at),
            2 => letters[at] = other.chars().next().unwrap(),
            _ => letters.swap(at, at.max(1) - 1),
        }
        let meant: String = letters.iter().collect();
        let found = slip(&word, ["something", meant.as_str()]);
        // Of words with letters of several bytes, some are taken for longer ones.
        let near = meant.len().abs_diff(word.len()) < 2 && meant.len() > 3 && meant != word;
        prop_assert_eq!(found, near.then_some(meant.as_str()));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
        let _ = read(&text);
        let _ = Cond::parse(&text);
        let _ = Text::parse(&text, Span::default());
    }
}

#[test]
fn scalars_stay_as_written() {
    let node = read("v: 7.10\nw: 'null'\nx: null\n").0.unwrap();
    assert_eq!(plain(&node), r#"{v:"7.10",w:"null",x:~}"#);
}

#[test]
fn nulls_brackets_and_size_end_in_findings() {
    for text in [
        "a: \0",
        &"[".repeat(100_000),
        &" ".repeat(rocpkg_model::MAX_FILE_BYTES + 1),
        "&a [*a, *a]",
    ] {
        let (_, findings) = read(text);
        assert!(findings.has_errors(), "{:?}", &text[..text.len().min(20)]);
    }
}

#[test]
fn every_fault_of_a_file_is_found_at_once() {
    let (_, findings) = read("a: 1\na: 2\nb: &x 3\n---\nc: 4\n");
    let codes: Vec<_> = findings.sorted().iter().map(|f| f.code).collect();
    assert_eq!(codes, ["E0106", "E0103", "E0104"]);
}
