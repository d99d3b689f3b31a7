//! A YAML document as a tree in which every value has its place in the file.
//!
//! Serde stops at the first fault and reads `7.10` as a number. The model needs all faults at once,
//! scalars as they are written, and trees that can be merged. So this tree is built from the events
//! of the parser that serde-saphyr uses.

use crate::finding::{Finding, Findings};
use crate::source::{Inset, Span, is_invisible, line_starts};
use crate::typos::not_yaml;
use granit_parser::{Event, Parser, ScalarStyle};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// A value and its place in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The place of the value.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// The key of an entry of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The key's text.
    pub name: SmolStr,
    /// The place of the key.
    pub span: Span,
}

/// The value of a node: null, a scalar, a list or a mapping.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `~`, `null` or nothing.
    Null,
    /// A scalar as written. `plain` is false if the scalar was in quotes or in a block.
    Scalar {
        /// The text, with escapes resolved.
        text: SmolStr,
        /// Set if the scalar was written without quotes.
        plain: bool,
    },
    /// A list, which YAML calls a sequence.
    Seq(Vec<Node>),
    /// A mapping, with its entries in order.
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// Returns the value under `key` of a mapping. Returns `None` if the node is no mapping or
    /// lacks the key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(k, _)| k.name == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Returns a mutable reference to the value under `key` of a mapping. Returns `None` if the
    /// node is no mapping or lacks the key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries_mut()?
            .iter_mut()
            .find(|(k, _)| k.name == key)
            .map(|(_, v)| v)
    }

    /// Returns the key `name` of a mapping with its place in the file. Returns `None` if the node
    /// is no mapping or lacks the key.
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.entries()
            .iter()
            .map(|(key, _)| key)
            .find(|key| key.name == name)
    }

    /// Returns the entries of a mapping; none for any other value.
    pub fn entries(&self) -> &[(Key, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns a mutable reference to the entries of a mapping; `None` for any other value.
    pub fn entries_mut(&mut self) -> Option<&mut Vec<(Key, Node)>> {
        if let Value::Map(entries) = &mut self.value {
            Some(entries)
        } else {
            None
        }
    }

    /// Returns the entries of the mapping under `section`, in order; none if there is no such
    /// mapping.
    pub fn entries_of(&self, section: &str) -> &[(Key, Node)] {
        self.get(section).map(Node::entries).unwrap_or_default()
    }

    /// Returns the keys of the mapping under `section`, in order; none if there is no such mapping.
    pub fn keys_of(&self, section: &str) -> impl Iterator<Item = &str> {
        self.entries_of(section)
            .iter()
            .map(|(key, _)| key.name.as_str())
    }

    /// Returns the elements of a list; none for any other value.
    pub fn list(&self) -> &[Node] {
        if let Value::Seq(items) = &self.value {
            items
        } else {
            &[]
        }
    }

    /// Returns the elements of the list under `key`; none if there is no such list.
    pub fn list_of(&self, key: &str) -> &[Node] {
        self.get(key).map(Node::list).unwrap_or_default()
    }

    /// Returns the elements of a list. Returns no elements for null, and the node itself as the
    /// only element for any other node.
    pub fn one_or_many(&self) -> &[Node] {
        match &self.value {
            Value::Seq(items) => items,
            Value::Null => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns true if two trees have the same values. Places and quotes are not compared.
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

    /// Returns the text of a scalar; `None` for any other value.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns all scalars and nulls of the tree, in order: `{a: 1, b: [2, ~]}` -> `1`, `2`, `~`.
    pub fn ends(&self) -> Vec<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().flat_map(|(_, value)| value.ends()).collect(),
            Value::Seq(items) => items.iter().flat_map(Node::ends).collect(),
            Value::Scalar { .. } | Value::Null => vec![self],
        }
    }

    /// Returns the name of the kind of value for messages, such as `a list`.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Scalar { .. } => "a scalar",
            Value::Seq(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }
}

/// The size of the largest profile file that is read, in bytes. Real files are below 100 kB.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
/// The deepest nesting of values that is read.
pub const MAX_DEPTH: usize = 64;

enum Frame {
    Seq(Span, Vec<Node>),
    Map(Span, Vec<(Key, Node)>, Option<Key>),
}

/// Parses one YAML document into a tree. `file` is the number of the file in [`crate::Sources`],
/// and `text` is its text. An empty text is an empty mapping.
///
/// Anchors, aliases and tags are errors, so that each fact has one place.
///
/// # Errors
/// Adds all faults to `findings`. Returns `None` if the text is not YAML, is larger than
/// [`MAX_FILE_BYTES`], is nested deeper than [`MAX_DEPTH`], or has a key without a value.
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
    let mut reader = TreeReader {
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
                .label("no key of a profile is nested that deep"),
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

/// The state of the reader while it reads a document.
struct TreeReader<'t> {
    text: &'t str,
    /// The open lists and mappings, the innermost last.
    stack: Vec<Frame>,
    root: Option<Node>,
    documents: usize,
    /// Set if a key without a value was read.
    empty: bool,
    /// The first byte of each line, computed at the first use.
    lines: Option<Vec<u32>>,
}

impl TreeReader<'_> {
    /// Handles an event of the YAML parser at the place `here`. Returns a node if the event is a
    /// scalar or ends a list or a mapping.
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
                // Most lists and mappings have one element or two, and a vector that grows begins
                // with room for four.
                let (span, value) = match frame {
                    Frame::Seq(span, mut items) => {
                        items.shrink_to_fit();
                        (span, Value::Seq(items))
                    }
                    Frame::Map(span, entries, _) => {
                        let mut entries = self.unique(entries, findings);
                        entries.shrink_to_fit();
                        (span, Value::Map(entries))
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
                        Finding::error("E0104", here, "the file contains a second document")
                            .label("expected one document in a file"),
                    );
                }
                None
            }
            _ => None,
        }
    }

    /// Adds a complete node to the innermost open list or mapping. If none is open, the node is the
    /// root of the tree.
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
                    // An empty value would remove the values of earlier layers, and cause many
                    // findings about missing values. So nothing of the file is read.
                    self.empty = true;
                    let what = format!("`{}` has no value", key.name);
                    let label = "expected a value, or lines below that are indented deeper";
                    let finding = Finding::error("E0108", key.span, what).label(label);
                    findings.push(finding.hint("write `~` to remove the value of a lower layer"));
                }
                entries.push((key, node));
            }
        }
    }

    /// Returns `entries` without those whose key an earlier entry has. Each of these later entries
    /// is reported.
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
                    Finding::error("E0106", key.span, format!("duplicate key `{}`", key.name))
                        .label(format!("the key is already on line {line}"))
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

/// Returns the finding about the first character of `text` that is not printed as itself: a control
/// character that is not in `allowed`, or a character for which [`is_invisible`] is true. Returns
/// `None` if the text has no such character.
pub(crate) fn illegible(text: &str, span: Span, allowed: &[char]) -> Option<Finding> {
    let odd = |c: &char| is_invisible(*c) || (c.is_control() && !allowed.contains(c));
    text.chars().find(odd).map(|c| refused(c, "text", span))
}

/// Returns the finding about a character that is not allowed. `what` is "text" or "key".
fn refused(c: char, what: &str, span: Span) -> Finding {
    let kind = if c.is_control() {
        "control character"
    } else {
        "invisible character"
    };
    let message = format!("the {what} contains the {kind} {c:?}");
    Finding::error("E0112", span, message).label("expected printable text")
}

fn key_of(node: Node, findings: &mut Findings) -> Key {
    if let Value::Scalar { text, .. } = node.value {
        // A key is a name on one line. Characters that no text may contain are already reported.
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
