//! The layer of profiles that a bump edits, with its texts before and after the edits.

use crate::error::Error;
use crate::stack::Stack;
use rocpkg_model::{Files, Findings, Node, parse};
use rocpkg_render::splice::{Edit, edit};

/// A layer of a stack whose texts are edited.
pub(crate) struct Folder<'s> {
    stack: &'s Stack,
    at: usize,
    texts: Files,
}

impl<'s> Folder<'s> {
    /// Returns the last layer of the stack whose name is `name`, without any edits.
    ///
    /// # Errors
    /// If the stack has no layer of this name.
    pub(crate) fn of(stack: &'s Stack, name: &str) -> Result<Self, Error> {
        let at = stack.layers.iter().rposition(|(layer, _)| layer == name);
        let at = at.ok_or_else(|| Error::UnknownProfiles(name.to_owned()))?;
        Ok(Self {
            stack,
            at,
            texts: stack.layers[at].1.clone(),
        })
    }

    /// Returns the paths of the layer's files, those that were added included.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// Parses a file with its edits. None if the file does not exist, or is empty or no YAML.
    pub(crate) fn node(&self, path: &str) -> Option<Node> {
        parse(0, self.texts.get(path)?, &mut Findings::default())
    }

    /// Returns the text of a file with its edits; empty if the file does not exist.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.texts.get(path).map(String::as_str).unwrap_or_default()
    }

    /// Adds a file, or replaces its text.
    pub(crate) fn insert(&mut self, path: &str, text: String) {
        self.texts.insert(path.to_owned(), text);
    }

    /// Makes the edits in a file. A file that does not exist is created.
    ///
    /// # Errors
    /// If the file is no YAML, or if an edit can't be made without changing another value.
    pub(crate) fn edit(&mut self, path: &str, edits: &[Edit]) -> Result<(), Error> {
        let old = self.text(path);
        let name = &self.stack.layers[self.at].0;
        let new = edit(old, edits).map_err(|e| Error::profile(shown(name, path), e.to_string()))?;
        self.texts.insert(path.to_owned(), new);
        Ok(())
    }

    /// Returns the old texts and the new texts of the files that changed. A new file has no old
    /// text.
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

    /// Returns the stack with the edited texts of this layer.
    pub(crate) fn stack(&self) -> Stack {
        self.stack.with_texts(self.at, &self.texts)
    }
}

/// Returns the path of a file of the layer `folder` as findings show it: `mine/releases/7.2.yaml`.
fn shown(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}
