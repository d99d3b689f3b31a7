//! No text of a profile reaches an output as code.

use crate::support::{changed, package};

#[test]
fn a_description_is_text() {
    let ebuild = package(r#"summary: 'a $(touch x) `id` "b" \ c ${HOME}'"#).ebuild();
    assert!(
        ebuild.contains("\nDESCRIPTION=\"a \\$(touch x) \\`id\\` \\\"b\\\" \\\\ c \\${HOME}\"\n"),
        "{ebuild}"
    );
}

#[test]
fn a_description_has_one_line() {
    let outcome = package("summary: \"a\\nSRC_URI=b\"");
    assert_eq!(outcome.errors, ["E0313 a description is one line of text"]);
}

#[test]
fn words_of_steps_and_arguments_are_quoted() {
    let ebuild = package(
        r#"
cmake: {main: {arguments: {A: 'x" $(id) `id` $$HOME ;'}}}
phases: {install: [standard, {run: [dobin, 'a b; rm -rf /', "it's"]}]}
"#,
    )
    .ebuild();
    assert!(ebuild.contains("-DA='x\" $(id) `id` $HOME ;'"), "{ebuild}");
    assert!(ebuild.contains("\tdobin \"a b; rm -rf /\" \"it's\"\n"), "{ebuild}");
}

#[test]
fn a_comment_of_several_lines_stays_a_comment() {
    let ebuild =
        package("phases: {install: [standard, {comment: \"a\\nrm -rf /\", run: [dobin, a]}]}").ebuild();
    assert!(ebuild.contains("\t# a\n\t# rm -rf /\n\tdobin a\n"), "{ebuild}");
}

#[test]
fn names_that_bash_reads_are_names() {
    for overlay in [
        "environment: {configure: {'A; id': b}}",
        "phases: {install: [{local: {'a$(id)': b}}]}",
        "phases: {install: [{export: {'a b': c}}]}",
        "phases: {install: [{run-with: {command: [a], environment: {'a b': c}}}]}",
        "ebuild: {variables: {'A=1; id': b}}",
        "ebuild: {functions: {'f() { id; }; g': [{run: [a]}]}}",
        "tests: {device: true, environment: {'A B': c}}",
        "cmake: {main: {}, 'x;id': {}}",
    ] {
        let errors = package(overlay).errors;
        assert!(errors.iter().any(|e| e.starts_with("E0324")), "{overlay}: {errors:?}");
    }
}

#[test]
fn atoms_addresses_and_eclasses_are_checked() {
    for (overlay, code) in [
        ("depends: {a: {kind: run, spelt: 'a/b$(id)'}}", "E0305"),
        ("depends: {a: {kind: run, spelt: 'a/b\" c/d'}}", "E0305"),
        ("homepage: 'https://a/$(id) b'", "E0227"),
        ("sources: {main: {fetch: file, url: 'https://a/$(id).tar.gz'}}", "E0319"),
        ("sources: {main: {save-as: 'a b.tar.gz'}}", "E0319"),
        ("sources: {main: {save-as: '${HOME}.tar.gz'}}", "E0240"),
        ("ebuild: {inherit: ['cmake; id']}", "E0317"),
        ("ebuild: {inherit: [forran-2]}", "E0317"),
        ("ebuild: {category: sci-lbs}", "E0312"),
        ("ebuild: {python: {mode: distutils, pep517: setupools}}", "E0114"),
        ("ebuild: {keywords: ['~amd64\"; id']}", "E0326"),
        ("ebuild: {python: {mode: r1, compat: ['$(id)']}}", "E0316"),
        ("ebuild: {category: 'a b'}", "E0312"),
        ("patches: [{file: '../../a.patch'}]", "E0320"),
        ("licence: [WTFPL]", "E0315"),
        ("features: {'a b': {}}", "E0303"),
        ("phases: {install: [{run: [dobin, '${glob:*(id)}']}]}", "E0301"),
    ] {
        let errors = package(overlay).errors;
        assert!(errors.iter().any(|e| e.starts_with(code)), "{overlay}: {errors:?}");
    }
}

#[test]
fn the_distributions_file_is_checked() {
    for (from, to) in [
        ("[gfx90a, gfx1100]", "[gfx90a, 'gfx1100;id']"),
        ("year: '2026'", "year: '2026 $(id)'"),
        ("name: A Maintainer", "name: \"A\\nid\""),
        ("global-flags: test", "global-flags: '$(id)'"),
    ] {
        let errors = changed(from, to, "{}").errors;
        assert!(errors.iter().any(|e| e.starts_with("E0325")), "{to}: {errors:?}");
    }
    // Patterns are made from ranges, so nothing else gets into the `case` of the eclass.
    let outcome = changed("'>=7.0, <8'", "'7.*) id;; *'", "{}");
    assert!(outcome.errors.iter().any(|e| e.starts_with("E0203")), "{:?}", outcome.errors);
    assert!(!outcome.text("eclass/rocm.eclass").contains("id;;"));
}

#[test]
fn a_flag_is_described_in_xml_without_markup() {
    let outcome = package("features: {a: {summary: 'x</flag> & \"y\" <b>'}}");
    assert!(
        outcome
            .text("sci-libs/sample/metadata.xml")
            .contains("\t\t<flag name=\"a\">x&lt;/flag&gt; &amp; &quot;y&quot; &lt;b&gt;</flag>\n")
    );
}
