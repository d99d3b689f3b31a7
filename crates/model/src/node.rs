//! A YAML document as a tree in which every value knows its place.
//!
//! Serde stops at the first fault and resolves `7.10` to a number; the model needs all faults at
//! once, the scalar as written, and trees that can be laid over each other. So the events of the
//! same parser that serde-saphyr uses are built into a tree of our own.

use crate::finding::{Finding, Findings};
use crate::slips::not_yaml;
use crate::source::{Inset, Span, is_invisible, line_starts};
use granit_parser::{Event, Parser, ScalarStyle};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// A mapping entry's key.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The key's text.
    pub name: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `~`, `null` or nothing.
    Null,
    /// A scalar as written; `plain` is false when it stood in quotes or in a block.
    Scalar {
        /// The text after escapes.
        text: SmolStr,
        /// Written without quotes.
        plain: bool,
    },
    /// A sequence.
    Seq(Vec<Node>),
    /// A mapping, in order.
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// The value under `key` of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(k, _)| k.name == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries_mut()?
            .iter_mut()
            .find(|(k, _)| k.name == key)
            .map(|(_, v)| v)
    }

    /// The key of this name of a mapping, for its place.
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.entries()
            .iter()
            .map(|(key, _)| key)
            .find(|key| key.name == name)
    }

    /// The entries of a mapping; none for anything else.
    pub fn entries(&self) -> &[(Key, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The same, to be changed.
    pub fn entries_mut(&mut self) -> Option<&mut Vec<(Key, Node)>> {
        if let Value::Map(entries) = &mut self.value {
            Some(entries)
        } else {
            None
        }
    }

    /// The entries of a section of a mapping, in order; none where it has no such section.
    pub fn entries_of(&self, section: &str) -> &[(Key, Node)] {
        self.get(section).map(Node::entries).unwrap_or_default()
    }

    /// The keys of a section, in the same way.
    pub fn keys_of(&self, section: &str) -> impl Iterator<Item = &str> {
        self.entries_of(section)
            .iter()
            .map(|(key, _)| key.name.as_str())
    }

    /// The elements of a list; none for anything else.
    pub fn list(&self) -> &[Node] {
        if let Value::Seq(items) = &self.value {
            items
        } else {
            &[]
        }
    }

    /// The elements of the list under a key of a mapping, in the same way.
    pub fn list_of(&self, key: &str) -> &[Node] {
        self.get(key).map(Node::list).unwrap_or_default()
    }

    /// The elements of a list, or the one thing that stands for it.
    pub fn one_or_many(&self) -> &[Node] {
        match &self.value {
            Value::Seq(items) => items,
            Value::Null => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// True when two trees say the same, wherever and however it is written.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Scalar { text: a, .. }, Value::Scalar { text: b, .. }) => a == b,
            (Value::Seq(a), Value::Seq(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
            }
            (Value::Map(a), Value::Map(b)) => {
                let is_same = |((k, v), (l, w)): (&(Key, Node), &(Key, Node))| {
                    k.name == l.name && v.is_same(w)
                };
                a.len() == b.len() && a.iter().zip(b).all(is_same)
            }
            (a, b) => a == b,
        }
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The scalars below it, and its empty ends, in order.
    pub fn ends(&self) -> Vec<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().flat_map(|(_, value)| value.ends()).collect(),
            Value::Seq(items) => items.iter().flat_map(Node::ends).collect(),
            Value::Scalar { .. } | Value::Null => vec![self],
        }
    }

    /// What it is called in messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Scalar { .. } => "a scalar",
            Value::Seq(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// The largest profile file read, in bytes: the real ones are below 100 kB.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
/// The deepest nesting read.
pub const MAX_DEPTH: usize = 64;

enum Frame {
    Seq(Span, Vec<Node>),
    Map(Span, Vec<(Key, Node)>, Option<Key>),
}

/// Parses one YAML document into a tree.
///
/// Anchors and aliases are refused: a fact has one place.
///
/// # Errors
/// All faults go to `findings`; `None` when the text is no YAML at all.
pub fn parse(file: u32, text: &str, findings: &mut Findings) -> Option<Node> {
    let at = |start: usize, end: usize| Span {
        file,
        start: u32::try_from(start).unwrap_or(u32::MAX),
        end: u32::try_from(end).unwrap_or(u32::MAX),
        inset: None,
    };
    if text.len() > MAX_FILE_BYTES {
        findings.push(
            Finding::error(
                "E0101",
                at(0, 0),
                format!("the file has {} bytes", text.len()),
            )
            .label(format!("at most {MAX_FILE_BYTES} bytes are read"))
            .hint("a profile file describes one package: split it"),
        );
        return None;
    }
    let mut reader = Reader {
        text,
        stack: Vec::new(),
        root: None,
        documents: 0,
        empty: false,
        lines: None,
    };
    for next in Parser::new_from_str(text) {
        let (event, span) = match next {
            Ok(pair) => pair,
            Err(e) => {
                let start = e.marker().byte_offset().unwrap_or(0).min(text.len());
                findings.push(not_yaml(file, text, start, &e.info()));
                return None;
            }
        };
        let start = span.start.byte_offset().unwrap_or(0);
        let here = at(start, span.end.byte_offset().unwrap_or(start));
        let node = reader.event(event, here, findings);
        if reader.stack.len() > MAX_DEPTH {
            findings.push(
                Finding::error(
                    "E0105",
                    here,
                    format!("nested deeper than {MAX_DEPTH} levels"),
                )
                .label("profiles are flat"),
            );
            return None;
        }
        if let Some(node) = node {
            reader.place(node, findings);
        }
    }
    if reader.empty {
        return None;
    }
    Some(reader.root.unwrap_or(Node {
        span: at(0, 0),
        value: Value::Map(Vec::new()),
    }))
}

/// A document while it is read.
struct Reader<'t> {
    text: &'t str,
    /// What is open, the innermost last.
    stack: Vec<Frame>,
    root: Option<Node>,
    documents: usize,
    /// Whether a key stands there without a value.
    empty: bool,
    /// Where lines begin, once somebody asks.
    lines: Option<Vec<u32>>,
}

impl Reader<'_> {
    /// Takes an event; a value that is whole comes back.
    fn event(&mut self, event: Event, here: Span, findings: &mut Findings) -> Option<Node> {
        let named = || {
            Finding::error("E0103", here, "anchors and tags are not used in profiles")
                .label("write the value itself")
        };
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    findings.push(named());
                }
                let plain = matches!(style, ScalarStyle::Plain);
                let held = SmolStr::from(value);
                let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let span = Span {
                    inset: Inset::find(self.text, here.start as usize, &held, block),
                    ..here
                };
                findings.push_some(illegible(&held, span, &['\n', '\t']));
                let null = plain && matches!(held.as_str(), "" | "~" | "null");
                let value = if null {
                    Value::Null
                } else {
                    Value::Scalar { text: held, plain }
                };
                Some(Node { span, value })
            }
            Event::Alias(..) | Event::UnresolvedAlias(..) => {
                findings.push(named());
                Some(Node {
                    span: here,
                    value: Value::Null,
                })
            }
            Event::SequenceStart(..) => {
                self.stack.push(Frame::Seq(here, Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                self.stack.push(Frame::Map(here, Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => self.stack.pop().map(|frame| {
                let (span, value) = match frame {
                    Frame::Seq(span, items) => (span, Value::Seq(items)),
                    Frame::Map(span, entries, _) => {
                        (span, Value::Map(self.unique(entries, findings)))
                    }
                };
                Node {
                    span: Span {
                        end: here.end.max(span.start),
                        ..span
                    },
                    value,
                }
            }),
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents == 2 {
                    findings.push(
                        Finding::error("E0104", here, "a second document in one file")
                            .label("one file holds one document"),
                    );
                }
                None
            }
            _ => None,
        }
    }

    /// Puts a value where it belongs.
    fn place(&mut self, node: Node, findings: &mut Findings) {
        match self.stack.last_mut() {
            None if self.documents > 1 => {}
            None => self.root = Some(node),
            Some(Frame::Seq(_, items)) => items.push(node),
            Some(Frame::Map(_, entries, pending)) => {
                let Some(key) = pending.take() else {
                    *pending = Some(key_of(node, findings));
                    return;
                };
                if node.value == Value::Null && node.span.start == node.span.end {
                    // What it would take out is missed all over, so nothing of the file is read.
                    self.empty = true;
                    let what = format!("`{}` has no value", key.name);
                    let label = "expected a value, or lines below that are indented deeper";
                    let finding = Finding::error("E0108", key.span, what).label(label);
                    findings.push(finding.hint("`~` takes out what a layer below says"));
                }
                entries.push((key, node));
            }
        }
    }

    /// The entries of a mapping, of those with the same key the first; the others are told.
    fn unique(
        &mut self,
        mut entries: Vec<(Key, Node)>,
        findings: &mut Findings,
    ) -> Vec<(Key, Node)> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by(|a, b| entries[*a].0.name.cmp(&entries[*b].0.name));
        let mut again = BTreeSet::new();
        for same in order.chunk_by(|a, b| entries[*a].0.name == entries[*b].0.name) {
            for i in &same[1..] {
                let (first, key) = (&entries[same[0]].0, &entries[*i].0);
                let lines = self.lines.get_or_insert_with(|| line_starts(self.text));
                let line = lines.partition_point(|start| *start <= first.span.start);
                findings.push(
                    Finding::error(
                        "E0106",
                        key.span,
                        format!("the key `{}` stands twice", key.name),
                    )
                    .label(format!("it stands on line {line} already"))
                    .hint("keep one of the two"),
                );
                again.insert(*i);
            }
        }
        let mut at = 0..;
        entries.retain(|_| at.next().is_none_or(|i| !again.contains(&i)));
        entries
    }
}

/// What is wrong with a text that shows itself as something else than it is, or not at all: control
/// characters other than those `allowed`, and what [`is_invisible`] tells.
pub(crate) fn illegible(text: &str, span: Span, allowed: &[char]) -> Option<Finding> {
    let odd = |c: &char| is_invisible(*c) || (c.is_control() && !allowed.contains(c));
    text.chars().find(odd).map(|c| refused(c, "text", span))
}

/// The finding for a character that may not stand in a text or a key.
fn refused(c: char, what: &str, span: Span) -> Finding {
    let kind = if c.is_control() {
        "control character"
    } else {
        "invisible character"
    };
    let message = format!("the {what} holds the {kind} {c:?}");
    Finding::error("E0112", span, message).label("expected printable text")
}

fn key_of(node: Node, findings: &mut Findings) -> Key {
    if let Value::Scalar { text, .. } = node.value {
        // A key is a name of one line; what no value may hold was told already.
        if let Some(c) = text.chars().find(|c| matches!(c, '\n' | '\t')) {
            findings.push(refused(c, "key", node.span));
        }
        return Key {
            name: text,
            span: node.span,
        };
    }
    findings
        .push(Finding::error("E0107", node.span, "a key must be text").label("expected a name"));
    Key {
        name: SmolStr::default(),
        span: node.span,
    }
}
