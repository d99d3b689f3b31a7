//! Tests of the values of a derivation's attributes.

use rocpkg_nix::internal::values;

/// Returns the words of an attribute, or the reason why it is open.
fn value(text: &str, name: &str) -> Result<Vec<String>, String> {
    let value = values(text).remove(&format!("derivation.{name}")).unwrap();
    match value.open {
        Some(reason) => Err(reason),
        None => Ok(value.words),
    }
}

#[test]
fn names_lead_to_their_texts() {
    for text in [
        "{ d }: d (finalAttrs: { version = \"7.1.1\"; src = f { tag = \"rocm-${finalAttrs.version}\"; }; })",
        "{ d }: d (self: { version = \"7.1.1\"; src.rev = \"rocm-\" + self.version; })",
        "{ d }: d rec { version = \"7.1.1\"; src = f { rev = \"rocm-${version}\"; }; }",
        "{ d, v ? \"7.1.1\" }: d rec { version = v; src = f { rev = \"rocm-${version}\"; }; }",
        "{ d }: let version = \"7.1.1\"; tag = \"rocm-${version}\"; in d { inherit version; src = f { inherit tag; }; }",
        "{ d }: let x = { version = \"7.1.1\"; }; src = f { rev = \"rocm-${x.version}\"; }; in d { inherit (x) version; inherit src; }",
        "{ d, lib }: with lib; d rec { version = \"7.1.1\"; src = f { rev = \"rocm-${lib.versions.majorMinor version}.1\"; }; }",
    ] {
        assert_eq!(
            value(text, "version"),
            Ok(vec!["7.1.1".to_owned()]),
            "{text}"
        );
        assert_eq!(
            value(text, "src.rev"),
            Ok(vec!["rocm-7.1.1".to_owned()]),
            "{text}"
        );
    }
}

#[test]
fn lists_are_joined() {
    let text = "{ d, lib, a, b }: let more = [ b ]; in d { inputs = [ a \"c\" ] ++ more ++ lib.optionals test [ a ]; flags = [ \"-DX=ON\" (lib.cmakeBool \"Y\" true) ]; }";
    let words = |name| value(text, name).unwrap().join(" ");
    assert_eq!(words("inputs"), "a c b test? a");
    assert_eq!(words("flags"), "-DX=ON -DY=ON");
}

#[test]
fn the_rest_is_open_with_its_reason() {
    for (text, reason) in [
        ("{ d, v }: d { version = v; }", "`v` is an argument"),
        (
            "{ d, p }: d { inherit (p.clr) version; }",
            "`p.clr` is of another file",
        ),
        (
            "{ d }: d { version = v; }",
            "nothing in the recipe binds `v`",
        ),
        (
            "{ d, c }: d { version = if c then \"1\" else \"2\"; }",
            "`if c then \"1\" else \"2\"` is computed",
        ),
        (
            "{ d }: d rec { version = version; }",
            "it has too many levels",
        ),
    ] {
        assert_eq!(value(text, "version"), Err(reason.to_owned()), "{text}");
    }
}

#[test]
fn a_set_that_contains_itself_has_an_end() {
    let text =
        "{ d }: d (finalAttrs: { version = \"1\"; passthru.update = f { inherit finalAttrs; }; })";
    assert_eq!(values(text).len(), 1);
}
