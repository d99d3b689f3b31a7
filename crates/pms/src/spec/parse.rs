//! Reads a tree word by word and without recursion.

use std::fmt::Display;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};
use crate::name::Flag;
use crate::spec::{Node, Spec};

/// The deepest nesting of groups that is accepted. Trees are walked by recursion, so a limit is
/// needed. Real trees are less than ten groups deep.
pub const MAX_DEPTH: usize = 256;

/// A type of leaf, and the groups that may contain it.
pub trait Leaf: Sized + Display {
    /// The name of a leaf in messages.
    const NAME: &'static str;
    /// Set if `|| ( )` is allowed.
    const ANY_OF: bool;
    /// Set if `^^ ( )` and `?? ( )` are allowed.
    const COUNTED: bool = false;
    /// Set if a group may have no children, which Portage allows only in `REQUIRED_USE`.
    const EMPTY_GROUPS: bool = false;
    /// Set if `^^`, which opens a group in `REQUIRED_USE`, is read as a plain leaf.
    const ANY_WORD: bool = false;
    /// Set if `-> name` may follow a leaf.
    const ARROW: bool = false;

    /// Reads one leaf, which contains no white space.
    ///
    /// # Errors
    /// When the word is not a leaf of this type. The offset of the error counts from the word's
    /// first byte.
    fn read(word: &str) -> Result<Self, SyntaxError>;

    /// Sets the name of the leaf to the word after an arrow. Called only if [`Leaf::ARROW`] is set.
    ///
    /// # Errors
    /// When the word is no file name.
    fn rename(self, word: &str) -> Result<Self, SyntaxError> {
        let _ = word;
        Ok(self)
    }
}

/// Returns true if Python's `str.split`, and therefore Portage, takes the character for white
/// space: Unicode's white space and four control characters.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Returns the words of a text, each with its byte offset.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive(is_space).filter_map(move |part| {
        let start = at;
        at += part.len();
        let word = part.trim_end_matches(is_space);
        (!word.is_empty()).then_some((start, word))
    })
}

/// The operator before the opening parenthesis of a group.
enum Opener {
    All,
    Any,
    ExactlyOne,
    AtMostOne,
    If(Flag, bool),
}

impl Opener {
    fn close<T>(self, nodes: Vec<Node<T>>) -> Node<T> {
        match self {
            Self::All => Node::All(nodes),
            Self::Any => Node::Any(nodes),
            Self::ExactlyOne => Node::ExactlyOne(nodes),
            Self::AtMostOne => Node::AtMostOne(nodes),
            Self::If(flag, on) => Node::If { flag, on, nodes },
        }
    }
}

/// A group that is not closed yet.
struct Frame<T> {
    opener: Opener,
    at: usize,
    /// The parts of the surrounding group that were read before this group.
    outer: Vec<Node<T>>,
}

/// Returns the operator that opens a group, or `None` if the word is not an operator. `at` is the
/// offset of the word, for the error.
fn opener<T: Leaf>(at: usize, word: &str) -> Result<Option<Opener>, SyntaxError> {
    let allowed = |yes: bool, opener: Opener| {
        if yes {
            return Ok(Some(opener));
        }
        Err(SyntaxError::new(
            at,
            word.len(),
            format_args!("`{word}` can't be used with a {}", T::NAME),
        ))
    };
    match word {
        "||" => return allowed(T::ANY_OF, Opener::Any),
        "^^" if T::ANY_WORD => return Ok(None),
        "^^" => return allowed(T::COUNTED, Opener::ExactlyOne),
        "??" => return allowed(T::COUNTED, Opener::AtMostOne),
        _ => {}
    }
    let Some(name) = word.strip_suffix('?') else {
        return Ok(None);
    };
    let (name, on) = match name.strip_prefix('!') {
        Some(name) => (name, false),
        None => (name, true),
    };
    let flag = Flag::new(name).map_err(|error| error.shift(at + usize::from(!on)))?;
    Ok(Some(Opener::If(flag, on)))
}

/// Reads a leaf. If that fails because a parenthesis or an operator touches the word, the error
/// says that white space is missing. `at` is the offset of the word.
fn leaf<T: Leaf>(at: usize, word: &str) -> Result<T, SyntaxError> {
    T::read(word).map_err(|error| {
        for sign in ["(", ")", "||", "^^", "??"] {
            if word.starts_with(sign) || word.ends_with(sign) {
                let message =
                    format_args!("white space is missing beside `{sign}` in {}", Quoted(word));
                return SyntaxError::new(at, word.len(), message);
            }
        }
        error.shift(at)
    })
}

impl<T: Leaf> FromStr for Spec<T> {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let mut nodes: Vec<Node<T>> = Vec::new();
        let mut open: Vec<Frame<T>> = Vec::new();
        let mut words = words(text).peekable();
        let missing = |message: String| SyntaxError::new(text.len(), 0, message);

        while let Some((at, word)) = words.next() {
            let operator = if word == "(" {
                Some(Opener::All)
            } else {
                opener::<T>(at, word)?
            };
            if let Some(opener) = operator {
                if word != "(" {
                    match words.next() {
                        Some((_, "(")) => {}
                        Some((at, other)) => {
                            let message =
                                format_args!("expected `(` after `{word}`, got {}", Quoted(other));
                            return Err(SyntaxError::new(at, other.len(), message));
                        }
                        None => return Err(missing(format!("expected `(` after `{word}`"))),
                    }
                }
                if open.len() == MAX_DEPTH {
                    let message = format_args!("groups are nested deeper than {MAX_DEPTH} levels");
                    return Err(SyntaxError::new(at, word.len(), message));
                }
                open.push(Frame {
                    opener,
                    at,
                    outer: std::mem::take(&mut nodes),
                });
            } else if word == ")" {
                let Some(frame) = open.pop() else {
                    return Err(SyntaxError::new(at, 1, "this `)` closes nothing"));
                };
                if nodes.is_empty() && !T::EMPTY_GROUPS {
                    let message =
                        format_args!("expected a {}, got `)`: the group is empty", T::NAME);
                    return Err(SyntaxError::new(at, 1, message));
                }
                let group = frame
                    .opener
                    .close(std::mem::replace(&mut nodes, frame.outer));
                nodes.push(group);
            } else {
                let mut value = leaf::<T>(at, word)?;
                if T::ARROW && words.peek().is_some_and(|(_, next)| *next == "->") {
                    words.next();
                    let Some((at, name)) = words.next() else {
                        return Err(missing("expected a file name after `->`".to_owned()));
                    };
                    value = value.rename(name).map_err(|error| error.shift(at))?;
                }
                nodes.push(Node::Leaf(value));
            }
        }
        match open.last() {
            None => Ok(Self { nodes }),
            Some(frame) => Err(SyntaxError::new(
                frame.at,
                1,
                "this group is never closed: `)` is missing",
            )),
        }
    }
}
