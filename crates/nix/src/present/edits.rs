//! Changes to a text that leave all else in it alone.

use rnix::SyntaxNode;
use rnix::ast::{AttrSet, HasEntry};
use rowan::ast::AstNode;

/// What is replaced in a text, by bytes.
#[derive(Clone, Debug)]
pub(super) struct Edits<'a> {
    text: &'a str,
    all: Vec<(usize, usize, String)>,
}

/// The bytes of a node.
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

    /// Puts a text in place of a node.
    pub(super) fn replace(&mut self, node: &SyntaxNode, by: impl Into<String>) {
        let (start, end) = range(node);
        self.all.push((start, end, by.into()));
    }

    /// Puts a text right behind a node.
    pub(super) fn behind(&mut self, node: &SyntaxNode, text: &str) {
        let (_, end) = range(node);
        self.all.push((end, end, text.into()));
    }

    /// Takes a node out, and its line where nothing is left of that.
    pub(super) fn remove(&mut self, node: &SyntaxNode) {
        let (start, end) = range(node);
        let last = self.text[end..]
            .split('\n')
            .next()
            .is_some_and(|rest| rest.trim().is_empty());
        let from = match self.indent(start) {
            Some(indent) if last => start - indent.len() - 1,
            // A comment stays.
            Some(_) => start,
            None => self.text[..start].trim_end().len(),
        };
        self.all.push((from, end, String::new()));
    }

    /// Puts a text behind a node or, without one, first into a set: on a line of its own where the
    /// others have one, with an empty line between them where the set is `spaced`.
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

    /// Puts a name behind the last argument of a function.
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

    /// The text with everything done.
    pub(super) fn apply(mut self) -> String {
        // Insertions at one place stay in their order.
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

    /// The blanks before a place, where it begins its line.
    fn indent(&self, start: usize) -> Option<&'a str> {
        let line = self.text[..start].rsplit('\n').next().unwrap_or_default();
        (line.trim().is_empty() && line.len() < start).then_some(line)
    }

    /// The end of the line, where nothing but a comment stands behind a place, else that place.
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
