//! Tests of edits of nixpkgs' expressions.

use rocpkg_edit::{Checks, MergeResult, merge3};
use rocpkg_syntax::{Language, Reading, Rules};

static RULES: Rules = Rules {
    version: "version",
    ..Rules::NONE
};

/// Returns an expression with a derivation of the given version. `arguments` and `attributes` are
/// lines that are added to its arguments and attributes.
fn derivation(arguments: &str, version: &str, attributes: &str) -> String {
    format!(
        "{{\n  lib,\n{arguments}}}:\n\nstdenv.mkDerivation (finalAttrs: {{\n  pname = \"demo\";\n  version = \"{version}\";\n{attributes}}})\n"
    )
}

fn carried(there: &str, before: &str, after: &str) -> MergeResult {
    let reading = Reading {
        language: Language::Nix,
        rules: &RULES,
        given: Vec::new(),
    };
    let read = |text: &str| reading.read(text).unwrap();
    merge3(&read(there), &read(before), &read(after), Checks::NONE)
}

fn source(repository: &str, more: &str, hash: &str) -> String {
    format!(
        "\n  src = fetchFromGitHub {{\n    owner = \"ROCm\";\n    repo = \"{repository}\";\n    rev = \"rocm-${{finalAttrs.version}}\";\n{more}    hash = \"sha256-{hash}=\";\n  }};\n"
    )
}

#[test]
fn a_sum_is_of_what_is_fetched_now() {
    let unknown = "A".repeat(43);
    let (before, after) = (source("Demo", "", &unknown), source("Demo", "", &unknown));
    let there = source("Demo", "", "b123")
        .replace("hash", "sha256")
        .replace("rev", "tag");
    let [there, before, after] =
        [("7.1", there), ("7.1", before), ("7.2", after)].map(|(v, text)| derivation("", v, &text));
    let made = carried(&there, &before, &after);
    assert!(
        made.text
            .contains(&format!("sha256 = \"sha256-{unknown}=\"")),
        "{}",
        made.text
    );
    assert!(made.text.contains("version = \"7.2\"") && made.conflicts.is_empty());
}

#[test]
fn a_fetched_patch_is_known_by_its_address() {
    let patch = |name: &str, commit: &str| {
        format!(
            "\n  patches = [\n    (fetchpatch {{\n      {name}url = \"https://example.org/{commit}.patch\";\n      hash = \"sha256-{commit}=\";\n    }})\n  ];\n"
        )
    };
    let fetch = "  fetchpatch,\n";
    let there = derivation(fetch, "7.1", &patch("# Why\n      ", "a1"));
    let before = derivation(fetch, "7.1", &patch("name = \"ours.patch\";\n      ", "a1"));
    let after = derivation(fetch, "7.2", &patch("name = \"ours.patch\";\n      ", "b2"));
    assert_eq!(
        carried(&there, &before, &after).text,
        derivation(fetch, "7.2", &patch("# Why\n      ", "b2"))
    );
    // With the last patch, the list is removed, and also the argument that nothing else refers to.
    let gone = derivation("", "7.2", "");
    assert_eq!(carried(&there, &before, &gone).text, gone);
    let used = derivation(
        fetch,
        "7.1",
        &format!("{}  other = fetchpatch;\n", patch("# Why\n      ", "a1")),
    );
    assert_eq!(
        carried(&used, &before, &gone).text,
        derivation(fetch, "7.2", "\n  other = fetchpatch;\n")
    );
}

#[test]
fn a_set_of_which_nothing_stays_is_replaced_whole() {
    let script = |set: &str| {
        derivation(
            "",
            "7.1",
            &format!("\n  passthru.updateScript = update {set};\n"),
        )
    };
    let parted = "{\n    name = finalAttrs.pname;\n    inherit (finalAttrs.src) owner;\n    inherit (finalAttrs.src) repo;\n  }";
    let joined = "{\n    name = \"demo\";\n    inherit (finalAttrs.src) owner repo;\n  }";
    let more = parted.replace("  }", "    page = 4;\n  }");
    let [before, after] = [parted, "{ inherit finalAttrs; }"].map(script);
    assert_eq!(carried(&script(joined), &before, &after).text, after);
    let by_hand = script(&more);
    let made = carried(&by_hand, &before, &after);
    assert_eq!((made.text, made.conflicts.len()), (by_hand, 1));
}

#[test]
fn what_stands_beside_a_dotted_name_is_dotted() {
    let set = |more: &str| {
        derivation(
            "",
            "7.1",
            &format!("\n  env = {{\n    A = 1;\n{more}  }};\n"),
        )
    };
    let there = derivation("", "7.1", "  env.A = 1;\n");
    let made = carried(&there, &set(""), &set("    # Why\n    B = 2;\n"));
    assert_eq!(
        made.text,
        derivation("", "7.1", "  env.A = 1;\n  # Why\n  env.B = 2;\n")
    );
}

#[test]
fn what_is_added_stands_behind_the_list() {
    let list = |more: &str| {
        derivation(
            "",
            "7.1",
            &format!("  buildInputs = [\n    a\n  ]{more};\n"),
        )
    };
    let more = "\n  ++ lib.optionals x [\n    b\n  ]";
    let there = list("").replace("    a\n", "    a\n    own\n");
    let made = carried(&there, &list(""), &list(more)).text;
    assert_eq!(made, list(more).replace("    a\n", "    a\n    own\n"));
    assert_eq!(carried(&made, &list(more), &list("")).text, there);
}

#[test]
fn a_recursive_set_is_asked_by_its_own_names() {
    let after = derivation(
        "",
        "7.1",
        "  src = a;\n  sourceRoot = \"${finalAttrs.src.name}/b\";\n",
    );
    let before = derivation("", "7.1", "  src = a;\n");
    let there = before.replace("(finalAttrs: {", "rec {").replace("})", "}");
    let made = carried(&there, &before, &after).text;
    assert!(made.contains("sourceRoot = \"${src.name}/b\";"), "{made}");
}

#[test]
fn a_recursive_set_has_no_name_for_its_package() {
    let after = derivation(
        "",
        "7.1",
        "  buildInputs = [\n    finalAttrs.finalPackage\n    b\n  ];\n",
    );
    let before = derivation("", "7.1", "  buildInputs = [\n    b\n  ];\n");
    let there = before.replace("(finalAttrs: {", "rec {").replace("})", "}");
    let made = carried(&there, &before, &after);
    assert_eq!(made.text, there);
    assert_eq!(made.conflicts.len(), 1);
}

#[test]
fn the_final_attributes_go_by_the_name_that_they_have() {
    let before = derivation("", "7.1", "  src = a;\n");
    let after = derivation(
        "",
        "7.1",
        "  src = a;\n  sourceRoot = \"${finalAttrs.src.name}/b\";\n",
    );
    let there = before.replace("finalAttrs", "self");
    let made = carried(&there, &before, &after);
    assert_eq!(made.text, after.replace("finalAttrs", "self"));
    assert_eq!(made.conflicts.len(), 0);
}

#[test]
fn options_are_spelt_as_their_neighbours() {
    let flags = |flags: &str| derivation("", "7.1", &format!("  cmakeFlags = [\n{flags}  ];\n"));
    let there = flags("    \"-DA=0\"\n");
    let before = flags("    (lib.cmakeBool \"A\" false)\n");
    let after = flags("    (lib.cmakeBool \"A\" false)\n    (lib.cmakeFeature \"B\" \"x\")\n");
    assert_eq!(
        carried(&there, &before, &after).text,
        flags("    \"-DA=0\"\n    \"-DB=x\"\n")
    );
}

#[test]
fn the_final_attributes_are_given_to_a_function_by_its_name_for_them() {
    let script = |set: &str| format!("  passthru.updateScript = update {set};\n");
    let before =
        script("{\n    name = finalAttrs.pname;\n    inherit (finalAttrs.src) owner;\n  }");
    let before = derivation("", "7.1", &before);
    let after = derivation("", "7.1", &script("{ inherit finalAttrs; }"));
    let there = before.replace("finalAttrs", "self");
    let made = carried(&there, &before, &after);
    assert_eq!(made.conflicts, []);
    let expected = derivation("", "7.1", &script("{ finalAttrs = self; }"));
    assert_eq!(made.text, expected.replace("(finalAttrs:", "(self:"));
}

#[test]
fn a_let_above_the_function_has_no_final_attributes() {
    let before = derivation("", "7.1", &source("Demo", "", "a1"));
    let after = before
        .replace("version = \"7.1\"", "version = \"7.2\"")
        .replace(
            "rocm-${finalAttrs.version}",
            "therock-${finalAttrs.version}",
        );
    let bound = source("Demo", "", "a1").replace("finalAttrs.", "");
    let there = derivation("", "7.1", "  inherit src;\n")
        .replace("version = \"7.1\"", "inherit version")
        .replace(
            "stdenv.mk",
            &format!("let\n  version = \"7.1\";\n{bound}in\nstdenv.mk"),
        );
    let made = carried(&there, &before, &after);
    let expected = there
        .replace("version = \"7.1\"", "version = \"7.2\"")
        .replace("rocm-${version}", "therock-${version}");
    assert_eq!((made.text, made.conflicts), (expected, Vec::new()));
}
