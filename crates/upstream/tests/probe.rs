//! Tests of trying steps on a tree: each step has its expected result, and patches change what they
//! state.

use proptest::prelude::*;
use rocpkg_test_support::write_file;
use rocpkg_upstream::probe::{Fate, Files, ProbeStep, Slack, read};
use rocpkg_upstream::tree::Tree;
use similar::TextDiff;
use std::fs;

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// Returns the result of each step on a tree with two files, `a/lines` and `a/b.cmake`.
fn fate(steps: &[ProbeStep]) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("a")).unwrap();
    write_file(dir.path().join("a/lines"), LINES);
    write_file(dir.path().join("a/b.cmake"), "set(A ON)\nset(B \"x.y\")\n");
    let tree = Tree::folder(dir.path()).unwrap();
    let mut files = Files::new([("main".to_owned(), &tree)].into());
    steps
        .iter()
        .map(|step| files.take(step).unwrap().to_string())
        .collect()
}

/// Returns a patch of `a/lines`, as git writes it.
fn diff(from: &str, to: &str) -> Vec<u8> {
    TextDiff::from_lines(from, to)
        .unified_diff()
        .header("a/a/lines", "b/a/lines")
        .to_string()
        .into_bytes()
}

fn patch(text: Vec<u8>) -> ProbeStep {
    ProbeStep::Patch {
        text,
        strip: 1,
        folder: "main".into(),
        relative: String::new(),
        leaves: Vec::new(),
    }
}

fn files(name: &str) -> Vec<String> {
    vec![format!("main/a/{name}")]
}

fn replace(name: &str, from: &[Option<&str>], may_be_absent: bool) -> ProbeStep {
    let from = from.iter().map(|piece| piece.map(str::to_owned)).collect();
    ProbeStep::Replace {
        files: files(name),
        from,
        to: "new".into(),
        may_be_absent,
    }
}

fn sed(script: &str) -> ProbeStep {
    ProbeStep::Sed {
        files: files("b.cmake"),
        scripts: vec![script.into()],
    }
}

#[test]
fn each_planted_fate_is_told_once() {
    let with = |from: &str, to: &str| LINES.replace(from, to);
    let moved = format!("zero\nzero\n{LINES}");
    let cases = [
        (patch(diff(LINES, &with("five", "5"))), "fits"),
        (
            patch(diff(&moved, &moved.replace("five", "5"))),
            "applies with an offset of 2 lines",
        ),
        (
            patch(diff(
                &with("two", "2"),
                &with("two", "2").replace("five", "5"),
            )),
            "applies with fuzz 1, which git refuses",
        ),
        (patch(diff(&with("five", "5"), LINES)), "is already applied"),
        (
            patch(diff(&with("five", "5"), &with("five", "V"))),
            "hunk 1 of 1 fails in a/lines",
        ),
        (
            patch(b"--- a/a/gone\n+++ b/a/gone\n@@ -1 +1 @@\n-a\n+b\n".to_vec()),
            "file gone: a/gone",
        ),
        (
            replace("b.cmake", &[Some("set(C ON)")], false),
            "not found: `set(C ON)` in a/b.cmake",
        ),
        (
            replace("b.cmake", &[Some("set(C ON)")], true),
            "not found, which is allowed",
        ),
        (sed("/set(C/d"), "not found: `/set(C/d` in a/b.cmake"),
        (
            ProbeStep::Needs {
                files: files("gone"),
                removes: true,
            },
            "file gone: a/gone",
        ),
    ];
    for (step, told) in &cases {
        assert_eq!(fate(std::slice::from_ref(step)), [*told]);
    }
    let fine = [
        replace("b.cmake", &[Some("set(B \""), None, Some(".y")], false),
        sed("/^set(A/s|ON|OFF|"),
        ProbeStep::Needs {
            files: files("*.cmake"),
            removes: false,
        },
        ProbeStep::Needs {
            files: vec!["main/a/".into()],
            removes: false,
        },
    ];
    assert_eq!(fate(&fine), ["fits"; 4]);
    assert!(
        fate(&[sed("w /tmp/x")])[0].starts_with("not tried: sed:"),
        "a script writes no file"
    );
}

#[test]
fn a_step_sees_what_those_before_it_left() {
    let new = b"diff --git a/a/new b/a/new\nnew file mode 100644\n--- /dev/null\n+++ b/a/new\n@@ -0,0 +1 @@\n+text\n";
    let gone = b"--- a/a/lines\n+++ /dev/null\n@@ -1,10 +0,0 @@\n-one\n-two\n-three\n-four\n-five\n-six\n-seven\n-eight\n-nine\n-ten\n";
    let renamed =
        b"diff --git a/a/b.cmake b/a/c.cmake\nrename from a/b.cmake\nrename to a/c.cmake\n";
    let remove = |name: &str| ProbeStep::Needs {
        files: files(name),
        removes: true,
    };
    let steps = [
        remove("new"),
        patch(new.to_vec()),
        patch(new.to_vec()),
        replace("new", &[Some("text")], false),
        replace("new", &[Some("text")], false),
        patch(gone.to_vec()),
        remove("lines"),
        patch(renamed.to_vec()),
        remove("c.cmake"),
        remove("c.cmake"),
    ];
    let gone = "file gone: a/";
    assert_eq!(
        fate(&steps),
        [
            &format!("{gone}new"),
            "fits",
            "hunk 1 of 1 fails in a/new",
            "fits",
            "not found: `text` in a/new",
            "fits",
            &format!("{gone}lines"),
            "fits",
            "fits",
            &format!("{gone}c.cmake"),
        ]
    );
}

#[test]
fn only_a_patch_that_is_there_for_certain_is_already_applied() {
    let hunk = |text: &str| format!("--- a/a/lines\n+++ b/a/lines\n{text}").into_bytes();
    let two = diff(&LINES.replace("two", "zwei"), LINES);
    let with = |head: &str| [head.as_bytes(), two.as_slice()].concat();
    let new = |text: &str| {
        let count = text.lines().count();
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        let head = "--- /dev/null\n+++ b/a/lines\n";
        format!("{head}@@ -0,0 +1,{count} @@\n{lines}").into_bytes()
    };
    let is_there = |text: Vec<u8>| fate(&[patch(text)])[0] == "is already applied";
    assert!(is_there(two.clone()));
    assert!(is_there(diff(&LINES.replace("two\n", ""), LINES)));
    assert!(is_there(diff(&LINES.replace("two\n", "two\nx\n"), LINES)));
    assert!(is_there(new(LINES)));
    // The lines around a removed line are found elsewhere, or there are none.
    assert!(!is_there(hunk("@@ -5,3 +5,2 @@\n two\n-x\n three\n")));
    assert!(!is_there(hunk("@@ -5 +4,0 @@\n-x\n")));
    // The file has more than the patch makes.
    assert!(!is_there(new("three\n")));
    // A file that was removed may never have been there.
    let gone = b"--- a/x/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n".to_vec();
    assert!(!is_there(gone.clone()));
    assert!(is_there([gone, two.clone()].concat()));
    // Modes and empty files are not looked at.
    let git = "diff --git a/a/lines b/a/lines\n";
    assert!(is_there(with(git)));
    assert!(!is_there(with(&format!(
        "{git}old mode 100644\nnew mode 100755\n"
    ))));
    let empty = "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n";
    assert!(!is_there(with(&format!("{empty}{git}"))));
    // Another form of the patch was applied before.
    let eight = diff(LINES, &LINES.replace("eight", "8"));
    let other = [eight.clone(), Vec::new()].concat();
    let fates = fate(&[patch(eight), patch(other)]);
    assert_eq!(fates, ["fits", "hunk 1 of 1 fails in a/lines"]);
}

/// The headers are those that editors' copies and `diff` leave. GNU patch 2.7 takes the same file
/// for each of them.
#[test]
fn the_file_of_a_patch_is_chosen_as_by_gnu_patch() {
    let five = LINES.replace("five", "5");
    let hunk = TextDiff::from_lines(LINES, five.as_str())
        .unified_diff()
        .to_string();
    let back = TextDiff::from_lines(five.as_str(), LINES)
        .unified_diff()
        .to_string();
    let told = |old: &str, new: &str, hunk: &str| {
        let text = format!("--- {old}\n+++ {new}\n{hunk}");
        fate(&[patch(text.into_bytes())]).remove(0)
    };
    for (old, new) in [
        ("a/a/lines.orig", "a/a/lines"),
        (
            "a/a/lines~\t2023-07-28 08:34:00.7 -0700",
            "b/a/lines\t2023-07-28 08:35:12.2 -0700",
        ),
        (
            "a/a/lines.bak 2023-07-28 08:34:00 +0000",
            "b/a/lines 2023-07-28 08:35:12 +0000",
        ),
        ("a/a/lines", "b/a/lines.new"),
        ("a/a/lines", "b/a/b.cmake"),
        ("\"a/a/lines\"", "\"b/a/lines\""),
    ] {
        assert_eq!(told(old, new, &hunk), "fits", "{old} {new}");
    }
    // Of two files that exist, the one with the fewest parts is taken, then the shortest name.
    assert_eq!(told("a/a/b.cmake", "b/a/lines", &hunk), "fits");
    assert_eq!(
        told("a/a/lines.orig", "a/a/lines", &back),
        "is already applied"
    );
    assert_eq!(
        told("a/a/gone.orig", "a/a/gone", &hunk),
        "file gone: a/gone"
    );
    // Neither file exists, and the patch makes one.
    let new = "@@ -0,0 +1 @@\n+x\n";
    assert_eq!(told("a/a/new.orig", "a/a/new", new), "fits");
    assert_eq!(
        told("a/a/new.orig", "a/a/new", "@@ -1 +1 @@\n-y\n+x\n"),
        "file gone: a/new"
    );
    // A line of git says nothing about the file, unless it moves.
    let git = format!("diff --git a/x b/x\n--- a/a/lines~\n+++ b/a/lines\n{hunk}");
    assert_eq!(fate(&[patch(git.into_bytes())]), ["fits"]);
    let moved = "diff --git a/a/lines b/lines\nrename from a/lines\nrename to lines\n";
    let moved = format!("{moved}--- a/a/lines\n+++ b/lines\n{hunk}");
    let needs = ProbeStep::Needs {
        files: files("lines"),
        removes: false,
    };
    assert_eq!(
        fate(&[patch(moved.into_bytes()), needs]),
        ["fits", "file gone: a/lines"]
    );
}

/// Upstream changed the lines around a change that it took.
#[test]
fn a_patch_is_there_if_only_its_outer_context_differs() {
    let file = |first: &str| format!("{first}\nif(A)\n  set(B \"of the patch\")\nendif()\nend\n");
    let fate_of = |file: &str, hunk: &str| {
        let dir = tempfile::tempdir().unwrap();
        write_file(dir.path().join("new"), file);
        let tree = Tree::folder(dir.path()).unwrap();
        let mut files = Files::new([("main".to_owned(), &tree)].into());
        let text = format!("--- a/new\n+++ b/new\n{hunk}");
        files.take(&patch(text.into_bytes())).unwrap().to_string()
    };
    let hunk = |removed: &str, added: &str| {
        format!("@@ -1,4 +1,4 @@\n before\n if(A)\n-{removed}\n+{added}\n endif()\n")
    };
    let (old, added) = ("  set(B \"of upstream\")", "  set(B \"of the patch\")");
    assert_eq!(
        fate_of(&file("first"), &hunk(old, added)),
        "is already applied"
    );
    // The file has the removed line elsewhere, so it may be another place.
    let twice = format!("{}{old}\n", file("first"));
    assert_ne!(fate_of(&twice, &hunk(old, added)), "is already applied");
    // The added line is found everywhere.
    let short = file("first").replace(added, "  fi");
    assert_ne!(fate_of(&short, &hunk(old, "  fi")), "is already applied");
    // Nothing of the context is left on one side.
    let ends = format!("@@ -1,2 +1,2 @@\n before\n-{old}\n+{added}\n endif()\n");
    assert_ne!(fate_of(&file("first"), &ends), "is already applied");
}

/// As in GNU patch 2.7, a hunk without context at its head begins the file only if it says so.
#[test]
fn a_hunk_without_leading_context_fits_behind_the_first_line() {
    let hunk = |at: usize, old: &str| {
        let text = format!("--- a/a/lines\n+++ b/a/lines\n@@ -{at},3 +{at},3 @@\n-{old}\n+x\n");
        let next = LINES
            .lines()
            .skip_while(|line| *line != old)
            .skip(1)
            .take(2);
        let next: String = next.map(|line| format!(" {line}\n")).collect();
        fate(&[patch((text + &next).into_bytes())]).remove(0)
    };
    assert_eq!(hunk(5, "five"), "fits");
    assert_eq!(hunk(4, "five"), "applies with an offset of 1 lines");
    assert_eq!(hunk(1, "one"), "fits");
    assert_eq!(hunk(1, "five"), "applies with fuzz 2, which git refuses");
}

#[test]
fn parts_of_a_patch_are_taken_and_left_out() {
    let text = [
        diff(LINES, &LINES.replace("two", "2")),
        b"--- a/x/gone\n+++ b/x/gone\n@@ -1 +1 @@\n-a\n+b\n".to_vec(),
    ]
    .concat();
    let step = |relative: &str, leaves: &[&str]| {
        let leaves = leaves.iter().map(|n| (*n).to_owned()).collect();
        let (folder, relative) = (format!("main/{relative}"), relative.to_owned());
        ProbeStep::Patch {
            text: text.clone(),
            strip: 1,
            folder,
            relative,
            leaves,
        }
    };
    assert_eq!(fate(&[step("", &[])]), ["file gone: x/gone"]);
    assert_eq!(fate(&[step("", &["x/gone"])]), ["fits"]);
    assert_eq!(fate(&[step("a", &[])]), ["fits"]);
    assert_eq!(
        fate(&[step("", &["a", "x"])]),
        ["not tried: the patch names no file"]
    );
    assert_eq!(Fate::Already.word(), "already-there");
}

/// Returns texts with few different lines, so that lines repeat. The last line has a newline or
/// none.
fn text() -> impl Strategy<Value = String> {
    (prop::collection::vec("[a-d]{0,2}\n", 0..16), "[a-d]?")
        .prop_map(|(lines, last)| lines.concat() + &last)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_patch_makes_the_one_text_of_the_other_and_back(a in text(), b in text(), radius in 0_usize..4) {
        let dir = tempfile::tempdir().unwrap();
        write_file(dir.path().join("a"), &a);
        write_file(dir.path().join("b"), &b);
        let diff = ["diff", "--no-index", "--no-ext-diff", &format!("-U{radius}"), "a", "b"];
        let written = rocpkg_programs::command("git").current_dir(dir.path()).args(diff).output().unwrap().stdout;
        let files = read(&written);
        prop_assert_eq!(files.len(), usize::from(a != b));
        for file in files {
            prop_assert_eq!(file.apply(a.as_bytes()).unwrap(), (b.clone().into_bytes(), Slack::default()));
            prop_assert_eq!(file.reversed().apply(b.as_bytes()).unwrap().0, a.clone().into_bytes());
        }
    }

    #[test]
    fn no_patch_is_read_that_stops_the_reader(text in "(--- a|\\+\\+\\+ b|@@ -1,2 \\+1 @@|@@ -9 \\+9,9 @@|diff --git a b|[ +-]x|\\\\ No|\n){0,24}") {
        for file in read(text.as_bytes()) {
            let _ = file.apply(b"x\nx\n");
        }
    }
}
