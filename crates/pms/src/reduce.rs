//! The list that Portage's `use_reduce` makes of a dependency string: conditionals decided, redundant brackets gone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::atom::Atom;
use crate::error::{Quoted, SyntaxError};
use crate::name::check_flag;
use crate::spec::{MAX_DEPTH, words};

/// What Portage puts in place of an any-of group that lost all its children: a package that can't exist.
pub const EMPTY_ANY_OF: &str = "__const__/empty-any-of";

/// One entry of a reduced list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item<'a> {
    /// A leaf, or `||` before the list it belongs to.
    Word(Cow<'a, str>),
    /// A group.
    List(Vec<Item<'a>>),
}

impl Item<'_> {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text == word)
    }
}

/// Which conditionals count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conditionals {
    /// Those that the flags fulfil.
    #[default]
    Decide,
    /// All of them.
    All,
    /// None of them.
    None,
}

/// How [`use_reduce`] works; the default is that of a current EAPI.
#[derive(Debug, Clone, Default)]
pub struct Reduction<'a> {
    /// The flags that are on.
    pub on: BTreeSet<&'a str>,
    /// Flags that count as off whatever `on` and `conditionals` say.
    pub masked: BTreeSet<&'a str>,
    /// Flags whose `!flag?` never counts.
    pub excluded: BTreeSet<&'a str>,
    /// Which conditionals count.
    pub conditionals: Conditionals,
    /// Leave the brackets out, but keep each `||`.
    pub flat: bool,
    /// Put each `||` into its list, at the head.
    pub operators_inside: bool,
    /// The text is a `SRC_URI`: no `||`, but arrows.
    pub src_uri: bool,
    /// Leaves are atoms: check them, and decide their conditional USE dependencies unless all conditionals count.
    pub atoms: bool,
    /// An any-of group without children holds, as it did before EAPI 7.
    pub empty_any_of_holds: bool,
    /// Keep only what stands below a condition on one of these (`flag` or `!flag`).
    pub subset: Option<BTreeSet<&'a str>>,
    /// The flags that a conditional may name; any valid name if absent.
    pub iuse: Option<BTreeSet<&'a str>>,
}

impl<'a> Reduction<'a> {
    /// The defaults with these flags on.
    pub fn with_on(on: impl IntoIterator<Item = &'a str>) -> Self {
        Self { on: on.into_iter().collect(), ..Self::default() }
    }

    /// Whether `flag?` or `!flag?` counts.
    fn counts(&self, word: &str, at: usize) -> Result<bool, SyntaxError> {
        let condition = word.strip_suffix('?').unwrap_or(word);
        let (flag, negated) = match condition.strip_prefix('!') {
            Some(flag) => (flag, true),
            None => (condition, false),
        };
        match &self.iuse {
            Some(iuse) if !iuse.contains(flag) => {
                let message = format_args!("{} is not in IUSE", Quoted(flag));
                return Err(SyntaxError::new(at, word.len(), message));
            }
            Some(_) => {}
            None => check_flag(flag).map_err(|error| error.shift(at + usize::from(negated)))?,
        }
        Ok(if negated && self.excluded.contains(flag) {
            false
        } else if self.masked.contains(flag) {
            negated
        } else {
            match self.conditionals {
                Conditionals::All => true,
                Conditionals::None => false,
                Conditionals::Decide => self.on.contains(flag) != negated,
            }
        })
    }

    /// A leaf as it goes into the list.
    fn leaf<'w>(&self, word: &'w str, at: usize) -> Result<Cow<'w, str>, SyntaxError> {
        if !self.atoms || self.src_uri {
            return Ok(Cow::Borrowed(word));
        }
        let atom: Atom = word.parse().map_err(|error: SyntaxError| error.shift(at))?;
        let decided = self.conditionals != Conditionals::All
            && atom.use_deps().iter().any(|entry| entry.kind.is_conditional());
        if !decided {
            return Ok(Cow::Borrowed(word));
        }
        Ok(Cow::Owned(atom.evaluate(|flag| self.on.contains(flag)).to_string()))
    }
}

/// What opened a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    Bracket,
    AnyOf,
    Conditional { counts: bool },
}

struct Frame<'a> {
    opener: Opener,
    at: usize,
    items: Vec<Item<'a>>,
    /// Whether a condition that does not count stands before it or around it.
    dropped: bool,
    /// Whether leaves are kept here.
    selected: bool,
}

/// Decides the conditionals of a dependency string and drops every redundant bracket.
///
/// The result is Portage's, list for list: a group of one, a group within a group of its kind and a bracket that is
/// no alternative of a `||` dissolve. Leaves are taken as they are unless [`Reduction::atoms`] asks for more.
///
/// # Errors
/// For unbalanced or empty groups, misplaced operators, wrong flag names, and groups nested deeper than [`MAX_DEPTH`].
pub fn use_reduce<'a>(text: &'a str, how: &Reduction) -> Result<Vec<Item<'a>>, SyntaxError> {
    let selected = how.subset.is_none();
    let root = Frame { opener: Opener::Bracket, at: 0, items: Vec::new(), dropped: false, selected };
    let mut frames = Vec::with_capacity(8);
    frames.push(root);
    // What the last word calls for: a bracket after an operator, a file name after an arrow.
    let mut pending: Option<(Opener, &str)> = None;
    let mut arrow = false;
    let mut just_open = false;
    let wrong = |at: usize, word: &str, wanted: &str| {
        Err(SyntaxError::new(at, word.len(), format_args!("expected {wanted}, got {}", Quoted(word))))
    };

    for (at, word) in words(text) {
        match word {
            "(" => {
                if arrow {
                    return wrong(at, word, "a file name");
                }
                if frames.len() > MAX_DEPTH {
                    let message = format_args!("groups are nested more than {MAX_DEPTH} deep");
                    return Err(SyntaxError::new(at, 1, message));
                }
                let (opener, condition) = pending.take().unwrap_or((Opener::Bracket, ""));
                let chosen = how.subset.as_ref().is_none_or(|subset| {
                    condition.strip_suffix('?').is_some_and(|condition| subset.contains(condition))
                });
                let dropped = opener == (Opener::Conditional { counts: false })
                    || frames.last().is_some_and(|outer| outer.dropped);
                let selected = !dropped && (chosen || frames.last().is_some_and(|outer| outer.selected));
                frames.push(Frame { opener, at, items: Vec::new(), dropped, selected });
                just_open = true;
                continue;
            }
            ")" => {
                if pending.is_some() {
                    return wrong(at, word, "`(`");
                }
                if arrow {
                    return wrong(at, word, "a file name");
                }
                if just_open {
                    return wrong(at, word, "a dependency");
                }
                if frames.len() > 1
                    && let Some(group) = frames.pop()
                {
                    close(&mut frames, group, how);
                } else {
                    return Err(SyntaxError::new(at, 1, "this `)` closes nothing"));
                }
            }
            _ if pending.is_some() => return wrong(at, word, "`(`"),
            "||" => {
                if how.src_uri {
                    return Err(SyntaxError::new(at, 2, "`||` can't stand in SRC_URI"));
                }
                pending = Some((Opener::AnyOf, word));
                if how.flat {
                    push(&mut frames, Item::Word(Cow::Borrowed(word)));
                }
            }
            "->" => {
                if arrow {
                    return wrong(at, word, "a file name");
                }
                if !how.src_uri {
                    return Err(SyntaxError::new(at, 2, "an arrow can stand in SRC_URI only"));
                }
                arrow = true;
                push(&mut frames, Item::Word(Cow::Borrowed(word)));
            }
            _ if arrow && (word.contains('/') || word.ends_with('?')) => {
                return wrong(at, word, "a file name");
            }
            _ if word.ends_with('?') => {
                pending = Some((Opener::Conditional { counts: how.counts(word, at)? }, word));
            }
            _ => {
                arrow = false;
                let leaf = how.leaf(word, at)?;
                push(&mut frames, Item::Word(leaf));
            }
        }
        just_open = false;
    }

    let end = |what: &str| Err(SyntaxError::new(text.len(), 0, what));
    if let Some((_, word)) = pending {
        return end(&format!("expected `(` after {}", Quoted(word)));
    }
    if arrow {
        return end("expected a file name after `->`");
    }
    match frames.pop() {
        Some(root) if frames.is_empty() => Ok(root.items),
        Some(open) => Err(SyntaxError::new(open.at, 1, "this group is never closed: `)` is missing")),
        None => Ok(Vec::new()),
    }
}

fn push<'a>(frames: &mut [Frame<'a>], item: Item<'a>) {
    if let Some(top) = frames.last_mut()
        && top.selected
    {
        top.items.push(item);
    }
}

/// Takes a finished group into the one around it.
fn close<'a>(frames: &mut [Frame<'a>], group: Frame<'a>, how: &Reduction) {
    let Frame { opener, mut items, dropped, .. } = group;
    if dropped {
        return;
    }
    let Some((outer, around)) = frames.split_last_mut() else { return };
    if how.flat {
        outer.items.append(&mut items);
        return;
    }
    let leads = items.first().is_some_and(|item| item.is("||"));
    let single = items.len() == 1 || (leads && (how.operators_inside || items.len() == 2));
    let mut any_of = opener == Opener::AnyOf;
    if any_of && items.is_empty() {
        // With a subset the group is empty because nothing in it was asked for.
        if !how.empty_any_of_holds && how.subset.is_none() {
            items.push(Item::Word(Cow::Borrowed(EMPTY_ANY_OF)));
        }
        any_of = false;
    }
    if items.is_empty() {
        return;
    }
    let is_alternative = outer.opener == Opener::AnyOf;
    if any_of && !single {
        if is_alternative {
            // The alternatives of an alternative are alternatives.
            outer.items.append(&mut items);
        } else if how.operators_inside {
            items.insert(0, Item::Word(Cow::Borrowed("||")));
            outer.items.push(Item::List(items));
        } else {
            outer.items.push(Item::Word(Cow::Borrowed("||")));
            outer.items.push(Item::List(items));
        }
    } else if !any_of && !is_alternative {
        // Everything here has to hold, with or without the bracket.
        outer.items.append(&mut items);
    } else if !single {
        outer.items.push(Item::List(items));
    } else {
        append_single(outer, around, items, how);
    }
}

/// Takes a group over that is a single thing: a leaf, a list, or a `||` with its list.
fn append_single<'a>(outer: &mut Frame<'a>, around: &[Frame<'a>], mut items: Vec<Item<'a>>, how: &Reduction) {
    let leads = items.first().is_some_and(|item| item.is("||"));
    if leads && outer.opener == Opener::AnyOf {
        items.remove(0);
        match items.pop() {
            Some(Item::List(mut inner)) if !how.operators_inside => outer.items.append(&mut inner),
            last => {
                outer.items.append(&mut items);
                outer.items.extend(last);
            }
        }
        return;
    }
    let only = if items.len() == 1 { items.pop() } else { None };
    match only {
        Some(Item::List(mut inner)) => {
            let has_operator = how.operators_inside && inner.first().is_some_and(|item| item.is("||"));
            // Inside alternatives a list has to stay together, elsewhere a `||` with its own.
            match (is_below_any_of(outer, around, how), has_operator) {
                (false, true) | (true, false) => outer.items.push(Item::List(inner)),
                (false, false) => outer.items.append(&mut inner),
                (true, true) => outer.items.extend(inner.drain(1..)),
            }
        }
        Some(word) => outer.items.push(word),
        None => outer.items.append(&mut items),
    }
}

/// Whether an any-of group is open around `frame`, with nothing but conditionals and brackets between. A bracket that
/// follows a leaf shields it, unless leaves are atoms: Portage looks for text there, and an atom is none.
fn is_below_any_of(frame: &Frame, around: &[Frame], how: &Reduction) -> bool {
    let mut opener = frame.opener;
    for outer in around.iter().rev() {
        let after_leaf = !how.atoms && matches!(outer.items.last(), Some(Item::Word(_)));
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
            Item::Word(word) => out.push(word.to_string()),
            Item::List(inner) => {
                out.push("(".to_owned());
                flatten_into(inner, out);
                out.push(")".to_owned());
            }
        }
    }
}
