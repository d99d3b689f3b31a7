//! Variables that only the text has and the model does not. Their values follow the items that use
//! them.

use crate::changes::{Change, What};
use crate::edits::Edits;
use crate::place::Place;
use rocpkg_syntax::Value;
use rocpkg_syntax::repository;
use rocpkg_syntax::words::{Piece, Word, split};
use rocpkg_syntax::{Body, Language, List, Node, Outline};

/// Updates variables that hold the repository of a source, if the source moves to another
/// repository.
///
/// `_git=https://…/rocPRIM` beside `$_git/archive/…` gets the address of the new repository, and
/// the source still refers to `$_git`.
pub(crate) fn moved(
    existing: &Outline,
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
        let Some(body) = existing.root.find(list).and_then(|n| n.body.as_ref()) else {
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
            let Some(name) = holder(existing, node, from).filter(|name| !known(name)) else {
                continue;
            };
            let others = body.nodes.iter().filter(|other| other.at != node.at);
            if others
                .flat_map(|other| uses(existing, other))
                .any(|used| used == name)
            {
                continue;
            }
            for set in existing
                .root
                .nodes
                .iter()
                .filter(|n| Value::base(&n.key.open) == name && n.body.is_none())
            {
                edits.replace(set.value_at.clone(), quoted_as(existing, set, to));
            }
        }
    }
}

/// Updates the recipe's own variables that hold the release, such as `_rocm_version=7.1.1`. The
/// recipe's version may be another one.
pub(crate) fn release(
    existing: &Outline,
    (before, after): (&Outline, &Outline),
    edits: &mut Edits,
) {
    let version = |outline: &Outline| held_by(outline, outline.words.version());
    let (old, new) = (version(before), version(after));
    // A number with fewer than two dots may have another meaning, so it is not taken for a release.
    if old == new || old.matches('.').count() < 2 {
        return;
    }
    for (name, value) in existing.words.own() {
        let holds = matches!(value, [Piece::Text(text)] if *text == old);
        if holds
            && is_own(existing, before, name)
            && !after.words.has(name)
            && let Some(node) = variable(existing, name)
        {
            edits.replace(node.value_at.clone(), quoted_as(existing, node, &new));
        }
    }
}

/// Returns the values that the variables of a composed version have for another version:
/// `_major=7.1` and `_minor=1` for `$_major.$_minor`. Each variable keeps the number of its parts,
/// and the last one takes all remaining parts. Returns none if the version can't be split in this
/// way.
pub(crate) fn composed<'a>(
    existing: &'a Outline,
    node: &Node,
    version: &str,
) -> Option<Vec<(&'a Node, String)>> {
    let words = split(&existing.text, node.value_at.start, node.value_at.end);
    let [word] = words.as_slice() else {
        return None;
    };
    let is_dot = |piece: &Piece| *piece == Piece::Text(".".to_owned());
    let all: Option<Vec<&Node>> = word
        .pieces
        .iter()
        .filter(|piece| !is_dot(piece))
        .map(|piece| match piece {
            Piece::Variable(name) => variable(existing, name),
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
        out.push((*node, quoted_as(existing, node, &own.join("."))));
    }
    Some(out)
}

/// Returns the variable with a name, if it is set at the margin to a plain text.
fn variable<'a>(existing: &'a Outline, name: &str) -> Option<&'a Node> {
    let is_plain = matches!(existing.words.get(name), Some([Piece::Text(_)]));
    let mut all = existing.root.nodes.iter().filter(|_| is_plain);
    all.find(|node| node.key.open == name && node.body.is_none())
}

/// Returns a text in the quotes of an existing value.
fn quoted_as(existing: &Outline, node: &Node, text: &str) -> String {
    let written = &existing.text[node.value_at.clone()];
    let quote = written.get(..1).filter(|q| matches!(*q, "'" | "\""));
    let quote = quote.unwrap_or_default();
    format!("{quote}{text}{quote}")
}

/// Returns the variable of a source that holds a repository, with or without `.git` or a slash at
/// the end.
pub(crate) fn holder(existing: &Outline, source: &Node, of: &str) -> Option<String> {
    uses(existing, source).into_iter().find(|name| {
        let value = held_by(existing, name);
        let bare = value.trim_end_matches('/').trim_end_matches(".git");
        bare.eq_ignore_ascii_case(of)
    })
}

/// Returns the value of a variable.
pub(crate) fn held_by(existing: &Outline, name: &str) -> String {
    existing
        .words
        .value(&[Piece::Variable(name.to_owned())])
        .real
}

/// Returns the variables in the words of an item.
fn uses(existing: &Outline, node: &Node) -> Vec<String> {
    let words = split(&existing.text, node.at.start, node.at.end);
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

/// Returns the pieces of a source with a variable in place of its repository.
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

/// Returns a variable of the text's own that holds the part of a value which changes, with its new
/// word. The variable must be used in this value only.
///
/// `_tools=tools-1` beside `--with=$srcdir/$_tools` changes, and the value with `$_tools` stays as
/// it is written.
pub(crate) fn held<'a>(
    existing: &'a Outline,
    node: &Node,
    (before, after): (&Outline, &Outline),
    new: &Node,
) -> Option<(&'a Node, Word)> {
    let one = |outline: &Outline, node: &Node| {
        let mut words = split(&outline.text, node.value_at.start, node.value_at.end).into_iter();
        words.next().filter(|_| words.next().is_none())
    };
    let (old, new) = (one(existing, node)?, one(after, new)?);
    let (at, name) = old
        .pieces
        .iter()
        .enumerate()
        .find_map(|(at, piece)| match piece {
            Piece::Variable(name) if is_own(existing, before, name) && !after.words.has(name) => {
                Some((at, name))
            }
            _ => None,
        })?;
    let pieces = between(&new.pieces, &old.pieces[..at], &old.pieces[at + 1..])?;
    let set = existing
        .root
        .nodes
        .iter()
        .find(|n| n.key.open == *name && n.body.is_none())?;
    (count(&existing.text, name) == 1 && !pieces.is_empty())
        .then_some((set, Word { pieces, ..new }))
}

/// Returns true if a variable belongs to the text only: its name begins with `_`, and the model
/// does not have it.
pub(crate) fn is_own(existing: &Outline, model: &Outline, name: &str) -> bool {
    name.starts_with('_') && existing.words.has(name) && !model.words.has(name)
}

/// Returns the pieces between a head and a tail. Returns none if the pieces don't begin with the
/// head or don't end with the tail.
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

/// Returns the variables that a text of bash refers to. A variable is returned once for each
/// reference.
pub(crate) fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split('$').skip(1).map(reference)
}

/// Returns the name of the variable behind a `$`. Returns an empty text if no name is there.
pub(crate) fn reference(rest: &str) -> &str {
    let rest = rest.trim_start_matches(['{', '#', '!']);
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    &rest[..end]
}

/// Returns the number of references to a variable in a text.
fn count(text: &str, name: &str) -> usize {
    references(text).filter(|used| *used == name).count()
}

/// Removes variables of the text's own that lost their last reference by the changes.
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
            Place {
                existing: now,
                body,
            }
            .remove(node, &mut edits);
        }
    }
    edits
}
