//! The writer among files that bear the names of its own, and were not made by it.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
#![allow(clippy::disallowed_methods)] // the tests play the part of whoever made the files

mod common;

use common::{prune, tree};
use rocpkg_render::{JOURNAL, LOCK, MANIFEST, WriteOptions, check, create, untouched, write, written};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const BEFORE: [(&str, &str); 3] = [("a/x", "1"), ("b", "1"), ("old/gone", "1")];
const AFTER: [(&str, &str); 3] = [("a/x", "2"), ("b", "1"), ("new/n", "1")];

fn before() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(&tree(&BEFORE), dir.path(), &prune()).unwrap();
    dir
}

/// Everything below a folder.
fn all(folder: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                out.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    out
}

/// The folder holds these files and the manifest.
fn assert_is(folder: &Path, files: &[(&str, &str)]) {
    let mut found = all(folder);
    assert!(found.remove(MANIFEST).is_some());
    assert_eq!(found, files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect());
}

#[test]
fn what_is_no_lock_of_ours_is_not_written_into() {
    for (own, other_name) in [
        ("precious\n", false),
        ("precious\n", true),
        ("4711\n", true),
        ("", true),
        ("4711\n4712\n", false),
        ("99999999999999999999\n", false),
    ] {
        let dir = before();
        let (place, lock) =
            (tempfile::tempdir_in(dir.path().parent().unwrap()).unwrap(), dir.path().join(LOCK));
        let victim = place.path().join("victim");
        fs::write(&victim, own).unwrap();
        if other_name {
            fs::hard_link(&victim, &lock).unwrap();
        } else {
            fs::copy(&victim, &lock).unwrap();
        }
        let was = all(dir.path());
        let options = WriteOptions { force: true, ..prune() };
        let refused = write(&tree(&AFTER), dir.path(), &options).unwrap_err();
        assert_eq!(refused.code(), "E0571", "{own:?}: {refused}");
        assert!(refused.to_string().contains(lock.to_str().unwrap()), "{refused}");
        assert_eq!(create(&tree(&[("n", "1")]), dir.path()).unwrap_err().code(), "E0571", "{own:?}");
        assert_eq!(all(dir.path()), was, "{own:?}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), own);
    }
    // One that is empty holds nothing of anybody's.
    let dir = before();
    fs::write(dir.path().join(LOCK), "").unwrap();
    write(&tree(&AFTER), dir.path(), &prune()).unwrap();
    assert_is(dir.path(), &AFTER);
}

#[test]
fn rows_with_endless_paths_are_nobodys() {
    let dir = before();
    let manifest = fs::read_to_string(dir.path().join(MANIFEST)).unwrap();
    let rows =
        |parts: usize| -> String { (0..20).map(|n| format!("00  {n}/{}x\n", "a/".repeat(parts))).collect() };
    for file in [MANIFEST, JOURNAL] {
        // No longer than a path may be: it is looked for where it could be, and no further.
        for parts in [30_000, 2_040] {
            fs::write(dir.path().join(MANIFEST), &manifest).unwrap();
            let before = if file == MANIFEST { manifest.as_str() } else { "" };
            fs::write(dir.path().join(file), format!("{before}{}", rows(parts))).unwrap();
            let known = written(dir.path()).unwrap();
            assert_eq!(known.iter().any(|path| path.ends_with("/a/x")), file == MANIFEST && parts < 2_048);
            let begun = std::time::Instant::now();
            assert!(check(&tree(&BEFORE), dir.path(), &prune()).unwrap().is_empty());
            write(&tree(&BEFORE), dir.path(), &prune()).unwrap();
            assert!(begun.elapsed().as_secs() < 5, "{file} {parts}");
            assert!(!dir.path().join(JOURNAL).exists());
            assert_is(dir.path(), &BEFORE);
        }
    }
}

#[test]
fn our_files_are_untouched_until_somebody_changes_them() {
    let dir = before();
    fs::write(dir.path().join("b"), "mine").unwrap();
    fs::write(dir.path().join("mine"), "mine").unwrap();
    fs::remove_file(dir.path().join("old/gone")).unwrap();
    assert_eq!(untouched(dir.path(), |_| true).unwrap(), ["a/x".to_owned()].into());
    assert_eq!(untouched(dir.path(), |path| path != "a/x").unwrap(), [].into());
}
