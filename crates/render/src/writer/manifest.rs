//! Which files are ours: the manifest beside them, or in the folder of git's own where they lie in
//! a checkout. It states the id that git gives to the content that was written last, so that git
//! can bring that back wherever it was committed. While a run writes, it names what each file was
//! and what it becomes, so that a file that is either is ours wherever the run is killed.

use super::disk::{Disk, NEW_MODE, Old, Other, Stage, check_folders, compare, read, staging};
use super::error::WriteError;
use crate::tree::RelPath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The manifest's name, beside the output.
pub const MANIFEST: &str = ".rocpkg-manifest";

const HEADER: &str = "# rocpkg manifest 2: files written by rocpkg, and git's ids of what they were, the newest last";
const UNFINISHED: &str = "# rocpkg manifest 2: files that a run was writing when it ended, and what they were and became";

/// How many renderings of a file are known.
const MOST_IDS: usize = 8;

/// The files of ours by path, each with the ids that it may have, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Where it stands.
    pub(super) place: PathBuf,
    pub(super) files: BTreeMap<String, Vec<String>>,
    /// A run that did not come to its end wrote it.
    pub(super) unfinished: bool,
}

impl Manifest {
    /// Reads a manifest; an empty one where there is none.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn read(place: &Path) -> Result<Self, WriteError> {
        let bytes = read(place)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut files = BTreeMap::<String, Vec<String>>::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            // A path that leads out of the folder is nobody's.
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
        // What was about to become the manifest is left of a run that was killed, too.
        let unfinished = text.starts_with(UNFINISHED) || staging(place).exists();
        Ok(Self {
            place: place.to_owned(),
            files,
            unfinished,
        })
    }

    /// The files that rocpkg wrote.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// True for a file that rocpkg wrote.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Git's id of what was written last to a path.
    pub fn id(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.last().map(String::as_str)
    }

    /// True for an id of something that was written to a path.
    pub fn is_known(&self, path: &str, id: &str) -> bool {
        self.files
            .get(path)
            .is_some_and(|ids| ids.iter().any(|known| known == id))
    }

    /// Notes what is written of a file. What was before stays known for a while: a branch may hold
    /// it.
    pub(super) fn note(&mut self, path: &str, id: String) {
        let ids = self.files.entry(path.to_owned()).or_default();
        ids.retain(|old| *old != id);
        ids.push(id);
        let many = ids.len().saturating_sub(MOST_IDS);
        ids.drain(..many);
    }

    /// True when a file is as we wrote it. One that is empty lost its bytes when the power went,
    /// and nobody's work.
    pub(super) fn is_ours(&self, path: &str, found: &Other) -> bool {
        self.files
            .get(path)
            .is_some_and(|sums| found.bytes.is_empty() || sums.contains(&found.sum))
    }

    /// Of our files under `out` that are asked for, those that are as we wrote them.
    pub fn untouched(&self, out: &Path, asked: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let mut folders = BTreeSet::new();
        let mut is_untouched = |path: &str| {
            check_folders(out, path, &mut folders).is_ok()
                && match compare(&out.join(path), b"") {
                    Ok(Old::Other(found)) => self.is_ours(path, &found),
                    Ok(Old::Same) => true,
                    // Nothing is there, or something that the writer refuses.
                    Ok(Old::Absent) | Err(_) => false,
                }
        };
        let asked = self.files.keys().filter(|path| asked(path));
        asked.filter(|path| is_untouched(path)).cloned().collect()
    }

    /// The same with what a run is about to write.
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

    /// Puts it into its place, and waits until it is on the disk.
    pub(super) fn write(&self, disk: Disk) -> Result<(), WriteError> {
        let mut text = format!("{}\n", if self.unfinished { UNFINISHED } else { HEADER });
        for (path, sums) in &self.files {
            text.extend(sums.iter().map(|sum| format!("{sum}  {path}\n")));
        }
        let mut stage = Stage::new(disk);
        stage.put(&self.place, text.as_bytes(), NEW_MODE, true)?;
        stage.move_all()
    }

    /// Clears away what a run left that did not come to its end.
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
            // Last, since it may be all that tells of the others.
            disk.clear(place)?;
        }
        Ok(known)
    }
}
