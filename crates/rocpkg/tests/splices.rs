//! Tests that edits of YAML keep every comment and change only the intended value. One test makes
//! random edits in the shipped profiles.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rocpkg::internal::model::{Findings, Node, Value, parse};
use rocpkg::internal::render::splice::{Edit, EditError, NewValue, edit};

fn read(text: &str) -> Node {
    parse(0, text, &mut Findings::default()).unwrap()
}

fn put(path: &[&str], value: NewValue) -> Edit {
    Edit::put(path.iter().copied(), value)
}

#[test]
fn a_value_keeps_its_quotes_and_its_comment() {
    let text = "# A distribution.\nversion: \"7.2.4\"   # shipped\nother: {a: '1', b: x} # both\n";
    let new = edit(
        text,
        &[
            put(&["version"], "10.0.0".into()),
            put(&["other", "a"], "2".into()),
        ],
    )
    .unwrap();
    assert_eq!(
        new,
        "# A distribution.\nversion: \"10.0.0\"   # shipped\nother: {a: \"2\", b: x} # both\n"
    );
    let word = edit(text, &[put(&["version"], "default".into())]).unwrap();
    assert!(word.contains("version: default   # shipped"), "{word}");
}

#[test]
fn a_checksum_that_yaml_could_read_as_a_number_is_in_quotes() {
    for sum in [
        "0b6dea9f",
        "12345678",
        "01234567",
        "1234567e8",
        "0x12ab",
        "1_000",
    ] {
        let new = edit("", &[put(&["sha256"], sum.into())]).unwrap();
        assert_eq!(new, format!("sha256: \"{sum}\"\n"));
    }
    let new = edit("", &[put(&["sha256"], "6dea9fe2".into())]).unwrap();
    assert_eq!(new, "sha256: 6dea9fe2\n");
}

#[test]
fn entries_stand_behind_the_others_as_those_are_written() {
    let text = "versions:\n  \"7.2.0\":\n    date: x # a day\n  # Of July.\n  \"7.2.1\": {}\n\n# The end.\nlast: [a, b]";
    let nested = NewValue::Map(vec![("size".to_owned(), NewValue::Number(3))]);
    let edits = [
        put(&["versions", "7.2.2"], NewValue::Map(Vec::new())),
        Edit::Put {
            path: vec!["versions".into(), "7.2.0".into(), "llvm".into()],
            value: "22".into(),
            after: None,
        },
        put(&["versions", "7.2.1", "checksums", "a/b"], nested),
        Edit::Push {
            path: vec!["last".into()],
            text: "c".into(),
        },
        put(&["new"], NewValue::Nothing),
    ];
    let new = edit(text, &edits).unwrap();
    let expected = "versions:\n  \"7.2.0\":\n    date: x # a day\n    llvm: \"22\"\n  # Of July.\n  \"7.2.1\":\n    checksums:\n      a/b:\n        size: 3\n  \"7.2.2\": {}\n\n# The end.\nlast: [a, b, c]\nnew: ~\n";
    assert_eq!(new, expected);
    assert_eq!(
        edit("# Nothing yet.", &[put(&["a", "b"], "c".into())]).unwrap(),
        "# Nothing yet.\na:\n  b: c\n"
    );
}

#[test]
fn what_would_be_lost_is_not_written_over() {
    let text = "a:\n  b: 1\nc: |\n  two\n  lines\nd: [x]\n";
    for path in ["a", "c", "d"] {
        let said = edit(text, &[put(&[path], "x".into())]).unwrap_err();
        assert!(matches!(said, EditError::Taken { .. }), "{path}: {said:?}");
    }
    assert!(
        edit(
            text,
            &[Edit::Push {
                path: vec!["a".into()],
                text: "x".into()
            }]
        )
        .is_err()
    );
    assert!(edit(text, &[put(&["d", "e"], "x".into())]).is_err());
    assert_eq!(
        edit("a: [", &[put(&["a"], "x".into())]),
        Err(EditError::Unread)
    );
}

/// Adds to `out` the paths of all mappings, lists and scalars below a node.
fn places(node: &Node, path: &[String], out: &mut Vec<(Vec<String>, &'static str)>) {
    out.push((path.to_vec(), node.kind()));
    for (key, inner) in node.entries() {
        places(inner, &[path, &[key.name.to_string()]].concat(), out);
    }
}

/// Returns the comments of a text, sorted: on each line, the text after a sign that begins a
/// comment.
fn comments(text: &str) -> Vec<&str> {
    let mut all: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            line.trim_start()
                .starts_with('#')
                .then_some(line)
                .or(line.rsplit_once(" #").map(|(_, c)| c))
        })
        .collect();
    all.sort_unstable();
    all
}

/// Adds to `out` the paths at which two trees differ. Each path is as long as both trees have it.
fn differences(a: &Node, b: &Node, path: &[String], out: &mut Vec<Vec<String>>) {
    let here = |out: &mut Vec<Vec<String>>| out.push(path.to_vec());
    match (&a.value, &b.value) {
        (Value::Map(old), Value::Map(new)) => {
            let keys = old.iter().chain(new).map(|(k, _)| k.name.as_str());
            let mut seen = std::collections::BTreeSet::new();
            for key in keys.filter(|key| seen.insert(*key)) {
                let inner = [path, &[key.to_owned()]].concat();
                match (a.get(key), b.get(key)) {
                    (Some(old), Some(new)) => differences(old, new, &inner, out),
                    _ => out.push(inner),
                }
            }
            let order =
                |list: &[(rocpkg::internal::model::Key, Node)], other: &Node| -> Vec<String> {
                    list.iter()
                        .map(|(k, _)| k.name.to_string())
                        .filter(|k| other.get(k).is_some())
                        .collect()
                };
            assert_eq!(order(old, b), order(new, a), "the order of {path:?}");
        }
        (Value::Seq(old), Value::Seq(new)) => {
            if old.len() != new.len() {
                return here(out);
            }
            for (i, (old, new)) in old.iter().zip(new).enumerate() {
                differences(old, new, &[path, &[i.to_string()]].concat(), out);
            }
        }
        (old, new) => {
            let text = |value: &Value| match value {
                Value::Scalar { text, .. } => Some(text.clone()),
                _ => None,
            };
            if text(old) != text(new) || a.kind() != b.kind() {
                here(out);
            }
        }
    }
}

#[test]
fn a_hundred_random_edits_keep_all_else() {
    let profiles: Vec<(String, String)> = rocpkg::shipped::profiles().into_iter().collect();
    let (mut made, mut refused) = (0, 0);
    let mut runner = TestRunner::new_with_rng(
        Config {
            failure_persistence: None,
            ..Config::with_cases(300)
        },
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let counts = std::cell::RefCell::new((&mut made, &mut refused));
    let any = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        "[a-z0-9: #.'\"-]{1,12}",
        any::<bool>(),
    );
    let run = runner.run(&any, |(file, place, word, deep)| {
        let (name, text) = &profiles[file.index(profiles.len())];
        let before = read(text);
        let mut all = Vec::new();
        places(&before, &[], &mut all);
        let (mut path, kind) = all.swap_remove(place.index(all.len()));
        let added = Edit::Push {
            path: path.clone(),
            text: word.clone(),
        };
        let change = match kind {
            "a list" => added,
            "a mapping" => {
                path.push("a-new-key".to_owned());
                let inner = NewValue::Map(vec![(
                    "inner key".to_owned(),
                    NewValue::from(word.as_str()),
                )]);
                Edit::put(
                    &path,
                    if deep {
                        inner
                    } else {
                        NewValue::from(word.as_str())
                    },
                )
            }
            _ => Edit::put(&path, NewValue::from(word.as_str())),
        };
        let Ok(new) = edit(text, &[change]) else {
            *counts.borrow_mut().1 += 1;
            return Ok(());
        };
        *counts.borrow_mut().0 += 1;
        let mut changed = Vec::new();
        let after = read(&new);
        differences(&before, &after, &[], &mut changed);
        // A value may be the same already.
        prop_assert!(
            changed.is_empty() || changed == [path.clone()],
            "{}: {:?} {:?}",
            name,
            path,
            changed
        );
        let (kept, now) = (comments(text), comments(&new));
        // A word may look like a comment, and the value that it replaces too.
        let mut rest = now.clone();
        for comment in kept {
            let at = rest.iter().position(|c| *c == comment);
            prop_assert!(
                at.is_some(),
                "{}: {:?}: the comment `{}` is gone",
                name,
                path,
                comment
            );
            rest.swap_remove(at.unwrap());
        }
        Ok(())
    });
    run.unwrap();
    assert!(
        made >= 100 && refused * 20 < made,
        "{made} made, {refused} refused"
    );
}
