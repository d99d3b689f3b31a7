//! Edits of parts of a text. All other bytes are kept.

use rnix::SyntaxNode;
use rnix::ast::{AttrSet, HasEntry};
use rowan::ast::AstNode;

/// Edits of `text` that are not applied yet. Each has a byte range, and the text that replaces the
/// range.
#[derive(Clone, Debug)]
pub(super) struct Edits<'a> {
    text: &'a str,
    all: Vec<(usize, usize, String)>,
}

/// Returns the byte range of a node.
pub(super) fn range(node: &SyntaxNode) -> (usize, usize) {
    let range = node.text_range();
    (range.start().into(), range.end().into())
}

impl<'a> Edits<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            all: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Replaces a node by the text `by`.
    pub(super) fn replace(&mut self, node: &SyntaxNode, by: impl Into<String>) {
        let (start, end) = range(node);
        self.all.push((start, end, by.into()));
    }

    /// Inserts a text directly after a node, on the same line.
    pub(super) fn behind(&mut self, node: &SyntaxNode, text: &str) {
        let (_, end) = range(node);
        self.all.push((end, end, text.into()));
    }

    /// Removes a node. Its line is removed too, if the line contains nothing else.
    pub(super) fn remove(&mut self, node: &SyntaxNode) {
        let (start, end) = range(node);
        let last = self.text[end..]
            .split('\n')
            .next()
            .is_some_and(|rest| rest.trim().is_empty());
        let from = match self.indent(start) {
            Some(indent) if last => start - indent.len() - 1,
            // A comment on the line is kept.
            Some(_) => start,
            None => self.text[..start].trim_end().len(),
        };
        self.all.push((from, end, String::new()));
    }

    /// Inserts the entry `text` into a set: after the entry `behind`, or at the beginning if
    /// `behind` is `None`. The entry gets a line of its own if the other entries have one. If
    /// `spaced` is true, an empty line separates it from them.
    pub(super) fn insert(
        &mut self,
        set: &AttrSet,
        behind: Option<&SyntaxNode>,
        text: &str,
        spaced: bool,
    ) {
        let empty = if spaced { "\n" } else { "" };
        let brace = set
            .l_curly_token()
            .map_or(0, |t| usize::from(t.text_range().end()));
        let end = behind.map_or(brace, |node| range(node).1);
        let beside = behind
            .cloned()
            .or_else(|| set.entries().next().map(|e| e.syntax().clone()));
        let indent = beside.and_then(|node| self.indent(range(&node).0));
        let (at, put) = match indent {
            Some(indent) => {
                let lines = text
                    .replace('\n', &format!("\n{indent}"))
                    .replace(&format!("\n{indent}\n"), "\n\n");
                let put = match behind {
                    Some(_) => format!("\n{empty}{indent}{lines}"),
                    None => format!("\n{indent}{lines}{empty}"),
                };
                (self.line_end(end), put)
            }
            None => (end, format!(" {text}")),
        };
        self.all.push((at, at, put));
    }

    /// Inserts the argument `name` after `last`, the last argument of a function.
    pub(super) fn argument(&mut self, last: &SyntaxNode, name: &str) {
        let (start, end) = range(last);
        let comma = self.text[end..]
            .trim_start()
            .starts_with(',')
            .then(|| self.text[end..].find(',').unwrap_or(0));
        let (at, put) = match (comma, self.indent(start)) {
            (Some(comma), Some(indent)) => {
                (self.line_end(end + comma + 1), format!("\n{indent}{name},"))
            }
            (None, Some(indent)) => (end, format!(",\n{indent}{name}")),
            (_, None) => (end, format!(", {name}")),
        };
        self.all.push((at, at, put));
    }

    /// Returns the text with all edits applied.
    pub(super) fn apply(mut self) -> String {
        // Insertions at the same place keep their order.
        self.all.sort_by_key(|(start, end, _)| (*start, *end));
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (start, end, put) in self.all {
            out.push_str(self.text.get(at..start).unwrap_or_default());
            out.push_str(&put);
            at = end.max(at);
        }
        out.push_str(&self.text[at..]);
        out
    }

    /// Returns the indentation before the offset `start`, or `None` if other text precedes it on
    /// its line, or it is on the first line.
    fn indent(&self, start: usize) -> Option<&'a str> {
        let line = self.text[..start].rsplit('\n').next().unwrap_or_default();
        (line.trim().is_empty() && line.len() < start).then_some(line)
    }

    /// Returns the end of the line if only blanks or a comment follow the offset `end` on it.
    /// Returns `end` otherwise.
    fn line_end(&self, end: usize) -> usize {
        let rest = self.text[end..].split('\n').next().unwrap_or_default();
        let blank = rest.trim_start();
        if blank.is_empty() || blank.starts_with('#') {
            end + rest.trim_end().len()
        } else {
            end
        }
    }
}
