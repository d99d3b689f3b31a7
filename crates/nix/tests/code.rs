//! Tests of files of nixpkgs that are made from code: a file that Nix would refuse is refused
//! before it is printed.

use rocpkg_nix::{Binding, BindingKind, Expression, NixExpr, Pattern};

fn package(source: &str) -> Expression {
    let source = NixExpr::read(source).unwrap();
    Expression::package("thing", "1.0", source).meta(
        "A thing",
        "https://example.org/thing",
        ["mit"],
    )
}

fn sound() -> Expression {
    package("fetchurl { url = \"https://example.org/thing-1.0.tar.gz\"; hash = lib.fakeHash; }")
}

/// Asserts that an expression is refused with an error that contains `text`.
#[track_caller]
fn refused(expression: &Expression, text: &str) {
    let found = expression
        .check()
        .expect_err(&expression.to_string())
        .to_string();
    assert!(found.contains(text), "{found}");
}

#[test]
fn an_attribute_is_defined_once() {
    assert_eq!(sound().check(), Ok(()));
    let set = |name: &str| Binding::new(name, NixExpr::Bool(true));
    assert_eq!(sound().attribute(set("doCheck")).check(), Ok(()));
    let twice = sound().attribute(set("doCheck")).attribute(set("doCheck"));
    refused(&twice, "`doCheck` is defined twice");
    let inputs = sound().inputs("buildInputs", ["clr"]);
    refused(
        &inputs.inputs("buildInputs", ["zlib"]),
        "`buildInputs` is defined twice",
    );
    let meta = sound().meta_attribute(set("license"));
    refused(&meta, "`meta.license` is defined twice");
}

#[test]
fn what_nix_cannot_read_is_refused_and_printed() {
    let number = sound().attribute(Binding::new("x", NixExpr::Int(i64::MIN)));
    assert_eq!(number.check(), Ok(()));
    assert!(
        number
            .to_string()
            .contains("x = (-9223372036854775807 - 1);")
    );
    let nameless = Binding {
        kind: BindingKind::Value(Vec::new(), NixExpr::Null),
        ..Binding::new("x", NixExpr::Null)
    };
    refused(&sound().attribute(nameless), "byte");
    refused(
        &sound().attribute(Binding::new("x", NixExpr::string("a\0"))),
        "NUL",
    );
    let deep = (0..2_000).fold(NixExpr::Null, |inner, _| NixExpr::list([inner]));
    refused(
        &sound().attribute(Binding::new("x", deep)),
        "levels are nested",
    );
}

#[test]
fn facts_of_a_source_fit_each_other() {
    let fetch = |tag: &str, more: &str| {
        package(&format!(
            "fetchFromGitHub {{ owner = \"ROCm\"; repo = \"thing\"; {tag} hash = lib.fakeHash; {more} }}"
        ))
    };
    let own = "tag = \"v${finalAttrs.version}\";";
    assert_eq!(fetch(own, "").check(), Ok(()));
    refused(&fetch(own, "sha256 = lib.fakeHash;"), "sha256");
    refused(&fetch("tag = \"v2.0\";", ""), "2.0");
    // Files beside the expression are not known here.
    let patch = NixExpr::read("[ ./fix.patch ]").unwrap();
    let patched = sound().attribute(Binding::new("patches", patch));
    assert_eq!(patched.check(), Ok(()));
}

#[test]
fn names_are_names() {
    let name = |text: &str| NixExpr::Name(text.to_owned());
    for expression in [
        name("a b"),
        NixExpr::list([name("a b")]),
        NixExpr::call("f", [name("a b")]),
        NixExpr::Not(Box::new(name("a b"))),
        NixExpr::Lambda(Pattern::Name("a b".to_owned()), Box::new(NixExpr::Null)),
    ] {
        let wrong = sound().attribute(Binding::new("x", expression));
        refused(&wrong, "`a b` is not a valid name");
    }
}
