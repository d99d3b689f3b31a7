//! Where text comes from: files held in memory, and places in them.

use std::collections::BTreeMap;

/// A place in a profile file: which file, and the byte range of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// Index into [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Line and column of a place, both counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A profile file: its path inside the profiles folder and its text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as messages show it, for instance `components/rocblas.yaml`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// All profile files of one model, in the order in which they are laid over each other.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file and returns its number.
    ///
    /// # Panics
    /// Never in practice: the number of files would have to exceed 32 bits.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push(Source { path: path.into(), text: text.into() });
        u32::try_from(self.files.len() - 1).expect("fewer than 2^32 files")
    }

    /// The file with this number.
    pub fn get(&self, file: u32) -> Option<&Source> {
        self.files.get(file as usize)
    }

    /// Line and column of the start of `span`.
    pub fn position(&self, span: Span) -> Position {
        let text = self.get(span.file).map_or("", |s| s.text.as_str());
        let before = text.get(..(span.start as usize).min(text.len())).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Position {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// `path:line:column` of the start of `span`.
    pub fn place(&self, span: Span) -> String {
        let at = self.position(span);
        let path = self.get(span.file).map_or("?", |s| s.path.as_str());
        format!("{path}:{}:{}", at.line, at.column)
    }

    /// All files by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Source)> {
        (0u32..).zip(self.files.iter())
    }
}

/// The files of one profiles folder: path inside the folder -> text.
pub type Files = BTreeMap<String, String>;
