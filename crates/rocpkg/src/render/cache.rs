//! What was made of inputs, kept in a folder of the user's for the next time: `render --cache`.
//!
//! A key is made of all that [`Made`] comes of: the program, the arguments and every text. So an entry that is whole is right, however
//! old it is. What lies in the output has no part in it and is looked at in every run.

use super::made::{Inputs, Made};
use crate::args::RenderArgs;
use crate::outcome::is_colored;
use rocpkg::render::{FileTree, MAX_READ, WriteError, create, digest, read_text};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What the program is made of, as its build script sums it up.
const PROGRAM: &str = env!("ROCPKG_SOURCES");

/// So many entries stay; the oldest go first.
const MOST: usize = 32;

/// How the name of an entry ends.
const ENDING: &str = ".rocpkg.json";

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
    #[error(transparent)]
    Write(#[from] WriteError),
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
        // A pipe would keep us waiting.
        fs::metadata(&place).ok().filter(fs::Metadata::is_file)?;
        let text = read_text(&place).ok()?;
        let (sum, made) = text.split_once('\n')?;
        if sum != digest(made.as_bytes()) {
            return None;
        }
        serde_json::from_str(made).ok()
    }

    /// Keeps what was made, in the place of what is not whole.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn put(&self, made: &Made) -> Result<(), CacheError> {
        let said = |path: &Path| {
            let path = path.to_owned();
            move |source| CacheError::Io { path, source }
        };
        fs::create_dir_all(self.folder).map_err(said(self.folder))?;
        let made = serde_json::to_string(made)?;
        let mut tree = FileTree::default();
        let text = format!("{}\n{made}", digest(made.as_bytes()));
        if text.len() as u64 > MAX_READ {
            return Err(CacheError::Large);
        }
        tree.replace(self.name.as_str(), text).map_err(io::Error::other).map_err(said(self.folder))?;
        let place = self.folder.join(&self.name);
        if fs::symlink_metadata(&place).is_ok_and(|found| found.is_file()) {
            fs::remove_file(&place).map_err(said(&place))?;
        }
        create(&tree, self.folder)?;
        self.trim().map_err(said(self.folder))
    }

    /// Removes the oldest entries.
    fn trim(&self) -> io::Result<()> {
        let mut all: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(self.folder)? {
            let entry = entry?;
            if is_entry(&entry.file_name().to_string_lossy()) {
                // Another run may have removed it.
                all.extend(entry.metadata().and_then(|m| m.modified()).ok().map(|at| (at, entry.path())));
            }
        }
        all.sort();
        let old = all.len().saturating_sub(MOST);
        all.iter().take(old).for_each(|(_, path)| drop(fs::remove_file(path)));
        Ok(())
    }
}

/// Whether a file in the folder is ours.
fn is_entry(name: &str) -> bool {
    name.strip_suffix(ENDING).is_some_and(|key| key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit()))
}
