//! Tests of random expressions: Nix reads every expression that `check` accepts.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rocpkg_nix::{Binding, Expression, Item, NixExpr, Operator, Part, Pattern};
use rocpkg_test_support::{is_whole, write_file};
use serde_json::{Value, json};

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

/// Returns a generator of expressions without open names, each with the value that Nix computes.
fn valued() -> impl Strategy<Value = (NixExpr, Value)> {
    let blanks = "[ \t\n\r'$a{}\\\\\"é]{0,12}";
    let any_text = move || prop_oneof![text(), blanks];
    let leaf = prop_oneof![
        Just((NixExpr::Null, Value::Null)),
        any::<bool>().prop_map(|b| (NixExpr::Bool(b), json!(b))),
        prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX), Just(-1)]
            .prop_map(|n| (NixExpr::Int(n), json!(n))),
        any_text().prop_map(|t| (NixExpr::string(t.clone()), json!(t))),
        any_text().prop_map(|t| (NixExpr::Lines(vec![Part::Text(t.clone())]), json!(t))),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let one = || inner.clone();
        let string = prop::collection::vec((any_text(), any_text()), 0..3);
        prop_oneof![
            prop::collection::vec((one(), prop::option::of(text())), 0..3).prop_map(|all| {
                let values = all.iter().map(|((_, value), _)| value.clone()).collect();
                let item = |((value, _), comment)| Item { value, comment };
                (NixExpr::List(all.into_iter().map(item).collect()), values)
            }),
            (any_text(), one(), prop::option::of(text())).prop_map(|(name, (expr, value), c)| {
                let binding = Binding::plain(&name, expr).comment(c);
                (NixExpr::Set(vec![binding]), json!({ name: value }))
            }),
            (string, any::<bool>()).prop_map(|(pairs, is_long)| {
                let whole: String = pairs.iter().flat_map(|(a, b)| [a.as_str(), b]).collect();
                let parts = pairs.into_iter().flat_map(|(text, inner)| {
                    [Part::Text(text), Part::Value(NixExpr::string(inner))]
                });
                let parts = parts.collect();
                let of = if is_long {
                    NixExpr::Lines
                } else {
                    NixExpr::Str
                };
                (of(parts), json!(whole))
            }),
            one().prop_map(|(expr, value)| {
                let own = NixExpr::Lambda(Pattern::Name("x".into()), Box::new(name_of("x")));
                (NixExpr::Apply(Box::new(own), Box::new(expr)), value)
            }),
            one().prop_map(|(expr, value)| {
                let bound = vec![Binding::new("x", expr)];
                (NixExpr::Let(bound, Box::new(name_of("x"))), value)
            }),
            (any_text(), one(), one(), any::<bool>()).prop_map(|(name, (e, v), (d, w), has)| {
                let set = NixExpr::Set(if has {
                    vec![Binding::plain(&name, e)]
                } else {
                    vec![]
                });
                let whole = NixExpr::Select(Box::new(set), vec![name], Some(Box::new(d)));
                (whole, if has { v } else { w })
            }),
            (one(), one()).prop_map(|((a, v), (b, w))| {
                let equal = json!(v == w);
                (
                    NixExpr::binary(Operator::Equal, a, b).negated().negated(),
                    equal,
                )
            }),
            (one(), one()).prop_map(|((a, v), (b, w))| {
                let (a, b) = (NixExpr::list([a]), NixExpr::list([b]));
                (NixExpr::binary(Operator::Concat, a, b), json!([v, w]))
            }),
            (any::<i32>(), any::<i32>(), any::<i32>()).prop_map(|(a, b, c)| {
                let (a, b, c) = (i64::from(a), i64::from(b), i64::from(c));
                let right = NixExpr::binary(Operator::Plus, NixExpr::Int(b), NixExpr::Int(c));
                (
                    NixExpr::binary(Operator::Plus, NixExpr::Int(a), right),
                    json!(a + b + c),
                )
            }),
        ]
    })
}

fn name_of(name: &str) -> NixExpr {
    NixExpr::Name(name.to_owned())
}

#[test]
fn nix_computes_the_value_of_what_is_printed() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let cases = if is_whole() { 5_000 } else { 500 };
    let all = (0..cases).map(|_| valued().new_tree(&mut runner).unwrap().current());
    let (exprs, values): (Vec<NixExpr>, Vec<Value>) = all.unzip();
    // Each expression is printed by itself, and by the formatter.
    let formats: [fn(&NixExpr) -> String; 2] =
        [NixExpr::to_string, |e| rocpkg_nix::format(e).unwrap()];
    for format in formats {
        let dir = tempfile::tempdir().unwrap();
        let printed: Vec<String> = exprs.iter().map(format).collect();
        let path = dir.path().join("all.nix");
        write_file(&path, format!("[\n({})\n]\n", printed.join(")\n(")));
        let mut nix = rocpkg_test_support::nix_instantiate(dir.path());
        let out = nix
            .args(["--eval", "--strict", "--json"])
            .arg(&path)
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{complaint}");
        let found: Vec<Value> = serde_json::from_slice(&out.stdout).unwrap();
        for ((text, value), found) in printed.iter().zip(&values).zip(&found) {
            assert_eq!(found, value, "{text}");
        }
    }
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
