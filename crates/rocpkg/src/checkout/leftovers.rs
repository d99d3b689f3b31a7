//! Words of an edited recipe that still name the old release: a tag, a prefix, the name of an
//! installed file.

use super::existing_recipe::{Conflict, ExistingRecipe};
use super::unmade::is_end;
use rocpkg_syntax::{Language, Outline};
use std::collections::BTreeSet;

/// The first two parts of the version in an ebuild.
const FIRST_TWO: &str = "$(ver_cut 1-2)";

/// The text before the first two parts of a version in a sub-slot (PMS 8.3.3): `:0/7.2`.
const SUB_SLOT: &str = ":0/";

/// Returns a conflict for each word of `text`, the new text of the recipe `existing`, that names
/// the version before. `models` are the renderings at the old and at the new version. Words of the
/// new one, which is the last, are left out. Comments, conditions and names of patches may name an
/// older release. So may lower bounds.
pub(super) fn leftovers(
    existing: &ExistingRecipe,
    text: &str,
    models: [&Outline; 2],
) -> Vec<Conflict> {
    let read = ExistingRecipe::read(existing.backend, &existing.path, text);
    let (Ok(new), Some(old)) = (read, &existing.version) else {
        return Vec::new();
    };
    let version = existing.backend.stated(&new, &existing.path);
    let is_release = old.matches('.').count() >= 2 && version.as_ref() != Some(old);
    if !is_release {
        return Vec::new();
    }
    let known: BTreeSet<&str> = models[1].text.split(is_end).collect();
    let mut tokens = vec![old.clone()];
    // Other packages may have a version 7.2, too. So the text before it counts.
    let line = short(old);
    let is_bash = new.reading.language == Language::Bash;
    if is_bash && line.is_some() && line != version.as_deref().and_then(short) {
        let line = line.unwrap_or_default();
        tokens.push(format!("{SUB_SLOT}{line}"));
        let heads = models.into_iter().flat_map(heads);
        tokens.extend(heads.map(|head| format!("{head}{line}")));
    }
    if let Some(line) = short(old).filter(|_| is_bash) {
        let new_line = version.as_deref().and_then(short).unwrap_or_default();
        let [old_text, new_text] = [(models[0], &line), (models[1], &new_line)]
            .map(|(model, line)| model.text.replace(FIRST_TWO, line));
        let (before, after) = (tags(&old_text, &line), tags(&new_text, &line));
        tokens.extend(before.difference(&after).cloned());
    }
    let mut all = Vec::new();
    let mut end = 0;
    for line in new.text.split_inclusive('\n') {
        let is_skipped = line.trim_start().starts_with('#') || is_condition(line);
        for part in line.split_inclusive(is_end) {
            let at = end;
            end += part.len();
            let word = part.trim_end_matches(is_end);
            let is_free = word.contains("FILESDIR") || is_patch(word) || word.starts_with(">=");
            if is_skipped || is_free || known.contains(word) {
                continue;
            }
            if tokens.iter().any(|token| names(word, token)) {
                let reason = format!("`{word}` names {old}, the release before");
                all.push(existing.fact(new.keys_at(at), &new, at, reason));
            }
        }
    }
    all
}

/// Returns the first two parts of a version: `7.2.4` → `7.2`.
fn short(version: &str) -> Option<String> {
    let mut parts = version.splitn(3, '.');
    Some(format!("{}.{}", parts.next()?, parts.next()?))
}

/// Returns the names that a rendering writes before its version: `rocm-` for `rocm-${PV}`.
fn heads(model: &Outline) -> BTreeSet<String> {
    let name = model.words.version();
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let signs = [format!("${name}"), format!("${{{name}}}")];
    let places = signs
        .iter()
        .flat_map(|sign| model.text.match_indices(sign.as_str()));
    let heads = places.map(|(at, _)| {
        let head = &model.text[..at];
        &head[head.trim_end_matches(is_of_name).len()..]
    });
    heads
        .filter(|head| head.ends_with('-') && head.len() > 1)
        .map(str::to_owned)
        .collect()
}

/// Returns the names with the number `line` at their end that a rendering contains, such as the tag
/// `therock-7.14`.
fn tags(rendering: &str, line: &str) -> BTreeSet<String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let all = rendering.match_indices(line).map(|(at, _)| {
        let head = &rendering[..at];
        let start = head.trim_end_matches(is_of_name).len();
        (&head[start..], &rendering[start..])
    });
    let tags = all.filter(|(head, _)| head.ends_with('-') && head.len() > 1);
    let tags = tags.map(|(head, text)| (format!("{head}{line}"), text));
    tags.filter(|(tag, text)| names(&text[..text.find(is_end).unwrap_or(text.len())], tag))
        .map(|(tag, _)| tag)
        .collect()
}

fn is_condition(line: &str) -> bool {
    ["[[", "ver_test", "vercmp", "case ", "lib.version"]
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
