//! Reduces a dependency string to the list that Portage's `use_reduce` makes: conditionals are
//! decided, and redundant brackets are dropped.

use std::fmt;

use crate::atom::Atom;
use crate::error::SyntaxError;
use crate::spec::{Leaf, Node, Spec};

/// The word that Portage puts in the place of an any-of group that lost all its children. It names
/// a package that can't exist.
pub const EMPTY_ANY_OF: &str = "__const__/empty-any-of";

/// One entry of a list that [`use_reduce`] returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A leaf, or the operator `||`. The entry after `||` is the list of its alternatives.
    Word(String),
    /// A group, without its operator.
    List(Vec<Item>),
}

impl Item {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text == word)
    }
}

/// The operator before the parenthesis of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    Bracket,
    AnyOf,
    Conditional { counts: bool },
}

struct Frame {
    opener: Opener,
    items: Vec<Item>,
    /// Set if the group is a conditional whose flag is in the other state, or lies inside such a
    /// conditional.
    dropped: bool,
}

/// A leaf that may be any word. The word is not changed.
struct Text(Box<str>);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Leaf for Text {
    const NAME: &'static str = "dependency";
    const ANY_OF: bool = true;
    const ANY_WORD: bool = true;

    fn read(word: &str) -> Result<Self, SyntaxError> {
        if word == "->" {
            return Err(SyntaxError::new(0, 2, "`->` is only allowed in SRC_URI"));
        }
        Ok(Self(word.into()))
    }
}

/// Decides the conditionals of a dependency string, and removes every redundant bracket. `is_on`
/// returns true for each flag that is on.
///
/// The result equals that of Portage's `use_reduce`, list for list. The brackets of three kinds of
/// groups are redundant: a group with one child, a group within a group of its kind, and a bracket
/// that is no alternative of a `||`. Leaves are not checked. If `atoms` is set, leaves must be
/// atoms, and their conditional USE dependencies are decided too.
///
/// # Errors
/// For unbalanced or empty groups, misplaced operators, wrong flag names, and groups nested deeper
/// than [`MAX_DEPTH`](crate::MAX_DEPTH).
pub fn use_reduce(
    text: &str,
    is_on: impl Fn(&str) -> bool,
    atoms: bool,
) -> Result<Vec<Item>, SyntaxError> {
    let root = Frame {
        opener: Opener::Bracket,
        items: Vec::new(),
        dropped: false,
    };
    let mut frames = vec![root];
    if atoms {
        let spec: Spec<Atom> = text.parse()?;
        let decided = spec.map(|atom| atom.evaluate(&is_on));
        decided
            .nodes
            .iter()
            .for_each(|node| reduce(node, &is_on, true, &mut frames));
    } else {
        let spec: Spec<Text> = text.parse()?;
        spec.nodes
            .iter()
            .for_each(|node| reduce(node, &is_on, false, &mut frames));
    }
    Ok(frames.pop().map(|root| root.items).unwrap_or_default())
}

/// Reduces `node`, and adds the result to the last frame of `frames`, which is the innermost open
/// group.
fn reduce<T: fmt::Display>(
    node: &Node<T>,
    is_on: &impl Fn(&str) -> bool,
    atoms: bool,
    frames: &mut Vec<Frame>,
) {
    let Some(outer) = frames.last_mut() else {
        return;
    };
    let opener = match node {
        Node::Leaf(leaf) => return outer.items.push(Item::Word(leaf.to_string())),
        Node::If { flag, on, .. } => Opener::Conditional {
            counts: is_on(flag.as_str()) == *on,
        },
        Node::Any(_) => Opener::AnyOf,
        Node::All(_) | Node::ExactlyOne(_) | Node::AtMostOne(_) => Opener::Bracket,
    };
    let dropped = opener == (Opener::Conditional { counts: false }) || outer.dropped;
    frames.push(Frame {
        opener,
        items: Vec::new(),
        dropped,
    });
    node.children()
        .iter()
        .for_each(|child| reduce(child, is_on, atoms, frames));
    if let Some(group) = frames.pop() {
        close(frames, group, atoms);
    }
}

/// Adds a group whose children are all read to the last frame of `frames`, which is the group
/// around it.
fn close(frames: &mut [Frame], group: Frame, atoms: bool) {
    let Frame {
        opener,
        mut items,
        dropped,
    } = group;
    let Some((outer, around)) = frames.split_last_mut() else {
        return;
    };
    let is_alternative = outer.opener == Opener::AnyOf;
    let leads = items.first().is_some_and(|item| item.is("||"));
    let single = items.len() == 1 || (leads && items.len() == 2);
    let mut any_of = opener == Opener::AnyOf;
    if any_of && items.is_empty() {
        items.push(Item::Word(EMPTY_ANY_OF.to_owned()));
        any_of = false;
    }
    if dropped || items.is_empty() {
        return;
    }
    if !is_alternative && any_of && !single {
        outer.items.push(Item::Word("||".to_owned()));
        outer.items.push(Item::List(items));
    } else if is_alternative && !any_of && !single {
        outer.items.push(Item::List(items));
    } else if single && (any_of || is_alternative) {
        // A single item: a leaf, a list, or a `||` with its list.
        match items.as_mut_slice() {
            // The alternatives of an alternative are alternatives.
            [_, Item::List(inner)] if is_alternative => outer.items.append(inner),
            // Inside alternatives a list has to stay together.
            [Item::List(inner)] if !is_below_any_of(outer, around, atoms) => {
                outer.items.append(inner);
            }
            _ => outer.items.append(&mut items),
        }
    } else {
        // Everything here has to hold, or is an alternative among others, with or without the
        // bracket.
        outer.items.append(&mut items);
    }
}

/// Returns true if `frame` is an any-of group, or is inside an any-of group with nothing but
/// conditionals and brackets between them. `around` are the groups around it, the outermost first.
/// A bracket that follows a leaf ends the search, unless leaves are atoms: Portage looks for text
/// at that place, and an atom is not text.
fn is_below_any_of(frame: &Frame, around: &[Frame], atoms: bool) -> bool {
    let mut opener = frame.opener;
    for outer in around.iter().rev() {
        let after_leaf = !atoms && matches!(outer.items.last(), Some(Item::Word(_)));
        match opener {
            Opener::AnyOf => return true,
            Opener::Bracket if after_leaf => return false,
            Opener::Bracket | Opener::Conditional { .. } => opener = outer.opener,
        }
    }
    false
}

/// Returns the words of a reduced list on one level, each group between `(` and `)`.
pub fn flatten(items: &[Item]) -> Vec<String> {
    let mut out = Vec::new();
    flatten_into(items, &mut out);
    out
}

fn flatten_into(items: &[Item], out: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Word(word) => out.push(word.clone()),
            Item::List(inner) => {
                out.push("(".to_owned());
                flatten_into(inner, out);
                out.push(")".to_owned());
            }
        }
    }
}
