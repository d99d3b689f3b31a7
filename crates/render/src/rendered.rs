//! What a backend hands back.

use crate::bash::Counts;
use crate::tree::{FileTree, TreeError};
use std::collections::BTreeMap;

/// Where a rendered line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Printed from data of the model.
    Data,
    /// Stands in a template.
    Template,
    /// A typed step.
    Step,
    /// A raw hook.
    Raw,
}

/// A file that a recipe names and the user supplies: a local patch, a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Companion {
    /// Where it belongs in the distribution's tree.
    pub path: String,
    /// The id of the package that names it.
    pub package: String,
}

/// The files of one distribution.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The files; paths are relative to the distribution's folder.
    pub tree: FileTree,
    /// The package that each file belongs to; absent for files of the whole tree.
    pub owners: BTreeMap<String, String>,
    /// Files that the user supplies.
    pub companions: Vec<Companion>,
    /// Lines by origin.
    pub counts: Counts,
}

impl Rendered {
    /// Adds a file of a package, or of the whole tree.
    ///
    /// # Errors
    /// When the path is not plain or already taken.
    pub fn insert(
        &mut self,
        package: Option<&str>,
        path: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<(), TreeError> {
        self.tree.insert(path, bytes)?;
        if let Some(id) = package {
            self.owners.insert(path.to_owned(), id.to_owned());
        }
        Ok(())
    }

    /// Adds lines to the counts.
    pub fn count(&mut self, counts: &Counts) {
        for (origin, lines) in counts {
            *self.counts.entry(*origin).or_default() += lines;
        }
    }
}
