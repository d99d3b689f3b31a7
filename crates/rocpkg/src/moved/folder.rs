//! The folder of profiles that is written to, as it is and as it becomes.

use crate::error::Error;
use crate::stack::Stack;
use rocpkg_model::{Files, Findings, Node, parse};
use rocpkg_render::splice::{Edit, edit};

/// One layer of a stack, whose texts change.
pub(crate) struct Folder<'s> {
    stack: &'s Stack,
    at: usize,
    texts: Files,
}

impl<'s> Folder<'s> {
    /// The last layer of this name.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn of(stack: &'s Stack, name: &str) -> Result<Self, Error> {
        let at = stack.layers.iter().rposition(|(layer, _)| layer == name);
        let at =
            at.ok_or_else(|| Error::UnknownProfiles(name.to_owned()))?;
        Ok(Self {
            stack,
            at,
            texts: stack.layers[at].1.clone(),
        })
    }

    /// The paths of its files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// A file as it is read; none where it is not there.
    pub(crate) fn node(&self, path: &str) -> Option<Node> {
        parse(0, self.texts.get(path)?, &mut Findings::default())
    }

    /// Adds a file.
    pub(crate) fn insert(&mut self, path: &str, text: String) {
        self.texts.insert(path.to_owned(), text);
    }

    /// Changes a file, or makes it.
    ///
    /// # Errors
    /// When a change would change something else.
    pub(crate) fn edit(&mut self, path: &str, edits: &[Edit]) -> Result<(), Error> {
        let old = self.texts.get(path).map(String::as_str).unwrap_or_default();
        let name = &self.stack.layers[self.at].0;
        let new =
            edit(old, edits).map_err(|e| Error::profile(shown(name, path), e.to_string()))?;
        self.texts.insert(path.to_owned(), new);
        Ok(())
    }

    /// The files that changed, as they were and as they become.
    pub(crate) fn changed(&self) -> (Files, Files) {
        let before = &self.stack.layers[self.at].1;
        let changed = self
            .texts
            .iter()
            .filter(|(path, text)| before.get(*path) != Some(text));
        let new: Files = changed
            .map(|(path, text)| (path.clone(), text.clone()))
            .collect();
        let old = new
            .keys()
            .filter_map(|path| Some((path.clone(), before.get(path)?.clone())));
        (old.collect(), new)
    }

    /// The model with the folder as it becomes.
    pub(crate) fn stack(&self) -> Result<Stack, Error> {
        let layers = self.stack.layers.iter().enumerate();
        Ok(layers.fold(Stack::empty()?, |stack, (i, (name, files))| {
            stack.texts(
                name,
                if i == self.at {
                    self.texts.clone()
                } else {
                    files.clone()
                },
            )
        }))
    }
}

/// A path as findings show it.
fn shown(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}
