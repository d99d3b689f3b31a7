//! Tests of words of lists that the maintainer wrote in other places than the renderings: in a
//! helper variable, in an appended list, among the words of a loop. bash evaluates the recipes.

use rocpkg_edit::{Checks, MergeResult, merge3};
use rocpkg_syntax::{Evaluated, Language, List, Reading, Rules, Script, Values};
use std::fmt::Write;

static RULES: Rules = Rules {
    version: "PV",
    lists: &[
        ("*DEPEND", List::Spec),
        ("IUSE", List::Flags),
        ("depends", List::Packages),
        ("makedepends", List::Packages),
    ],
    source_folder: "srcdir",
    asks: &["use"],
    live: Some("9999"),
    ..Rules::NONE
};

/// Returns the values of the variables of a text, as bash has them.
fn values(text: &str) -> Values {
    let Ok(script) = Script::read(text) else {
        return Values::new();
    };
    let mut program = format!("set -e\nSLOT=0/1\nFILESDIR=files\n{text}\n");
    for set in &script.sets {
        writeln!(program, "echo {0} ${{{0}[*]}}", set.name).unwrap();
    }
    let run = rocpkg_programs::command("bash")
        .args(["-c", &program])
        .output()
        .unwrap();
    let lines = String::from_utf8(run.stdout).unwrap();
    let value = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?, Evaluated::new(words, None)))
    };
    lines.lines().filter_map(value).collect()
}

fn merged(there: &str, before: &str, after: &str, values: &dyn Fn(&str) -> Values) -> MergeResult {
    let reading = Reading {
        language: Language::Bash,
        rules: &RULES,
        given: Vec::new(),
    };
    let read = |text: &str| reading.read(text).unwrap();
    let checks = Checks {
        values,
        old_values: values,
        ..Checks::NONE
    };
    merge3(&read(there), &read(before), &read(after), checks)
}

#[track_caller]
fn becomes(there: &str, before: &str, after: &str, expected: &str) {
    let made = merged(there, before, after, &values);
    assert_eq!(made.text, expected);
    assert_eq!(made.conflicts, []);
}

#[test]
fn words_of_a_helper_variable() {
    becomes(
        "_deps=(\n  'gcc-libs'\n  'glibc'\n  'zlib'\n)\ndepends=(\"${_deps[@]}\")\n",
        "depends=(\n  'gcc-libs'\n  'glibc'\n  'zlib'\n)\n",
        "depends=(\n  'glibc'\n  'libgcc'\n  'zlib'\n)\n",
        "_deps=(\n  'glibc'\n  'libgcc'\n  'zlib'\n)\ndepends=(\"${_deps[@]}\")\n",
    );
    // A text, with a word of the maintainer.
    becomes(
        "_deps=\"glibc own zlib\"\ndepends=($_deps)\n",
        "depends=('glibc' 'zlib')\n",
        "depends=('glibc' 'libgcc')\n",
        "_deps=\"glibc libgcc own\"\ndepends=($_deps)\n",
    );
}

#[test]
fn a_variable_that_a_function_uses_is_left() {
    let own = "_deps=('glibc' 'zlib')\ndepends=(\"${_deps[@]}\")\n";
    let function = "package_b() {\n  depends=(\"${_deps[@]}\")\n}\n";
    let (before, after) = ("depends=('glibc' 'zlib')\n", "depends=('glibc')\n");
    let there = format!("{own}{function}");
    assert_eq!(merged(&there, before, after, &values).text, there);
}

#[test]
fn a_word_that_lists_share_is_edited_once() {
    let before =
        "RDEPEND=\"\n\ta/one:${SLOT}\n\ta/two\n\"\nDEPEND=\"\n\t${RDEPEND}\n\ta/build\n\"\n";
    let after = before.replace("\ta/two\n", "\ta/three:${SLOT}\n\ta/four\n");
    let own = |words: &str| {
        let common = "RDEPEND=\"${COMMON_DEPEND}\"\nDEPEND=\"${COMMON_DEPEND} a/build\"\n";
        format!("COMMON_DEPEND=\"\n\ta/one:${{SLOT}}\n{words}\"\n{common}")
    };
    becomes(
        &own("\ta/two\n"),
        before,
        &after,
        &own("\ta/three:${SLOT}\n\ta/four\n"),
    );
    // DEPEND keeps the word, so it is not removed where both have it.
    let after = before.replace("\ta/two\n\"\nDEPEND", "\"\nDEPEND");
    let after = after.replace("\ta/build\n", "\ta/build\n\ta/two\n");
    let made = merged(&own("\ta/two\n"), before, &after, &values);
    assert!(
        made.text.starts_with(&own("\ta/two\n")[..40]),
        "{}",
        made.text
    );
}

#[test]
fn run_time_dependencies_that_are_those_of_the_build() {
    let rendered = |words: &str| format!("RDEPEND=\"\n{words}\"\nDEPEND=\"${{RDEPEND}}\"\n");
    let own = |words: &str| format!("DEPEND=\"\n{words}\"\nRDEPEND=\"${{DEPEND}}\"\n");
    let (old, new) = ("\ta/one\n\ttest? ( a/two )\n", "\ta/one\n\ta/new\n");
    becomes(&own(old), &rendered(old), &rendered(new), &own(new));
}

#[test]
fn each_word_is_appended_by_itself() {
    let rendered = |names: &[&str]| {
        let line = |name: &&str| format!("\t\"${{FILESDIR}}/{name}.patch\"\n");
        let lines: String = names.iter().map(line).collect();
        let list = format!("PATCHES=(\n{lines})\n\n");
        format!("A=1\n\n{}B=2\n", if lines.is_empty() { "" } else { &list })
    };
    let own = |names: &[&str]| {
        let line = |name: &&str| format!("PATCHES+=( \"${{FILESDIR}}/{name}.patch\" )\n");
        let lines: String = names.iter().map(line).collect();
        format!("A=1\n\nPATCHES=()\n{lines}\nB=2\n")
    };
    for (old, new) in [
        (&["a", "b", "c"][..], &["a", "x", "c"][..]),
        (&["a", "b"], &["b", "x"]),
        (&["a", "b"], &["x", "y"]),
    ] {
        becomes(&own(old), &rendered(old), &rendered(new), &own(new));
    }
    let (old, none) = (rendered(&["a", "b"]), rendered(&[]));
    becomes(&own(&["a", "b"]), &old, &none, "A=1\n\nB=2\n");
}

#[test]
fn words_of_a_loop() {
    let own =
        |words: &str| format!("depends=()\nfor d in {words}; do\n  depends+=(\"$d\")\ndone\n");
    becomes(
        &own("'gcc-libs' 'glibc' 'zlib'"),
        "depends=('gcc-libs' 'glibc' 'zlib')\n",
        "depends=('glibc' 'libgcc' 'zlib')\n",
        &own("'glibc' 'libgcc' 'zlib'"),
    );
    let own = |words: &str| {
        let list = "RDEPEND=\"\n\ta/own\n\"\n";
        format!("{list}for x in {words}; do\n\tRDEPEND+=\" dev-util/${{x}}:${{SLOT}}\"\ndone\n")
    };
    let rendered = |names: &[&str]| {
        let line = |name: &&str| format!("\tdev-util/{name}:${{SLOT}}\n");
        format!(
            "RDEPEND=\"\n{}\"\n",
            names.iter().map(line).collect::<String>()
        )
    };
    becomes(
        &own("hip rocm-smi"),
        &rendered(&["hip", "rocm-smi"]),
        &rendered(&["hip", "amdsmi"]),
        &own("hip amdsmi"),
    );
    // With its last word, the loop goes.
    becomes(
        &own("hip"),
        &rendered(&["hip", "rocm-smi"]),
        &rendered(&["rocm-smi"]),
        "RDEPEND=\"\n\ta/own\n\"\n",
    );
}

#[test]
fn a_group_is_one_item() {
    let rendered = |words: &str| format!("RDEPEND=\"\n\ta/one\n{words}\"\n");
    let own = |words: &str| {
        format!("COMMON_DEPEND=\"\n\ta/one\n{words}\"\nRDEPEND=\"${{COMMON_DEPEND}} a/own\"\n")
    };
    let group = "\ttest? (\n\t\ta/two\n\t\ta/three\n\t)\n";
    becomes(&own(""), &rendered(""), &rendered(group), &own(group));
    becomes(&own(group), &rendered(group), &rendered(""), &own(""));
    let other = group.replace("two", "four");
    becomes(
        &own(group),
        &rendered(group),
        &rendered(&other),
        &own(&other),
    );
}

#[test]
fn a_list_of_which_the_value_is_open_is_left() {
    let open = |text: &str| {
        let mut all = values(text);
        if text.contains("for d") {
            all.insert(
                "depends".to_owned(),
                Evaluated::new([], Some("a loop".to_owned())),
            );
        }
        all
    };
    let there = "depends=()\nfor d in gcc-libs glibc; do\n  depends+=(\"$d\")\ndone\n";
    let (before, after) = (
        "depends=('gcc-libs' 'glibc')\n",
        "depends=('glibc' 'libgcc')\n",
    );
    let made = merged(there, before, after, &open);
    assert_eq!(made.text, there);
    let paths: Vec<String> = made
        .conflicts
        .iter()
        .map(|own| own.path.join(" "))
        .collect();
    assert_eq!(paths, ["depends gcc-libs", "depends libgcc"]);
}
