//! Laws of quoting: whatever a string holds, its reader sees the same text and no interpolation.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use proptest::prelude::*;
use rnix::ast::{AstToken, Expr, HasEntry, InterpolPart};
use rocpkg_nix::{Binding, NixExpr, Part, check, format};
use rowan::ast::AstNode;

/// The text that a string expression stands for, interpolated string literals included; `None` for any other.
fn meaning(expr: &Expr) -> Option<String> {
    let Expr::Str(s) = expr else { return None };
    let mut out = String::new();
    for part in s.normalized_parts() {
        match part {
            InterpolPart::Literal(t) => out.push_str(&t),
            InterpolPart::Interpolation(i) => out.push_str(&meaning(&i.expr()?)?),
        }
    }
    Some(out)
}

/// What a reader sees under `text` of `{ text = …; }`.
fn read_back(expr: NixExpr) -> String {
    let file = format(&NixExpr::set(vec![Binding::new("text", expr), Binding::new("other", NixExpr::Null)]))
        .unwrap();
    check(&file).unwrap();
    let root = rnix::Root::parse(&file).tree();
    let Some(Expr::AttrSet(set)) = root.expr() else { panic!("a set: {file}") };
    let value = set.attrpath_values().next().unwrap().value().unwrap();
    meaning(&value).unwrap_or_else(|| panic!("a string: {}\n{file}", value.syntax().text()))
}

fn lines(text: &str) -> NixExpr {
    // The first line stands at the margin, so that no indentation is common to all lines.
    NixExpr::Lines(vec![Part::Text(format!("x\n{text}\n"))])
}

/// Text made of what quoting has to look at.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("$"),
        Just("{"),
        Just("}"),
        Just("'"),
        Just("''"),
        Just("'''"),
        Just("\""),
        Just("\\"),
        Just("\n"),
        Just("${"),
        Just("''${"),
        Just("$$"),
        Just("a"),
        Just("b c"),
        Just("#"),
        Just("/*"),
        Just("*/"),
        Just("\t"),
        Just("é"),
        Just("''\\"),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|v| v.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_string_means_its_text(text in tricky()) {
        prop_assert_eq!(read_back(NixExpr::string(text.clone())), text);
    }

    #[test]
    fn any_printable_string_means_its_text(text in "[ -~\n\t]{0,40}") {
        prop_assert_eq!(read_back(NixExpr::string(text.clone())), text);
    }

    #[test]
    fn lines_mean_their_text(text in tricky()) {
        prop_assert_eq!(read_back(lines(&text)), format!("x\n{text}\n"));
    }

    #[test]
    fn a_literal_beside_an_interpolation_stays_literal(before in tricky(), after in tricky()) {
        let parts = vec![Part::Text(before.clone()), Part::Value(NixExpr::string("<value>")), Part::Text(after.clone())];
        prop_assert_eq!(read_back(NixExpr::Str(parts)), format!("{before}<value>{after}"));
    }

    #[test]
    fn in_lines_too(before in tricky(), after in tricky()) {
        let parts = vec![
            Part::Text(format!("x\n{before}")),
            Part::Value(NixExpr::string("<value>")),
            Part::Text(format!("{after}\n")),
        ];
        prop_assert_eq!(read_back(NixExpr::Lines(parts)), format!("x\n{before}<value>{after}\n"));
    }

    #[test]
    fn a_comment_never_ends_early(text in tricky()) {
        let set = NixExpr::set(vec![
            Binding::new("first", NixExpr::Bool(true)).comment(Some(text)),
            Binding::new("second", NixExpr::Bool(false)),
        ]);
        let file = format(&set).unwrap();
        let root = rnix::Root::parse(&file).tree();
        let Some(Expr::AttrSet(set)) = root.expr() else { panic!("a set: {file}") };
        prop_assert_eq!(set.attrpath_values().count(), 2, "{}", file);
    }

    #[test]
    fn a_name_is_a_name_or_stops_the_evaluation(name in tricky()) {
        let file = format(&NixExpr::list([NixExpr::Name(name), NixExpr::Null])).unwrap();
        check(&file).unwrap();
        let root = rnix::Root::parse(&file).tree();
        let Some(Expr::List(list)) = root.expr() else { panic!("a list: {file}") };
        prop_assert_eq!(list.items().count(), 2, "{}", file);
        prop_assert_eq!(rocpkg_nix::interpolations(&file), 0, "{}", file);
    }

    #[test]
    fn an_attribute_keeps_its_name(name in tricky()) {
        prop_assume!(!name.is_empty());
        let file = format(&NixExpr::set(vec![Binding::plain(&name, NixExpr::Null), Binding::new("other", NixExpr::Null)])).unwrap();
        check(&file).unwrap();
        prop_assert_eq!(rocpkg_nix::interpolations(&file), 0, "{}", file);
    }
}

#[test]
fn the_traps_of_indented_strings() {
    for text in
        ["'${x}'", "''${x}", "$${x}", "'''${", "$", "'", "''", "\"${x}\"", "\\${x}", "''\\${x}", "$''${x}"]
    {
        assert_eq!(read_back(lines(text)), format!("x\n{text}\n"), "{text}");
        assert_eq!(
            read_back(NixExpr::Lines(vec![Part::Text(format!("x\n{text}"))])),
            format!("x\n{text}"),
            "{text} at the end"
        );
    }
}

#[test]
fn tokens_of_comments_are_comments() {
    let file = format(&NixExpr::set(vec![
        Binding::new("a", NixExpr::Null).comment(Some("first\nsecond".into())),
        Binding::new("b", NixExpr::Null),
    ]))
    .unwrap();
    let comments: Vec<String> = rnix::Root::parse(&file)
        .syntax()
        .descendants_with_tokens()
        .filter_map(rnix::NodeOrToken::into_token)
        .filter_map(rnix::ast::Comment::cast)
        .map(|c| c.text().trim().to_owned())
        .collect();
    assert_eq!(comments, ["first", "second"]);
}
