//! Words of an edited recipe that still name the old release: a tag, a prefix, the name of an
//! installed file.

use super::existing_recipe::{Conflict, ExistingRecipe};
use rocpkg_syntax::{Language, Outline};
use std::collections::BTreeSet;

/// Texts before the first two parts of a version that make it ROCm's release, as in
/// `/opt/rocm-7.2` and `:0/7.2`. Other packages may have a version 7.2, too.
const OF_ROCM: [&str; 4] = ["rocm-", "rocm/", "therock-", "0/"];

/// Returns a conflict for each word of `text`, the new text of the recipe `existing`, that names
/// the version before, unless `after`, the rendering at the new version, has the word, too.
/// Comments, conditions and names of patches may name an older release. So may lower bounds.
pub(super) fn leftovers(existing: &ExistingRecipe, text: &str, after: &Outline) -> Vec<Conflict> {
    let read = ExistingRecipe::read(existing.backend, &existing.path, text);
    let (Ok(new), Some(old)) = (read, &existing.version) else {
        return Vec::new();
    };
    let new = &new;
    let version = existing.backend.stated(new, &existing.path);
    let is_release = old.matches('.').count() >= 2 && version.as_ref() != Some(old);
    if new.reading.language != Language::Bash || !is_release {
        return Vec::new();
    }
    let known: BTreeSet<&str> = after.text.split(is_end).collect();
    let short = |version: &str| {
        let mut parts = version.splitn(3, '.');
        let (major, minor) = (parts.next()?, parts.next()?);
        Some(format!("{major}.{minor}"))
    };
    let mut tokens = vec![old.clone()];
    if let Some(short) =
        short(old).filter(|own| version.as_deref().and_then(short) != Some(own.clone()))
    {
        tokens.extend(OF_ROCM.iter().map(|head| format!("{head}{short}")));
    }
    let mut all = Vec::new();
    let mut start = 0;
    for line in new.text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if line.trim_start().starts_with('#') || is_condition(line) {
            continue;
        }
        for word in line.split(is_end).filter(|word| !known.contains(word)) {
            let is_of_file = word.contains("FILESDIR") || is_patch(word);
            let is_bound = word.starts_with(">=");
            if is_of_file || is_bound || !tokens.iter().any(|token| names(word, token)) {
                continue;
            }
            // `word` is a part of `line`.
            let at = at + (word.as_ptr() as usize - line.as_ptr() as usize);
            let reason = format!("`{word}` names {old}, the release before");
            all.push(existing.fact(new.keys_at(at), new, at, reason));
        }
    }
    all
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || "\"'()`;|&<".contains(c)
}

fn is_condition(line: &str) -> bool {
    ["[[", "ver_test", "vercmp", "case "]
        .iter()
        .any(|sign| line.contains(sign))
}

fn is_patch(word: &str) -> bool {
    [".patch", ".diff"].iter().any(|end| word.ends_with(end)) && !word.contains("://")
}

/// Returns true if a word contains `token`, and no digit or further part of a version is beside it.
fn names(word: &str, token: &str) -> bool {
    word.match_indices(token).any(|(at, _)| {
        let (head, tail) = (&word[..at], &word[at + token.len()..]);
        let is_number = token.starts_with(|c: char| c.is_ascii_digit());
        let goes_on = tail.strip_prefix('.').unwrap_or(tail);
        let begins = is_number && head.ends_with(|c: char| c.is_ascii_digit() || c == '.');
        !(begins || goes_on.starts_with(|c: char| c.is_ascii_digit()))
    })
}
