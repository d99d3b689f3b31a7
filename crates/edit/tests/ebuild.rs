//! Tests of edits of existing ebuilds.

use rocpkg_edit::{Checks, differences, merge3, take};
use rocpkg_syntax::{Checked, Language, List, Outline, Reading, Rules};

static RULES: Rules = Rules {
    version: "PV",
    lists: &[
        ("*DEPEND", List::Spec),
        ("SRC_URI", List::Addresses),
        ("IUSE", List::Flags),
    ],
    of_sources: &["S"],
    source_folder: "WORKDIR",
    asks: &["use"],
    same: &[("SLOT_NOLIVE", "SLOT")],
    live: Some("9999"),
    ..Rules::NONE
};

/// Applies the changes between the renderings `before` and `after` to the recipe `there`, and
/// returns the edited recipe.
fn carried(there: &str, before: &str, after: &str) -> String {
    merge3(&read(there), &read(before), &read(after), Checks::NONE).text
}

#[test]
fn a_word_of_another_number_takes_the_place_of_the_old_one() {
    let made = carried(
        "LLVM_COMPAT=( 20 )\n",
        "LLVM_COMPAT=( 20 )\n\nX=1\n",
        "LLVM_COMPAT=( 22 )\n\nX=1\n",
    );
    assert_eq!(made, "LLVM_COMPAT=( 22 )\n");
    let made = carried(
        "inherit cmake edo llvm-r1 rocm\n",
        "inherit cmake llvm-r1 perl-functions\n",
        "inherit cmake llvm-r2\n",
    );
    assert_eq!(made, "inherit cmake edo llvm-r2 rocm\n");
}

#[test]
fn a_dependency_on_the_slot_of_releases_keeps_the_variable_of_the_recipe() {
    let recipe = |name: &str, slot: &str| {
        format!("RDEPEND=\"\n\tb/hip:${{{slot}}}\n\tb/{name}:${{{slot}}}\n\"\n")
    };
    let made = carried(
        &recipe("smi", "SLOT_NOLIVE"),
        &recipe("smi", "SLOT"),
        &recipe("amdsmi", "SLOT"),
    );
    assert_eq!(made, recipe("amdsmi", "SLOT_NOLIVE"));
}

#[test]
fn a_third_word_is_left() {
    let there = "LLVM_COMPAT=( 19 )\n";
    assert_eq!(
        carried(there, "LLVM_COMPAT=( 20 )\n", "LLVM_COMPAT=( 22 )\n"),
        there
    );
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
    assert_eq!(
        made,
        "if live; then\n\tS=\"${WORKDIR}/live\"\nelse\n\tS=\"${WORKDIR}\"\nfi\n"
    );
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
    let (before, after) = (
        command("\"", "\\${LLVM_SLOT}", ""),
        command("\"", "\\${LLVM_SLOT}", "\t\tc/lld\n"),
    );
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
    assert_eq!(
        made,
        "DEPEND=\"a\"\nRDEPEND=\"b\"\n\nsrc_test() {\n\t:\n}\n"
    );
}

/// Applies the changes between the renderings `before` and `after` to the recipe `there`. Returns
/// the edited recipe, and the last key of each conflict.
fn left(there: &str, before: &str, after: &str) -> (String, Vec<String>) {
    let carried = merge3(&read(there), &read(before), &read(after), Checks::NONE);
    (
        carried.text,
        carried
            .conflicts
            .into_iter()
            .filter_map(|left| left.path.last().cloned())
            .collect(),
    )
}

#[test]
fn a_folder_stays_where_its_archive_stays() {
    let text = |address: &str, folder: &str| {
        format!("SRC_URI=\"{address}\"\nS=\"${{WORKDIR}}/{folder}\"\n")
    };
    let own = text("https://example.org/ours.tar.gz", "lib");
    let (made, left) = left(
        &own,
        &text("https://a.org/lib.tar.gz", "lib"),
        &text("https://a.org/all.tar.gz", "all"),
    );
    assert_eq!(made, own);
    assert!(left.contains(&"S".to_owned()), "{left:?}");
}

#[test]
fn a_name_that_something_refers_to_stays_set() {
    let text = |set: &str, steps: &str| format!("{set}src_prepare() {{\n{steps}}}\n");
    // A variable is removed with the step that refers to it, unless a step that was added by hand
    // refers to it too.
    let (before, after) = (
        text("DIR=lib\n", "\tcd \"${DIR}\"\n\tmake\n"),
        text("", "\tmake\n"),
    );
    let own = text(
        "DIR=lib\n",
        "\tcd \"${DIR}\"\n\tmake\n\tpatch \"${DIR}/ours\"\n",
    );
    let (made, kept) = left(&own, &before, &after);
    assert!(
        made.contains("DIR=lib\n") && made.contains("patch \"${DIR}/ours\"") && kept == ["DIR"],
        "{made} {kept:?}"
    );
    // A new step that refers to a step that could not be added is left out too.
    let after = text("", "\tlocal jobs=4\n\tmake -j ${jobs}\n");
    let (made, kept) = left(&text("", "\tninja\n"), &text("", "\tmake\n"), &after);
    assert!(
        !made.contains("jobs") || made.contains("jobs=4"),
        "{made} {kept:?}"
    );
}

#[test]
fn a_flag_that_is_asked_for_stays() {
    let text =
        |flags: &str, steps: &str| format!("IUSE=\"{flags}\"\nsrc_test() {{\n\tmake\n{steps}}}\n");
    let (before, after) = (text("debug test", ""), text("debug", ""));
    assert_eq!(
        left(&before.replace("make", "make all"), &before, &after).0,
        after.replace("make", "make all")
    );
    let own = text("debug test", "\tif use test; then\n\t\tctest\n\tfi\n");
    assert_eq!(
        left(&own, &before, &after),
        (own.clone(), vec!["test".to_owned()])
    );
}

#[test]
fn steps_that_stand_there_several_times_are_left_whole_where_hands_were() {
    let block = |folder: &str| format!("\tpushd {folder}\n\tcmake_src_prepare\n\tpopd\n");
    let text = |steps: &str| format!("src_prepare() {{\n\tcmake_src_prepare\n{steps}}}\n");
    let (before, after) = (text(&block("one")), text(&(block("two") + &block("one"))));
    let own = before.replace("\tpopd\n", "\tpopd\n\tours\n");
    let (made, left) = left(&own, &before, &after);
    assert!(made == own && !left.is_empty(), "{made}");
}

#[test]
fn a_variable_is_set_above_those_that_refer_to_it() {
    assert_eq!(
        carried(
            "EAPI=8\n# mine\nRDEPEND=\"a/b\"\nBDEPEND=\"c/d\"\n",
            "EAPI=8\nRDEPEND=\"a/b\"\nBDEPEND=\"c/d\"\n",
            "EAPI=8\nDEPEND=\"e/f\"\nRDEPEND=\"${DEPEND}\n\ta/b\"\nBDEPEND=\"c/d\"\n"
        ),
        "EAPI=8\nDEPEND=\"e/f\"\n# mine\nRDEPEND=\"${DEPEND} a/b\"\nBDEPEND=\"c/d\"\n"
    );
    // The list is below in the text.
    assert_eq!(
        carried(
            "EAPI=8\nRDEPEND=\"a/b\"\n# own\nDEPEND=\"c/d\"\n",
            "EAPI=8\nRDEPEND=\"a/b\"\nDEPEND=\"c/d\"\n",
            "EAPI=8\nDEPEND=\"c/d\"\nRDEPEND=\"${DEPEND} a/b\"\n"
        ),
        "EAPI=8\n# own\nDEPEND=\"c/d\"\nRDEPEND=\"${DEPEND} a/b\"\n"
    );
}

#[test]
fn a_line_that_comes_where_the_last_one_goes_is_a_line_of_its_own() {
    let list = |items: &[&str]| format!("RDEPEND=\"{}\"\n", items.join("\n\t"));
    let rendered = |items: &[&str]| format!("RDEPEND=\"\n\t{}\n\"\n", items.join("\n\t"));
    let made = carried(
        &list(&["a/a", "a/b", "f? ( a/c )", "a/e"]),
        &rendered(&["a/a", "a/b", "a/e", "f? ( a/c )"]),
        &rendered(&["a/a", "a/b", "f? ( a/c )", "g? ( a/d )"]),
    );
    assert!(
        made.lines().all(|line| line.matches("a/").count() < 2),
        "{made}"
    );
}

#[test]
fn a_branch_that_says_it_already_is_enough() {
    let recipe = |folder: &str| format!("S=\"${{WORKDIR}}/{folder}\"\n");
    let there =
        "if [[ ${PV} == *9999 ]]; then\n\tS=\"${WORKDIR}/live\"\nelse\n\tS=\"${WORKDIR}/b\"\nfi\n";
    assert_eq!(
        left(there, &recipe("a"), &recipe("b")),
        (there.to_owned(), Vec::new())
    );
}

fn read(text: &str) -> Outline {
    let reading = Reading {
        language: Language::Bash,
        rules: &RULES,
        given: vec![("PV", "6.4.4".to_owned())],
    };
    reading.read(text).unwrap()
}

#[test]
fn a_source_that_the_model_has_otherwise_is_one_row() {
    let model = "SRC_URI=\"https://x/a/b/releases/download/1/b.tar.gz -> ${P}.tar.gz\"\n";
    let there = read("SRC_URI=\"https://x/own/b/archive/1.tar.gz\"\n");
    let all = differences(&there, &read(model));
    assert!(
        matches!(&all[..], [row] if row.existing.is_some() && row.model.is_some()),
        "{all:?}"
    );
    let taken = take(&there, &read(model), |_| true, Checks::NONE);
    assert_eq!(taken.text, model);
}

#[test]
fn a_variable_that_the_text_goes_on_to_refer_to_is_not_taken_away() {
    let there = "MY_P=\"b-${PV}\"\nSRC_URI=\"https://x/a/b/archive/1.tar.gz -> ${MY_P}.tar.gz\"\n";
    let model = "SRC_URI=\"https://x/a/b/archive/1.tar.gz -> b-${PV}.tar.gz\"\n";
    let taken = take(&read(there), &read(model), |_| true, Checks::NONE);
    assert_eq!(taken.text, there);
}

#[test]
fn a_row_of_two_texts_that_are_written_alike_shows_what_their_variables_hold() {
    let recipe = |name: &str| {
        format!(
            "_pn={name}\nsrc_compile() {{\n\tlocal mycmakeargs=(\n\t\t-S \"${{_pn}}\"\n\t)\n}}\n"
        )
    };
    let all = differences(&read(&recipe("a")), &read(&recipe("b")));
    let row = all.iter().find(|row| row.path.len() > 1).unwrap();
    assert_ne!(row.existing, row.model, "{row:?}");
}

#[test]
fn a_script_in_words_of_its_own_keeps_them() {
    let recipe = |step: &str| format!("src_prepare() {{\n\tsed {step} || die\n}}\n");
    let before = recipe("-e s/a/b/g -i x y");
    for (own, after, new) in [
        ("-e s:a:b: -i x y", "-e s/a/b/g -i x", "-e s:a:b: -i x"),
        ("-i s:a:b: x y", "-e s/a/b/g -i y", "-i s:a:b: y"),
        (
            "-e \"s:a:b:\" \\\n\t\t-i x \\\n\t\t-i y",
            "-e 's/\"a\"/\"b\"/g' -i x",
            "-e 's:\"a\":\"b\":' \\\n\t\t-i x",
        ),
        (
            "-e s:a:b: \\\n\t\t-i x \\\n\t\t-i y",
            "-e s/a/b/g -i x y z",
            "-e s:a:b: \\\n\t\t-i x \\\n\t\t-i y \\\n\t\t-i z",
        ),
    ] {
        let (text, keys) = left(&recipe(own), &before, &recipe(after));
        assert_eq!((text, keys.len()), (recipe(new), 0));
    }
    let step = "-e s/a.h/b/ -i x";
    let (text, _) = left(
        &recipe(&format!("{step} || die\n\tmake")),
        &recipe("-e 's|a\\.h|b|' -i x || die\n\tmake"),
        "src_prepare() {\n\tmake || die\n}\n",
    );
    assert_eq!(text, "src_prepare() {\n\tmake || die\n}\n");
    // The sign of the recipe is in the new text.
    let there = recipe("-e s:a:b: -i x y");
    let (text, keys) = left(&there, &before, &recipe("-e s/a/b::c/g -i x y"));
    assert_eq!((text, keys.len()), (there, 1));
}

/// A flag that an unknown eclass may add is added to IUSE if the rendering has it there.
#[test]
fn a_flag_that_may_be_missing_is_added_with_its_use() {
    let check = |text: &str| {
        let mut out = Checked::default();
        let iuse = text.lines().find(|line| line.starts_with("IUSE="));
        if text.contains("usex b") && iuse.is_none_or(|line| !line.contains('b')) {
            out.doubtful("IUSE", "b");
        }
        out
    };
    let made = |there: &str, before: &str, after: &str| {
        let before_edit = check(there);
        let checks = Checks {
            before: &before_edit,
            check: &check,
            ..Checks::NONE
        };
        merge3(&read(there), &read(before), &read(after), checks).text
    };
    let before = "IUSE=\"b\"\nsrc_configure() {\n\tlocal args=(\n\t\t-DA=ON\n\t)\n}\n";
    let after = before.replace("ON\n", "ON\n\t\t-DB=$(usex b)\n");
    let there = "inherit own\nIUSE=\"c\"\nsrc_configure() {\n\tlocal args=(\n\t\t-DA=ON\n\t)\n}\n";
    let expected = there
        .replace("\"c\"", "\"c b\"")
        .replace("ON\n", "ON\n\t\t-DB=$(usex b)\n");
    assert_eq!(made(there, before, &after), expected);
    // A flag that was used before is not added.
    let used = there.replace("ON\n", "$(usex b)\n");
    assert!(!made(&used, before, &after).contains("c b"));
}
