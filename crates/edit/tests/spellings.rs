//! Two spellings of one item have the same meaning, so they are counted and are no difference. Each
//! test has one normal form in several spellings.

use rocpkg_edit::{differences, spellings};
use rocpkg_syntax::{Language, List, Outline, Reading, Rules};

static RULES: Rules = Rules {
    version: "PV",
    lists: &[("*DEPEND", List::Spec)],
    asks: &["use"],
    live: Some("9999"),
    ..Rules::NONE
};

fn read(language: Language, text: &str) -> Outline {
    let reading = Reading {
        language,
        rules: &RULES,
        given: Vec::new(),
    };
    reading.read(text).unwrap()
}

/// Asserts that the recipe `there` and the model's recipe `model` have the same meaning, and that
/// `count` of their items have different spellings.
#[track_caller]
fn respelled(language: Language, there: &str, model: &str, count: usize) {
    for (there, model) in [(there, model), (model, there)] {
        let (there, model) = (read(language, there), read(language, model));
        assert_eq!(differences(&there, &model), [], "{}", there.text);
        let all = spellings(&there, &model);
        assert_eq!(all.len(), count, "{all:?}");
    }
}

/// Asserts that two texts differ in meaning.
#[track_caller]
fn differs(language: Language, there: &str, model: &str) {
    let (there, model) = (read(language, there), read(language, model));
    assert_ne!(differences(&there, &model), []);
}

/// Returns the function `src_prepare` of an ebuild that contains a statement.
fn phase(statement: &str) -> String {
    format!("src_prepare() {{\n\tdefault\n\t{statement}\n}}\n")
}

/// Returns a derivation with some attributes.
fn derivation(attributes: &str) -> String {
    format!(
        "{{ lib, stdenv, maintainers }}:\nstdenv.mkDerivation {{\n  pname = \"a\";\n{attributes}}}\n"
    )
}

#[test]
fn sed_by_other_signs() {
    let by = |script: &str| phase(&format!("sed -i -e {script} lib/CMakeLists.txt || die"));
    respelled(
        Language::Bash,
        &by("'s:/usr:/opt:g'"),
        &by("\"s|/usr|/opt|g\""),
        1,
    );
    respelled(
        Language::Bash,
        &by(r"'s/\/usr/\/opt/'"),
        &by("'s:/usr:/opt:'"),
        1,
    );
    differs(Language::Bash, &by("'s:a:b:g'"), &by("'s:a:b:'"));
    let nix = |script: &str| {
        derivation(&format!(
            "  postPatch = ''\n    sed -i {script} CMakeLists.txt\n  '';\n"
        ))
    };
    respelled(Language::Nix, &nix("'s:a:b:'"), &nix("'s|a|b|'"), 1);
}

#[test]
fn words_of_sed_in_any_order() {
    let by = |words: &str| phase(&format!("sed {words} || die"));
    let model = by("-e 's|a|b|' -e '/x/s|c|d|' -i A/f ${B}/g");
    for other in [
        "-i -e s:a:b: -e '/x/ s:c:d:' A/f ${B}/g",
        "-e s:a:b: -e '/x/s:c:d:' -i A/f -i ${B}/g",
    ] {
        respelled(Language::Bash, &by(other), &model, 1);
    }
    respelled(Language::Bash, &by("-i s:a:b: f"), &by("-e s:a:b: -i f"), 1);
    differs(Language::Bash, &by("-n s:a:b: f"), &by("s:a:b: f"));
    differs(
        Language::Bash,
        &by("-e s:a:b: -e s:b:c: f"),
        &by("-e s:b:c: -e s:a:b: f"),
    );
}

#[test]
fn branches_for_live_versions_are_the_recipes_own() {
    let model = "S=\"${WORKDIR}/a\"\nSLOT=0\nsrc_unpack() {\n\tunpack a\n}\n";
    let unpack = "src_unpack() {\n\tif [[ ${PV} == *9999 ]]; then\n\t\tgit-r3_fetch\n\telse\n\t\tunpack a\n\tfi\n}\n";
    let with = |folder: &str| {
        format!(
            "SLOT=0\nif [[ ${{PV}} == *9999 ]]; then\n\tinherit git-r3\n\tS=x\nelse\n\tS=\"${{WORKDIR}}/{folder}\"\nfi\n{unpack}"
        )
    };
    let model = read(Language::Bash, model);
    let there = read(Language::Bash, &with("a"));
    assert_eq!(differences(&there, &model), []);
    let there = read(Language::Bash, &with("b"));
    assert_eq!(differences(&there, &model).len(), 1);
    let not =
        "SLOT=0\nif [[ ${PV} != *9999 ]]; then\n\tS=\"${WORKDIR}/a\"\nelse\n\tinherit git-r3\nfi\n";
    let there = read(Language::Bash, &(not.to_owned() + unpack));
    assert_eq!(differences(&there, &model), []);
    // Other branches are compared.
    let branch = |last: &str| phase(&format!("if use a; then\n\t\tb\n\telse\n\t\t{last}\n\tfi"));
    differs(Language::Bash, &branch("c"), &branch("d"));
}

#[test]
fn a_command_behind_a_condition() {
    let chain = phase("use test && rm -r tests");
    let branch = phase("if use test; then\n\t\trm -r tests\n\tfi");
    respelled(Language::Bash, &chain, &branch, 1);
    let chain = phase("use test || rm -r tests");
    let branch = phase("if ! use test; then\n\t\trm -r tests\n\tfi");
    respelled(Language::Bash, &chain, &branch, 1);
    let list = phase("use test && mycmakeargs+=( -DA=ON )");
    let branch_of_list =
        phase("if use test; then\n\t\tmycmakeargs+=(\n\t\t\t# Why\n\t\t\t-DA=ON\n\t\t)\n\tfi");
    respelled(Language::Bash, &list, &branch_of_list, 1);
    differs(
        Language::Bash,
        &chain,
        &phase("if use test; then\n\t\trm -r tests\n\tfi"),
    );
    let two = phase("if ! use test; then\n\t\trm -r tests\n\t\trm a\n\tfi");
    differs(Language::Bash, &chain, &two);
}

#[test]
fn words_of_cmake_for_true_and_false() {
    let with = |value: &str| format!("build() {{\n  cmake -S . -DA={value}\n}}\n");
    for other in ["Off", "off", "FALSE", "False", "NO", "0", "n"] {
        respelled(Language::Bash, &with(other), &with("OFF"), 1);
    }
    for other in ["On", "on", "TRUE", "Yes", "1", "Y"] {
        respelled(Language::Bash, &with(other), &with("ON"), 1);
    }
    differs(Language::Bash, &with("17"), &with("ON"));
    respelled(
        Language::Bash,
        &with("\"$(usex a)\""),
        &with("$(usex a ON OFF)"),
        1,
    );
    respelled(
        Language::Bash,
        &with("$(usex !a)"),
        &with("$(usex a off on)"),
        1,
    );
    differs(
        Language::Bash,
        &with("$(usex a)"),
        &with("$(usex a OFF ON)"),
    );
    let nix = |value: &str| derivation(&format!("  cmakeFlags = [ \"-DA={value}\" ];\n"));
    respelled(Language::Nix, &nix("Off"), &nix("FALSE"), 1);
    let call = derivation("  cmakeFlags = [ (lib.cmakeBool \"A\" false) ];\n");
    respelled(Language::Nix, &nix("off"), &call, 1);
}

#[test]
fn licences_under_with_and_without_brackets() {
    let meta = |licence: &str| derivation(&format!("  meta.license = {licence};\n"));
    let model = meta("[ lib.licenses.mit ]");
    respelled(
        Language::Nix,
        &meta("with lib.licenses; [ mit ]"),
        &model,
        1,
    );
    respelled(
        Language::Nix,
        &meta("with lib; [ licenses.mit ]"),
        &model,
        1,
    );
    respelled(Language::Nix, &meta("lib.licenses.mit"), &model, 1);
    respelled(Language::Nix, &meta("with lib.licenses; mit"), &model, 1);
    let two = "[ lib.licenses.mit lib.licenses.ncsa ]";
    respelled(
        Language::Nix,
        &meta("with lib.licenses; [ mit ncsa ]"),
        &meta(two),
        2,
    );
    differs(Language::Nix, &meta("lib.licenses.mit"), &meta(two));
    differs(Language::Nix, &meta("with lib.licenses; [ ncsa ]"), &model);
    let whole = derivation(
        "  meta = with lib; {\n    license = licenses.mit;\n    platforms = platforms.linux;\n  };\n",
    );
    let model = derivation(
        "  meta = {\n    license = lib.licenses.mit;\n    platforms = lib.platforms.linux;\n  };\n",
    );
    respelled(Language::Nix, &whole, &model, 2);
    // An argument does not belong to the set of a `with` around it.
    let own = derivation("  meta.maintainers = with lib; [ maintainers.a ];\n");
    differs(
        Language::Nix,
        &own,
        &derivation("  meta.maintainers = [ lib.maintainers.a ];\n"),
    );
}

#[test]
fn attributes_of_one_set_in_several_places() {
    let set = derivation("  passthru = {\n    a = 1;\n    tests = { b = 2; c = 3; };\n  };\n");
    let dotted = "  passthru.a = 1;\n  passthru.tests = { b = 2; c = 3; };\n";
    respelled(Language::Nix, &derivation(dotted), &set, 1);
    let mixed = "  passthru = { tests.b = 2; a = 1; };\n  passthru.tests.c = 3;\n";
    respelled(Language::Nix, &derivation(mixed), &set, 2);
    differs(
        Language::Nix,
        &derivation("  passthru.a = 1;\n  passthru.tests = { b = 2; };\n"),
        &set,
    );
    differs(
        Language::Nix,
        &derivation("  passthru.a = 2;\n  passthru.tests = { b = 2; c = 3; };\n"),
        &set,
    );
    let one = read(
        Language::Nix,
        &derivation("  passthru.a = 1;\n  passthru.tests = { b = 2; };\n"),
    );
    let all = differences(&one, &read(Language::Nix, &set));
    let paths: Vec<String> = all.iter().map(|d| d.path.join(" / ")).collect();
    assert_eq!(paths, ["derivation / passthru / tests / c"]);
}
