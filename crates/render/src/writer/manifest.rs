//! The manifest of an output folder: the list of files that rocpkg wrote to it. It contains git's
//! id of the content that was written last, so that git can restore that content if it was
//! committed. While a run writes, the manifest contains the ids of both the old and the new content
//! of each file. So rocpkg recognizes its files wherever a run is killed.

use super::disk::{Disk, NEW_MODE, Old, Other, Stage, check_folders, compare, read};
use super::error::WriteError;
use super::staging::staging;
use crate::tree::RelPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The manifest's name in the output folder.
pub const MANIFEST: &str = ".rocpkg-manifest";

const HEADER: &str = "# rocpkg manifest 2: files written by rocpkg, and git's ids of what they were, the newest last";
const UNFINISHED: &str = "# rocpkg manifest 2: files that a run was writing when it ended, and what they were and became";

/// The largest number of ids that are listed for one file.
const MOST_IDS: usize = 8;

/// The files that rocpkg wrote, by path. Each has the ids of its known contents, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The path of the manifest.
    pub(super) place: PathBuf,
    pub(super) files: BTreeMap<String, Vec<String>>,
    /// Set if the run that wrote the manifest did not finish.
    pub(super) unfinished: bool,
}

impl Manifest {
    /// Reads the manifest at the path `place`. The result is empty if no file is there.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn read(place: &Path) -> Result<Self, WriteError> {
        let bytes = read(place)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut files = BTreeMap::<String, Vec<String>>::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            // A path that leads out of the folder is ignored.
            if let Some((sum, path)) = line
                .split_once("  ")
                .filter(|(_, path)| RelPath::new(*path).is_ok())
            {
                files
                    .entry(path.to_owned())
                    .or_default()
                    .push(sum.to_owned());
            }
        }
        // A killed run may have left the staged manifest too.
        let unfinished = text.starts_with(UNFINISHED) || staging(place).exists();
        Ok(Self {
            place: place.to_owned(),
            files,
            unfinished,
        })
    }

    /// Returns the paths of the files that rocpkg wrote.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns true if the manifest lists the file at `path`.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns git's id of the content that was written last to a path; none if the manifest does
    /// not list the path.
    pub fn id(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.last().map(String::as_str)
    }

    /// Returns true if content with this id was written to a path.
    pub fn is_known(&self, path: &str, id: &str) -> bool {
        self.files
            .get(path)
            .is_some_and(|ids| ids.iter().any(|known| known == id))
    }

    /// Records the content of a file. Older ids are kept for a while, because another branch may
    /// contain that content.
    pub(super) fn note(&mut self, path: &str, id: String) {
        let ids = self.files.entry(path.to_owned()).or_default();
        ids.retain(|old| *old != id);
        ids.push(id);
        let many = ids.len().saturating_sub(MOST_IDS);
        ids.drain(..many);
    }

    /// Returns true if the existing file `found` has a content that rocpkg wrote to `path`. An
    /// empty file of the manifest counts too: its bytes were lost in a power cut, and it contains
    /// nobody's work.
    pub(super) fn is_ours(&self, path: &str, found: &Other) -> bool {
        self.files
            .get(path)
            .is_some_and(|sums| found.bytes.is_empty() || sums.contains(&found.sum))
    }

    /// Returns the files below `out` that rocpkg wrote and that are unchanged, among those for
    /// which `asked` returns true.
    pub fn untouched(&self, out: &Path, asked: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let mut folders = BTreeSet::new();
        let mut is_untouched = |path: &str| {
            check_folders(out, path, &mut folders).is_ok()
                && match compare(&out.join(path), b"") {
                    Ok(Old::Other(found)) => self.is_ours(path, &found),
                    Ok(Old::Same) => true,
                    // Nothing is at the path, or something that the writer refuses.
                    Ok(Old::Absent) | Err(_) => false,
                }
        };
        let asked = self.files.keys().filter(|path| asked(path));
        asked.filter(|path| is_untouched(path)).cloned().collect()
    }

    /// Returns the manifest with the ids of `next` added: those of the contents that a run is about
    /// to write.
    pub(super) fn joined(&self, next: &Self) -> Self {
        let mut both = Self {
            unfinished: true,
            ..self.clone()
        };
        for (path, ids) in &next.files {
            let known = both.files.entry(path.clone()).or_default();
            known.extend(
                ids.iter()
                    .filter(|id| !self.files.get(path).is_some_and(|k| k.contains(id)))
                    .cloned(),
            );
        }
        both
    }

    /// Writes the manifest, and waits until it is on the disk.
    pub(super) fn write(&self, disk: Disk) -> Result<(), WriteError> {
        let mut text = format!("{}\n", if self.unfinished { UNFINISHED } else { HEADER });
        for (path, sums) in &self.files {
            text.extend(sums.iter().map(|sum| format!("{sum}  {path}\n")));
        }
        let mut stage = Stage::new(disk);
        stage.put(&self.place, text.as_bytes(), NEW_MODE, true)?;
        stage.move_all(|_| Ok(()))
    }

    /// Removes the staged files of a killed run, and returns the manifest.
    pub(super) fn recover(disk: Disk, out: &Path, place: &Path) -> Result<Self, WriteError> {
        let known = Self::read(place)?;
        if known.unfinished {
            for path in known.files.keys() {
                let target = out.join(path);
                if check_folders(out, path, &mut BTreeSet::new()).is_ok() {
                    disk.clear(&target)?;
                    if !target.exists() {
                        disk.remove_empty(out, &target);
                    }
                }
            }
            // The staged manifest is removed last, because it may be the only list of the other
            // files.
            disk.clear(place)?;
        }
        Ok(known)
    }
}
