//! Nix strings and templates.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use minijinja::context;
use proptest::prelude::*;
use rnix::ast::{self, InterpolPart};
use rocpkg_render::nix::{Piece, attribute, indented_literal, string};
use rocpkg_render::{Templates, ready};
use std::collections::BTreeMap;

/// The pieces that Nix reads in a string.
fn read(text: &str) -> Vec<Piece> {
    let root = rnix::Root::parse(text).ok().unwrap_or_else(|e| panic!("{text}: {e}"));
    let Some(ast::Expr::Str(s)) = root.expr() else { panic!("no string: {text}") };
    s.normalized_parts()
        .into_iter()
        .map(|p| match p {
            InterpolPart::Literal(t) => Piece::Literal(t),
            InterpolPart::Interpolation(e) => Piece::Antiquote(e.expr().unwrap().to_string()),
        })
        .collect()
}

proptest! {
    #[test]
    fn nix_reads_the_pieces_that_were_meant(a in "[-$'\"\\\\{} \n\ta]{0,10}", b in "[-$'\"\\\\{}a]{0,10}") {
        let pieces = vec![Piece::Literal(a.clone()), Piece::Antiquote("x".into()), Piece::Literal(b.clone())];
        let want: Vec<Piece> = pieces.iter().filter(|p| **p != Piece::Literal(String::new())).cloned().collect();
        prop_assert_eq!(read(&string(&pieces)), want.clone());
    }

    #[test]
    fn indented_strings_read_back(a in "[a-z$'\"\\\\{}]{1,10}") {
        let text = format!("''\n  x{}\n  y\n''", indented_literal(&a, false));
        prop_assert_eq!(read(&text), vec![Piece::Literal(format!("x{a}\ny\n"))]);
    }
}

#[test]
fn attribute_names_are_quoted_when_they_must_be() {
    assert_eq!(attribute("rocm-core"), "rocm-core");
    assert_eq!(attribute("or"), "\"or\"");
    assert_eq!(attribute("7zip"), "\"7zip\"");
    assert_eq!(attribute("a.b${c}"), "\"a.b\\${c}\"");
}

fn templates(name: &str, text: &str) -> Templates {
    Templates::new(&BTreeMap::from([(name.to_owned(), text.to_owned())])).unwrap()
}

#[test]
fn plain_strings_are_quoted_by_language_and_ready_text_passes() {
    let evil = "x\"; $(touch /tmp/owned) ${y} `z`";
    let bash = templates("gentoo/t.j2", "A={{ v }}\n").render("gentoo/t.j2", context! { v => evil }).unwrap();
    assert_eq!(bash, "A='x\"; $(touch /tmp/owned) ${y} `z`'\n");
    let nix = templates("nix/t.j2", "{{ v }}").render("nix/t.j2", context! { v => "a ${b} \"c\"" }).unwrap();
    assert_eq!(nix, "\"a \\${b} \\\"c\\\"\"");
    let xml = templates("gentoo/m.xml.j2", "<a>{{ v }}</a>")
        .render("gentoo/m.xml.j2", context! { v => "<&>" })
        .unwrap();
    assert_eq!(xml, "<a>&lt;&amp;&gt;</a>");
    let passed =
        templates("gentoo/t.j2", "{{ v }}").render("gentoo/t.j2", context! { v => ready("$(ver_cut 1-2)") });
    assert_eq!(passed.unwrap(), "$(ver_cut 1-2)");
}

#[test]
fn lists_unknown_names_and_the_safe_filter_are_errors() {
    let t = templates("gentoo/t.j2", "\n{{ v }}");
    let e = t.render("gentoo/t.j2", context! { v => vec!["a"] }).unwrap_err();
    assert!(e.to_string().contains("gentoo/t.j2") && e.to_string().contains("line 2"), "{e}");
    assert!(t.render("gentoo/t.j2", context! {}).is_err());
    let off = "{% autoescape false %}{{ v }}{% endautoescape %}".to_owned();
    assert!(Templates::new(&BTreeMap::from([("gentoo/o.j2".to_owned(), off)])).is_err());
    let safe = BTreeMap::from([("gentoo/s.j2".to_owned(), "{{ v|safe }}".to_owned())]);
    assert!(Templates::new(&safe).and_then(|t| t.render("gentoo/s.j2", context! { v => "x" })).is_err());
}

/// Why a template is refused, when it is read or when it is filled in.
fn refused(text: &str) -> String {
    let name = "gentoo/a.j2".to_owned();
    let made = Templates::new(&BTreeMap::from([(name.clone(), text.to_owned())]));
    let list = vec!["x"; 200];
    let outcome =
        made.and_then(|t| t.render(&name, context! { list => list, text => ready("y".repeat(1 << 20)) }));
    outcome.unwrap_err().to_string()
}

#[test]
fn a_template_of_a_stranger_comes_to_its_end() {
    let loops = |depth: usize| "{% for a in list %}".repeat(depth) + &"{% endfor %}".repeat(depth);
    for (text, why) in [
        (loops(8), "it takes more than 1000000 steps"),
        ("{% for a in list %}{{ text }}{% endfor %}".to_owned(), "it prints more than 16777216 bytes"),
        (format!("a\n{}", "{%- set x = text ~ text %}"), "line 2: `set` has no place here"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".to_owned(), "line 1: `macro` has no place here"),
        ("{% include 'gentoo/a.j2' %}".to_owned(), "line 1: `include` has no place here"),
        (
            "{% with a = text ~ text %}{{ a|length }}{% endwith %}".to_owned(),
            "line 1: `with` has no place here",
        ),
        ("{# ~ #}\n\n{{ a }}{% for b in [a] %}".to_owned(), "line 3: `[` has no place here"),
        ("{{ text ~ text }}".to_owned(), "line 1: `~` has no place here"),
        (
            format!("{{{{ 1{} }}}}", "+1".repeat(29_000)),
            "line 1: a tag of more than 500 bytes has no place here",
        ),
        (format!("{{{{ {}1 }}}}", "(".repeat(490)), "exceeds maximum recursion"),
        (format!("{{{{ {}x }}}}", "not ".repeat(120)), "undefined value"),
        ("x".repeat(60_001), "it has 60001 bytes, 60000 are allowed"),
        ("{{ 'x' * 99999999999 }}".to_owned(), "line 1: `'` has no place here"),
        ("a\n b\0c\n".to_owned(), "line 2: it holds the control character '\\0'"),
        ("a\r\n".to_owned(), "line 1: it holds the control character '\\r'"),
    ] {
        let said = refused(&text);
        assert!(said.contains(why), "{said:?} of {:?}", &text[..text.len().min(60)]);
    }
}
