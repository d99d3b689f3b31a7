//! Variables that only the existing recipe has and the model does not. Their values follow the
//! items that use them.

use crate::changes::{Change, What};
use crate::edits::Edits;
use crate::place::Place;
use crate::three_way::ThreeWay;
use rocpkg_syntax::NormalText;
use rocpkg_syntax::repository;
use rocpkg_syntax::words::{Piece, Word, split};
use rocpkg_syntax::{Body, Language, List, Node, Outline};

/// Updates variables that hold the repository of a source, if `all` contains a change that moves
/// the source to another repository. Only variables that the renderings don't have, and that no
/// other source uses, are updated.
///
/// `_git=https://…/rocPRIM` beside `$_git/archive/…` gets the address of the new repository, and
/// the source still refers to `$_git`.
pub(crate) fn follow_repositories(three: ThreeWay, all: &[Change], edits: &mut Edits) {
    let ThreeWay {
        existing,
        before,
        after,
    } = three;
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
                .filter(|n| NormalText::base(&n.key.open) == name && n.body.is_none())
            {
                edits.replace(set.value_at.clone(), quoted_as(existing, set, to));
            }
        }
    }
}

/// Updates variables that only the existing recipe has and that hold the release of the rendering
/// `before`, such as `_rocm_version=7.1.1`, to the release of `after`. The version of the recipe
/// itself, such as `pkgver=0.3`, may be another one.
pub(crate) fn follow_release(three: ThreeWay, edits: &mut Edits) {
    let ThreeWay {
        existing,
        before,
        after,
    } = three;
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

/// Returns new values for the variables that the version `node` is composed of, so that the whole
/// becomes `version`. For `pkgver=$_major.$_minor` with `_major=7.1` and `_minor=1`, `7.2.4` gives
/// `7.2` and `4`. Each variable keeps the number of its parts, and the last one takes all remaining
/// parts. Returns none if the version can't be split in this way.
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

/// Returns the variable with a name. Returns none unless it is set at the top level, once, and to a
/// text without references.
fn variable<'a>(existing: &'a Outline, name: &str) -> Option<&'a Node> {
    let is_plain = matches!(existing.words.get(name), Some([Piece::Text(_)]));
    let mut all = existing.root.nodes.iter().filter(|_| is_plain);
    all.find(|node| node.key.open == name && node.body.is_none())
}

/// Returns `text` in the quotes that the value of `node` has.
fn quoted_as(existing: &Outline, node: &Node, text: &str) -> String {
    let written = &existing.text[node.value_at.clone()];
    let quote = written.get(..1).filter(|q| matches!(*q, "'" | "\""));
    let quote = quote.unwrap_or_default();
    format!("{quote}{text}{quote}")
}

/// Returns the variable in the words of `source` whose value is the repository `of`. A `.git` or a
/// slash at the end of the value makes no difference. Returns none if no variable holds the
/// repository.
pub(crate) fn holder(existing: &Outline, source: &Node, of: &str) -> Option<String> {
    uses(existing, source).into_iter().find(|name| {
        let value = held_by(existing, name);
        let bare = value.trim_end_matches('/').trim_end_matches(".git");
        bare.eq_ignore_ascii_case(of)
    })
}

/// Returns the value of a variable, or `${NAME}` if the value is not known.
pub(crate) fn held_by(existing: &Outline, name: &str) -> String {
    existing
        .words
        .value(&[Piece::Variable(name.to_owned())])
        .real
}

/// Returns the names of the variables in the words of an item.
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

/// Returns the pieces of a source with the variable `name` in place of `repository`:
/// `https://…/rocPRIM/archive/a.tar.gz` → `$_git/archive/a.tar.gz`.
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

/// Returns a variable that only the existing recipe has and that holds the part of a value which
/// changes, with the new word for that part. `node` is the item in the existing recipe, and `new`
/// is the item of `after`. The variable must be referred to once only. Returns none otherwise.
///
/// If `--with=$srcdir/$_tools` has to become `--with=$srcdir/tools-2`, then `_tools=tools-1` gets
/// the value `tools-2`, and the option stays as it is written.
pub(crate) fn variable_of_part<'a>(
    three: ThreeWay<'a>,
    node: &Node,
    new: &Node,
) -> Option<(&'a Node, Word)> {
    let ThreeWay {
        existing,
        before,
        after,
    } = three;
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

/// Returns true if only the existing recipe has a variable: its name begins with `_`, and `model`
/// does not have it.
pub(crate) fn is_own(existing: &Outline, model: &Outline, name: &str) -> bool {
    name.starts_with('_') && existing.words.has(name) && !model.words.has(name)
}

/// Returns the pieces between `head` and `tail`: `a-1-b` with the head `a-` and the tail `-b` gives
/// `1`. Returns none if the pieces don't begin with the head or don't end with the tail.
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

/// Returns the name of the variable at the beginning of `rest`, the text behind a `$`:
/// `{#name} more` → `name`. Returns an empty text if no name is there.
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

/// Returns edits of the edited recipe `now` that remove variables without a reference. A variable
/// is removed if the existing recipe `was` refers to it, and the rendering `after` does not have
/// it.
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
        let name = NormalText::base(&node.key.open);
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
