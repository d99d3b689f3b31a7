//! Edits of a text by its bytes, and the beginnings and ends of its lines.

use std::ops::Range;

/// Edits of a text. Each edit replaces a range of bytes by a text; an empty range is an insertion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(crate) fn replace(&mut self, at: Range<usize>, text: String) {
        if !self
            .0
            .iter()
            .any(|(other, own)| *other == at && *own == text)
        {
            self.0.push((at, text));
        }
    }

    /// Replaces the bytes `at` by `words`. If an earlier edit already replaces these bytes by other
    /// words, `words` are added behind them.
    pub(crate) fn join(&mut self, at: Range<usize>, words: String) {
        match self
            .0
            .iter_mut()
            .find(|(other, text)| *other == at && !text.is_empty())
        {
            Some((_, text)) => *text = format!("{} {}", text.trim_end(), words.trim_start()),
            None => self.0.push((at, words)),
        }
    }

    /// Returns true if one edit removes all bytes `at`.
    pub(crate) fn removes(&self, at: &Range<usize>) -> bool {
        self.0
            .iter()
            .any(|(own, new)| new.is_empty() && own.start <= at.start && at.end <= own.end)
    }

    /// Returns true if an edit writes text inside of the bytes `at`.
    pub(crate) fn adds(&self, at: &Range<usize>) -> bool {
        self.0
            .iter()
            .any(|(own, new)| !new.is_empty() && at.start <= own.start && own.end <= at.end)
    }

    /// Applies the edits to `text`, and returns the result with the line ends of `text`. If two
    /// replacements overlap, only the first in the text is applied. Insertions and removals are
    /// applied in any case.
    pub(crate) fn applied(mut self, text: &str) -> String {
        self.0.sort_by_key(|(at, _)| (at.start, !at.is_empty()));
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        let is_crlf = text.contains("\r\n");
        for (at, new) in self.0 {
            let new = if is_crlf {
                new.replace("\r\n", "\n").replace('\n', "\r\n")
            } else {
                new
            };
            if at.start < done {
                if at.is_empty() {
                    // A line stays a line of its own, even if the end of the line above was
                    // removed.
                    if text[..at.start].ends_with('\n')
                        && !out.ends_with('\n')
                        && !new.starts_with('\n')
                    {
                        out.push('\n');
                    }
                    out.push_str(&new);
                } else if new.is_empty() {
                    // Bytes that either of two removals covers are removed, and no blank is left at
                    // the end of a line.
                    done = done.max(at.end);
                    if text[done..].starts_with('\n') {
                        out.truncate(out.trim_end_matches(' ').len());
                    }
                }
                continue;
            }
            out.push_str(&text[done..at.start]);
            out.push_str(&new);
            done = at.end;
        }
        out.push_str(&text[done..]);
        out
    }
}

/// Returns the first byte of the line that contains the byte `at`.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |n| n + 1)
}

/// Returns the first byte after the line that contains the byte `at`, and after its line break.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |n| at + n + 1)
}

/// Returns the blanks at the beginning of the line that contains the byte `at`.
pub(crate) fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
