//! Tests of Nix text in the model: texts that are read, texts that are refused, the places of
//! faults, and random texts, which must not end the construct around them.

use proptest::prelude::*;
use rnix::ast::{Expr, HasEntry};
use rocpkg_nix::{Binding, BindingKind, NixExpr, check_style, format};

fn refused(text: &str) -> Vec<(&'static str, String)> {
    let faults = NixExpr::read(text).expect_err(text);
    faults
        .into_iter()
        .map(|f| {
            (
                f.finding.code,
                text.get(f.range()).unwrap_or_default().to_owned(),
            )
        })
        .collect()
}

#[test]
fn expressions_are_read() {
    for text in [
        "clr",
        "[ a b.c ] ++ lib.optionals (x != [ ]) [ d ]",
        "rec { a = 1; inherit (lib) b; ${x} = 2; }",
        "{ a, b ? c, ... }@args: let d = a; inherit b; in d // args",
        "import ./deps.nix { inherit fetchzip; }",
        "callPackage ./folder/test.nix { }",
        "builtins.toJSON { a = builtins.length x; }",
        "let import = x: x; in import y",
        "let readFile = 1; in readFile",
        "if a then \"${b}\" else throw \"no\"",
        "a ? b && !c -> d",
        "''\n  ''${HOME} ${x}\n''",
        "/* before */ a # behind",
    ] {
        let read = NixExpr::read(text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
        let file = format(&NixExpr::Set(vec![
            Binding::new("x", read),
            Binding::new("y", NixExpr::Null),
        ]))
        .unwrap();
        check_style(&file).unwrap();
        let root = rnix::Root::parse(&file).tree();
        let Some(Expr::AttrSet(set)) = root.expr() else {
            panic!("a set: {file}")
        };
        assert_eq!(set.attrpath_values().count(), 2, "{file}");
    }
}

#[test]
fn an_attribute_is_defined_once() {
    assert_eq!(
        refused("{ a.b = 1; a = { c = 2; b = 3; }; }"),
        [("E0844", "b".to_owned())]
    );
    assert!(NixExpr::read("{ a.b = 1; a = { c = 2; }; }").is_ok());
}

#[test]
fn what_hides_names_or_lies_elsewhere_is_refused() {
    for (text, place) in [
        ("import ../x.nix", "../x.nix"),
        ("/etc/passwd", "/etc/passwd"),
        ("~/x", "~/x"),
        ("./a/../../x", "./a/../../x"),
        ("./.", "./."),
        ("./${x}.nix", "./${x}.nix"),
        ("a/b.nix", "a/b.nix"),
        ("<nixpkgs>", "<nixpkgs>"),
        ("https://example.org/x", "https://example.org/x"),
        ("with lib; x", "with lib; x"),
        ("\"${/etc/passwd}\"", "/etc/passwd"),
    ] {
        let found = refused(text);
        assert!(
            found.contains(&("E0511", place.to_owned())),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn comments_of_bindings_are_kept() {
    let text = "
# above a
# in two lines
a = 1; # behind a
b = /* inside */ 2;

inherit (c) # of c
  d;
/* of two
   lines */
e.f = [ # first
  1
];
# at the end
";
    let file = format(&NixExpr::Set(Binding::read(text).unwrap())).unwrap();
    check_style(&file).unwrap();
    let expected = "{
  # above a
  # in two lines
  # behind a
  a = 1;
  b = # inside
    2;

  # of c
  inherit (c) d;
  # of two
  # lines
  e.f = [
    # first
    1
  ];
  # at the end
}
";
    assert_eq!(file, expected);
}

#[test]
fn bindings_are_refused_in_their_place() {
    for (text, code, place) in [
        ("a = 1", "E0510", ""),
        ("a = 1; b", "E0510", ""),
        ("a = 1; } // { b = 2;", "E0510", "}"),
        ("a = 1; }", "E0510", "}"),
        ("${a} = 1;", "E0511", "${a}"),
        ("a = /x;", "E0511", "/x"),
    ] {
        let found = Binding::read(text).expect_err(text);
        let f = &found[0];
        assert_eq!(
            (
                f.finding.code,
                text.get(f.range()).unwrap_or_default().trim()
            ),
            (code, place),
            "{text}: {f:?}"
        );
    }
}

#[test]
fn what_is_no_expression_is_refused_in_its_place() {
    for (text, place) in [
        ("", ""),
        ("a b;", ";"),
        ("a }", "}"),
        ("[ a (b ]", "]"),
        ("{ a = f (b { c = 1; }; }", ";"),
        ("\"${a (b}\"", "}"),
        ("({}}", "}"),
        ("a ]", "]"),
        ("\"open", "\""),
        ("if a then b", ""),
        ("{ a, a }: a", "a"),
    ] {
        let found = refused(text);
        assert_eq!(found, [("E0510", place.to_owned())], "{text}");
    }
    let deep = format!("{}x{}", "(".repeat(200), ")".repeat(200));
    assert_eq!(refused(&deep)[0].0, "E0510");
}

/// Returns a generator of texts that are made of pieces with a meaning in Nix, such as `${` and
/// `''`.
fn tricky() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "$", "{", "}", "'", "''", "\"", "\\", "\n", "${", "a", "b c", "#", "/*", "*/", ";", "=",
        "(", ")", "[", "]", ":", "let ", "in ", "rec ", ".", ",", "@", "//", " or ", "1",
        "inherit ", "with ", "\"x\"",
    ]);
    proptest::collection::vec(piece, 0..10).prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_never_leaves_its_place(text in tricky()) {
        let Ok(read) = NixExpr::read(&text) else { return Ok(()) };
        for other in [NixExpr::call("f", [read.clone()]), NixExpr::list([read.clone()]), read] {
            let set = NixExpr::Set(vec![Binding::new("text", other), Binding::new("other", NixExpr::Null)]);
            let file = format(&set).unwrap();
            let root = rnix::Root::parse(&file).tree();
            let Some(Expr::AttrSet(set)) = root.expr() else { panic!("a set: {file}") };
            prop_assert_eq!(set.attrpath_values().count(), 2, "{}", file);
        }
    }

    #[test]
    fn bindings_stay_bindings(text in tricky(), more in tricky()) {
        let text = format!("a = {text}; # {more}\n{more}");
        let Ok(mut read) = Binding::read(&text) else { return Ok(()) };
        let kept = read.iter().filter(|b| !matches!(b.kind, BindingKind::Nothing)).count();
        read.push(Binding::new("other", NixExpr::Null));
        let file = format(&NixExpr::Set(read)).unwrap();
        let root = rnix::Root::parse(&file).tree();
        let Some(Expr::AttrSet(set)) = root.expr() else { panic!("a set: {file}") };
        prop_assert_eq!(set.entries().count(), kept + 1, "{}", file);
    }
}
