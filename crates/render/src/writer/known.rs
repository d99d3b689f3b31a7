//! Which files are ours: the manifest, and the journal of a run that did not come to its end.
//!
//! A run writes the journal before it moves the first file, and the manifest after it has moved and removed the last. So whenever
//! a run ends too early, each file of ours is what the manifest or the journal says, and the next run puts that together.

use super::disk::{Disk, NEW_MODE, compare, io_at, plain_file, read, remove_empty, staging};
use super::{JOURNAL, MANIFEST, Old, WriteError, check_folders};
use crate::tree::RelPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const HEADER: &str = "# rocpkg manifest 1: files written by rocpkg, and what they were";
const JOURNAL_HEADER: &str = "# rocpkg journal 1: files that a run was writing when it ended";

/// In the journal, the digest of a file that does not become ours.
pub(super) const NOT_OURS: &str = "-";

/// So long is a path at most: no system takes a longer one.
const LONGEST: usize = 4096;

/// The digests of files of ours by path.
pub(super) type Manifest = BTreeMap<String, String>;

/// True when a file is as we wrote it. One that is empty lost its bytes when the power went, and nobody's work.
pub(super) fn is_ours(manifest: &Manifest, path: &str, sum: &str, empty: bool) -> bool {
    manifest.get(path).is_some_and(|was| was == sum || empty)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = (String, String)> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let pairs: Vec<_> = text
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once("  "))
        // The file lies in the user's folder and may hold anything: a path that leads out is nobody's.
        .filter(|(_, path)| path.len() <= LONGEST && RelPath::new(*path).is_ok())
        .map(|(sum, path)| (path.to_owned(), sum.to_owned()))
        .collect();
    pairs.into_iter()
}

fn read_manifest(out: &Path) -> Result<Manifest, WriteError> {
    Ok(read(&out.join(MANIFEST))?.map(|bytes| lines(&bytes).collect()).unwrap_or_default())
}

fn read_journal(out: &Path) -> Result<Option<Vec<(String, String)>>, WriteError> {
    Ok(read(&out.join(JOURNAL))?.map(|bytes| lines(&bytes).collect()))
}

/// The text of a manifest.
pub(super) fn manifest_text(manifest: &Manifest) -> String {
    listed(HEADER, manifest.iter().map(|(path, sum)| (path.as_str(), sum.as_str())))
}

/// The text of a journal.
pub(super) fn journal_text<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    listed(JOURNAL_HEADER, pairs)
}

fn listed<'a>(header: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = format!("{header}\n");
    for (path, sum) in pairs {
        text.push_str(&format!("{sum}  {path}\n"));
    }
    text
}

/// The manifest as it is, and with what the journal adds to it.
pub(super) struct Known {
    pub(super) written: Manifest,
    pub(super) healed: Manifest,
    journal: Option<Vec<(String, String)>>,
}

impl Known {
    /// Reads both; nothing is changed.
    pub(super) fn read(out: &Path) -> Result<Self, WriteError> {
        let written = read_manifest(out)?;
        let journal = read_journal(out)?;
        let mut healed = written.clone();
        for (path, sum) in journal.iter().flatten().filter(|(_, sum)| sum != NOT_OURS) {
            if check_folders(out, path, &mut BTreeSet::new()).is_err() {
                continue;
            }
            match compare(&out.join(path), b"") {
                Ok(Old::Other { sum: found, .. }) if found == *sum => {
                    healed.insert(path.clone(), found);
                }
                Ok(Old::Same) => {
                    healed.insert(path.clone(), sum.clone());
                }
                // It was not moved into its place, or was changed by hand since.
                _ => {}
            }
        }
        Ok(Self { written, healed, journal })
    }

    /// Of the files that are asked for, those that are as we wrote them.
    pub(super) fn untouched(&self, out: &Path, asked: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let mut folders = BTreeSet::new();
        let mut is_untouched = |path: &String, was: &String| {
            check_folders(out, path, &mut folders).is_ok()
                && match compare(&out.join(path), b"") {
                    Ok(Old::Other { sum, .. }) => sum == *was,
                    Ok(Old::Same) => true,
                    // Nothing is there, or something that the writer refuses.
                    Ok(Old::Absent) | Err(_) => false,
                }
        };
        let asked = self.healed.iter().filter(|(path, _)| asked(path));
        asked.filter(|(path, was)| is_untouched(path, was)).map(|(path, _)| path.clone()).collect()
    }

    /// Clears away what a run left that did not come to its end, and makes the manifest say what is ours.
    pub(super) fn recover(disk: &dyn Disk, out: &Path) -> Result<Manifest, WriteError> {
        let manifest = out.join(MANIFEST);
        for place in [out.join(JOURNAL), manifest.clone()] {
            clear(disk, &staging(&place))?;
        }
        let known = Self::read(out)?;
        let Some(journal) = &known.journal else { return Ok(known.written) };
        let paths: BTreeSet<&String> =
            journal.iter().map(|(path, _)| path).chain(known.written.keys()).collect();
        for path in paths {
            if check_folders(out, path, &mut BTreeSet::new()).is_err() {
                continue;
            }
            let target = out.join(path);
            clear(disk, &staging(&target))?;
            if plain_file(&target).is_ok_and(|found| found.is_none()) {
                remove_empty(disk, out, &target);
            }
        }
        if known.healed != known.written {
            let place = staging(&manifest);
            let written = disk.create(&place, manifest_text(&known.healed).as_bytes(), NEW_MODE, true);
            if let Err(e) = written.and_then(|()| disk.rename(&place, &manifest)) {
                let _ = disk.remove_file(&place);
                return Err(io_at(&manifest)(e));
            }
        }
        let place = out.join(JOURNAL);
        disk.remove_file(&place).map_err(io_at(&place))?;
        Ok(known.healed)
    }
}

/// Removes a staged file of a run that ended.
fn clear(disk: &dyn Disk, place: &Path) -> Result<(), WriteError> {
    if std::fs::symlink_metadata(place).is_ok_and(|m| m.is_file()) {
        disk.remove_file(place).map_err(io_at(place))?;
    }
    Ok(())
}
