//! Tests of Nix strings and templates.

use minijinja::context;
use proptest::prelude::*;
use rnix::ast::{self, InterpolPart};
use rocpkg_render::nix::{NixPiece, attribute, string};
use rocpkg_render::{Templates, ready};
use std::collections::BTreeMap;

/// Returns the pieces that rnix reads in an expression that is one string.
fn read(text: &str) -> Vec<NixPiece> {
    let root = rnix::Root::parse(text)
        .ok()
        .unwrap_or_else(|e| panic!("{text}: {e}"));
    let Some(ast::Expr::Str(s)) = root.expr() else {
        panic!("no string: {text}")
    };
    s.normalized_parts()
        .into_iter()
        .map(|p| match p {
            InterpolPart::Literal(t) => NixPiece::Literal(t),
            InterpolPart::Interpolation(e) => NixPiece::Antiquote(e.expr().unwrap().to_string()),
        })
        .collect()
}

proptest! {
    #[test]
    fn nix_reads_the_pieces_that_were_meant(a in "[-$'\"\\\\{} \n\ta]{0,10}", b in "[-$'\"\\\\{}a]{0,10}") {
        let literal = |text: &str| NixPiece::Literal(text.to_owned());
        let pieces = vec![literal(&a), NixPiece::Antiquote("x".into()), literal(&b)];
        let want: Vec<NixPiece> = pieces.iter().filter(|p| **p != literal("")).cloned().collect();
        prop_assert_eq!(read(&string(&pieces)), want.clone());
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
    let bash = templates("gentoo/t.j2", "A={{ v }}\n")
        .render("gentoo/t.j2", context! { v => evil })
        .unwrap();
    assert_eq!(bash, "A='x\"; $(touch /tmp/owned) ${y} `z`'\n");
    let nix = templates("nix/t.j2", "{{ v }}")
        .render("nix/t.j2", context! { v => "a ${b} \"c\"" })
        .unwrap();
    assert_eq!(nix, "\"a \\${b} \\\"c\\\"\"");
    let xml = templates("gentoo/m.xml.j2", "<a>{{ v }}</a>")
        .render("gentoo/m.xml.j2", context! { v => "<&>" })
        .unwrap();
    assert_eq!(xml, "<a>&lt;&amp;&gt;</a>");
    let passed = templates("gentoo/t.j2", "{{ v }}")
        .render("gentoo/t.j2", context! { v => ready("$(ver_cut 1-2)") });
    assert_eq!(passed.unwrap(), "$(ver_cut 1-2)");
}

#[test]
fn lists_unknown_names_and_the_safe_filter_are_errors() {
    let t = templates("gentoo/t.j2", "\n{{ v }}");
    let e = t
        .render("gentoo/t.j2", context! { v => vec!["a"] })
        .unwrap_err();
    assert!(
        e.to_string().contains("gentoo/t.j2") && e.to_string().contains("line 2"),
        "{e}"
    );
    assert!(t.render("gentoo/t.j2", context! {}).is_err());
    let safe = BTreeMap::from([("gentoo/s.j2".to_owned(), "{{ v|safe }}".to_owned())]);
    assert!(
        Templates::new(&safe)
            .and_then(|t| t.render("gentoo/s.j2", context! { v => "x" }))
            .is_err()
    );
}
