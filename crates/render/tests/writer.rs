//! Tests of the writer: it writes all files or none, and loses no manual edits.

use crate::common::tree;
use rocpkg_render::{
    Difference, DifferenceKind as Kind, MANIFEST, Manifest, RelPath, WriteError, WriteOptions,
    check, git_id, write, write_through,
};
use rocpkg_test_support::write_file;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

fn plain() -> WriteOptions {
    WriteOptions::default()
}

#[test]
fn a_second_run_changes_nothing_and_a_changed_model_changes_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let first = write(&tree(&[("a/x", "1"), ("a/y", "2")]), dir.path(), &plain()).unwrap();
    assert_eq!(first.written, ["a/x", "a/y"]);
    let second = write(&tree(&[("a/x", "1"), ("a/y", "2")]), dir.path(), &plain()).unwrap();
    assert_eq!((second.written.len(), second.unchanged), (0, 2));
    let third = write(&tree(&[("a/x", "1"), ("a/y", "3")]), dir.path(), &plain()).unwrap();
    assert_eq!(third.written, ["a/y"]);
    assert_eq!(fs::read_to_string(dir.path().join("a/y")).unwrap(), "3");
}

#[test]
fn hand_changed_and_foreign_files_stop_the_whole_run_and_all_are_named() {
    let dir = tempfile::tempdir().unwrap();
    write(&tree(&[("a", "1"), ("b", "1")]), dir.path(), &plain()).unwrap();
    write_file(dir.path().join("a"), "mine");
    write_file(dir.path().join("c"), "foreign");
    let next = tree(&[("a", "2"), ("b", "2"), ("c", "2")]);
    let Err(WriteError::Conflicts(list)) = write(&next, dir.path(), &plain()) else {
        panic!("written over")
    };
    let told: Vec<String> = list.iter().map(Difference::headline).collect();
    assert_eq!(told, ["a (edited by hand)", "c (not written by rocpkg)"]);
    assert!(list[0].diff.contains("-mine"), "{}", list[0].diff);
    assert_eq!(
        fs::read_to_string(dir.path().join("b")).unwrap(),
        "1",
        "nothing is written when anything is wrong"
    );
    // Once these files are moved away, they are no conflict.
    for name in ["a", "c"] {
        fs::rename(
            dir.path().join(name),
            dir.path().join(format!("{name}.mine")),
        )
        .unwrap();
    }
    write(&next, dir.path(), &plain()).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "2");
    assert_eq!(
        fs::read_to_string(dir.path().join("a.mine")).unwrap(),
        "mine"
    );
}

#[test]
fn files_that_went_away_go_only_with_prune_and_only_inside_the_scope() {
    let dir = tempfile::tempdir().unwrap();
    write(
        &tree(&[("p/old", "1"), ("q/old", "1")]),
        dir.path(),
        &plain(),
    )
    .unwrap();
    let now = tree(&[("p/new", "1")]);
    let scope = vec!["p".to_owned()];
    let kept = write(
        &now,
        dir.path(),
        &WriteOptions {
            scope: scope.clone(),
            ..plain()
        },
    )
    .unwrap();
    assert_eq!(kept.stale, ["p/old"]);
    let gone = write(
        &now,
        dir.path(),
        &WriteOptions {
            prune: true,
            scope,
            ..plain()
        },
    )
    .unwrap();
    assert_eq!(gone.removed, ["p/old"]);
    assert!(dir.path().join("q/old").exists());
    assert!(
        fs::read_to_string(dir.path().join(MANIFEST))
            .unwrap()
            .contains("q/old")
    );
}

#[test]
fn a_link_that_leads_out_is_refused() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(other.path(), dir.path().join("a")).unwrap();
    let result = write(&tree(&[("a/x", "1")]), dir.path(), &plain());
    assert!(matches!(result, Err(WriteError::Link(_))), "{result:?}");
    assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
}

#[test]
fn when_one_file_cannot_be_written_none_is() {
    let dir = tempfile::tempdir().unwrap();
    write_file(dir.path().join("z"), "a file where a folder is due");
    let next = tree(&[("a", "1"), ("z/x", "1")]);
    let result = write(&next, dir.path(), &plain());
    assert!(
        matches!(result, Err(WriteError::NoFolder { .. })),
        "{result:?}"
    );
    assert!(matches!(
        check(&next, dir.path(), &plain()),
        Err(WriteError::NoFolder { .. })
    ));
    let left: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["z"]);
}

#[test]
fn check_tells_what_would_change_and_leaves_foreign_files_alone() {
    let dir = tempfile::tempdir().unwrap();
    write(
        &tree(&[("a", "1\n"), ("gone", "1\n")]),
        dir.path(),
        &plain(),
    )
    .unwrap();
    write_file(dir.path().join("foreign"), "x");
    let found = check(&tree(&[("a", "2\n"), ("new", "1\n")]), dir.path(), &plain()).unwrap();
    let kinds: Vec<_> = found.iter().map(|d| (d.path.as_str(), d.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("a", Kind::OutOfDate),
            ("new", Kind::Missing),
            ("gone", Kind::Stale)
        ]
    );
    assert!(found[0].diff.contains("-1\n+2\n"), "{}", found[0].diff);
}

#[test]
fn what_was_below_a_folder_that_is_a_file_now_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    write(&tree(&[("a", "1"), ("z/x", "1")]), dir.path(), &plain()).unwrap();
    fs::remove_dir_all(dir.path().join("z")).unwrap();
    write_file(dir.path().join("z"), "mine");
    let next = tree(&[("a", "1")]);
    assert_eq!(check(&next, dir.path(), &plain()).unwrap(), []);
    let report = write(
        &next,
        dir.path(),
        &WriteOptions {
            prune: true,
            ..plain()
        },
    )
    .unwrap();
    assert_eq!(report.removed, [""; 0]);
    assert_eq!(fs::read_to_string(dir.path().join("z")).unwrap(), "mine");
}

#[test]
fn paths_that_lead_out_are_refused() {
    for bad in [
        "../x", "/x", "a//b", "a/./b", "", "a/..", "a\\b", "a\nb", "a b", "é",
    ] {
        assert!(RelPath::new(bad).is_err(), "{bad:?}");
    }
    assert!(tree(&[("a", "1")]).insert("a", "2").is_err());
}

#[test]
fn a_manifest_that_leads_out_removes_nothing() {
    let top = tempfile::tempdir().unwrap();
    let out = top.path().join("out");
    write(&tree(&[("a", "1")]), &out, &plain()).unwrap();
    write_file(top.path().join("precious"), "1");
    let manifest = out.join(MANIFEST);
    let sum = fs::read_to_string(&manifest)
        .unwrap()
        .lines()
        .last()
        .unwrap()
        .split("  ")
        .next()
        .unwrap()
        .to_owned();
    write_file(
        &manifest,
        format!("{sum}  a\n{sum}  ../precious\n{sum}  link/precious\n"),
    );
    std::os::unix::fs::symlink(top.path(), out.join("link")).unwrap();
    let prune = WriteOptions {
        prune: true,
        ..plain()
    };
    let result = write(&tree(&[("a", "1")]), &out, &prune);
    assert!(matches!(result, Err(WriteError::Link(_))), "{result:?}");
    assert!(matches!(
        check(&tree(&[("a", "1")]), &out, &plain()),
        Err(WriteError::Link(_))
    ));
    assert!(top.path().join("precious").exists());
}

#[test]
fn what_was_edited_by_hand_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    write(
        &tree(&[("old", "1"), ("edited", "1"), ("same", "1")]),
        dir.path(),
        &plain(),
    )
    .unwrap();
    write_file(at("edited"), "mine");
    write_file(at("foreign"), "theirs");
    let next = tree(&[
        ("old", "2"),
        ("edited", "2"),
        ("same", "1"),
        ("foreign", "2"),
    ]);
    let found = check(&next, dir.path(), &plain()).unwrap();
    let kinds: Vec<_> = found.iter().map(|d| (d.path.as_str(), d.kind)).collect();
    let told = [
        ("edited", Kind::Edited),
        ("foreign", Kind::Foreign),
        ("old", Kind::OutOfDate),
    ];
    assert_eq!(kinds, told);
    // Files that are no longer rendered have kinds of their own too.
    let found = check(&tree(&[("same", "1")]), dir.path(), &plain()).unwrap();
    let kinds: Vec<_> = found
        .iter()
        .map(|d| (d.path.as_str(), d.kind, d.kind.is_by_hand()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("edited", Kind::StaleEdited, true),
            ("old", Kind::Stale, false)
        ]
    );
    // A run that leaves the edited file out still reports it as edited.
    let report = write(&tree(&[("old", "2"), ("same", "1")]), dir.path(), &plain()).unwrap();
    assert_eq!(
        (report.stale, report.written),
        (vec!["edited".into()], vec!["old".into()])
    );
    assert_eq!(fs::read_to_string(at("edited")).unwrap(), "mine");
    assert!(
        matches!(write(&next, dir.path(), &plain()), Err(WriteError::Conflicts(list)) if list.len() == 2)
    );
}

#[test]
fn of_a_checkout_nothing_is_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    write_file(at("there"), "theirs");
    write_file(at("other"), "mine");
    let options = WriteOptions {
        checkout: true,
        prune: true,
        ..plain()
    };
    let next = tree(&[("a/new", "1"), ("there", "2")]);
    let kinds: Vec<_> = check(&next, dir.path(), &options)
        .unwrap()
        .into_iter()
        .map(|d| d.kind)
        .collect();
    assert_eq!(kinds, [Kind::Missing, Kind::OutOfDate]);
    // Files were rendered from the existing ones, so nothing is a conflict.
    let report = write(&next, dir.path(), &options).unwrap();
    assert_eq!(
        (report.written, report.unowned),
        (vec!["a/new".into(), "there".into()], Vec::<String>::new())
    );
    // The same run again changes nothing, and removes no file that is not rendered.
    let report = write(&tree(&[("there", "2")]), dir.path(), &options).unwrap();
    assert_eq!(
        (report.unchanged, report.unowned.len(), report.removed.len()),
        (1, 0, 0)
    );
    let mut left: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["a", "other", "there"]);
    assert!(at("a/new").exists());
}

#[test]
fn a_merged_file_is_replaced_and_a_present_one_is_not_removed() {
    let dir = tempfile::tempdir().unwrap();
    write(
        &tree(&[("Manifest", "a\n"), ("patch", "1")]),
        dir.path(),
        &plain(),
    )
    .unwrap();
    write_file(dir.path().join("Manifest"), "a\nb\n");
    let options = WriteOptions {
        prune: true,
        merged: ["Manifest".to_owned()].into(),
        present: ["patch".to_owned()].into(),
        ..plain()
    };
    let report = write(&tree(&[("Manifest", "a\nb\nc\n")]), dir.path(), &options).unwrap();
    assert_eq!(
        (report.written, report.removed),
        (vec!["Manifest".to_owned()], Vec::new())
    );
    assert!(dir.path().join("patch").exists());
}

#[test]
fn files_too_long_to_compare_are_told_by_their_lengths() {
    let out = tempfile::tempdir().unwrap();
    let long: String = (0..40_000).map(|n| format!("{n}\n")).collect();
    write_file(out.path().join("a"), long);
    let differs = check(&tree(&[("a", "rendered\n")]), out.path(), &plain()).unwrap();
    assert_eq!(
        differs[0].diff,
        "--- a/a\n+++ b/a\n(40000 existing lines, 1 rendered lines: too many to compare)\n"
    );
}

#[test]
fn our_files_are_untouched_until_somebody_changes_them() {
    let dir = tempfile::tempdir().unwrap();
    write(
        &tree(&[("a/x", "1"), ("b", "1"), ("gone", "1")]),
        dir.path(),
        &plain(),
    )
    .unwrap();
    write_file(dir.path().join("b"), "mine");
    fs::remove_file(dir.path().join("gone")).unwrap();
    assert_eq!(
        Manifest::read(&dir.path().join(MANIFEST))
            .unwrap()
            .untouched(dir.path(), |_| true),
        ["a/x".to_owned()].into()
    );
}

#[test]
fn a_link_inside_of_the_repository_is_a_folder_and_one_that_leads_out_is_refused() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir_all(dir.path().join(".git")).unwrap();
    fs::create_dir_all(dir.path().join("real")).unwrap();
    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    let link = |to: &std::path::Path| {
        let _ = fs::remove_file(out.join("a"));
        std::os::unix::fs::symlink(to, out.join("a")).unwrap();
    };
    link(&dir.path().join("real"));
    write(&tree(&[("a/x", "1")]), &out, &plain()).unwrap();
    assert_eq!(fs::read_to_string(dir.path().join("real/x")).unwrap(), "1");
    for outside in [
        other.path(),
        &dir.path().join(".git"),
        std::path::Path::new("gone"),
    ] {
        link(outside);
        let refused = write(&tree(&[("a/y", "1")]), &out, &plain());
        assert!(
            matches!(refused, Err(WriteError::Link(_))),
            "{}",
            outside.display()
        );
    }
}

#[test]
fn the_manifest_states_the_ids_that_git_gives() {
    let dir = tempfile::tempdir().unwrap();
    write(&tree(&[("a", "hello\n")]), dir.path(), &plain()).unwrap();
    // `echo hello | git hash-object --stdin`
    let manifest = Manifest::read(&dir.path().join(MANIFEST)).unwrap();
    assert_eq!(
        manifest.id("a"),
        Some("ce013625030ba8dba906f756967f9e9ca394464a")
    );
}

#[test]
fn a_file_that_changed_since_it_was_read_stops_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let id = |text: &str| Some(git_id(text.as_bytes()));
    for (name, text) in [("a", "1"), ("b", "1"), ("gone", "1")] {
        write_file(at(name), text);
    }
    let options = WriteOptions {
        checkout: true,
        removed: BTreeSet::from(["gone".to_owned()]),
        read: BTreeMap::from([
            ("a".to_owned(), id("1")),
            ("b".to_owned(), id("1")),
            ("gone".to_owned(), id("1")),
            ("new".to_owned(), None),
        ]),
        ..WriteOptions::default()
    };
    let next = tree(&[("a", "2"), ("b", "2"), ("new", "2")]);
    for (name, before) in [("b", Some("1")), ("gone", Some("1")), ("new", None)] {
        write_file(at(name), "theirs");
        let refused = write(&next, dir.path(), &options).unwrap_err();
        assert_eq!(refused.code(), "E0570");
        assert!(
            matches!(&refused, WriteError::Changed(paths) if paths == &[name]),
            "{refused}"
        );
        let text = |name: &str| fs::read_to_string(at(name)).unwrap();
        assert_eq!(
            (text("a"), text(name)),
            ("1".to_owned(), "theirs".to_owned())
        );
        match before {
            Some(text) => write_file(at(name), text),
            None => fs::remove_file(at(name)).unwrap(),
        }
    }
    // Whoever made the same change did no harm.
    write_file(at("b"), "2");
    assert_eq!(
        write(&next, dir.path(), &options).unwrap().written,
        ["a", "new"]
    );
    assert!(!at("gone").exists());
}

#[test]
fn a_file_that_changes_while_files_are_moved_stays() {
    let dir = tempfile::tempdir().unwrap();
    let options = WriteOptions {
        checkout: true,
        ..WriteOptions::default()
    };
    write(&tree(&[("a", "1"), ("b", "1")]), dir.path(), &options).unwrap();
    let save = |what: &str, path: &Path| {
        if what == "rename" && path.ends_with("a") {
            write_file(dir.path().join("b"), "theirs");
        }
        Ok(())
    };
    let next = tree(&[("a", "2"), ("b", "2"), ("c", "2")]);
    let refused = write_through(&save, &next, dir.path(), &options).unwrap_err();
    assert!(
        matches!(&refused, WriteError::Changed(paths) if paths == &["b"]),
        "{refused}"
    );
    let text = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    assert_eq!(
        (text("a"), text("b")),
        ("2".to_owned(), "theirs".to_owned())
    );
    assert!(!dir.path().join("c").exists());
}

/// Returns the files below a folder, by their paths in it. Those in `.git` are left out.
fn outside_of_git(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".git") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                let inside = path.strip_prefix(folder).unwrap();
                all.push(inside.to_str().unwrap().to_owned());
            }
        }
    }
    all.sort();
    all
}

#[test]
fn in_a_repository_a_killed_run_leaves_its_files_in_the_folder_of_git() {
    for is_worktree in [false, true] {
        for is_checkout in [false, true] {
            let mut step = 0;
            loop {
                let dir = tempfile::tempdir().unwrap();
                let root = dir.path().join("root");
                let out = root.join("packages");
                fs::create_dir_all(&out).unwrap();
                let git = if is_worktree {
                    write_file(root.join(".git"), "gitdir: ../own/worktrees/root\n");
                    dir.path().join("own/worktrees/root")
                } else {
                    root.join(".git")
                };
                fs::create_dir_all(&git).unwrap();
                write_file(git.join("HEAD"), "ref: refs/heads/main\n");
                let options = WriteOptions {
                    checkout: is_checkout,
                    ..WriteOptions::default()
                };
                let names = ["a/x", "b/y"];
                let files = |text| tree(&names.map(|name| (name, text)));
                write(&files("1"), &out, &options).unwrap();
                let before = outside_of_git(&root);
                let done = RefCell::new(0);
                let kill = |_: &str, _: &Path| {
                    *done.borrow_mut() += 1;
                    if *done.borrow() > step {
                        Err(io::Error::other("killed"))
                    } else {
                        Ok(())
                    }
                };
                let ended = write_through(&kill, &files("2"), &out, &options).is_ok();
                assert_eq!(outside_of_git(&root), before, "{step}");
                write(&files("3"), &out, &options).unwrap();
                assert_eq!(outside_of_git(&root), before, "{step}");
                assert_eq!(fs::read_dir(&git).unwrap().count(), 1, "{step}");
                for name in names {
                    assert_eq!(fs::read_to_string(out.join(name)).unwrap(), "3", "{step}");
                }
                if ended {
                    assert!(step > 3, "{step}");
                    break;
                }
                step += 1;
            }
        }
    }
}
