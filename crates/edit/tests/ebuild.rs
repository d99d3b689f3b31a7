//! Ebuilds are edited as they lie there.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use rocpkg_edit::{Language, List, Reading, Rules, carry};

static RULES: Rules = Rules {
    version: "PV",
    lists: &[("*DEPEND", List::Spec), ("SRC_URI", List::Addresses), ("IUSE", List::Flags)],
    of_sources: &[],
    asks: &[],
};

/// What becomes of a text when a rendering changes.
fn carried(there: &str, before: &str, after: &str) -> String {
    let reading =
        Reading { language: Language::Bash, rules: &RULES, given: vec![("PV", "6.4.4".to_owned())] };
    let read = |text: &str| reading.read(text).unwrap();
    carry(&read(there), &read(before), &read(after)).text
}

#[test]
fn a_word_of_another_number_takes_the_place_of_the_old_one() {
    let made = carried("LLVM_COMPAT=( 20 )\n", "LLVM_COMPAT=( 20 )\n\nX=1\n", "LLVM_COMPAT=( 22 )\n\nX=1\n");
    assert_eq!(made, "LLVM_COMPAT=( 22 )\n");
    let made = carried(
        "inherit cmake edo llvm-r1 rocm\n",
        "inherit cmake llvm-r1 perl-functions\n",
        "inherit cmake llvm-r2\n",
    );
    assert_eq!(made, "inherit cmake edo llvm-r2 rocm\n");
}

#[test]
fn a_third_word_is_left() {
    let there = "LLVM_COMPAT=( 19 )\n";
    assert_eq!(carried(there, "LLVM_COMPAT=( 20 )\n", "LLVM_COMPAT=( 22 )\n"), there);
}

#[test]
fn what_two_removals_meet_in_is_gone() {
    let made = carried(
        "inherit cmake perl-functions llvm-r1\n",
        "inherit cmake llvm-r1 perl-functions\n",
        "inherit cmake\n",
    );
    assert_eq!(made, "inherit cmake\n");
}

#[test]
fn a_list_of_one_is_parted_into_lines_when_it_holds_more() {
    let before = "RDEPEND=\"\n\tb/hip\n\tb/lib\n\"\nDEPEND=\"${RDEPEND}\"\n";
    let after = "RDEPEND=\"\n\tb/lib\n\"\nDEPEND=\"\n\t${RDEPEND}\n\tb/hip\n\"\n";
    let there = "RDEPEND=\"\n\tb/hip\n\tb/lib\n\"\nDEPEND=\"${RDEPEND}\"\n\nX=1\n";
    assert_eq!(carried(there, before, after), format!("{after}\nX=1\n"));
}

#[test]
fn what_goes_from_one_place_comes_in_another() {
    let before = "RDEPEND=\"\n\tb/hip\n\tbench? ( b/one )\n\"\n";
    let after = "RDEPEND=\"\n\tbench? (\n\t\tb/hip\n\t\tb/one\n\t)\n\"\n";
    let there = "X=1\nRDEPEND=\"\n\tb/hip\n\tbench? ( b/one )\n\"\n";
    assert_eq!(carried(there, before, after), format!("X=1\n{after}"));
}

#[test]
fn what_stands_under_a_condition_at_the_margin_is_found() {
    let there = "if live; then\n\tS=\"${WORKDIR}/live\"\nelse\n\tS=\"${WORKDIR}/old-${PV}\"\nfi\n";
    let made = carried(there, "S=\"${WORKDIR}/old-${PV}\"\n", "S=\"${WORKDIR}\"\n");
    assert_eq!(made, "if live; then\n\tS=\"${WORKDIR}/live\"\nelse\n\tS=\"${WORKDIR}\"\nfi\n");
}

#[test]
fn a_folder_under_another_name_is_known_by_its_value() {
    let made = carried(
        "TEST_S=\"${WORKDIR}/tests-${PV}/a\"\n\nX=1\n",
        "TESTS_S=\"${WORKDIR}/tests-${PV}/a\"\n",
        "TESTS_S=\"${WORKDIR}/tests/a\"\n",
    );
    assert_eq!(made, "TEST_S=\"${WORKDIR}/tests/a\"\n\nX=1\n");
}

#[test]
fn variables_are_quoted_as_the_neighbours_are() {
    let made = carried(
        "PATCHES=(\n\t\"${FILESDIR}\"/${PN}-1-a.patch\n)\n",
        "PATCHES=(\n\t\"${FILESDIR}/${PN}-1-a.patch\"\n)\n",
        "PATCHES=(\n\t\"${FILESDIR}/${PN}-2-a.patch\"\n)\n",
    );
    assert_eq!(made, "PATCHES=(\n\t\"${FILESDIR}\"/${PN}-2-a.patch\n)\n");
}

#[test]
fn a_command_that_makes_dependencies_says_the_same_in_either_quotes() {
    let command = |quote: &str, slot: &str, more: &str| {
        format!("DEPEND=\"\n\t$(llvm_gen_dep {quote}\n\t\tc/clang:{slot}\n{more}\t{quote})\n\"\n")
    };
    let there = format!("X=1\n{}", command("'", "${LLVM_SLOT}", ""));
    let (before, after) =
        (command("\"", "\\${LLVM_SLOT}", ""), command("\"", "\\${LLVM_SLOT}", "\t\tc/lld\n"));
    assert_eq!(carried(&there, &before, &after), format!("X=1\n{after}"));
}

#[test]
fn the_closing_quote_follows_the_last_word() {
    let made = carried("IUSE=\"a\n\tb\"\nX=1\n", "IUSE=\"a b\"\n", "IUSE=\"a\"\n");
    assert_eq!(made, "IUSE=\"a\"\nX=1\n");
}

#[test]
fn a_function_stands_apart_after_all_that_it_follows() {
    let made = carried(
        "DEPEND=\"a\"\nRDEPEND=\"b\"\n",
        "RDEPEND=\"b\"\nDEPEND=\"a\"\n",
        "RDEPEND=\"b\"\nDEPEND=\"a\"\n\nsrc_test() {\n\t:\n}\n",
    );
    assert_eq!(made, "DEPEND=\"a\"\nRDEPEND=\"b\"\n\nsrc_test() {\n\t:\n}\n");
}
