//! Tests of the writer when it is killed, when the disk is full, when two runs are at work, and
//! when an unexpected file is in the way.

use crate::common::{prune, tree};
use rocpkg_render::{MANIFEST, WriteError, WriteOptions, check, write, write_through};
use rocpkg_test_support::write_file;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

type Files<'a> = &'a [(&'a str, &'a str)];

const BEFORE: Files = &[
    ("a/x", "1"),
    ("a/y", "1"),
    ("b/same", "1"),
    ("old/deep/gone", "1"),
    ("old/too", "1"),
    ("zz", "1"),
];
const AFTER: Files = &[
    ("a/x", "22"),
    ("a/y", "22"),
    ("b/same", "1"),
    ("new/deep/n", "1"),
    ("zz", "22"),
];
const OTHER: Files = &[
    ("a/x", "333"),
    ("b/same", "333"),
    ("new/deep/n", "333"),
    ("third/t", "1"),
];
const MINE: &str = "a/mine";

/// Returns a folder to which a first run wrote the files of `BEFORE`, and that contains a file that
/// rocpkg did not write.
fn before() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(&tree(BEFORE), dir.path(), &prune()).unwrap();
    write_file(dir.path().join(MINE), "mine");
    dir
}

/// Writes `files` to `out` until the change with the number `at` is due. From then on every change
/// fails, also those that clean up. A file that is being created at that point is half written.
/// Returns true if the run finished.
fn killed_at(at: usize, files: Files, out: &Path) -> bool {
    killed_with(&prune(), at, files, out)
}

fn killed_with(options: &WriteOptions, at: usize, files: Files, out: &Path) -> bool {
    let done = RefCell::new(0);
    let before = |what: &str, path: &Path| {
        let mut done = done.borrow_mut();
        if *done == at && what == "create" {
            File::create(path)?.write_all(b"ha")?;
        }
        *done += 1;
        if *done > at {
            Err(io::Error::other("killed"))
        } else {
            Ok(())
        }
    };
    write_through(&before, &tree(files), out, options).is_ok()
}

#[test]
fn a_recipe_changes_after_the_files_beside_it() {
    let files = ["a/list", "a/recipe", "b/list", "b/recipe", "scope"];
    let of = |text| files.map(|path| (path, text));
    let options = WriteOptions {
        checkout: true,
        last: BTreeSet::from(["a/recipe", "b/recipe"].map(str::to_owned)),
        ..WriteOptions::default()
    };
    for step in 0.. {
        let dir = tempfile::tempdir().unwrap();
        write(&tree(&of("old")), dir.path(), &options).unwrap();
        let done = killed_with(&options, step, &of("new"), dir.path());
        let text = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
        for folder in ["a", "b"] {
            if text(&format!("{folder}/recipe")) == "new" {
                assert_eq!(text(&format!("{folder}/list")), "new", "{step}");
                assert_eq!(text("scope"), "new", "{step}");
            }
        }
        write(&tree(&of("new")), dir.path(), &options).unwrap();
        assert_eq!(files.map(text), ["new"; 5]);
        if done {
            assert!(step >= 10, "{step}");
            break;
        }
    }
}

/// Returns everything below a folder by path: files with their text, folders with none.
fn all(folder: &Path) -> BTreeMap<String, Option<String>> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if path.is_dir() {
                open.push(path);
                out.insert(name, None);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                out.insert(
                    name.clone(),
                    Some(if name == MANIFEST {
                        newest(&text)
                    } else {
                        text
                    }),
                );
            }
        }
    }
    out
}

/// Returns a manifest with only the newest id of each file.
fn newest(manifest: &str) -> String {
    let lines: Vec<&str> = manifest.lines().collect();
    let path = |line: &&str| line.split_once("  ").map(|(_, path)| path.to_owned());
    let is_last = |(at, line): &(usize, &&str)| {
        lines
            .get(at + 1)
            .is_none_or(|next| path(next) != path(line))
    };
    lines
        .iter()
        .enumerate()
        .filter(is_last)
        .map(|(_, line)| format!("{line}\n"))
        .collect()
}

/// Asserts that `out` contains exactly `files` and the file that rocpkg did not write, that no
/// folder is empty, and that the manifest equals that of a single run that was not killed.
fn assert_is(out: &Path, files: Files) {
    let fresh = tempfile::tempdir().unwrap();
    write(&tree(files), fresh.path(), &prune()).unwrap();
    let mut wanted = all(fresh.path());
    wanted.insert(MINE.to_owned(), Some("mine".to_owned()));
    wanted.insert("a".to_owned(), None);
    assert_eq!(all(out), wanted);
}

#[test]
fn a_run_that_was_killed_anywhere_is_completed_by_the_next() {
    let mut steps = 0;
    loop {
        let dir = before();
        let done = killed_at(steps, AFTER, dir.path());
        for (path, text) in BEFORE {
            let after = AFTER.iter().find(|(p, _)| p == path).map(|(_, t)| *t);
            match fs::read_to_string(dir.path().join(path)) {
                Ok(found) => assert!(
                    found == *text || Some(found.as_str()) == after,
                    "{steps}: {path}"
                ),
                Err(_) => assert_eq!(after, None, "{steps}: {path}"),
            }
        }
        for next in [AFTER, OTHER, BEFORE] {
            let dir = before();
            killed_at(steps, AFTER, dir.path());
            write(&tree(next), dir.path(), &prune()).unwrap_or_else(|e| panic!("{steps}: {e}"));
            assert_is(dir.path(), next);
        }
        // The run after the killed one may be killed too.
        for again in 0.. {
            let dir = before();
            killed_at(steps, AFTER, dir.path());
            let done = killed_at(again, OTHER, dir.path());
            write(&tree(BEFORE), dir.path(), &prune())
                .unwrap_or_else(|e| panic!("{steps}, {again}: {e}"));
            assert_is(dir.path(), BEFORE);
            if done {
                break;
            }
        }
        if done {
            break;
        }
        steps += 1;
    }
    assert!(steps > 15, "{steps}");
}

#[test]
fn a_full_disk_leaves_all_files_as_they_were() {
    for room in 0..6 {
        let dir = before();
        let mut old = all(dir.path());
        let made = RefCell::new(0);
        let before = |what: &str, _: &Path| {
            *made.borrow_mut() += usize::from(what == "create");
            if what == "create" && *made.borrow() > room {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        };
        let full = write_through(&before, &tree(AFTER), dir.path(), &prune());
        assert!(
            matches!(full, Err(WriteError::Io { .. })),
            "{room}: {full:?}"
        );
        let mut new = all(dir.path());
        // The manifest may list more ids already, and it is the last file that is written.
        old.remove(MANIFEST);
        new.remove(MANIFEST);
        assert!(new == old || room == 5, "{room}: {new:?}");
        write(&tree(AFTER), dir.path(), &prune()).unwrap();
        assert_is(dir.path(), AFTER);
    }
}

#[test]
fn of_two_runs_at_once_each_writes_its_side() {
    let dir = tempfile::tempdir().unwrap();
    let one = |side: &str| {
        let path = format!("{side}/f");
        let options = WriteOptions {
            scope: vec![side.to_owned()],
            ..prune()
        };
        for round in 0..50 {
            write(
                &tree(&[(path.as_str(), round.to_string().as_str())]),
                dir.path(),
                &options,
            )
            .unwrap();
        }
    };
    std::thread::scope(|s| {
        s.spawn(|| one("gentoo"));
        s.spawn(|| one("arch"));
    });
    assert!(
        check(
            &tree(&[("gentoo/f", "49"), ("arch/f", "49")]),
            dir.path(),
            &prune()
        )
        .unwrap()
        .is_empty()
    );
    assert_eq!(all(dir.path()).len(), 5);
}

#[test]
fn who_comes_second_is_told_that_another_writes() {
    let dir = tempfile::tempdir().unwrap();
    let said = RefCell::new(None);
    let meanwhile = |what: &str, path: &Path| {
        if what == "rename" && path.ends_with("zz") {
            *said.borrow_mut() = write(&tree(&[("other", "1")]), dir.path(), &prune()).err();
        }
        Ok(())
    };
    write_through(&meanwhile, &tree(AFTER), dir.path(), &prune()).unwrap();
    let said = said.into_inner().unwrap();
    assert!(
        said.code() == "E0570" && said.to_string().contains("another rocpkg writes"),
        "{said}"
    );
    assert!(!dir.path().join("other").exists());
}

#[test]
fn what_is_right_already_is_not_touched() {
    let dir = before();
    assert!(killed_at(0, BEFORE, dir.path()));
}

#[test]
fn strange_things_in_the_way_are_refused() {
    for place in ["a/x", MANIFEST, "old/too"] {
        let dir = before();
        let at = dir.path().join(place);
        let refused = |code: &str| {
            let said = write(&tree(AFTER), dir.path(), &prune()).unwrap_err();
            assert!(
                said.code() == code && said.to_string().contains(at.to_str().unwrap()),
                "{place}: {said}"
            );
            assert_eq!(
                check(&tree(AFTER), dir.path(), &prune())
                    .unwrap_err()
                    .code(),
                code,
                "{place}"
            );
        };
        fs::remove_file(&at).unwrap();
        fs::create_dir(&at).unwrap();
        refused("E0571");
        fs::remove_dir(&at).unwrap();
        std::os::unix::fs::symlink("mine", &at).unwrap();
        refused("E0572");
    }
}

#[test]
fn modes_of_files_are_kept() {
    let dir = before();
    let mode = |name: &str| {
        fs::metadata(dir.path().join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    fs::set_permissions(dir.path().join("a/x"), fs::Permissions::from_mode(0o755)).unwrap();
    write(&tree(AFTER), dir.path(), &prune()).unwrap();
    assert_eq!((mode("a/x"), mode("new/deep/n")), (0o755, 0o644));
}

#[test]
fn without_its_manifest_nothing_becomes_ours_unasked() {
    let dir = before();
    fs::remove_file(dir.path().join(MANIFEST)).unwrap();
    let report = write(&tree(BEFORE), dir.path(), &prune()).unwrap();
    assert_eq!((report.unchanged, report.unowned.len()), (6, 6));
    let report = write(&tree(&[("zz", "1")]), dir.path(), &prune()).unwrap();
    assert_eq!(
        (report.removed.len(), report.unowned),
        (0, vec!["zz".to_owned()])
    );
    // A file that rocpkg did not write is not replaced. A file that is written anew is listed.
    let refused = write(&tree(AFTER), dir.path(), &prune()).unwrap_err();
    let WriteError::Conflicts(list) = refused else {
        panic!("{refused}")
    };
    assert_eq!(
        list.iter().map(|d| d.path.as_str()).collect::<Vec<_>>(),
        ["a/x", "a/y", "zz"]
    );
    for (path, _) in BEFORE {
        fs::remove_file(dir.path().join(path)).unwrap();
    }
    fs::remove_dir_all(dir.path().join("old")).unwrap();
    assert_eq!(
        write(&tree(AFTER), dir.path(), &prune()).unwrap().unowned,
        Vec::<String>::new()
    );
    assert_is(dir.path(), AFTER);
}

#[test]
fn prune_never_removes_what_is_not_ours() {
    let dir = before();
    let at = |name: &str| dir.path().join(name);
    // One file was edited since, and another one was made by hand beside rocpkg's files.
    write_file(at("old/too"), "edited");
    write_file(at("old/mine"), "mine");
    let was = all(dir.path());
    let refused = write(&tree(AFTER), dir.path(), &prune()).unwrap_err();
    assert!(
        matches!(&refused, WriteError::Conflicts(list) if list.len() == 1 && list[0].path == "old/too"),
        "{refused}"
    );
    assert_eq!(all(dir.path()), was);
    // When the edited file is moved away, all others are removed. Files that were made by hand
    // stay.
    fs::rename(at("old/too"), at("elsewhere")).unwrap();
    let report = write(&tree(AFTER), dir.path(), &prune()).unwrap();
    assert_eq!(report.removed, ["old/deep/gone"]);
    let is = all(dir.path());
    assert_eq!(is.get("elsewhere"), was.get("old/too"));
    for name in ["old/mine", MINE] {
        assert_eq!(is.get(name), was.get(name), "{name}");
    }
    assert!(!at("old/deep").exists());
}

#[test]
fn a_file_that_lost_its_bytes_with_the_power_is_written_again() {
    let dir = before();
    File::create(dir.path().join("a/x")).unwrap();
    write(&tree(BEFORE), dir.path(), &prune()).unwrap();
    assert_is(dir.path(), BEFORE);
}
