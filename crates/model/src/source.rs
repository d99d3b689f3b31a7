//! Where text comes from: files held in memory, and places in them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A place in a profile file: which file, and the byte range of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Span {
    /// Index into [`Sources`].
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Where the text of a scalar stands, when the file holds it as it is, but for the margin of a
    /// block.
    pub inset: Option<Inset>,
}

/// Where the lines of a scalar's text stand in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inset {
    /// The byte at which the first line begins, its margin included.
    pub start: u32,
    /// The margin that YAML strips from each line that is not empty.
    pub columns: u32,
}

impl Inset {
    /// Finds the lines of `text` in the file from the byte `start` on; `None` when they differ by
    /// more than a margin, as the text of a folded block or of escapes does.
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
    /// Where it begins, for what is wrong with a thing as a whole.
    #[must_use]
    pub fn begin(self) -> Self {
        Self {
            end: self.start,
            ..self
        }
    }

    /// The place of a range of a scalar's text, in bytes; the whole scalar when the file spells it
    /// in another way.
    #[must_use]
    pub fn inside(self, text: &str, start: usize, end: usize) -> Self {
        let Some(inset) = self.inset else { return self };
        let place = |offset: usize| {
            let offset = text.floor_char_boundary(offset);
            let before = text.get(..offset).unwrap_or_default();
            let margins = before.split('\n').filter(|l| !l.is_empty()).count();
            // The margin of the line itself counts, though nothing of the line stands before the
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
            // The last line of a block has an end, and that of its file may have none.
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
    /// The path as it is, for instance `components/rocblas.yaml`.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// Whether it is of a folder that is laid over the first.
    pub laid: bool,
}

/// Text on one line of a terminal: what would move its cursor, change its colours, end the line or
/// turn the direction of writing shows as a picture of itself, the one that the line under a
/// finding has. Names of files come from strangers.
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

/// True for the characters by which Unicode turns the direction of writing (UAX 9) or ends a line.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The first byte of each line.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
    let starts = ends.map(|(i, _)| u32::try_from(i + 1).unwrap_or(u32::MAX));
    std::iter::once(0).chain(starts).collect()
}

/// All profile files of one model, in the order in which they are laid over each other.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
    /// Where the lines of each file begin, once somebody asks.
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

    /// Notes that the last file is of a folder that is laid over the first.
    pub fn lay(&mut self) {
        self.files
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|file| file.laid = true);
    }

    /// The file with this number.
    pub fn get(&self, file: u32) -> Option<&Source> {
        self.files.get(file as usize)
    }

    /// Line and column of the start of `span`.
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

    /// The first byte of the line that a place stands in, and one past its last.
    pub(crate) fn line(&self, span: Span) -> Option<(usize, usize)> {
        self.numbered(span).map(|(_, begin, end)| (begin, end))
    }

    /// The same with the line's number, from 1.
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

    /// `path:line:column` of the start of `span`, for a terminal.
    pub fn place(&self, span: Span) -> String {
        let at = self.position(span);
        let path = self.get(span.file).map_or("?", |s| s.path.as_str());
        format!("{}:{}:{}", legible(path), at.line, at.column)
    }

    /// All files by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Source)> {
        (0u32..).zip(self.files.iter())
    }
}

/// The files of one profiles folder: path inside the folder -> text.
pub type Files = BTreeMap<String, String>;
