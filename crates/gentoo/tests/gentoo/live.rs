//! Ebuilds that have a live version.

use crate::small::{function, variable};
use crate::support::changed;

#[test]
fn a_live_version_shares_the_ebuild() {
    let live = |overlay: &str| changed("year: '2026'", "year: '2026'\nhabits: {live: [sample]}", overlay);
    let ebuild = live("{}").ebuild();
    let block = ebuild.split("inherit cmake\n\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert_eq!(
        block,
        "if [[ ${PV} == *9999 ]]; then
\tinherit git-r3
\tEGIT_REPO_URI=\"https://github.com/ROCm/rocm-libraries.git\"
\tEGIT_SUBMODULES=()
\tS=\"${WORKDIR}/${P}/projects/sample\"
else
\tSRC_URI=\"https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/sample.tar.gz -> ${P}.tar.gz\"
\tS=\"${WORKDIR}/sample\"
\tKEYWORDS=\"~amd64\"
fi"
    );
    // Once, and not below as well.
    for once in ["KEYWORDS=", "SRC_URI=", "\tinherit git-r3"] {
        assert_eq!(ebuild.matches(once).count(), 1, "{once} in\n{ebuild}");
    }
    assert_eq!(variable(&ebuild, "SLOT"), "0/$(ver_cut 1-2)");
}

#[test]
fn a_live_version_fetches_what_its_repository_does_not_hold() {
    let ebuild = changed(
        "year: '2026'",
        "year: '2026'\nhabits: {live: [sample]}",
        "
features: {test: {}}
sources:
  part: {repository: rocm-libraries, path: projects/part, asset: part}
  data: {fetch: file, url: 'https://example.org/data.tar.gz', when: test}
phases: {prepare: [{run: [cp, '${source:part}/a', '${source:data}']}, standard]}
",
    )
    .ebuild();
    let live = ebuild.split("== *9999 ]]; then\n").nth(1).unwrap().split("\nelse\n").next().unwrap();
    assert!(live.contains("\tPART_S=\"${WORKDIR}/${P}/projects/part\"\n"), "{live}");
    assert!(live.contains("\tSRC_URI=\"test? ( https://example.org/data.tar.gz )\"\n"), "{live}");
    assert!(!live.contains("releases/download"), "{live}");
}

#[test]
fn a_live_version_has_a_slot_of_its_own_where_all_it_needs_has() {
    let slot = |live: &str| {
        let habits = format!("year: '2026'\nhabits: {{live: [{live}]}}");
        let needs = "depends: {slotted: {kind: link}, python: {kind: run}}";
        variable(&changed("year: '2026'", &habits, needs).ebuild(), "SLOT")
    };
    assert_eq!(slot(""), "0/$(ver_cut 1-2)");
    assert_eq!(slot("sample"), "0/7.2", "there is no other");
    assert_eq!(slot("sample, slotted"), "0/$(ver_cut 1-2)");
}

#[test]
fn what_is_released_beside_it_has_no_live_version() {
    let habits = "year: '2026'\nhabits: {live: [sample]}";
    let two = "sources: {part: {repository: other, fetch: archive}}";
    let outcome = changed("year: '2026'", habits, two);
    assert_eq!(outcome.errors, ["E0244 sample is not all in one repository, so it has no live version"]);
}

#[test]
fn part_of_a_large_repository_is_checked_out_alone() {
    let ebuild = changed(
        "year: '2026'",
        "year: '2026'\nhabits: {live: [sample]}",
        "sources: {main: {fetch: archive, asset: ~}}",
    )
    .ebuild();
    let unpack = function(&ebuild, "src_unpack");
    assert_eq!(unpack[0], "if [[ ${PV} == *9999 ]]; then", "{ebuild}");
    assert_eq!(unpack[1..4], ["git-r3_fetch", "git-r3_checkout \"\" \"\" \"\" projects/sample", "else"]);
}
