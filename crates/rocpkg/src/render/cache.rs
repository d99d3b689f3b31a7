//! What was made of inputs, kept in a folder of the user's for the next time: `render --cache`.
//!
//! A key is made of all that [`Made`] comes of: the program, the arguments and every text. So an entry that is whole is right, however
//! old it is. What lies in the output has no part in it and is looked at in every run.

use super::made::{Inputs, Made};
use crate::args::RenderArgs;
use crate::outcome::is_colored;
use rocpkg::render::{MAX_READ, digest, read_text};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::Builder;

/// What the program is made of, as its build script sums it up.
const PROGRAM: &str = env!("ROCPKG_SOURCES");

/// So many entries stay; what was not used for longest goes first.
const MOST: usize = 32;

/// How the name of an entry ends.
const ENDING: &str = ".rocpkg.json";

/// How the name of a file begins that is being written.
const UNFINISHED: &str = ".rocpkg-cache-";

/// What was being written so long ago is of a run that was killed.
const KILLED: Duration = Duration::from_hours(1);

/// The entry of some inputs.
#[derive(Debug)]
pub(super) struct Cache<'a> {
    folder: &'a Path,
    name: String,
}

/// Why nothing is kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum CacheError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Text(#[from] serde_json::Error),
    #[error("more than {MAX_READ} bytes")]
    Large,
}

impl<'a> Cache<'a> {
    /// The entry of these inputs. Of what can't be read as text there is none.
    pub(super) fn new(folder: &'a Path, args: &RenderArgs, inputs: &Inputs) -> Option<Self> {
        if !inputs.texts.unread.is_empty() {
            return None;
        }
        let args = format!("{:?}", args.of_inputs());
        let all = (PROGRAM, is_colored(), args, &inputs.texts.folders, &inputs.templates);
        let key = digest(&serde_json::to_vec(&all).ok()?);
        Some(Self { folder, name: format!("{key}{ENDING}") })
    }

    /// What was made of them before. What is not whole is nothing.
    pub(super) fn get(&self) -> Option<Made> {
        let place = self.folder.join(&self.name);
        // A pipe would keep us waiting, and a link is nobody's entry.
        fs::symlink_metadata(&place).ok().filter(fs::Metadata::is_file)?;
        let text = read_text(&place).ok()?;
        let (sum, made) = text.split_once('\n')?;
        if sum != self.sum(made) {
            return None;
        }
        // It was used now. Where that can't be written, it counts as older.
        let _ = fs::File::open(&place).and_then(|file| file.set_modified(SystemTime::now()));
        serde_json::from_str(made).ok()
    }

    /// What is to be kept.
    ///
    /// # Errors
    /// When it is no text, or too long to be read again.
    pub(super) fn text(&self, made: &Made) -> Result<String, CacheError> {
        let made = serde_json::to_string(made)?;
        let text = format!("{}\n{made}", self.sum(&made));
        if text.len() as u64 > MAX_READ { Err(CacheError::Large) } else { Ok(text) }
    }

    /// The sum of an entry and of its name, so that it can't stand for another one.
    fn sum(&self, made: &str) -> String {
        digest(format!("{}\n{made}", self.name).as_bytes())
    }

    /// Keeps it, in the place of what is not whole.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn put(&self, text: &str) -> Result<(), CacheError> {
        let said = |path: &Path| {
            let path = path.to_owned();
            move |source| CacheError::Io { path, source }
        };
        fs::create_dir_all(self.folder).map_err(said(self.folder))?;
        let place = self.folder.join(&self.name);
        let mut file =
            Builder::new().prefix(UNFINISHED).tempfile_in(self.folder).map_err(said(self.folder))?;
        let written = file.write_all(text.as_bytes());
        written.and_then(|()| Ok(file.persist(&place)?)).map_err(said(&place))?;
        // It does no harm where they stay.
        let _ = self.trim();
        Ok(())
    }

    /// Removes the entries that were not used for longest, and never this one; and what runs left that were killed.
    fn trim(&self) -> io::Result<()> {
        let mut all: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // Another run may have removed it.
            let Ok(at) = entry.metadata().and_then(|m| m.modified()) else { continue };
            if is_entry(&name) && name != self.name {
                all.push((at, entry.path()));
            } else if name.starts_with(UNFINISHED) && at.elapsed().is_ok_and(|age| age > KILLED) {
                let _ = fs::remove_file(entry.path());
            }
        }
        all.sort();
        let old = (all.len() + 1).saturating_sub(MOST);
        all.iter().take(old).for_each(|(_, path)| drop(fs::remove_file(path)));
        Ok(())
    }
}

/// Whether a file in the folder is ours.
fn is_entry(name: &str) -> bool {
    name.strip_suffix(ENDING).is_some_and(|key| key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit()))
}
