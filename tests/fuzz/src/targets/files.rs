//! Files that lie in a folder of the user's already.

use rocpkg::arch::{Edited, print_srcinfo, read_srcinfo};
use rocpkg::gentoo::join_manifest;
use rocpkg::render::{
    DifferenceKind, FileTree, JOURNAL, LOCK, Listing, MANIFEST, WriteOptions, check, write, written,
};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// `.SRCINFO`: what is read is printed as it was.
pub(super) fn srcinfo(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match read_srcinfo(&text) {
        Ok(read) => {
            let printed = print_srcinfo(&read);
            assert_eq!(read_srcinfo(&printed).as_ref(), Ok(&read), "{text:?} prints as {printed:?}");
        }
        Err(line) => assert!(line >= 1 && line <= text.lines().count().max(1), "line {line} of {text:?}"),
    }
}

/// A PKGBUILD that somebody edited: each line is taken once.
pub(super) fn pkgbuild(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let read = Edited::read(&text);
    let rest = Edited::read(&read.rest.join("\n"));
    assert_eq!(rest, Edited { rest: read.rest.clone(), ..Edited::default() }, "{text:?}");
    let held: usize = read.rest.iter().chain(&read.sums).map(String::len).sum();
    assert!(held + read.release.len() <= text.len(), "{text:?}");
    let bare = |at: &Range<usize>| text[at.clone()].trim_matches(['\'', '"']).to_owned();
    assert_eq!(read.sums_at.iter().map(bare).collect::<Vec<_>>(), read.sums, "{text:?}");
    if !read.kind.is_empty() && !read.sums.iter().any(|s| s.is_empty() || s.contains(['\'', '"', ')'])) {
        let sums = read.sums.iter().map(|s| format!("'{s}'")).collect::<Vec<_>>().join("\n  ");
        let rest = read.rest.join("\n");
        let written = format!("{rest}\npkgrel='{}'\n{}sums=({sums})\n", read.release, read.kind);
        if !rest.ends_with(char::is_whitespace) && !read.release.contains(['\'', '"']) {
            // They stand elsewhere in the text that is written.
            let (release_at, sums_at) = (read.release_at.clone(), read.sums_at.clone());
            let again = Edited { release_at, sums_at, ..Edited::read(&written) };
            assert_eq!(again, read, "{text:?}");
        }
    }
}

/// A Manifest of Gentoo's that is there already: what was joined with it is joined with it.
pub(super) fn ebuild_manifest(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let known = "DIST rocrand-7.2.0.tar.gz 1234 BLAKE2B ab12 SHA512 cd34".to_owned();
    let lines = BTreeMap::from([
        ("rocrand-7.2.0.tar.gz".to_owned(), Some(known)),
        ("test-data.tar.xz".to_owned(), None),
    ]);
    let ours = Listing { path: "sci-libs/rocRAND/Manifest".into(), package: "rocrand".into(), lines };
    for (goes, force) in [(false, false), (false, true), (true, false)] {
        let joined = join_manifest(&ours, &text, |_, _| goes, force);
        assert!(!force || joined.disputed.is_empty());
        // What was not asked for stays where another ebuild needs it, and goes where none does.
        assert!(!goes || joined.listing.lines.len() == ours.lines.len());
        let Some(printed) = joined.listing.text(true) else { continue };
        let again = join_manifest(&joined.listing, &printed, |_, _| goes, false);
        assert_eq!((again.listing, again.disputed.len()), (joined.listing, 0), "{text:?}");
        assert!(!again.is_strange, "{text:?}");
    }
}

const BY_HAND: &str = "made by hand\n";
/// Its SHA-256: by it a manifest makes the file ours.
const BY_HAND_SUM: &str = "69feac6815693ba92e6cd8c374464b07d099d950abaf93a677d63091932ab617";
const OUTSIDE: &str = "of somebody else\n";

/// The manifest beside an output and the journal of a run that was killed, after a line with `force`, `keep` or `prune`; the parts
/// stand apart by lines of `=====`. Whatever they say, nothing that is not ours is lost, and a second run has nothing to do.
pub(super) fn output_manifest(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split("=====\n");
    let words = parts.next().unwrap_or_default();
    let (manifest, journal) = (parts.next().unwrap_or_default(), parts.next());
    let options = WriteOptions {
        force: words.contains("force"),
        keep: words.contains("keep"),
        prune: words.contains("prune"),
        ..WriteOptions::default()
    };
    // In memory where there is such a place: each run waits for its disk.
    let memory = Path::new("/dev/shm");
    let above = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let scratch = tempfile::tempdir_in(above).expect("a scratch folder");
    let out = scratch.path().join("out");
    let put = |path: &Path, text: &str| fs::write(path, text).expect("a file is written");
    fs::create_dir_all(out.join("gentoo/files")).expect("a folder is made");
    put(&scratch.path().join("outside"), OUTSIDE);
    put(&out.join("gentoo/notes.txt"), BY_HAND);
    put(&out.join("gentoo/a.ebuild"), BY_HAND);
    put(&out.join("gentoo/old.ebuild"), "");
    put(&out.join(MANIFEST), manifest);
    if let Some(journal) = journal {
        put(&out.join(JOURNAL), journal);
    }
    let mut tree = FileTree::default();
    for (path, text) in
        [("gentoo/a.ebuild", "rendered\n"), ("gentoo/b.ebuild", "rendered too\n"), ("gentoo/files/c", "")]
    {
        tree.insert(path, text).expect("a plain path");
    }
    let outcome = write(&tree, &out, &options);
    let read = |path: &str| fs::read_to_string(out.join(path)).ok();
    assert_eq!(fs::read_to_string(scratch.path().join("outside")).ok().as_deref(), Some(OUTSIDE));
    if !options.force && !text.contains(BY_HAND_SUM) {
        assert_eq!(read("gentoo/notes.txt").as_deref(), Some(BY_HAND), "{text:?}");
        assert_eq!(read("gentoo/a.ebuild").as_deref(), Some(BY_HAND), "{text:?}");
    }
    let Ok(report) = outcome else { return };
    for path in &report.written {
        assert!(tree.get(path).is_some() && read(path).is_some(), "{path} of {text:?}");
    }
    let again = write(&tree, &out, &options).unwrap_or_else(|e| panic!("{e} after {text:?}"));
    assert!(again.written.is_empty() && again.removed.is_empty(), "{again:?} after {text:?}");
    assert!(!out.join(JOURNAL).exists() && !out.join(LOCK).exists(), "{text:?}");
    let ours = written(&out).expect("a manifest that was just written");
    for path in &ours {
        assert!(read(path).is_some() || options.scope.is_empty(), "{path} is no file, after {text:?}");
    }
    let differs = check(&tree, &out, &options).unwrap_or_else(|e| panic!("{e} after {text:?}"));
    assert!(
        options.keep || differs.iter().all(|d| d.kind == DifferenceKind::Stale),
        "{differs:?} after {text:?}"
    );
}
