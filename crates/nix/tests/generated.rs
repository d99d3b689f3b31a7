//! Tests of random expressions: Nix reads every expression that `check` accepts.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rocpkg_nix::{Binding, Expression, Item, NixExpr, Operator, Part, Pattern};
use rocpkg_test_support::{is_whole, write_file};

/// Returns a generator of texts: random printable characters, and texts with a meaning in Nix.
fn text() -> impl Strategy<Value = String> {
    let known = [
        "${x}", "''", "\"", "\\", "\n", "if", "or", "a b", "a.b", "${", "in",
    ];
    prop_oneof![
        "[ -~]{0,8}",
        prop::sample::select(known.to_vec()).prop_map(str::to_owned),
    ]
}

/// Returns a generator of names. One in twenty is any text, and most such texts are no valid name.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![19 => "own[A-Z][a-z]{1,6}", 1 => text()]
}

fn expression() -> impl Strategy<Value = NixExpr> {
    let leaf = prop_oneof![
        Just(NixExpr::Null),
        any::<bool>().prop_map(NixExpr::Bool),
        any::<i64>().prop_map(NixExpr::Int),
        text().prop_map(NixExpr::string),
        text().prop_map(|text| NixExpr::Lines(vec![Part::Text(text)])),
        name().prop_map(NixExpr::Name),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let one = || inner.clone();
        prop_oneof![
            prop::collection::vec(one(), 0..3).prop_map(NixExpr::list),
            (name(), one())
                .prop_map(|(name, value)| NixExpr::Set(vec![Binding::new(&name, value)])),
            (one(), one()).prop_map(|(a, b)| NixExpr::binary(Operator::Concat, a, b)),
            (one(), one()).prop_map(|(a, b)| NixExpr::Apply(Box::new(a), Box::new(b))),
            one().prop_map(|inner| NixExpr::Not(Box::new(inner))),
            (name(), one())
                .prop_map(|(name, body)| NixExpr::Lambda(Pattern::Name(name), Box::new(body))),
            one().prop_map(|value| NixExpr::Str(vec![Part::Value(value)])),
            (one(), text()).prop_map(|(value, comment)| {
                let comment = Some(comment);
                NixExpr::List(vec![Item { value, comment }])
            }),
        ]
    })
}

fn file() -> impl Strategy<Value = Expression> {
    (text(), text(), name(), expression()).prop_map(|(pname, about, attribute, value)| {
        let source =
            NixExpr::read("fetchurl { url = \"https://example.org/a\"; hash = lib.fakeHash; }");
        Expression::package(&pname, "1.0", source.expect("Nix"))
            .attribute(Binding::new(&attribute, value))
            .meta(&about, "https://example.org", ["mit"])
    })
}

#[test]
fn nix_reads_what_check_accepts() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let cases = if is_whole() { 3_000 } else { 300 };
    let dir = tempfile::tempdir().unwrap();
    let mut accepted = Vec::new();
    for case in 0..cases {
        let expression = file().new_tree(&mut runner).unwrap().current();
        if expression.check().is_ok() {
            let path = dir.path().join(format!("{case}.nix"));
            write_file(&path, expression.to_string());
            accepted.push(path);
        }
    }
    assert!(accepted.len() > 20, "{}", accepted.len());
    let out = rocpkg_programs::command("nix-instantiate")
        .arg("--parse")
        .args(&accepted)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}

/// Returns a generator of texts from the signs that have a meaning in strings of Nix.
fn signs() -> impl Strategy<Value = String> {
    let known = [
        "$", "{", "}", "${x}", "'", "''", "\"", "\\", "\\n", "\n", "\r", "\r\n", "\t", "\u{1}",
        "\u{7f}", "é", "a", " ",
    ];
    let known = prop::sample::select(known.to_vec());
    prop::collection::vec(known, 0..6).prop_map(|all| all.concat())
}

#[test]
fn nix_evaluates_each_string_to_its_text() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[8; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let cases = if is_whole() { 3_000 } else { 300 };
    let (mut list, mut texts) = (Vec::new(), Vec::new());
    for _ in 0..cases {
        let [a, b, c] = [(); 3].map(|()| signs().new_tree(&mut runner).unwrap().current());
        let inner = NixExpr::Str(vec![Part::Text(c.clone())]);
        let parts = |first: String| {
            vec![
                Part::Text(first),
                Part::Text(b.clone()),
                Part::Value(inner.clone()),
                Part::Text(a.clone()),
            ]
        };
        list.push(NixExpr::Str(parts(a.clone())));
        texts.push(format!("{a}{b}{c}{a}"));
        // The first letter keeps Nix from removing an indentation.
        list.push(NixExpr::Lines(parts(format!("x{a}"))));
        texts.push(format!("x{a}{b}{c}{a}"));
    }
    let file = rocpkg_nix::format(&NixExpr::list(list)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("strings.nix");
    write_file(&path, file);
    let out = rocpkg_programs::command("nix-instantiate")
        .args(["--eval", "--strict", "--json"])
        .arg(&path)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{errors}");
    let read: Vec<String> = serde_json::from_slice(&out.stdout).unwrap();
    for (read, text) in read.iter().zip(&texts) {
        assert_eq!(read, text);
    }
}
