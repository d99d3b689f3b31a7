//! The list that Portage's `use_reduce` makes of a dependency string: conditionals decided, redundant brackets gone.

use crate::atom::Atom;
use crate::error::{Quoted, SyntaxError};
use crate::name::check_flag;
use crate::spec::{MAX_DEPTH, words};

/// What Portage puts in place of an any-of group that lost all its children: a package that can't exist.
pub const EMPTY_ANY_OF: &str = "__const__/empty-any-of";

/// One entry of a reduced list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A leaf, or `||` before the list it belongs to.
    Word(String),
    /// A group.
    List(Vec<Item>),
}

impl Item {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text == word)
    }
}

/// What opened a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    Bracket,
    AnyOf,
    Conditional { counts: bool },
}

struct Frame {
    opener: Opener,
    at: usize,
    items: Vec<Item>,
    /// Whether a condition that does not count stands before it or around it.
    dropped: bool,
}

/// Decides the conditionals of a dependency string and drops every redundant bracket.
///
/// The result is Portage's, list for list: a group of one, a group within a group of its kind and a bracket that is
/// no alternative of a `||` dissolve. Leaves are taken as they are; with `atoms` they must be atoms, and their
/// conditional USE dependencies are decided too.
///
/// # Errors
/// For unbalanced or empty groups, misplaced operators, wrong flag names, and groups nested deeper than [`MAX_DEPTH`].
pub fn use_reduce(text: &str, is_on: impl Fn(&str) -> bool, atoms: bool) -> Result<Vec<Item>, SyntaxError> {
    let mut frames = vec![Frame { opener: Opener::Bracket, at: 0, items: Vec::new(), dropped: false }];
    // The word that calls for a bracket, just before it.
    let mut pending: Option<(Opener, &str)> = None;
    let mut just_open = false;
    let wrong = |at: usize, word: &str, wanted: &str| {
        Err(SyntaxError::new(at, word.len(), format_args!("expected {wanted}, got {}", Quoted(word))))
    };

    for (at, word) in words(text) {
        let opens = word == "(";
        match word {
            "(" => {
                if frames.len() > MAX_DEPTH {
                    let message = format_args!("groups are nested more than {MAX_DEPTH} deep");
                    return Err(SyntaxError::new(at, 1, message));
                }
                let opener = pending.take().map_or(Opener::Bracket, |(opener, _)| opener);
                let dropped = opener == (Opener::Conditional { counts: false })
                    || frames.last().is_some_and(|outer| outer.dropped);
                frames.push(Frame { opener, at, items: Vec::new(), dropped });
            }
            _ if pending.is_some() => return wrong(at, word, "`(`"),
            ")" if just_open => return wrong(at, word, "a dependency"),
            ")" => match frames.pop() {
                Some(group) if !frames.is_empty() => close(&mut frames, group, atoms),
                _ => return Err(SyntaxError::new(at, 1, "this `)` closes nothing")),
            },
            "||" => pending = Some((Opener::AnyOf, word)),
            "->" => return Err(SyntaxError::new(at, 2, "an arrow can stand in SRC_URI only")),
            _ if word.ends_with('?') => {
                pending = Some((Opener::Conditional { counts: counts(word, at, &is_on)? }, word));
            }
            _ => {
                let leaf = if atoms { decided(word, at, &is_on)? } else { word.to_owned() };
                if let Some(top) = frames.last_mut() {
                    top.items.push(Item::Word(leaf));
                }
            }
        }
        just_open = opens;
    }

    if let Some((_, word)) = pending {
        return Err(SyntaxError::new(text.len(), 0, format_args!("expected `(` after {}", Quoted(word))));
    }
    match frames.pop() {
        Some(open) if !frames.is_empty() => {
            Err(SyntaxError::new(open.at, 1, "this group is never closed: `)` is missing"))
        }
        root => Ok(root.map(|root| root.items).unwrap_or_default()),
    }
}

/// Whether `flag?` or `!flag?` counts.
fn counts(word: &str, at: usize, is_on: &impl Fn(&str) -> bool) -> Result<bool, SyntaxError> {
    let condition = word.strip_suffix('?').unwrap_or(word);
    let flag = condition.strip_prefix('!').unwrap_or(condition);
    let negated = flag.len() != condition.len();
    check_flag(flag).map_err(|error| error.shift(at + usize::from(negated)))?;
    Ok(is_on(flag) != negated)
}

/// An atom with its conditional USE dependencies decided; one that has none is left as it is written.
fn decided(word: &str, at: usize, is_on: &impl Fn(&str) -> bool) -> Result<String, SyntaxError> {
    let atom: Atom = word.parse().map_err(|error: SyntaxError| error.shift(at))?;
    let conditional = atom.use_deps().iter().any(|entry| entry.kind.is_conditional());
    Ok(if conditional { atom.evaluate(is_on).to_string() } else { word.to_owned() })
}

/// Takes a finished group into the one around it.
fn close(frames: &mut [Frame], group: Frame, atoms: bool) {
    let Frame { opener, mut items, dropped, .. } = group;
    let Some((outer, around)) = frames.split_last_mut() else { return };
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
        // A single thing: a leaf, a list, or a `||` with its list.
        match items.as_mut_slice() {
            // The alternatives of an alternative are alternatives.
            [_, Item::List(inner)] if is_alternative => outer.items.append(inner),
            // Inside alternatives a list has to stay together.
            [Item::List(inner)] if !is_below_any_of(outer, around, atoms) => outer.items.append(inner),
            _ => outer.items.append(&mut items),
        }
    } else {
        // Everything here has to hold, or is an alternative among others, with or without the bracket.
        outer.items.append(&mut items);
    }
}

/// Whether an any-of group is open around `frame`, with nothing but conditionals and brackets between. A bracket that
/// follows a leaf shields it, unless leaves are atoms: Portage looks for text there, and an atom is none.
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

/// A reduced list as words, each group in `(` and `)`.
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
