//! Facts of an edited recipe that still belong to the previous release. The edit left them, since
//! they were manual edits: a version, a checksum, a path.

use super::existing_recipe::{Conflict, ExistingRecipe};
use super::todo::TodoKind;
use rocpkg_syntax::{ItemKind, Language, Node, Outline};

/// Returns a conflict for each fact in `text` that belongs to another release than the recipe's new
/// version. `text` is the new text of the recipe `existing`.
///
/// `after` is the rendering at the new release. `before` is the rendering at the recipe's old
/// release. It is None if the recipe was at the new release already; then the version and the paths
/// are not checked.
pub(super) fn stale(
    existing: &ExistingRecipe,
    text: &str,
    before: Option<&Outline>,
    after: &Outline,
) -> Vec<Conflict> {
    let Ok(new) = ExistingRecipe::read(existing.backend, &existing.path, text) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if before.is_some() {
        all.extend(version(existing, &new, after));
    }
    let sums = existing.backend.implementation().wrong_sums(&new, after);
    all.extend(sums.into_iter().map(|sum| Conflict {
        kind: if sum.is_unknown {
            TodoKind::Sum
        } else {
            TodoKind::Leftover
        },
        ..existing.fact(sum.item, &new, sum.at, sum.reason)
    }));
    if let Some(before) = before {
        all.extend(files(existing, &new, before, after));
    }
    all
}

/// Returns a conflict if `new`, the edited recipe, states another version than the rendering
/// `after`.
fn version(existing: &ExistingRecipe, new: &Outline, after: &Outline) -> Option<Conflict> {
    let stated = |outline: &Outline| existing.backend.stated(outline, &existing.path);
    let (own, asked) = (stated(new)?, stated(after)?);
    (own != asked).then(|| {
        let reason = format!("the recipe states {own}, but the model has {asked} at this release");
        let node = new.version_item();
        let (name, at) = node.map_or(("version", 0), |node| (&*node.key.open, node.at.start));
        existing.fact(vec![name.to_owned()], new, at, reason)
    })
}

/// Returns conflicts for steps of the edited recipe `new` that use files below a folder of a source
/// (`"$_dirname/file"`), if the model has changed the name of that folder and has no such step.
/// Such a file may not exist any more. `before` and `after` are the renderings at the old and the
/// new release.
fn files(
    existing: &ExistingRecipe,
    new: &Outline,
    before: &Outline,
    after: &Outline,
) -> Vec<Conflict> {
    if new.reading.language != Language::Bash {
        return Vec::new();
    }
    let has_moved = |node: &&Node| {
        let of = |outline: &Outline| Some(outline.root.find(&node.key)?.value.open.clone());
        let (old, own) = (of(before), of(&existing.outline));
        new.reading.rules.is_of_sources(&node.key.open)
            && node.body.is_none()
            && old.is_some_and(|old| Some(&old) != of(after).as_ref())
            && own != Some(node.value.open.clone())
    };
    let moved: Vec<&Node> = new.root.nodes.iter().filter(has_moved).collect();
    let mut known = Vec::new();
    for outline in [before, after] {
        steps(&outline.root.nodes, &mut known);
    }
    let mut all = Vec::new();
    let mut own = Vec::new();
    steps(&new.root.nodes, &mut own);
    for step in own {
        let text = &new.text[step.at.clone()];
        let name = |node: &&&Node| {
            let name = &node.key.open;
            text.contains(&format!("${name}/")) || text.contains(&format!("${{{name}}}/"))
        };
        let Some(folder) = moved.iter().find(name) else {
            continue;
        };
        if !known.iter().any(|other| other.key.is(&step.key)) {
            let folder = &folder.key.open;
            let reason =
                format!("`{folder}` is another folder now, which may not contain the file");
            all.push(Conflict {
                existing: Some(text.to_owned()),
                ..existing.fact(vec![folder.clone()], new, step.at.start, reason)
            });
        }
    }
    all
}

/// Adds to `out` the commands in the functions of a recipe.
fn steps<'a>(nodes: &'a [Node], out: &mut Vec<&'a Node>) {
    for node in nodes {
        match &node.body {
            Some(body) if body.kind == ItemKind::Steps => {
                out.extend(body.nodes.iter().filter(|step| step.body.is_none()));
                steps(&body.nodes, out);
            }
            _ => {}
        }
    }
}
