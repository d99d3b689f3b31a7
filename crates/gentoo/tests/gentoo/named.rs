//! What facts name: flags, variables, commits.

use crate::small::{function, variable};
use crate::support::package;

#[test]
fn flags_are_edited_in_the_variables_that_are_named() {
    let configured = |edit: &str| function(&package(&format!("flags: [{edit}]")).ebuild(), "src_configure");
    let first = |edit: &str| configured(edit).into_iter().next().unwrap();
    assert_eq!(first("{action: filter, on: all, flags: [-a, -b*]}"), "filter-flags -a \"-b*\"");
    assert_eq!(first("{action: replace, on: [c, all], flags: [-a], with: -b}"), "replace-flags -a -b");
    let narrow = first("{action: filter, on: cxx, flags: [-a]}");
    assert!(narrow.starts_with("export CXXFLAGS=\"$(sed -E "), "{narrow}");
    let replaced = first("{action: replace, on: cxx, flags: [-a], with: -b}");
    assert_eq!(replaced, "export CXXFLAGS=\"${CXXFLAGS//-a/-b}\"");
    assert_eq!(first("{action: prepend, on: ld, flags: [-a]}"), "export LDFLAGS=\"-a ${LDFLAGS}\"");
    assert_eq!(
        configured("{action: set, on: [fortran, all], flags: [-a]}")[..4],
        ["export FFLAGS=-a", "export FCFLAGS=-a", "export CFLAGS=-a", "export CXXFLAGS=-a"]
    );
    let wrong = package("flags: [{action: filter, on: [c, cx], flags: [-a]}]");
    assert_eq!(wrong.errors, ["E0226 unknown flags `cx`"]);
    let hip = package("flags: [{action: append, on: hip, flags: [-a]}]");
    assert_eq!(hip.errors, ["E0226 flag-o-matic.eclass has no function for flags of HIP"]);
}

#[test]
fn required_use_names_no_flag_that_the_package_does_not_have() {
    let features = "a: {}, b: {}, c: {}, on: {fixed: true}, off: {fixed: false}";
    let required = |constraint: &str| {
        let ebuild = package(&format!("features: {{{features}}}\nconstraints: [{constraint}]")).ebuild();
        if ebuild.contains("REQUIRED_USE") { variable(&ebuild, "REQUIRED_USE") } else { String::new() }
    };
    assert_eq!(required("{at-most-one: [a, b, off]}"), "?? ( a b )");
    assert_eq!(required("{at-most-one: [a, b, on]}"), "!a !b");
    assert_eq!(required("{exactly-one: [a, b, off]}"), "^^ ( a b )");
    assert_eq!(required("{exactly-one: [a, on]}"), "!a");
    assert_eq!(required("{at-most-one: [a, off]}"), "");
    assert_eq!(required("{any-of: [a, on]}"), "");
    assert_eq!(required("{when: a, need: 'b & on'}"), "a? ( b )");
    assert_eq!(required("{when: off, need: a}"), "");
    assert_eq!(required("{when: 'a & on', exactly-one: [b, c]}"), "a? ( ^^ ( b c ) )");
    let errors =
        |constraint: &str| package(&format!("features: {{{features}}}\nconstraints: [{constraint}]")).errors;
    let broken = ["E0222 what must hold between features can't hold"];
    assert_eq!(errors("{when: a, need: off}"), broken);
    assert_eq!(errors("{exactly-one: [on, 'a | on']}"), broken);
    let twice = "E0222 `a` stands here twice";
    assert_eq!(errors("{exactly-one: [a, a]}"), [twice]);
    assert_eq!(errors("{need: 'release:>=7.0'}"), ["E0222 nobody chooses the release in `release:>=7.0`"]);
    assert_eq!(errors("{any-of: [off]}"), broken);
    assert_eq!(errors("{at-most-one: [a, d]}"), ["E0201 unknown feature `d`"]);
}

#[test]
fn targets_are_asked_for_by_flags_that_are_there() {
    let targets =
        "targets: {variable: GPU_TARGETS}\nfeatures: {a: {}, on: {fixed: true}, off: {fixed: false}}";
    let asked = |list: &str| package(&format!("{targets}\nebuild: {{require-targets: {list}}}"));
    let required = |list: &str| variable(&asked(list).ebuild(), "REQUIRED_USE");
    assert_eq!(required("[a, off]"), "a? ( ${ROCM_REQUIRED_USE} )");
    assert_eq!(required("[a, on]"), "${ROCM_REQUIRED_USE}");
    assert_eq!(required("always"), "${ROCM_REQUIRED_USE}");
    assert_eq!(asked("nevr").errors, ["E0201 unknown feature `nevr`"]);
    assert_eq!(asked("[a, always]").errors, ["E0201 unknown feature `always`"]);
}

#[test]
fn a_condition_of_a_dependency_is_a_flag_of_the_package() {
    let of = |flags: &str, more: &str| {
        package(&format!(
            "features: {{a: {{name: b}}}}\ndepends: {{x: {{kind: link, spelt: 'x/x[{flags}]'}}}}\n{more}"
        ))
        .errors
    };
    assert!(of("b?,!b=,c,-d", "").is_empty());
    assert_eq!(of("a?", ""), ["E0201 `x/x[a?]` names the USE flag `a`"]);
    // Another eclass may have flags of its own.
    assert!(of("a?", "ebuild: {inherit: [lua]}").is_empty());
}

#[test]
fn a_commit_takes_the_place_of_the_tag() {
    let ebuild = package("sources: {main: {revision: 0123abc}}").ebuild();
    assert_eq!(variable(&ebuild, "MAIN_COMMIT"), "0123abc");
    assert_eq!(
        variable(&ebuild, "SRC_URI"),
        "https://github.com/ROCm/rocm-libraries/archive/${MAIN_COMMIT}.tar.gz -> rocm-libraries-rocm-${PV}.tar.gz"
    );
    let wrong = package("sources: {main: {fetch: asset, revision: 0123abc}}");
    assert_eq!(wrong.errors, ["E0566 the source `main` is of no commit"]);
}

#[test]
fn a_source_of_another_version_is_fetched_at_that_version() {
    let ebuild = package("sources: {main: {version: 7.2.1}}").ebuild();
    assert_eq!(
        variable(&ebuild, "SRC_URI"),
        "https://github.com/ROCm/rocm-libraries/releases/download/rocm-7.2.1/sample.tar.gz -> sample-7.2.1.tar.gz"
    );
    let archive = package("sources: {main: {fetch: archive, version: 7.2.1}}").ebuild();
    assert_eq!(variable(&archive, "S"), "${WORKDIR}/rocm-libraries-rocm-7.2.1/projects/sample");
}
