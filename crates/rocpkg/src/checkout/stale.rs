//! Facts of an edited recipe that still belong to the previous release. The edit left them, since
//! they were manual edits: a version, a checksum, a path.

use super::existing_recipe::{Conflict, ExistingRecipe};
use super::todo::TodoKind;
use crate::sums::is_stand_in;
#[cfg(feature = "arch")]
use rocpkg_arch::internal::StatedSum;
use rocpkg_syntax::words::VERSION;
use rocpkg_syntax::{Body, Kind, Language, Node, Outline, fetched};

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
    all.extend(sums(existing, &new, after));
    if new.reading.language == Language::Nix {
        hashes(existing, &new, &new.root, &after.root, &mut all);
    }
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

/// Returns conflicts for checksums in `new`, the edited recipe, that differ from those of the
/// rendering `after` for the same address. Also returns conflicts for checksums that are stand-ins
/// although the rendering has them.
#[cfg(feature = "arch")]
fn sums(existing: &ExistingRecipe, new: &Outline, after: &Outline) -> Vec<Conflict> {
    if existing.backend != crate::Backend::Arch {
        return Vec::new();
    }
    let model = rocpkg_arch::internal::stated_sums(&after.text);
    let mut all = Vec::new();
    for own in rocpkg_arch::internal::stated_sums(&new.text) {
        let StatedSum { address, list, .. } = &own;
        let is_fetched = |other: &&StatedSum| fetched(&other.address) == fetched(address);
        let mut same = model.iter().filter(is_fetched);
        let (kind, reason) = if !own.is_unknown() {
            let known = model_sum(&model, &own);
            if known.is_none_or(|known| known.sum == own.sum) {
                continue;
            }
            let reason = format!("the model has another checksum for {address}");
            (TodoKind::Leftover, reason)
        } else if same.any(StatedSum::is_unknown) {
            // The tree reports the checksums that the model lacks.
            continue;
        } else {
            let reason = format!("the checksum of {address} is not known");
            (TodoKind::Sum, reason)
        };
        all.push(Conflict {
            kind,
            ..existing.fact(vec![list.clone()], new, own.at.start, reason)
        });
    }
    all
}

/// Returns the known checksum of the model, of the kind of `own`, for the file that `own` is about.
#[cfg(feature = "arch")]
fn model_sum<'a>(model: &'a [StatedSum], own: &StatedSum) -> Option<&'a StatedSum> {
    model.iter().find(|other| {
        let is_it = other.field == own.field && !other.is_unknown();
        is_it && fetched(&other.address) == fetched(&own.address)
    })
}

/// Returns `text`, the edited PKGBUILD, with the checksums of `after`, the rendering at the new
/// version, for the files that both fetch. A checksum of another file gets zeros in its place: that
/// of the old version, if the address of its source changed, and that of another source of `after`.
#[cfg(feature = "arch")]
fn with_own_sums(existing: &ExistingRecipe, mut text: String, after: &Outline) -> String {
    let old = rocpkg_arch::internal::stated_sums(&existing.outline.text);
    let model = rocpkg_arch::internal::stated_sums(&after.text);
    let mut all = rocpkg_arch::internal::stated_sums(&text);
    all.sort_by_key(|own| own.at.start);
    for own in all.iter().rev() {
        let is_of = |other: &StatedSum| fetched(&other.address) == fetched(&own.address);
        let mut before = old.iter().filter(|old| old.sum == own.sum).peekable();
        // The value of a command may change with the version.
        let is_open = own.address.contains("://") && own.address.contains('$');
        let is_stale = before.peek().is_some() && (is_open || !before.any(is_of));
        let mut others = model.iter().filter(|other| other.sum == own.sum);
        let is_of_other = old.iter().all(|old| old.sum != own.sum) && others.next().is_some();
        let new = match model_sum(&model, own) {
            Some(known) if own.is_unknown() || is_stale => known.sum.clone(),
            None if !own.is_unknown() && (is_stale || is_of_other) => "0".repeat(own.sum.len()),
            _ => continue,
        };
        match text[own.at.clone()].find(&own.sum) {
            Some(at) => {
                let start = own.at.start + at;
                text.replace_range(start..start + own.sum.len(), &new);
            }
            None if own.is_unknown() => {}
            None => text = text.replace(&own.sum, &new),
        }
    }
    text
}

/// Returns `text`, the edited recipe, with stand-ins in the place of the checksums that belong to
/// the old version: its source changed and the checksum did not. `after` is the rendering at the
/// new version. Its checksums are kept, and in a PKGBUILD they replace those of the same file.
pub(super) fn without_stale_sums(
    existing: &ExistingRecipe,
    text: String,
    after: &Outline,
) -> String {
    match existing.backend {
        #[cfg(feature = "arch")]
        crate::Backend::Arch => with_own_sums(existing, text, after),
        crate::Backend::Nix => {
            let Ok(new) = ExistingRecipe::read(existing.backend, &existing.path, &text) else {
                return text;
            };
            let version = |outline: &Outline| existing.backend.stated(outline, &existing.path);
            if version(&new) == version(&existing.outline) {
                return text;
            }
            let mut stale = Vec::new();
            kept_hashes(&existing.outline.root, &new.root, &mut stale);
            stale.retain(|hash| !after.text.contains(hash));
            stale.into_iter().fold(text, |text, hash| {
                text.replace(&hash, rocpkg_nix::internal::NO_HASH)
            })
        }
        _ => text,
    }
}

/// Adds to `all` the hashes that are equal in `old` and `new`, the existing and the edited recipe,
/// although the version is part of the address or revision of their source.
fn kept_hashes(old: &Body, new: &Body, all: &mut Vec<String>) {
    let hash = |body: &Body| {
        let node = body.nodes.iter().find(|node| node.value.is_sri())?;
        Some(node.value.real.trim_matches('"').to_owned())
    };
    let names_version = |node: &Node| {
        let is_address = ["rev", "tag", "url", "urls"].contains(&&*node.key.open);
        is_address && node.value.open.contains(VERSION)
    };
    for node in &new.nodes {
        let before = old.find(&node.key).and_then(|node| node.body.as_ref());
        let Some((old, new)) = before.zip(node.body.as_ref()) else {
            continue;
        };
        let is_of_version = new.nodes.iter().any(names_version);
        if let Some(hash) = hash(new).filter(|own| is_of_version && hash(old).as_ref() == Some(own))
            && !is_stand_in(&hash)
        {
            all.push(hash);
        }
        kept_hashes(old, new, all);
    }
}

#[cfg(not(feature = "arch"))]
fn sums(_: &ExistingRecipe, _: &Outline, _: &Outline) -> Vec<Conflict> {
    Vec::new()
}

/// The attributes of a Nix fetcher that decide which files are fetched, apart from `rev` and `tag`.
const FETCHED: [&str; 7] = [
    "owner",
    "repo",
    "url",
    "sparseCheckout",
    "fetchSubmodules",
    "leaveDotGit",
    "postFetch",
];

/// Adds to `all` a conflict for each hash that is the same in `own`, a part of the edited recipe,
/// and in `model`, the same part of the rendering, although the two fetch different sources:
/// another `owner`, for example.
fn hashes(
    existing: &ExistingRecipe,
    new: &Outline,
    own: &Body,
    model: &Body,
    all: &mut Vec<Conflict>,
) {
    for node in &own.nodes {
        let other = model.find(&node.key);
        let Some((body, other)) = node.body.as_ref().zip(other.and_then(|n| n.body.as_ref()))
        else {
            continue;
        };
        let hash = |body: &Body| body.nodes.iter().position(|n| n.value.is_sri());
        if let Some((own, known)) = hash(body).zip(hash(other))
            && body.nodes[own].value.is(&other.nodes[known].value)
            && !is_stand_in(&body.nodes[own].value.real)
        {
            let is_other = |name: &&&str| match (body.get(name), other.get(name)) {
                (Some(own), Some(known)) => !own.is(known),
                (own, known) => own.is_some() != known.is_some(),
            };
            if let Some(name) = FETCHED.iter().find(is_other) {
                let reason = format!(
                    "the hash is that of the model's source, but `{name}` differs from the model"
                );
                let item = new.keys_at(body.nodes[own].at.start);
                all.push(existing.fact(item, new, body.nodes[own].at.start, reason));
            }
        }
        hashes(existing, new, body, other, all);
    }
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
            Some(body) if body.kind == Kind::Steps => {
                out.extend(body.nodes.iter().filter(|step| step.body.is_none()));
                steps(&body.nodes, out);
            }
            _ => {}
        }
    }
}
