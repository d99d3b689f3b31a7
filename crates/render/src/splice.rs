//! Edits the text of a YAML file. Everything but the edited value stays, comments included. The
//! edited text is read again, and must differ from the old text by exactly that value.

use crate::yaml::scalar;
use rocpkg_model::{Findings, Key, Node, Span, Value, parse};
use std::ops::Range;

/// The number of columns by which a mapping's entries are indented below its key.
const STEP: usize = 2;

/// A value to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// `~`, YAML's null.
    Nothing,
    /// A scalar. It is quoted if a reader would take it for something else than text.
    Text(String),
    /// A number.
    Number(u64),
    /// A mapping.
    Map(Vec<(String, NewValue)>),
}

impl From<&str> for NewValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A change of a YAML document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Sets the value under the keys of `path`. Missing keys are added. If both the existing value
    /// and `value` are mappings, the entries of `value` are added to the existing ones.
    Put {
        /// The keys, from the top.
        path: Vec<String>,
        /// The new value.
        value: NewValue,
        /// The key after which a new entry is put. With `None`, or if no entry has this key, the
        /// entry is put at the end of its mapping.
        after: Option<String>,
    },
    /// Adds an element to the list under `path`.
    Push {
        /// The keys, from the top.
        path: Vec<String>,
        /// The element.
        text: String,
    },
}

impl Edit {
    /// Makes an edit that sets the value under the keys of `path`. A new entry is put at the end of
    /// its mapping.
    pub fn put<S: Into<String>>(path: impl IntoIterator<Item = S>, value: NewValue) -> Self {
        Self::Put {
            path: path.into_iter().map(Into::into).collect(),
            value,
            after: None,
        }
    }

    fn path(&self) -> &[String] {
        let (Self::Put { path, .. } | Self::Push { path, .. }) = self;
        path
    }
}

/// The reason why an edit can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text can't be read as YAML.
    #[error("the file can't be read as YAML")]
    Unread,
    /// The edit needs another kind of value than the existing one at its path: a list for
    /// [`Edit::Push`], for instance.
    #[error("`{path}` contains {found}, which is not overwritten")]
    Taken {
        /// The keys of the edit's path, joined by dots.
        path: String,
        /// The kind of the existing value.
        found: &'static str,
    },
    /// The edit would change more than its own value.
    #[error("`{0}` can't be changed without changing something else: edit the file by hand")]
    Other(String),
}

/// Makes the edits `edits` in `text`, one after the other, and returns the edited text.
///
/// # Errors
/// When an edit can't be made, or would change anything but its own value.
pub fn edit(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for edit in edits {
        let before = read(&text)?;
        if let (
            Edit::Put {
                path,
                value: NewValue::Map(given),
                ..
            },
            Some(Value::Map(_)),
        ) = (edit, at(&before, edit.path()).map(|here| &here.value))
        {
            for (name, value) in given {
                text = self::edit(
                    &text,
                    &[Edit::put(path.iter().chain([name]), value.clone())],
                )?;
            }
            continue;
        }
        text = splice(&text, &before, edit)?;
        if !read(&text).is_ok_and(|after| is_meant(before, after, edit)) {
            return Err(EditError::Other(edit.path().join(".")));
        }
    }
    Ok(text)
}

/// Returns the value under the keys of `path`; none if a key is missing.
fn at<'n>(root: &'n Node, path: &[String]) -> Option<&'n Node> {
    path.iter().try_fold(root, |here, key| here.get(key))
}

/// Returns true if the tree `after` differs from the tree `before` by `edit`, and by nothing else.
fn is_meant(mut before: Node, mut after: Node, edit: &Edit) -> bool {
    let is_done = match edit {
        Edit::Put { path, value, .. } => {
            // The first key that was missing was added together with everything below it.
            let known = (1..path.len())
                .take_while(|depth| at(&before, &path[..*depth]).is_some())
                .count();
            let (added, below) = path.split_at((known + 1).min(path.len()));
            let new = take_out(&mut after, added);
            take_out(&mut before, added);
            new.is_some_and(|new| new.is_same(&node(&nested(below, value))))
        }
        Edit::Push { path, text } => {
            let list = path
                .iter()
                .try_fold(&mut after, |here, key| here.get_mut(key));
            let pushed = match list.map(|list| &mut list.value) {
                Some(Value::Seq(items)) => items.pop(),
                _ => None,
            };
            pushed.is_some_and(|element| element.text() == Some(text.as_str()))
        }
    };
    is_done && after.is_same(&before)
}

/// Removes the value under the keys of `path`, and returns it. Returns none if a key is missing.
fn take_out(root: &mut Node, path: &[String]) -> Option<Node> {
    let (last, above) = path.split_last()?;
    let entries = above
        .iter()
        .try_fold(root, |here, key| here.get_mut(key))?
        .entries_mut()?;
    let at = entries
        .iter()
        .position(|(key, _)| key.name == last.as_str())?;
    Some(entries.remove(at).1)
}

fn read(text: &str) -> Result<Node, EditError> {
    let mut findings = Findings::default();
    parse(0, text, &mut findings)
        .filter(|_| !findings.has_errors())
        .ok_or(EditError::Unread)
}

fn taken(edit: &Edit, found: &Node) -> EditError {
    EditError::Taken {
        path: edit.path().join("."),
        found: found.kind(),
    }
}

/// Returns the node that the parser would read for a value.
fn node(given: &NewValue) -> Node {
    let value = match given {
        NewValue::Nothing => Value::Null,
        NewValue::Text(text) => Value::Scalar {
            text: text.into(),
            plain: true,
        },
        NewValue::Number(number) => Value::Scalar {
            text: number.to_string().into(),
            plain: true,
        },
        NewValue::Map(entries) => {
            let key = |name: &String| Key {
                name: name.as_str().into(),
                span: Span::default(),
            };
            Value::Map(
                entries
                    .iter()
                    .map(|(name, value)| (key(name), node(value)))
                    .collect(),
            )
        }
    };
    Node {
        span: Span::default(),
        value,
    }
}

/// Returns the index at which a new entry is put among `entries`: behind the entry with the key
/// `after`, or else at the end.
fn place(entries: &[(Key, Node)], after: Option<&String>) -> usize {
    let named = after.and_then(|after| entries.iter().position(|(k, _)| k.name == after.as_str()));
    named.map_or(entries.len(), |at| at + 1)
}

/// Returns `value` inside nested mappings with the keys of `path`: `[a, b]` and `1` →
/// `{a: {b: 1}}`.
fn nested(path: &[String], value: &NewValue) -> NewValue {
    path.iter().rev().fold(value.clone(), |inner, key| {
        NewValue::Map(vec![(key.clone(), inner)])
    })
}

fn splice(text: &str, root: &Node, edit: &Edit) -> Result<String, EditError> {
    let path = edit.path();
    // The indentation of the innermost mapping in block style; `None` inside braces.
    let (mut here, mut depth, mut margin) = (root, 0, Some(0));
    while let Some(next) = path.get(depth).and_then(|key| here.get(key)) {
        margin = margin
            .filter(|_| !is_flow(text, here))
            .map(|_| margin_of(text, here));
        (here, depth) = (next, depth + 1);
    }
    match edit {
        Edit::Push { text: element, .. } => {
            push(text, here, element).ok_or_else(|| taken(edit, here))
        }
        Edit::Put { value, after, .. } => {
            match (path.get(depth..).unwrap_or_default(), &here.value) {
                ([], Value::Scalar { .. } | Value::Null) => {
                    replaced(text, here, value).ok_or_else(|| taken(edit, here))
                }
                ([first, rest @ ..], Value::Map(entries)) => {
                    let at = place(entries, after.as_ref());
                    Ok(added(
                        text,
                        (here, entries, at),
                        margin,
                        (first, &nested(rest, value)),
                    ))
                }
                _ => Err(taken(edit, here)),
            }
        }
    }
}

/// Adds the entry of `key` and `value` to the mapping `here`, whose entries are `entries`, at the
/// index `at`. `margin` is the indentation of the innermost mapping in block style; `None` inside
/// braces.
fn added(
    text: &str,
    (here, entries, at): (&Node, &[(Key, Node)], usize),
    margin: Option<usize>,
    (key, value): (&str, &NewValue),
) -> String {
    let is_root = here.span.start == here.span.end;
    // All keys of one mapping are written alike.
    let quoted = !entries.is_empty()
        && entries
            .iter()
            .all(|(k, _)| bytes(text, k.span).starts_with('"'));
    let key = if quoted {
        format!("\"{key}\"")
    } else {
        scalar(key)
    };
    if is_root {
        return at_line(text, text.len(), &block(&key, value, 0));
    }
    let Some((_, before)) = at.checked_sub(1).and_then(|at| entries.get(at)) else {
        let whole = range(here.span);
        return match margin.filter(|_| bytes(text, here.span) == "{}") {
            // An empty mapping in block style becomes lines below its key.
            Some(margin) => {
                let lines = block(&key, value, margin + STEP);
                let head = text[..whole.start].trim_end_matches(' ');
                format!(
                    "{head}\n{}{}",
                    lines.trim_end_matches('\n'),
                    &text[whole.end..]
                )
            }
            None => inserted(text, whole.start + 1, &format!("{key}: {}", flow(value))),
        };
    };
    if is_flow(text, here) {
        return inserted(
            text,
            before.span.end as usize,
            &format!(", {key}: {}", flow(value)),
        );
    }
    at_line(
        text,
        end(text, before),
        &block(&key, value, margin_of(text, here)),
    )
}

/// Adds an element to the list `here`, and returns the new text. Returns `None` if the value is not
/// a list.
fn push(text: &str, here: &Node, element: &str) -> Option<String> {
    let Value::Seq(items) = &here.value else {
        return None;
    };
    let element = scalar(element);
    Some(match (items.last(), is_flow(text, here)) {
        (None, _) => inserted(text, here.span.start as usize + 1, &element),
        (Some(last), true) => inserted(text, last.span.end as usize, &format!(", {element}")),
        (Some(last), false) => {
            let margin = " ".repeat(margin_of(text, here));
            at_line(text, end(text, last), &format!("{margin}- {element}\n"))
        }
    })
}

/// Replaces the scalar `old`, and returns the new text. Returns `None` if `old` has several lines.
fn replaced(text: &str, old: &Node, value: &NewValue) -> Option<String> {
    let written = bytes(text, old.span);
    let new = match value {
        NewValue::Text(new) => {
            let plain = scalar(new);
            // A text that begins with a digit keeps its quotes. A word needs none.
            let alike = plain == *new && new.starts_with(|c: char| c.is_ascii_digit());
            let quote = written
                .chars()
                .next()
                .filter(|c| matches!(c, '"' | '\'') && alike);
            quote.map_or(plain.clone(), |quote| format!("{quote}{plain}{quote}"))
        }
        other => flow(other),
    };
    (!written.contains('\n')).then(|| {
        [
            &text[..old.span.start as usize],
            &new,
            &text[old.span.end as usize..],
        ]
        .concat()
    })
}

/// Returns the lines of an entry in block style, indented by `margin` blanks.
fn block(key: &str, value: &NewValue, margin: usize) -> String {
    let blanks = " ".repeat(margin);
    match value {
        NewValue::Map(entries) if !entries.is_empty() => {
            let lines = entries
                .iter()
                .map(|(k, v)| block(&scalar(k), v, margin + STEP));
            format!("{blanks}{key}:\n{}", lines.collect::<String>())
        }
        other => format!("{blanks}{key}: {}\n", flow(other)),
    }
}

/// Returns a value on one line, in flow style: `{a: 1, b: 2}`.
fn flow(value: &NewValue) -> String {
    match value {
        NewValue::Nothing => "~".to_owned(),
        NewValue::Text(text) => scalar(text),
        NewValue::Number(number) => number.to_string(),
        NewValue::Map(entries) => {
            let each: Vec<String> = entries
                .iter()
                .map(|(k, v)| format!("{}: {}", scalar(k), flow(v)))
                .collect();
            format!("{{{}}}", each.join(", "))
        }
    }
}

/// Returns the offset behind a value and everything inside it.
fn end(text: &str, node: &Node) -> usize {
    let last = match &node.value {
        Value::Map(entries) => entries.last().map(|(_, n)| n),
        Value::Seq(items) => items.last(),
        _ => None,
    };
    match last.filter(|_| !is_flow(text, node)) {
        Some(last) => end(text, last),
        None => node.span.end as usize,
    }
}

/// Inserts `lines` after the line that contains the offset `place`, behind a comment at the end of
/// that line.
fn at_line(text: &str, place: usize, lines: &str) -> String {
    let begins = place == 0 || text[..place].ends_with('\n');
    let at = if begins {
        place
    } else {
        text[place..]
            .find('\n')
            .map_or(text.len(), |i| place + i + 1)
    };
    let (head, tail) = text.split_at(at);
    let gap = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{head}{gap}{lines}{tail}")
}

fn inserted(text: &str, at: usize, what: &str) -> String {
    [&text[..at], what, &text[at..]].concat()
}

fn is_flow(text: &str, node: &Node) -> bool {
    bytes(text, node.span).starts_with(['{', '['])
}

/// Returns the column at which a value begins.
fn margin_of(text: &str, node: &Node) -> usize {
    let start = node.span.start as usize;
    start - text[..start].rfind('\n').map_or(0, |i| i + 1)
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

fn bytes(text: &str, span: Span) -> &str {
    text.get(range(span)).unwrap_or_default()
}
