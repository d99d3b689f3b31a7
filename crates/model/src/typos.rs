//! Finds the mistake in a text that the parser rejects as YAML. The parser reports where it
//! stopped, which is often a line too late.

use crate::finding::Finding;
use crate::source::Span;

/// A text, and the line in which the parser stopped.
struct Text<'t> {
    whole: &'t str,
    file: u32,
    /// The line in which the parser stopped: the offset of its first byte, and its text.
    line: (usize, &'t str),
}

/// Returns the finding about a file that is not YAML. `file` is the file's number, `text` is its
/// text, and `at` is the byte at which the parser stopped. The finding describes the most likely
/// mistake, or else contains the parser's message `said`.
pub(crate) fn not_yaml(file: u32, text: &str, at: usize, said: &str) -> Finding {
    let at = text.floor_char_boundary(at.min(text.len()));
    // At the end of the text, the last line is examined.
    let begin = text
        .get(..at)
        .unwrap_or_default()
        .rfind('\n')
        .map_or(0, |i| i + 1);
    let here = Text {
        whole: text,
        file,
        line: (begin, line_at(text, begin)),
    };
    here.open(at)
        .or_else(|| here.tab())
        .or_else(|| here.unquoted(at, said))
        .or_else(|| here.colon(at, said))
        .or_else(|| here.indentation())
        .unwrap_or_else(|| here.wrong(at, at + 1, "this is not YAML").label(said))
}

fn line_at(text: &str, begin: usize) -> &str {
    text.get(begin..)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
}

/// Returns the number of spaces at the beginning of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn blanks(count: usize) -> String {
    match count {
        0 => "no spaces".to_owned(),
        1 => "1 space".to_owned(),
        n => format!("{n} spaces"),
    }
}

/// Returns the offset of the value in a line, after its key or its hyphen: `- a: b` -> 5. Returns
/// `None` for a line with neither.
fn value_of(line: &str) -> Option<usize> {
    let item = line
        .trim_start()
        .starts_with("- ")
        .then(|| indent(line) + 2);
    line.find(": ").map(|i| i + 2).or(item)
}

/// Returns `text` in double quotes, or in single quotes if it contains double quotes.
fn quoted(text: &str) -> String {
    let quote = if text.contains('"') { '\'' } else { '"' };
    format!("{quote}{text}{quote}")
}

impl Text<'_> {
    /// Returns the finding `what` about the bytes from `start` up to `end`.
    fn wrong(&self, start: usize, end: usize, what: &str) -> Finding {
        let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span {
            file: self.file,
            start: byte(start),
            end: byte(end.max(start)),
            inset: None,
        };
        Finding::error("E0102", span, what)
    }

    /// Returns the lines before the line in which the parser stopped, the nearest first, each with
    /// the offset of its first byte. Empty lines and comments are left out.
    fn before(&self) -> impl Iterator<Item = (usize, &str)> {
        let before = self.whole.get(..self.line.0).unwrap_or_default();
        let mut end = before.len();
        before
            .split_inclusive('\n')
            .rev()
            .map(move |line| {
                end -= line.len();
                (end, line.trim_end())
            })
            .filter(|(_, line)| {
                !line.trim_start().is_empty() && !line.trim_start().starts_with('#')
            })
    }

    /// Finds a quote or a bracket that is still open at the byte `at`.
    fn open(&self, at: usize) -> Option<Finding> {
        let mut open: Vec<(usize, char)> = Vec::new();
        // Set where a value may begin. A quote or a bracket inside a plain text is a part of that
        // text.
        let mut begins = true;
        let mut letters = self.whole.get(..at)?.char_indices().peekable();
        while let Some((i, c)) = letters.next() {
            let next = letters.peek().map(|(_, c)| *c);
            match (open.last().map(|(_, c)| *c), c) {
                (Some('"'), '\\') => _ = letters.next(),
                (Some(quote @ ('"' | '\'')), c) if quote == c => _ = open.pop(),
                (Some('"' | '\''), _) => {}
                (_, '"' | '\'') if begins => open.push((i, c)),
                (inside, '[' | '{') if begins || inside.is_some() => open.push((i, c)),
                (Some(_), ']' | '}') => _ = open.pop(),
                (_, '#') if begins || self.whole[..i].ends_with(char::is_whitespace) => {
                    while letters.next_if(|(_, c)| *c != '\n').is_some() {}
                }
                _ => {}
            }
            let inside = matches!(open.last(), Some((_, '[' | '{')));
            begins = match c {
                '\n' | '[' | '{' => true,
                ',' => inside,
                ':' | '-' => matches!(next, Some(' ' | '\n')),
                ' ' => begins,
                _ => false,
            };
        }
        let (start, sign) = open.pop()?;
        let begin = self.whole[..start].rfind('\n').map_or(0, |i| i + 1);
        let end = begin + line_at(self.whole, begin).trim_end().len();
        let (close, what) = match sign {
            '[' => (']', "a bracket"),
            '{' => ('}', "a brace"),
            quote => (quote, "a quote"),
        };
        // If the parser stopped in the same line and more text follows, its own message is better.
        (end < at || begin == self.line.0 && self.whole[at..].trim().is_empty()).then(|| {
            self.wrong(start, end, &format!("{what} is not closed"))
                .label(format!("`{sign}` is opened here and not closed"))
                .hint(format!("close it with `{close}`"))
        })
    }

    /// Finds a tab in the indentation of the line in which the parser stopped.
    fn tab(&self) -> Option<Finding> {
        let (begin, line) = self.line;
        let margin = line.len() - line.trim_start().len();
        let tab = line[..margin].find('\t')?;
        let finding = self.wrong(begin + tab, begin + margin, "a line is indented with a tab");
        let finding = finding.label("expected spaces: YAML allows no tabs here");
        Some(finding.hint("indent it with two spaces for each level"))
    }

    /// Finds a value at the byte `at` that begins with a character that has a meaning in YAML, such
    /// as `@`. `said` is the parser's message.
    fn unquoted(&self, at: usize, said: &str) -> Option<Finding> {
        let (begin, line) = self.line;
        let value = line.get(at - begin..)?.trim_end();
        value
            .chars()
            .next()
            .filter(|c| matches!(c, '@' | '`' | '%') || said.contains("unexpected"))?;
        let finding = self.wrong(at, at + value.len(), "a value needs quotes");
        let finding = finding.label("a value that begins with this character needs quotes");
        Some(finding.hint(format!("quote it: {}", quoted(value))))
    }

    /// Finds a value with a colon that YAML reads as another key (`a: b: c`), or a key without a
    /// colon and a blank (`a:b`). `said` is the parser's message.
    fn colon(&self, at: usize, said: &str) -> Option<Finding> {
        said.contains("mapping values").then_some(())?;
        let (begin, line) = self.line;
        if let Some(start) = value_of(line).filter(|start| begin + start < at) {
            let value = line[start..].trim_end();
            let (from, key) = (begin + start, line[..start].trim_start());
            let finding = self.wrong(
                from,
                from + value.len(),
                "a value with a colon needs quotes",
            );
            let finding = finding.label("YAML reads the text before the colon as a key");
            return Some(finding.hint(format!("quote it: {key}{}", quoted(value))));
        }
        let (above, text) = self.before().next()?;
        let key = text.trim_start();
        let is_value = value_of(text).is_some() || key.ends_with(':');
        if is_value {
            return None;
        }
        let start = above + indent(text);
        let hint = match key.split_once(':').or_else(|| key.split_once(' ')) {
            Some((key, value)) => format!("write `{key}: {}`", value.trim_start()),
            None => format!("write `{key}:` and its value after it"),
        };
        let finding = self.wrong(
            start,
            start + key.len(),
            "a key without a colon and a space after it",
        );
        Some(
            finding
                .label("expected a key, a colon, a space and a value")
                .hint(hint),
        )
    }

    /// Finds a line whose indentation fits none of the lines around it.
    fn indentation(&self) -> Option<Finding> {
        let (begin, line) = self.line;
        let own = indent(line);
        let mut above = self.before();
        let (mut at, mut text) = above.next()?;
        let slip = |at: usize, text: &str, due: usize, beside: &str| {
            let (has, key) = (indent(text), beside.trim_start().trim_start_matches("- "));
            let key = key.split(':').next().unwrap_or(key);
            let finding = self.wrong(at, at + has.max(1), "a line is indented wrongly");
            let finding = finding.label(format!(
                "{} here, and {} before `{key}`",
                blanks(has),
                blanks(due)
            ));
            Some(finding.hint(format!("indent it with {}", blanks(due))))
        };
        // The line is indented deeper than a line that already has its value.
        if own > indent(text) && !text.trim_start().starts_with("- ") {
            return slip(begin, line, indent(text), text);
        }
        // Goes up through the lines that are indented deeper than this one, to a line of the same
        // level or the parent.
        let (mut first, mut deeper) = ((at, text), indent(text));
        while indent(text) > own {
            (first, deeper) = ((at, text), indent(text));
            let Some(next) = above.next() else { break };
            (at, text) = next;
        }
        let column =
            |line: &str| indent(line) + 2 * usize::from(line.trim_start().starts_with("- "));
        let parent = if indent(text) < own {
            Some(column(text))
        } else {
            None
        };
        match parent {
            // The lines before are indented too deep, and this line is right.
            Some(parent) if own == parent + 2 && deeper != own => slip(first.0, first.1, own, line),
            None if own == 0 && indent(first.1) > 0 && first.0 == 0 => {
                slip(first.0, first.1, own, line)
            }
            Some(_) => {
                let due = column(first.1);
                slip(begin, line, due, first.1)
            }
            None => None,
        }
    }
}
