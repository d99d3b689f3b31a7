//! The writer when it is killed, when the disk is full, when two run at once, and when something strange is in the way.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
#![allow(clippy::disallowed_methods)] // the tests play the part of the person who edits files

mod common;

use common::{prune, tree};
use rocpkg_render::{
    DifferenceKind, Direct, Disk, JOURNAL, LOCK, MANIFEST, WriteError, WriteOptions, check, create,
    create_through, write, write_through, written,
};
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A disk that ends the run before the operation of a number, or is full after some bytes; and counts.
#[derive(Default)]
struct Faulty {
    kill_at: Option<usize>,
    room: Cell<Option<usize>>,
    done: RefCell<Vec<&'static str>>,
}

impl Faulty {
    fn killed_at(at: usize) -> Self {
        Self { kill_at: Some(at), ..Self::default() }
    }

    fn with_room(bytes: usize) -> Self {
        Self { room: Cell::new(Some(bytes)), ..Self::default() }
    }

    /// After a kill, nothing happens any more: no clearing away either.
    fn step(&self, what: &'static str) -> io::Result<()> {
        let mut done = self.done.borrow_mut();
        if self.kill_at.is_some_and(|at| done.len() >= at) {
            return Err(io::Error::other("killed"));
        }
        done.push(what);
        Ok(())
    }
}

impl Disk for Faulty {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.step("mkdir")?;
        Direct.make_folder(path)
    }
    fn create(&self, path: &Path, bytes: &[u8], mode: u32, _sync: bool) -> io::Result<()> {
        let alive = self.kill_at.is_none_or(|at| self.done.borrow().len() < at);
        let dies_here = self.kill_at == Some(self.done.borrow().len());
        if alive || dies_here {
            let room = self.room.get().unwrap_or(bytes.len());
            let part = if dies_here { bytes.len() / 2 } else { bytes.len().min(room) };
            Direct.create(path, &bytes[..part], mode, false)?;
            if self.room.get().is_some() {
                self.room.set(Some(room - part));
            }
            if !dies_here && part < bytes.len() {
                return Err(io::ErrorKind::StorageFull.into());
            }
        }
        self.step("create")
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("rename")?;
        Direct.rename(from, to)
    }
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("rename")?;
        Direct.rename_new(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.step("unlink")?;
        Direct.remove_file(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.step("rmdir")?;
        Direct.remove_folder(path)
    }
    fn open_lock(&self, path: &Path) -> io::Result<File> {
        self.step("lock")?;
        Direct.open_lock(path)
    }
}

/// Everything below a folder: files with their text and mode, folders with none.
fn all(folder: &Path) -> BTreeMap<String, Option<(String, u32)>> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                open.push(path);
                out.insert(name, None);
            } else {
                let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
                out.insert(name, Some((fs::read_to_string(&path).unwrap(), mode)));
            }
        }
    }
    out
}

fn texts(folder: &Path) -> BTreeMap<String, String> {
    all(folder).into_iter().filter_map(|(name, file)| Some((name, file?.0))).collect()
}

/// The manifest names exactly the files that are there, but for these, with what they hold.
fn assert_whole(out: &Path, not_ours: &[&str]) {
    let mut files = texts(out);
    let manifest = files.remove(MANIFEST).unwrap();
    files.retain(|name, _| !not_ours.contains(&name.as_str()));
    let named: BTreeMap<String, String> = manifest
        .lines()
        .filter_map(|l| l.split_once("  ").map(|(sum, path)| (path.to_owned(), sum.to_owned())))
        .collect();
    let found = files.iter().map(|(name, text)| {
        let sum: String = Sha256::digest(text).iter().map(|b| format!("{b:02x}")).collect();
        (name.clone(), sum)
    });
    assert_eq!(named, found.collect());
    let empty = all(out)
        .into_iter()
        .filter(|(name, file)| file.is_none() && fs::read_dir(out.join(name)).unwrap().next().is_none());
    assert_eq!(empty.count(), 0, "no empty folder is left");
}

const BEFORE: [(&str, &str); 6] =
    [("a/x", "1"), ("a/y", "1"), ("b/same", "1"), ("old/deep/gone", "1"), ("old/too", "1"), ("zz", "1")];
const AFTER: [(&str, &str); 5] =
    [("a/x", "22"), ("a/y", "22"), ("b/same", "1"), ("new/deep/n", "1"), ("zz", "22")];
const OTHER: [(&str, &str); 4] = [("a/x", "333"), ("b/same", "333"), ("new/deep/n", "333"), ("third/t", "1")];
const MINE: &str = "a/mine";

/// A folder as a first run left it, with a file of somebody's.
fn before() -> tempfile::TempDir {
    after_one_run(&BEFORE)
}

fn after_one_run(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write_through(&Faulty::default(), &tree(files), dir.path(), &prune()).unwrap();
    fs::write(dir.path().join(MINE), "mine").unwrap();
    dir
}

fn assert_is(out: &Path, files: &[(&str, &str)]) {
    let mut found = texts(out);
    found.remove(MANIFEST);
    assert_eq!(found.remove(MINE).as_deref(), Some("mine"));
    let wanted: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    assert_eq!(found, wanted);
    assert_whole(out, &[MINE]);
}

#[test]
fn a_run_that_was_killed_anywhere_is_completed_by_the_next() {
    let whole = before();
    let counted = Faulty::default();
    write_through(&counted, &tree(&AFTER), whole.path(), &prune()).unwrap();
    assert_is(whole.path(), &AFTER);
    let steps = counted.done.borrow().clone();
    let count = |what| steps.iter().filter(|s| **s == what).count();
    // The journal, four files, the manifest; two files that went away, the journal, the lock.
    assert_eq!((count("rename"), count("unlink")), (6, 4), "{steps:?}");
    for at in 0..steps.len() {
        for (next, wanted) in [(&AFTER[..], &AFTER[..]), (&OTHER[..], &OTHER[..]), (&BEFORE[..], &BEFORE[..])]
        {
            let dir = before();
            let killed = write_through(&Faulty::killed_at(at), &tree(&AFTER), dir.path(), &prune());
            // That a lock's file is left over is no reason to say that a run failed.
            assert!(killed.is_err() || at + 1 == steps.len(), "{at} {}", steps[at]);
            for (path, text) in BEFORE {
                let after = AFTER.iter().find(|(p, _)| *p == path).map(|(_, t)| *t);
                match fs::read_to_string(dir.path().join(path)) {
                    Ok(found) => assert!(found == text || Some(found.as_str()) == after, "{at}: {path}"),
                    Err(_) => assert_eq!(after, None, "{at}: {path}"),
                }
            }
            write_through(&Faulty::default(), &tree(next), dir.path(), &prune())
                .unwrap_or_else(|e| panic!("{at} {}: {e}", steps[at]));
            assert_is(dir.path(), wanted);
        }
    }
}

#[test]
fn a_recovery_that_is_killed_too_is_completed_by_the_third_run() {
    let (first, second, third) = (
        [("a/x", "1"), ("old/gone", "1")],
        [("a/x", "22"), ("new/n", "1")],
        [("a/x", "333"), ("old/gone", "333")],
    );
    let mut pairs = 0;
    for one in 0.. {
        let dir = after_one_run(&first);
        if write_through(&Faulty::killed_at(one), &tree(&second), dir.path(), &prune()).is_ok() {
            break;
        }
        for two in 0.. {
            let dir = after_one_run(&first);
            write_through(&Faulty::killed_at(one), &tree(&second), dir.path(), &prune()).unwrap_err();
            let again = write_through(&Faulty::killed_at(two), &tree(&third), dir.path(), &prune());
            write_through(&Faulty::default(), &tree(&first), dir.path(), &prune())
                .unwrap_or_else(|e| panic!("{one}, {two}: {e}"));
            assert_is(dir.path(), &first);
            pairs += 1;
            if again.is_ok() {
                break;
            }
        }
    }
    assert!(pairs > 150, "{pairs}");
}

#[test]
fn a_full_disk_leaves_the_old_tree_whatever_its_size() {
    let needed = {
        let dir = before();
        let disk = Faulty::with_room(1 << 20);
        write_through(&disk, &tree(&AFTER), dir.path(), &prune()).unwrap();
        (1 << 20) - disk.room.get().unwrap()
    };
    assert!(needed > 500, "{needed} bytes for the journal, the files and the manifest");
    let dir = before();
    let old = all(dir.path());
    for room in 0..needed {
        let full = write_through(&Faulty::with_room(room), &tree(&AFTER), dir.path(), &prune());
        assert!(matches!(full, Err(WriteError::Io { .. })), "{room}: {full:?}");
        assert_eq!(all(dir.path()), old, "{room}");
    }
    write_through(&Faulty::with_room(needed), &tree(&AFTER), dir.path(), &prune()).unwrap();
    assert_is(dir.path(), &AFTER);
    // Of a folder that was not there, nothing is left.
    let none = tempfile::tempdir().unwrap();
    let out = none.path().join("a/b");
    assert!(write_through(&Faulty::with_room(9), &tree(&AFTER), &out, &prune()).is_err());
    assert_eq!(all(none.path()), BTreeMap::new());
}

#[test]
fn of_two_runs_at_once_each_writes_its_side() {
    for round in 0..50 {
        let dir = tempfile::tempdir().unwrap();
        let one = |side: &str| {
            let files: Vec<(String, String)> =
                (0..6).map(|i| (format!("{side}/{i}/f"), format!("{side}{round}"))).collect();
            let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
            let options = WriteOptions { scope: vec![side.to_owned()], ..prune() };
            loop {
                match write_through(&Faulty::default(), &tree(&files), dir.path(), &options) {
                    Ok(report) => return report.written.len(),
                    Err(WriteError::Busy { .. }) => std::thread::yield_now(),
                    Err(e) => panic!("{round}: {e}"),
                }
            }
        };
        let (left, right) = std::thread::scope(|s| {
            let left = s.spawn(|| one("gentoo"));
            let right = s.spawn(|| one("arch"));
            (left.join().unwrap(), right.join().unwrap())
        });
        assert_eq!((left, right), (6, 6));
        assert_whole(dir.path(), &[]);
        assert_eq!(written(dir.path()).unwrap().len(), 12);
    }
}

/// A disk on which somebody else begins a run in the midst of this one.
struct Meanwhile<'a> {
    out: &'a Path,
    said: RefCell<Vec<String>>,
}

impl Disk for Meanwhile<'_> {
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        Direct.make_folder(path)
    }
    fn create(&self, path: &Path, bytes: &[u8], mode: u32, sync: bool) -> io::Result<()> {
        Direct.create(path, bytes, mode, sync)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let other = write(&tree(&[("other", "1")]), self.out, &WriteOptions::default()).unwrap_err();
        assert_eq!(other.code(), "E0570");
        self.said.borrow_mut().push(other.to_string());
        Direct.rename(from, to)
    }
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.rename(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        Direct.remove_file(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        Direct.remove_folder(path)
    }
    fn open_lock(&self, path: &Path) -> io::Result<File> {
        Direct.open_lock(path)
    }
}

#[test]
fn who_comes_second_is_told_who_writes() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Meanwhile { out: dir.path(), said: RefCell::default() };
    write_through(&disk, &tree(&AFTER), dir.path(), &prune()).unwrap();
    let said = disk.said.into_inner();
    assert_eq!(said.len(), 7);
    let process = format!("process {} writes to this folder", std::process::id());
    assert!(said.iter().all(|s| s.contains(&process)), "{said:?}");
    assert!(!dir.path().join(LOCK).exists() && !dir.path().join("other").exists());
    // A lock's file that nobody holds is in nobody's way.
    fs::write(dir.path().join(LOCK), "1\n").unwrap();
    write(&tree(&AFTER), dir.path(), &prune()).unwrap();
    assert_whole(dir.path(), &[]);
}

#[test]
fn what_is_right_already_is_not_touched() {
    let dir = before();
    let idle = Faulty::default();
    write_through(&idle, &tree(&BEFORE), dir.path(), &prune()).unwrap();
    assert_eq!(*idle.done.borrow(), Vec::<&str>::new());
}

#[test]
fn strange_things_in_the_way_are_refused_at_once() {
    let options = WriteOptions { force: true, ..prune() };
    let pipe = |at: &Path| assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success());
    for place in ["a/x", MANIFEST, JOURNAL, LOCK, "old/too"] {
        let dir = before();
        let at = dir.path().join(place);
        let _ = fs::remove_file(&at);
        pipe(&at);
        let refused = write(&tree(&AFTER), dir.path(), &options).unwrap_err();
        assert_eq!(refused.code(), "E0571", "{place}: {refused}");
        assert!(refused.to_string().contains(at.to_str().unwrap()), "{refused}");
        if place != LOCK {
            assert_eq!(check(&tree(&AFTER), dir.path(), &options).unwrap_err().code(), "E0571", "{place}");
        }
    }
    let dir = before();
    fs::remove_file(dir.path().join("a/x")).unwrap();
    fs::create_dir(dir.path().join("a/x")).unwrap();
    let refused = write(&tree(&AFTER), dir.path(), &options).unwrap_err();
    assert!(refused.code() == "E0571" && refused.to_string().contains("a folder stands"), "{refused}");
    // A socket and a link, at a file of ours.
    let dir = before();
    fs::remove_file(dir.path().join("a/x")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("a/x")).unwrap();
    assert_eq!(write(&tree(&AFTER), dir.path(), &options).unwrap_err().code(), "E0571");
    let dir = before();
    fs::remove_file(dir.path().join("a/x")).unwrap();
    std::os::unix::fs::symlink("mine", dir.path().join("a/x")).unwrap();
    assert_eq!(write(&tree(&AFTER), dir.path(), &options).unwrap_err().code(), "E0572");
    assert_eq!(fs::read_to_string(dir.path().join(MINE)).unwrap(), "mine");
}

#[test]
fn modes_of_files_are_kept() {
    let dir = before();
    let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
    let set = |name: &str, mode| {
        fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    set("a/x", 0o755);
    set("a/y", 0o600);
    set("b/same", 0o640);
    write(&tree(&AFTER), dir.path(), &prune()).unwrap();
    assert_eq!((mode("a/x"), mode("a/y"), mode("b/same"), mode("new/deep/n")), (0o755, 0o600, 0o640, 0o644));
}

#[test]
fn without_its_manifest_nothing_becomes_ours_unasked() {
    let dir = before();
    fs::remove_file(dir.path().join(MANIFEST)).unwrap();
    let report = write(&tree(&BEFORE), dir.path(), &prune()).unwrap();
    assert_eq!((report.unchanged, report.unowned.len()), (6, 6));
    let report = write(&tree(&[("zz", "1")]), dir.path(), &prune()).unwrap();
    assert_eq!((report.removed.len(), report.unowned), (0, vec!["zz".to_owned()]));
    assert!(dir.path().join("old/deep/gone").exists());
    // Asked for, all of it is ours again.
    let force = WriteOptions { force: true, ..prune() };
    assert_eq!(write(&tree(&BEFORE), dir.path(), &force).unwrap().unowned, Vec::<String>::new());
    let report = write(&tree(&AFTER), dir.path(), &prune()).unwrap();
    assert_eq!(report.removed, ["old/deep/gone", "old/too"]);
    assert_is(dir.path(), &AFTER);
}

#[test]
fn prune_never_removes_what_is_not_ours() {
    let dir = before();
    let at = |name: &str| dir.path().join(name);
    // Edited since, made by hand beside ours, in a folder of ours, and with a name like those of staged files.
    fs::write(at("old/too"), "edited").unwrap();
    for mine in
        ["old/mine", "b/mine", ".rocpkg-0123456789abcdef", "a/.rocpkg-0123456789abcdef", "a/.rocpkg-Ab3dE6"]
    {
        fs::write(at(mine), "mine").unwrap();
    }
    fs::create_dir(at("nothing")).unwrap();
    let was = all(dir.path());
    let refused = write(&tree(&AFTER), dir.path(), &prune()).unwrap_err();
    assert!(matches!(&refused, WriteError::Conflicts(list) if *list == ["old/too"]), "{refused}");
    assert_eq!(all(dir.path()), was);
    let keep = WriteOptions { keep: true, ..prune() };
    let report = write(&tree(&AFTER), dir.path(), &keep).unwrap();
    assert_eq!((report.removed, report.kept), (vec!["old/deep/gone".to_owned()], vec!["old/too".to_owned()]));
    let is = all(dir.path());
    let ours = |name: &str| BEFORE.iter().chain(&AFTER).any(|(path, _)| *path == name);
    for (name, file) in was.iter().filter(|(name, file)| file.is_some() && !ours(name) && *name != MANIFEST) {
        assert_eq!(is.get(name), Some(file), "{name}");
    }
    assert!(at("nothing").is_dir() && !at("old/deep").exists());
    // A journal of a stranger's clears nothing away that lies outside, or that does not bear the name of a staged file.
    fs::write(at(JOURNAL), "# x\n00  ../b\n00  b/mine\n00  link/x\nnonsense\n").unwrap();
    std::os::unix::fs::symlink("/", at("link")).unwrap();
    write(&tree(&AFTER), dir.path(), &keep).unwrap();
    assert_eq!(fs::read_to_string(at("b/mine")).unwrap(), "mine");
    assert!(!at(JOURNAL).exists() && !written(dir.path()).unwrap().contains("b/mine"));
}

#[test]
fn a_file_that_lost_its_bytes_with_the_power_is_written_again() {
    let dir = before();
    File::create(dir.path().join("a/x")).unwrap().flush().unwrap();
    let found = check(&tree(&BEFORE), dir.path(), &prune()).unwrap();
    assert_eq!(found.iter().map(|d| d.kind).collect::<Vec<_>>(), [DifferenceKind::OutOfDate]);
    write(&tree(&BEFORE), dir.path(), &prune()).unwrap();
    assert_is(dir.path(), &BEFORE);
}

#[test]
fn new_files_of_the_users_are_all_there_or_completed() {
    let files = [("a/x", "1"), ("b/c/y", "2"), ("z", "3")];
    let counted = Faulty::default();
    let dir = tempfile::tempdir().unwrap();
    create_through(&counted, &tree(&files), dir.path()).unwrap();
    let whole = all(dir.path());
    assert_eq!(whole.values().flatten().count(), 3, "no manifest: {whole:?}");
    let steps = counted.done.borrow().len();
    assert!(steps > 10);
    for at in 0..steps {
        let dir = tempfile::tempdir().unwrap();
        let _ = create_through(&Faulty::killed_at(at), &tree(&files), dir.path());
        create_through(&Faulty::default(), &tree(&files), dir.path()).unwrap_or_else(|e| panic!("{at}: {e}"));
        assert_eq!(all(dir.path()), whole, "{at}");
    }
    fs::write(dir.path().join("z"), "mine").unwrap();
    let refused = create(&tree(&files), dir.path()).unwrap_err();
    assert!(refused.code() == "E0574" && refused.to_string().ends_with("\n  z"), "{refused}");
}
