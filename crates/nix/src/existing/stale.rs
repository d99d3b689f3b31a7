//! Hashes of an edited expression that belong to the previous release, or to another source.

use crate::lower::source::NO_HASH;
use rocpkg_shell::WrongSum;
use rocpkg_syntax::words::VERSION;
use rocpkg_syntax::{Body, Node, Outline};

/// Returns the text of `new`, the edited recipe, with stand-ins in the place of the hashes that are
/// those of the version of `existing`. The hashes of the rendering `after` are kept.
pub(crate) fn without_kept(existing: &Outline, new: &Outline, after: &Outline) -> String {
    let mut stale = Vec::new();
    kept_hashes(&existing.root, &new.root, &mut stale);
    stale.retain(|hash| !after.text.contains(hash));
    let without = |text: String, hash: String| text.replace(&hash, NO_HASH);
    stale.into_iter().fold(new.text.clone(), without)
}

fn is_stand_in(hash: &str) -> bool {
    let digits = hash.strip_prefix("sha256-");
    digits.is_some_and(|digits| digits.trim_matches(['A', '=']).is_empty())
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

/// Adds to `all` each hash that is the same in `own`, a part of the edited recipe `new`, and in
/// `model`, the same part of the rendering, although the two fetch different sources: another
/// `owner`, for example.
pub(crate) fn wrong_hashes(new: &Outline, own: &Body, model: &Body, all: &mut Vec<WrongSum>) {
    for node in &own.nodes {
        let other = model.find(&node.key);
        let Some((body, other)) = node.body.as_ref().zip(other.and_then(|n| n.body.as_ref()))
        else {
            continue;
        };
        let hash = |body: &Body| body.nodes.iter().position(|n| n.value.is_sri());
        if let Some((own, known)) = hash(body).zip(hash(other))
            && body.nodes[own].value.is(&other.nodes[known].value)
            && !is_stand_in(body.nodes[own].value.real.trim_matches('"'))
        {
            let is_other = |name: &&&str| match (body.get(name), other.get(name)) {
                (Some(own), Some(known)) => !own.is(known),
                (own, known) => own.is_some() != known.is_some(),
            };
            if let Some(name) = FETCHED.iter().find(is_other) {
                let reason = format!(
                    "the hash is that of the model's source, but `{name}` differs from the model"
                );
                let at = body.nodes[own].at.start;
                all.push(WrongSum {
                    item: new.keys_at(at),
                    at,
                    is_unknown: false,
                    reason,
                });
            }
        }
        wrong_hashes(new, body, other, all);
    }
}
