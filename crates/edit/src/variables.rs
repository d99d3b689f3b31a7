//! Variables that a text has for itself, and the model does not know: what they hold follows what
//! it is used for.

use crate::changes::{Change, What};
use crate::edits::Edits;
use crate::place::Place;
use rocpkg_syntax::Value;
use rocpkg_syntax::repository;
use rocpkg_syntax::words::{Piece, Word, split};
use rocpkg_syntax::{Body, Language, List, Node, Outline};

/// Sets variables that hold the repository of a source where that moves to another one.
///
/// `_git=https://…/rocPRIM` beside `$_git/archive/…` names the new repository then, and the source
/// goes on to be written by it.
pub(crate) fn moved(
    there: &Outline,
    (before, after): (&Outline, &Outline),
    all: &[Change],
    edits: &mut Edits,
) {
    for change in all {
        let pairs = match change.what {
            What::Set { before, after } => vec![(before, after)],
            What::Replace { before, after } if before.len() == after.len() => {
                before.iter().zip(after).collect()
            }
            _ => continue,
        };
        let [list] = change.path.as_slice() else {
            continue;
        };
        let Some(body) = there.root.find(list).and_then(|n| n.body.as_ref()) else {
            continue;
        };
        if body.list != Some(List::Sources) {
            continue;
        }
        for (old, new) in pairs {
            let (Some(from), Some(to)) = (repository(&old.value.real), repository(&new.value.real))
            else {
                continue;
            };
            let Some(node) = body
                .find(&old.key)
                .filter(|node| node.is(old) && from != to)
            else {
                continue;
            };
            let known = |name: &str| before.words.has(name) || after.words.has(name);
            let Some(name) = holder(there, node, from).filter(|name| !known(name)) else {
                continue;
            };
            let others = body.nodes.iter().filter(|other| other.at != node.at);
            if others
                .flat_map(|other| uses(there, other))
                .any(|used| used == name)
            {
                continue;
            }
            for set in there
                .root
                .nodes
                .iter()
                .filter(|n| Value::base(&n.key.open) == name && n.body.is_none())
            {
                edits.replace(set.value_at.clone(), quoted_as(there, set, to));
            }
        }
    }
}

/// Sets the variables of a recipe's own that hold the release, whatever its version is:
/// `_rocm_version=7.1.1`.
pub(crate) fn release(there: &Outline, (before, after): (&Outline, &Outline), edits: &mut Edits) {
    let version = |outline: &Outline| held_by(outline, outline.words.version());
    let (old, new) = (version(before), version(after));
    // A number that others may have, too, is no release.
    if old == new || old.matches('.').count() < 2 {
        return;
    }
    for (name, value) in there.words.own() {
        let holds = matches!(value, [Piece::Text(text)] if *text == old);
        if holds
            && is_own(there, before, name)
            && !after.words.has(name)
            && let Some(node) = variable(there, name)
        {
            edits.replace(node.value_at.clone(), quoted_as(there, node, &new));
        }
    }
}

/// The values of the variables that a version is composed of, for another version: `_major=7.1` and
/// `_minor=1` of `$_major.$_minor`. Each variable keeps the number of its parts; the last one takes
/// all that is left. None where a version can't be parted so.
pub(crate) fn composed<'a>(
    there: &'a Outline,
    node: &Node,
    version: &str,
) -> Option<Vec<(&'a Node, String)>> {
    let words = split(&there.text, node.value_at.start, node.value_at.end);
    let [word] = words.as_slice() else {
        return None;
    };
    let is_dot = |piece: &Piece| *piece == Piece::Text(".".to_owned());
    let all: Option<Vec<&Node>> = word
        .pieces
        .iter()
        .filter(|piece| !is_dot(piece))
        .map(|piece| match piece {
            Piece::Variable(name) => variable(there, name),
            _ => None,
        })
        .collect();
    let mut parts = version.split('.');
    let mut out = Vec::new();
    let all = all?;
    for (at, node) in all.iter().enumerate() {
        let count = if at + 1 == all.len() {
            usize::MAX
        } else {
            node.value.real.split('.').count()
        };
        let own: Vec<&str> = parts.by_ref().take(count).collect();
        if own.is_empty() {
            return None;
        }
        out.push((*node, quoted_as(there, node, &own.join("."))));
    }
    Some(out)
}

/// The variable of this name that is set at the margin to a plain text.
fn variable<'a>(there: &'a Outline, name: &str) -> Option<&'a Node> {
    let is_plain = matches!(there.words.get(name), Some([Piece::Text(_)]));
    let mut all = there.root.nodes.iter().filter(|_| is_plain);
    all.find(|node| node.key.open == name && node.body.is_none())
}

/// A text in the quotes of a value.
fn quoted_as(there: &Outline, node: &Node, text: &str) -> String {
    let written = &there.text[node.value_at.clone()];
    let quote = written.get(..1).filter(|q| matches!(*q, "'" | "\""));
    let quote = quote.unwrap_or_default();
    format!("{quote}{text}{quote}")
}

/// The variable of a source that holds a repository, however that ends.
pub(crate) fn holder(there: &Outline, source: &Node, of: &str) -> Option<String> {
    uses(there, source).into_iter().find(|name| {
        let value = held_by(there, name);
        let bare = value.trim_end_matches('/').trim_end_matches(".git");
        bare.eq_ignore_ascii_case(of)
    })
}

/// What a variable says.
pub(crate) fn held_by(there: &Outline, name: &str) -> String {
    there.words.value(&[Piece::Variable(name.to_owned())]).real
}

/// The variables in the words of an item.
fn uses(there: &Outline, node: &Node) -> Vec<String> {
    let words = split(&there.text, node.at.start, node.at.end);
    let pieces = words.into_iter().flat_map(|w| w.pieces);
    pieces
        .filter_map(|p| {
            if let Piece::Variable(name) = p {
                Some(name)
            } else {
                None
            }
        })
        .collect()
}

/// A source's pieces with a variable for its repository.
pub(crate) fn contracted(pieces: &[Piece], repository: &str, name: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) if text.contains(repository) => {
                let (head, rest) = text.split_once(repository).unwrap_or_default();
                if rest.is_empty() || rest.starts_with(['/', '#', '?']) || rest.starts_with(".git")
                {
                    out.extend(
                        [head, "\u{0}", rest]
                            .into_iter()
                            .filter(|t| !t.is_empty())
                            .map(|t| match t {
                                "\u{0}" => Piece::Variable(name.to_owned()),
                                text => Piece::Text(text.to_owned()),
                            }),
                    );
                } else {
                    out.push(piece.clone());
                }
            }
            _ => out.push(piece.clone()),
        }
    }
    out
}

/// A variable of the text that is the part of a value which changes, used there alone: with what it
/// says now.
///
/// `_tools=tools-1` beside `--with=$srcdir/$_tools` changes, and the value stays as it is written.
pub(crate) fn held<'a>(
    there: &'a Outline,
    node: &Node,
    (before, after): (&Outline, &Outline),
    new: &Node,
) -> Option<(&'a Node, Word)> {
    let one = |outline: &Outline, node: &Node| {
        let mut words = split(&outline.text, node.value_at.start, node.value_at.end).into_iter();
        words.next().filter(|_| words.next().is_none())
    };
    let (old, new) = (one(there, node)?, one(after, new)?);
    let (at, name) = old
        .pieces
        .iter()
        .enumerate()
        .find_map(|(at, piece)| match piece {
            Piece::Variable(name) if is_own(there, before, name) && !after.words.has(name) => {
                Some((at, name))
            }
            _ => None,
        })?;
    let pieces = between(&new.pieces, &old.pieces[..at], &old.pieces[at + 1..])?;
    let set = there
        .root
        .nodes
        .iter()
        .find(|n| n.key.open == *name && n.body.is_none())?;
    (count(&there.text, name) == 1 && !pieces.is_empty()).then_some((set, Word { pieces, ..new }))
}

/// True for a variable that is the text's own business.
pub(crate) fn is_own(there: &Outline, model: &Outline, name: &str) -> bool {
    name.starts_with('_') && there.words.has(name) && !model.words.has(name)
}

/// What stands between others.
fn between(pieces: &[Piece], head: &[Piece], tail: &[Piece]) -> Option<Vec<Piece>> {
    let mut rest = pieces.to_vec();
    for piece in head {
        let first = rest.first()?.clone();
        match (&first, piece) {
            (Piece::Text(whole), Piece::Text(part)) if whole.len() > part.len() => {
                rest[0] = Piece::Text(whole.strip_prefix(part.as_str())?.to_owned());
            }
            _ if first == *piece => drop(rest.remove(0)),
            _ => return None,
        }
    }
    for piece in tail.iter().rev() {
        let last = rest.pop()?;
        match (&last, piece) {
            (Piece::Text(whole), Piece::Text(part)) if whole.len() > part.len() => {
                rest.push(Piece::Text(whole.strip_suffix(part.as_str())?.to_owned()));
            }
            _ if last == *piece => {}
            _ => return None,
        }
    }
    Some(rest)
}

/// The variables that a text of bash refers to, each as often as it does.
pub(crate) fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).map(reference)
}

/// Returns the name of the variable that a text refers to right behind its `$`; empty for anything
/// else.
pub(crate) fn reference(rest: &str) -> &str {
    let rest = rest.trim_start_matches(['{', '#', '!']);
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    &rest[..end]
}

/// How often a text refers to a variable.
fn count(text: &str, name: &str) -> usize {
    references(text).filter(|used| *used == name).count()
}

/// Takes away the variables of a text that nothing refers to any more, as only what changed did.
pub(crate) fn unused(was: &Outline, now: &Outline, after: &Outline) -> Edits {
    let mut edits = Edits::default();
    if now.reading.language != Language::Bash {
        return edits;
    }
    let body: &Body = &now.root;
    for node in body
        .nodes
        .iter()
        .filter(|n| n.body.is_none() && n.value_at != n.at)
    {
        let name = Value::base(&node.key.open);
        if is_own(now, after, name) && count(&was.text, name) > 0 && count(&now.text, name) == 0 {
            Place { there: now, body }.remove(node, &mut edits);
        }
    }
    edits
}
