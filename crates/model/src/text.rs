//! Text with references such as `${source}`. Each backend spells the value of a reference in its
//! own language: `$S` in an ebuild.

use crate::decode::{Decode, wrong_type};
use crate::describe::{Book, Shape};
use crate::finding::{Finding, Findings};
use crate::node::{Node, Value};
use crate::source::Span;

/// The beginning of a reference that is a pattern of a shell: `${glob:*.so}`.
const GLOB: &str = "glob:";

/// Returns true if `name` is a valid name of a variable in a shell (POSIX 3.216) and in CMake.
pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A piece of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text. Backends quote it, so that a shell reads it as it is.
    Literal(String),
    /// A reference: the name inside `${…}`.
    Reference(String),
}

/// Text as written in a profile: literals and references. `$$` is a dollar sign. A dollar sign
/// before any other character than `{` stands for itself. A pattern `${glob:…}` may contain
/// references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The pieces in order. Two literals never follow each other.
    pub pieces: Vec<Piece>,
    /// The place of the text in its file.
    pub span: Span,
}

impl Default for Text {
    fn default() -> Self {
        Self::literal("")
    }
}

impl Text {
    /// Creates a text that is one literal. `${` has no meaning in it.
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            pieces: vec![Piece::Literal(text.into())],
            span: Span::default(),
        }
    }

    /// Creates a text from `pieces`. Literals that follow each other become one literal.
    pub fn joined<'a>(pieces: impl IntoIterator<Item = &'a Piece>) -> Self {
        let mut out: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (out.last_mut(), piece) {
                (Some(Piece::Literal(a)), Piece::Literal(b)) => a.push_str(b),
                (_, p) => out.push(p.clone()),
            }
        }
        Self {
            pieces: out,
            span: Span::default(),
        }
    }

    /// Returns the text if it contains no reference, else `None`.
    pub fn as_literal(&self) -> Option<String> {
        self.pieces
            .iter()
            .map(|p| {
                if let Piece::Literal(t) = p {
                    Some(t.as_str())
                } else {
                    None
                }
            })
            .collect()
    }

    /// Returns the literals before, between and behind the references.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|p| {
            if let Piece::Literal(t) = p {
                Some(t.as_str())
            } else {
                None
            }
        })
    }

    /// Returns the names of all references: `${a}/${b}` -> `a`, `b`.
    pub fn references(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|p| {
            if let Piece::Reference(n) = p {
                Some(n.as_str())
            } else {
                None
            }
        })
    }

    /// Reads a text with `${…}` and `$$`. `span` is its place in its file.
    ///
    /// # Errors
    /// Returns the byte offset of a `${` that is not closed or has no valid name.
    pub fn parse(text: &str, span: Span) -> Result<Self, usize> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(i) = rest.find('$') {
            literal.push_str(&rest[..i]);
            let after = &rest[i + 1..];
            if let Some(tail) = after.strip_prefix('$') {
                literal.push('$');
                rest = tail;
            } else if let Some(tail) = after.strip_prefix('{') {
                let offset = text.len() - rest.len() + i;
                let (references, behind) =
                    patterns(tail).or_else(|| reference(tail)).ok_or(offset)?;
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.extend(references);
                rest = behind;
            } else {
                literal.push('$');
                rest = after;
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self { pieces, span })
    }
}

/// Reads the rest of a reference after `${`. Returns the reference, and the text after its `}`:
/// `a}/b` -> `a`, `/b`. Returns `None` if the `}` or a valid name is missing.
fn reference(text: &str) -> Option<(Vec<Piece>, &str)> {
    let (name, behind) = text.split_once('}').filter(|(name, _)| is_name(name))?;
    Some((vec![Piece::Reference(name.to_owned())], behind))
}

/// Returns true if a reference may have this name.
fn is_name(name: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "`'\"\\${;&|<>".contains(c);
    !name.is_empty() && !name.contains(odd)
}

/// Reads the rest of a pattern with references after `${`. Returns its pieces, and the text after
/// its `}`. Each text between the references becomes a pattern of its own: `glob:*${x}.so}` ->
/// `glob:*`, `x`, `glob:.so`. Returns `None` for any other text.
fn patterns(text: &str) -> Option<(Vec<Piece>, &str)> {
    let mut rest = text.strip_prefix(GLOB)?;
    let mut pieces = Vec::new();
    loop {
        let (head, tail) = rest.split_at(rest.find(['}', '$'])?);
        if !head.is_empty() {
            pieces.push(Piece::Reference(format!("{GLOB}{head}")));
        }
        if let Some(behind) = tail.strip_prefix('}') {
            // A pattern without references is an ordinary reference, which `reference` reads.
            return (pieces.len() > 1).then_some((pieces, behind));
        }
        let (inner, behind) = reference(tail.strip_prefix("${")?)?;
        pieces.extend(inner);
        rest = behind;
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Reference(name) => write!(f, "${{{name}}}")?,
                Piece::Literal(text) => {
                    let before_reference =
                        matches!(self.pieces.get(i + 1), Some(Piece::Reference(_)));
                    let mut rest = text.chars().peekable();
                    while let Some(c) = rest.next() {
                        // A dollar sign before one of these characters would have another meaning.
                        let next = rest.peek().copied().or(before_reference.then_some('$'));
                        let escaped = c == '$' && matches!(next, Some('$' | '{'));
                        f.write_str(if escaped { "$" } else { "" })?;
                        write!(f, "{c}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Decode for Text {
    const EXPECTED: &'static str = "text";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let Value::Scalar { .. } = &node.value else {
            return wrong_type(node, findings);
        };
        let text = String::decode(node, findings)?;
        let read = Self::parse(&text, node.span);
        if read.is_err() {
            findings.push(
                Finding::error(
                    "E0115",
                    node.span,
                    "`${` is not closed, or does not contain a plain name",
                )
                .label("expected `${name}`")
                .hint(
                    "write `$$` for a dollar sign, `${env:NAME}` for a variable of the environment",
                ),
            );
        }
        read.ok()
    }

    fn shape(_: &mut Book) -> Shape {
        Shape::Text("text with references")
    }
}

/// Reads a text with references. A text that is not valid becomes one literal.
impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::parse(text, Span::default()).unwrap_or_else(|_| Self::literal(text))
    }
}
