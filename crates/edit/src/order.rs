//! The order of variables. An assignment in bash uses the values of the variables that are set
//! above it.

use crate::edits::{Edits, line_end};
use crate::place::{Place, lead};
use crate::variables::references;
use rocpkg_syntax::{Language, Node, NormalText, Outline};

/// Moves variables of the recipe `text` above the variables that refer to them, if the rendering
/// `after` has them in this order. `now` states how `text` is read.
pub(crate) fn ordered(text: String, now: &Outline, after: &Outline) -> String {
    if now.reading.language != Language::Bash {
        return text;
    }
    let (mut text, mut moves) = (text, now.root.nodes.len());
    while moves > 0
        && let Ok(next) = now.reading.read(&text)
        && let Some(moved) = with_one_moved(&next, after)
    {
        text = moved;
        moves -= 1;
    }
    text
}

/// Moves the first variable that is set below a variable that refers to it, and returns the new
/// text. Returns none if no variable has to move.
fn with_one_moved(now: &Outline, after: &Outline) -> Option<String> {
    let (text, body) = (&now.text, &now.root);
    let (user, late) = body.nodes.iter().enumerate().find_map(|(at, user)| {
        let mut names = references(&text[user.at.clone()]).filter(|_| is_variable(now, user));
        let late = names.find_map(|name| {
            let is_set_before = body.nodes[..at].iter().any(|node| sets(now, node, name));
            let late = body.nodes[at + 1..]
                .iter()
                .find(|node| sets(now, node, name))?;
            (!is_set_before && is_above(after, late, user)).then_some(late)
        })?;
        Some((user, late))
    })?;
    let block = &text[lead(text, late.at.start)..line_end(text, late.at.end)];
    let mut edits = Edits::default();
    Place {
        existing: now,
        body,
    }
    .remove(late, &mut edits);
    let above = lead(text, user.at.start);
    edits.replace(above..above, block.to_owned());
    Some(edits.applied(text))
}

/// Returns true if `node` is an assignment: its text begins with its name and `=`.
fn is_variable(recipe: &Outline, node: &Node) -> bool {
    let name = NormalText::base(&node.key.written);
    let text = recipe.text.get(node.at.clone()).unwrap_or_default();
    let rest = text.strip_prefix(name);
    rest.is_some_and(|rest| rest.starts_with('='))
}

fn sets(recipe: &Outline, node: &Node, name: &str) -> bool {
    NormalText::base(&node.key.written) == name && is_variable(recipe, node)
}

/// Returns true if `recipe` sets the variable `one` above the variable `other`.
fn is_above(recipe: &Outline, one: &Node, other: &Node) -> bool {
    let place = |node: &Node| {
        let name = NormalText::base(&node.key.written);
        recipe
            .root
            .nodes
            .iter()
            .position(|own| sets(recipe, own, name))
    };
    matches!((place(one), place(other)), (Some(one), Some(other)) if one < other)
}
