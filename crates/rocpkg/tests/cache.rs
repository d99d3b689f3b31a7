//! `render --cache`: what was made before is taken up again, and nobody can tell but by the clock.
#![allow(
    clippy::disallowed_methods,
    reason = "the command is run as people run it, and files are edited by hand"
)]
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use rocpkg::render::digest;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::{TempDir, tempdir};

/// A run of `render` with these arguments, which may hold several words.
fn render(out: &Path, cache: Option<&Path>, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocpkg"));
    let mut words: Vec<&str> = words.split_whitespace().collect();
    let checkout = words.pop_if(|word| *word == "--solus-dir");
    command.arg("render").args(words).arg(checkout.unwrap_or("--out")).arg(out).env("ROCPKG_CACHE", "");
    if let Some(cache) = cache {
        command.env("ROCPKG_CACHE", cache);
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a run says, wherever it writes to.
fn said(run: &Output, out: &Path) -> (Option<i32>, String, String) {
    let plain = |bytes| text(bytes).replace(out.to_str().unwrap(), "OUT");
    (run.status.code(), plain(&run.stdout), plain(&run.stderr))
}

/// All files below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut all, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                all.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempdir().unwrap();
    for (path, text) in files {
        let at = dir.path().join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    }
    dir
}

/// The one entry of a cache.
fn entry(cache: &Path) -> PathBuf {
    let mut all = fs::read_dir(cache).unwrap().map(|e| e.unwrap().path());
    let entry = all.find(|path| path.to_str().unwrap().ends_with(".rocpkg.json")).unwrap();
    assert!(all.next().is_none());
    entry
}

/// An entry of which one word says something else, and whose sum is right.
fn change(entry: &Path, from: &str, to: &str) {
    let old = fs::read_to_string(entry).unwrap();
    let made = old.split_once('\n').unwrap().1.replace(from, to);
    assert!(!old.ends_with(&made), "`{from}` stands nowhere");
    let name = entry.file_name().unwrap().to_str().unwrap();
    fs::write(entry, format!("{}\n{made}", digest(format!("{name}\n{made}").as_bytes()))).unwrap();
}

#[test]
fn whatever_is_asked_for_it_is_answered_as_without() {
    let one = folder(&[("components/rocblas.yaml", "summary: One thing\n")]);
    let two = folder(&[("components/rocblas.yaml", "summary: Another thing\n")]);
    let typo = folder(&[("components/rocblas.yaml", "sumary: A slip\n")]);
    let raw = folder(&[("distros/arch/rocblas.yaml", "phases: {build: [{raw: 'true'}]}\n")]);
    let odd = folder(&[("components/rocblas.yaml", "summary: A thing\n")]);
    fs::write(odd.path().join("components/rocfft.yaml"), b"summary: \xff\n").unwrap();
    let template = folder(&[("arch/PKGBUILD.j2", "# nothing\n")]);
    let templates = |dir: &TempDir| format!("arch --templates {}", dir.path().display());
    let with = |dir: &TempDir, more: &str| format!("--profiles {} {more}", dir.path().display());
    let asked = [
        String::new(),
        "gentoo".to_owned(),
        "arch nix".to_owned(),
        "nix".to_owned(),
        "solus --package rocblas".to_owned(),
        "solus --package rocfft".to_owned(),
        "solus --package rocbla".to_owned(),
        "gentoo --release 7.1.0".to_owned(),
        "gentoo -v".to_owned(),
        "gentoo --propagation chunked".to_owned(),
        "gentoo --targets gfx1100".to_owned(),
        "gentoo --targets gfx9999".to_owned(),
        "arch --allow-guesses".to_owned(),
        "arch --bare".to_owned(),
        "arch --stats".to_owned(),
        "arch --check".to_owned(),
        "arch --no-builtin".to_owned(),
        "arch --prune".to_owned(),
        "arch --keep".to_owned(),
        "solus --no-raw".to_owned(),
        "--solus-dir".to_owned(),
        "arch --solus-dir".to_owned(),
        with(&one, "arch"),
        with(&two, "arch"),
        with(&typo, "arch"),
        with(&typo, "gentoo"),
        with(&raw, "arch"),
        with(&raw, "arch --no-raw"),
        with(&odd, "arch"),
        templates(&template),
        templates(&one),
    ];
    let cache = tempdir().unwrap();
    for words in &asked {
        let outs = [tempdir().unwrap(), tempdir().unwrap(), tempdir().unwrap()];
        let caches = [None, Some(cache.path()), Some(cache.path())];
        // Twice each: into an empty folder, and over what was written.
        let runs: Vec<_> = outs.iter().zip(caches).collect();
        for _ in 0..2 {
            let all: Vec<_> = runs
                .iter()
                .map(|(out, cache)| said(&render(out.path(), *cache, words), out.path()))
                .collect();
            assert!(all.iter().all(|run| *run == all[0]), "`{words}`: {all:?}");
            let trees: Vec<_> = outs.iter().map(|out| files(out.path())).collect();
            assert!(trees.iter().all(|tree| *tree == trees[0]), "`{words}`");
        }
    }
    // Not those that end before anything is made, and once what asks the same of the inputs.
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), asked.len() - 7);
}

#[test]
fn what_was_made_is_taken_up_again() {
    let (cache, out) = (tempdir().unwrap(), tempdir().unwrap());
    assert!(render(out.path(), Some(cache.path()), "arch").status.success());
    change(&entry(cache.path()), "arch=(x86_64)", "arch=(x86_65)");
    assert!(render(out.path(), Some(cache.path()), "arch").status.success());
    let recipe = out.path().join("arch/rocblas/PKGBUILD");
    assert!(fs::read_to_string(&recipe).unwrap().contains("x86_65"));
    // In another folder as well.
    let other = tempdir().unwrap();
    assert!(render(other.path(), Some(cache.path()), "arch --prune").status.success());
    assert_eq!(files(other.path()), files(out.path()));
    // Nothing is taken where nobody asks.
    assert!(render(out.path(), None, "arch").status.success());
    assert!(!fs::read_to_string(&recipe).unwrap().contains("x86_65"));
}

#[test]
fn what_lies_in_the_output_is_looked_at_all_the_same() {
    let (cache, out) = (tempdir().unwrap(), tempdir().unwrap());
    assert!(render(out.path(), Some(cache.path()), "arch").status.success());
    let recipe = out.path().join("arch/rocblas/PKGBUILD");
    fs::write(&recipe, "# by hand\n").unwrap();
    let run = render(out.path(), Some(cache.path()), "arch");
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("error[E0573]"), "{}", text(&run.stderr));
    assert_eq!(render(out.path(), Some(cache.path()), "arch --check").status.code(), Some(1));
    assert!(render(out.path(), Some(cache.path()), "arch --force").status.success());
    assert_ne!(fs::read_to_string(&recipe).unwrap(), "# by hand\n");
    // All of these are one question to the model.
    entry(cache.path());
}

#[test]
fn a_companion_that_is_not_meant_is_shown_at_its_place() {
    let supplied =
        folder(&[("arch/hipblaslt/hipblaslt-Don-t-fetch-deps-for-rocroller.patch", "not that patch\n")]);
    let words = format!("arch --files {}", supplied.path().display());
    let (cache, out) = (tempdir().unwrap(), tempdir().unwrap());
    let plain = said(&render(out.path(), None, &words), out.path());
    for _ in 0..2 {
        assert_eq!(said(&render(out.path(), Some(cache.path()), &words), out.path()), plain);
    }
    assert!(plain.2.contains("E0441") && plain.2.contains("hipblaslt.yaml:"), "{}", plain.2);
}

#[test]
fn an_entry_that_is_not_whole_is_nothing() {
    let (cache, out) = (tempdir().unwrap(), tempdir().unwrap());
    let plain = render(out.path(), Some(cache.path()), "solus");
    assert!(plain.status.success());
    let entry = entry(cache.path());
    let whole = fs::read(&entry).unwrap();
    let mut turned = whole.clone();
    *turned.last_mut().unwrap() ^= 1;
    for broken in [&[][..], &whole[..whole.len() / 2], &turned, b"{}", b"\xff\xfe"] {
        fs::write(&entry, broken).unwrap();
        assert!(render(out.path(), Some(cache.path()), "solus --check").status.success());
        assert_eq!(fs::read(&entry).unwrap(), whole);
    }
    // That of another question is none for this one.
    let other = tempdir().unwrap();
    assert!(render(out.path(), Some(other.path()), "solus --package rocblas").status.success());
    fs::copy(self::entry(other.path()), &entry).unwrap();
    assert!(render(out.path(), Some(cache.path()), "solus --check").status.success());
    assert_eq!(fs::read(&entry).unwrap(), whole);
    fs::remove_file(&entry).unwrap();
    assert!(Command::new("mkfifo").arg(&entry).status().unwrap().success());
    assert!(render(out.path(), Some(cache.path()), "solus --check").status.success());
    assert_eq!(fs::read(&entry).unwrap(), whole);
}

#[test]
fn without_a_place_to_keep_things_it_is_rendered_and_said() {
    let (home, out) = (tempdir().unwrap(), tempdir().unwrap());
    let place = home.path().join("file");
    fs::write(&place, "somebody's\n").unwrap();
    let run = render(out.path(), Some(&place), "solus");
    assert!(run.status.success() && out.path().join("solus").is_dir());
    assert!(text(&run.stderr).contains("warning: --cache: "), "{}", text(&run.stderr));
    assert_eq!(fs::read_to_string(&place).unwrap(), "somebody's\n");
    // Also where nothing is written.
    fs::write(out.path().join("solus/rocblas/package.yml"), "# by hand\n").unwrap();
    let run = render(out.path(), Some(&place), "solus");
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("warning: --cache: "), "{}", text(&run.stderr));
}

#[test]
fn the_oldest_go_and_nothing_else() {
    let (cache, out) = (tempdir().unwrap(), tempdir().unwrap());
    let foreign = cache.path().join("notes.rocpkg.json");
    fs::write(&foreign, "somebody's\n").unwrap();
    let killed = cache.path().join(".rocpkg-cache-killed");
    fs::write(&killed, "half").unwrap();
    fs::File::options().write(true).open(&killed).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    let old = |n: usize| cache.path().join(format!("{n:064x}.rocpkg.json"));
    for n in 0..40 {
        fs::write(old(n), "").unwrap();
        let when = std::time::UNIX_EPOCH + std::time::Duration::from_secs(n as u64);
        fs::File::options().write(true).open(old(n)).unwrap().set_modified(when).unwrap();
    }
    assert!(render(out.path(), Some(cache.path()), "solus").status.success());
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 33);
    assert!(!killed.exists() && foreign.exists() && old(39).exists() && old(9).exists() && !old(8).exists());
    // What is used stays, and what was just made.
    let late = std::time::SystemTime::now() + std::time::Duration::from_secs(1000);
    for n in 9..40 {
        fs::File::options().write(true).open(old(n)).unwrap().set_modified(late).unwrap();
    }
    assert!(render(out.path(), Some(cache.path()), "arch").status.success());
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 33);
    let made = fs::read_dir(cache.path()).unwrap().map(|e| e.unwrap().path());
    let made: Vec<PathBuf> = made.filter(|path| fs::metadata(path).unwrap().len() > 100).collect();
    assert!(made.len() == 1 && fs::read_to_string(&made[0]).unwrap().contains("arch/rocblas"));
}
