//! `package.yml` by its lines: keys, elements of lists, and scripts.

use crate::outline::{Body, Form, Kind, Node, Outline, Reading};
use crate::unreadable::Unreadable;
use crate::value::Value;
use crate::words::{VERSION, Words};
use std::ops::Range;

/// Reads a recipe.
///
/// # Errors
/// The first byte of a line that is neither a key nor an element.
pub(crate) fn read(text: &str, reading: &Reading) -> Result<Outline, Unreadable> {
    Unreadable::if_too_long(text)?;
    let lines = lines(text);
    let version = lines.iter().find_map(|line| {
        line.text
            .strip_prefix("version")?
            .trim_start()
            .strip_prefix(':')
    });
    let version = version.map(|v| v.trim().trim_matches(['"', '\'']).to_owned());
    let reader = Reader { lines, version };
    let nodes = reader.block(0..reader.lines.len());
    let nodes = nodes.map_err(Unreadable::syntax)?;
    let root = Body {
        inside: 0..text.len(),
        nodes,
        kind: Kind::Items,
        form: Form::Lines,
        list: None,
    };
    Ok(Outline {
        text: text.to_owned(),
        root,
        reading: reading.clone(),
        words: Words::default(),
    })
}

/// A line that says something.
struct Line<'a> {
    at: Range<usize>,
    indent: usize,
    text: &'a str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let indent = line.len() - line.trim_start().len();
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            all.push(Line {
                at: start + indent..start + indent + trimmed.len(),
                indent,
                text: trimmed,
            });
        }
        start += line.len();
    }
    all
}

struct Reader<'a> {
    lines: Vec<Line<'a>>,
    version: Option<String>,
}

impl Reader<'_> {
    /// The items of some lines.
    fn block(&self, lines: Range<usize>) -> Result<Vec<Node>, usize> {
        let mut nodes = Vec::new();
        let mut at = lines.start;
        while at < lines.end {
            let line = &self.lines[at];
            let is_inside = |l: &Line| l.indent > line.indent;
            let end = at
                + 1
                + self.lines[at + 1..lines.end]
                    .iter()
                    .take_while(|l| is_inside(l))
                    .count();
            nodes.push(self.item(at, end)?);
            at = end;
        }
        Body::number(&mut nodes);
        Ok(nodes)
    }

    /// A line with those that stand inside of it.
    fn item(&self, at: usize, end: usize) -> Result<Node, usize> {
        let line = &self.lines[at];
        let whole = line.at.start..self.lines[end - 1].at.end;
        let element = line.text.strip_prefix("- ").map(str::trim_start);
        let said = element.unwrap_or(line.text);
        let key = said
            .split_once(':')
            .filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
        let inner = at + 1..end;
        let (name, value) = match (key, element) {
            (Some((name, value)), _) => (name.trim_end(), value.trim()),
            (None, Some(text)) => (text, ""),
            (None, None) if line.text == "-" => ("-", ""),
            (None, None) => return Err(line.at.start),
        };
        let start = line.at.end - value.len();
        let key = self.value(name.trim_matches(['"', '\'']));
        if inner.is_empty() {
            let leaf = Node::leaf(key, self.value(value.trim_matches(['"', '\''])), whole);
            return Ok(if value.is_empty() {
                leaf
            } else {
                Node {
                    value_at: start..line.at.end,
                    ..leaf
                }
            });
        }
        let is_script = value.starts_with(['|', '>']);
        let nodes = if is_script {
            self.script(inner)
        } else {
            self.block(inner)?
        };
        let kind = if is_script { Kind::Steps } else { Kind::Items };
        let body = Body {
            inside: line.at.end..whole.end,
            nodes,
            kind,
            form: Form::Lines,
            list: None,
        };
        Ok(Node {
            body: Some(body),
            ..Node::leaf(key, Value::plain(value), whole)
        })
    }

    /// The lines of a script; one that goes on is one with the next.
    fn script(&self, lines: Range<usize>) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut text = String::new();
        let mut start = None;
        for line in &self.lines[lines] {
            let from = *start.get_or_insert(line.at.start);
            text.push_str(line.text.trim_end_matches('\\'));
            text.push(' ');
            if !line.text.ends_with('\\') {
                let value = self.value(&text);
                nodes.push(Node::leaf(value.clone(), value, from..line.at.end));
                text.clear();
                start = None;
            }
        }
        Body::number(&mut nodes);
        nodes
    }

    fn value(&self, text: &str) -> Value {
        let written = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let put = |version: &str| {
            written
                .replace("%version%", version)
                .replace("${version}", version)
        };
        let open = put(&VERSION.to_string());
        let real = self.version.as_deref().map_or_else(|| open.clone(), put);
        Value {
            written,
            open,
            real,
        }
    }
}
