//! The texts of profile files in memory, and places in them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A place in a profile file: the number of the file, and a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Span {
    /// The number of the file in [`Sources`].
    pub file: u32,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset one past the last byte.
    pub end: u32,
    /// The place of the lines of a scalar's text. Present if the file contains the text unchanged,
    /// except for the margin of a YAML block (`|`).
    #[doc(hidden)]
    pub inset: Option<Inset>,
}

/// The place of the lines of a scalar's text in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inset {
    /// The first byte of the first line, including its margin.
    pub start: u32,
    /// The width of the margin that YAML strips from each line that is not empty.
    pub columns: u32,
}

impl Inset {
    /// Finds the lines of a scalar's `text` in `file`, from the byte `start` on. `block` is true
    /// for a YAML block (`|` or `>`). Returns `None` if the file differs from the text in anything
    /// but the indentation of its lines, as in a folded block or a text with escapes.
    pub(crate) fn find(file: &str, start: usize, text: &str, block: bool) -> Option<Self> {
        let at = |start: usize, columns: usize| {
            Some(Self {
                start: u32::try_from(start).ok()?,
                columns: u32::try_from(columns).ok()?,
            })
        };
        let rest = file.get(start..)?;
        let sign = rest.starts_with(['|', '>']);
        if !sign {
            // Within quotes, or without any.
            for quote in [0, 1] {
                if !text.is_empty() && rest.get(quote..).is_some_and(|r| r.starts_with(text)) {
                    return at(start + quote, 0);
                }
            }
        }
        // Only a block has lines of its own; the line of anything else may be as long as the file.
        if !block {
            return None;
        }
        // The place of a block is its sign, or its first line that is not empty.
        let first = if sign {
            start + rest.find('\n')? + 1
        } else {
            let empty = text.bytes().take_while(|b| *b == b'\n').count();
            let before = file.get(..start)?;
            before
                .rmatch_indices('\n')
                .nth(empty)
                .map_or(0, |(i, _)| i + 1)
        };
        let mut columns = None;
        let mut lines = file.get(first..)?.split('\n');
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            let written = lines.next()?;
            if line.is_empty() {
                if !written.is_empty() {
                    return None;
                }
                continue;
            }
            let margin = written.strip_suffix(line)?;
            if margin.bytes().any(|b| b != b' ')
                || *columns.get_or_insert(margin.len()) != margin.len()
            {
                return None;
            }
        }
        at(first, columns?)
    }
}

impl Span {
    /// Returns the empty place at the start of the span. It is used for findings about a value as a
    /// whole.
    #[must_use]
    pub fn begin(self) -> Self {
        Self {
            end: self.start,
            ..self
        }
    }

    /// Returns the place in the file of the bytes from `start` up to `end` of a scalar's `text`,
    /// where `self` is the place of the scalar. Returns the place of the whole scalar if the file
    /// contains the text in another form.
    #[must_use]
    pub fn inside(self, text: &str, start: usize, end: usize) -> Self {
        let Some(inset) = self.inset else { return self };
        let place = |offset: usize| {
            let offset = text.floor_char_boundary(offset);
            let before = text.get(..offset).unwrap_or_default();
            let margins = before.split('\n').filter(|l| !l.is_empty()).count();
            // The margin of the line itself counts, although no text of the line comes before the
            // place.
            let begun = before.is_empty() || before.ends_with('\n');
            let own =
                usize::from(begun && !text[offset..].starts_with('\n') && offset < text.len());
            let margins = u32::try_from(margins + own).unwrap_or(u32::MAX);
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            let place = inset
                .start
                .saturating_add(offset)
                .saturating_add(inset.columns.saturating_mul(margins));
            // The last line of a block ends with a line end, which the last line of the file may
            // lack.
            place.min(self.end.max(self.start))
        };
        Self {
            start: place(start),
            end: place(end.max(start)),
            inset: None,
            ..self
        }
    }
}

/// The line and the column of a place, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// A profile file: its path inside the profiles folder and its text.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path inside the folder of profiles, such as `components/rocblas.yaml`.
    pub path: String,
    /// The whole text of the file.
    pub text: String,
    /// Set if the file is in one of the user's folders of profiles, which are merged over the first
    /// folder.
    pub laid: bool,
}

/// Makes text safe to print on one line of a terminal, since names of files come from strangers.
/// Characters that would move the cursor, change colours, end the line or turn the direction of
/// writing are replaced by visible symbols: `\n` -> `␊`. Excerpts under findings have the same
/// symbols.
pub fn legible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| (c.is_control() && c != '\t') || is_invisible(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| match c {
        c if !hidden(c) => c,
        '\0'..='\x1f' => {
            char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        '\x7f' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Returns true for the characters that turn the direction of writing (UAX 9) or end a line in
/// Unicode.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the offset of the first byte of each line.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
    let starts = ends.map(|(i, _)| u32::try_from(i + 1).unwrap_or(u32::MAX));
    std::iter::once(0).chain(starts).collect()
}

/// All profile files of one model, in the order in which they are merged.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    /// The offsets of the first bytes of the lines of each file, computed at the first use.
    lines: Vec<OnceLock<Vec<u32>>>,
}

impl Sources {
    /// Adds a file and returns its number.
    ///
    /// # Panics
    /// Never in practice: the number of files would have to exceed 32 bits.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push(Source {
            path: path.into(),
            text: text.into(),
            laid: false,
        });
        self.lines.push(OnceLock::new());
        u32::try_from(self.files.len() - 1).expect("fewer than 2^32 files")
    }

    /// Marks the last added file as part of a folder that is merged over the first folder.
    pub fn lay(&mut self) {
        self.files
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|file| file.laid = true);
    }

    /// Returns the file with this number, or `None` if there is no such file.
    pub fn get(&self, file: u32) -> Option<&Source> {
        self.files.get(file as usize)
    }

    /// Returns the line and the column of the start of `span`.
    pub fn position(&self, span: Span) -> Position {
        let Some((line, begin, _)) = self.numbered(span) else {
            return Position { line: 1, column: 1 };
        };
        let text = self.get(span.file).map_or("", |s| s.text.as_str());
        let before = text
            .get(begin..(span.start as usize).min(text.len()))
            .unwrap_or_default();
        Position {
            line,
            column: before.chars().count() + 1,
        }
    }

    /// Returns the offset of the first byte of the line that contains the start of `span`, and the
    /// offset one past its last byte. Returns `None` if the file does not exist.
    pub(crate) fn line(&self, span: Span) -> Option<(usize, usize)> {
        self.numbered(span).map(|(_, begin, end)| (begin, end))
    }

    /// Returns the number of the line that contains the start of `span`, counted from 1. Also
    /// returns the offset of its first byte, and the offset one past its last byte. Returns `None`
    /// if the file does not exist.
    fn numbered(&self, span: Span) -> Option<(usize, usize, usize)> {
        let text = self.get(span.file)?.text.as_str();
        let lines = self
            .lines
            .get(span.file as usize)?
            .get_or_init(|| line_starts(text));
        let line =
            lines.partition_point(|begin| *begin as usize <= (span.start as usize).min(text.len()));
        let end = lines
            .get(line)
            .map_or(text.len(), |next| *next as usize - 1);
        Some((line, lines[line - 1] as usize, end))
    }

    /// Returns `path:line:column` of the start of `span`, for a terminal.
    pub fn place(&self, span: Span) -> String {
        let at = self.position(span);
        let path = self.get(span.file).map_or("?", |s| s.path.as_str());
        format!("{}:{}:{}", legible(path), at.line, at.column)
    }

    /// Returns all files with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Source)> {
        (0u32..).zip(self.files.iter())
    }
}

/// The files of a folder of profiles: path inside the folder -> text.
pub type Files = BTreeMap<String, String>;
