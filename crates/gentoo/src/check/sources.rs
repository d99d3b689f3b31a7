//! E0809: distfiles of `SRC_URI` that are not in the Manifest.

use super::patterns::Patterns;
use super::recipe::{Recipe, is_plain};
use super::spec::tokens;
use rocpkg_syntax::glob;
use rocpkg_syntax::{Checked, Fault};
use std::collections::BTreeSet;
use std::ops::Range;

/// A source: its address and its name in DISTDIR, both as patterns, and the bytes of both.
pub(super) struct SourcePattern {
    pub(super) address: String,
    pub(super) name: String,
    pub(super) at: Range<usize>,
    /// Set if the source is fetched without a condition.
    pub(super) is_plain: bool,
}

/// Returns the sources of an ebuild whose addresses are known, and true if these are all sources.
pub(super) fn sources(recipe: &Recipe) -> (Vec<SourcePattern>, bool) {
    let mut out = Vec::new();
    let mut is_all = true;
    let mut patterns = Patterns::of(recipe);
    for set in recipe
        .script
        .sets
        .iter()
        .filter(|set| set.name == "SRC_URI")
    {
        let words = tokens(recipe.text, &set.value_at);
        let mut rest = words.iter().peekable();
        while let Some(at) = rest.next() {
            let word = recipe.slice(at);
            if matches!(word, "(" | ")") || word.ends_with('?') {
                continue;
            }
            let address = patterns.quoted(at);
            let mut at = at.clone();
            let mut name = None;
            if rest.peek().is_some_and(|next| recipe.slice(next) == "->") {
                rest.next();
                if let Some(own) = rest.next() {
                    name = Some(patterns.quoted(own));
                    at.end = own.end;
                }
            }
            let name = name.unwrap_or_else(|| {
                let last = address.rsplit('/').next();
                last.unwrap_or_default().to_owned()
            });
            // A list of addresses in a variable is not followed, and neither is a word with quotes
            // inside.
            let is_list = address.contains(char::is_whitespace);
            if glob::is_open(&address) || is_list || is_quoted_inside(recipe.text, &at) {
                is_all &= recipe.slice(&at) == "${SRC_URI}";
                continue;
            }
            let is_plain = is_plain(set);
            out.push(SourcePattern {
                address,
                name,
                at,
                is_plain,
            });
        }
    }
    let computed = recipe
        .eclasses
        .all()
        .any(|eclass| eclass.variables.contains("SRC_URI"));
    (out, is_all && !computed)
}

/// Returns true if the word at the bytes `at` continues beyond a quote: `a` in `a"b"`.
fn is_quoted_inside(text: &str, at: &Range<usize>) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'');
    let ends = |c: char| c.is_whitespace() || matches!(c, '=' | '#' | ';');
    let before = text[..at.start].strip_suffix(is_quote);
    let behind = text[at.end..].strip_prefix(is_quote);
    before.is_some_and(|text| !text.is_empty() && !text.ends_with(ends))
        || behind.is_some_and(|text| !text.is_empty() && !text.starts_with(ends))
}

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let Some(manifest) = recipe.surroundings.texts.get("Manifest") else {
        return;
    };
    let lines = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("DIST "));
    let known: BTreeSet<&str> = lines
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut done = BTreeSet::new();
    for source in sources(recipe).0 {
        let name = &source.name;
        let is_known = known.iter().any(|known| glob::fits(name, known));
        if is_known || name.is_empty() || !done.insert(name.clone()) {
            continue;
        }
        if recipe.is_idle(source.at.start) {
            continue;
        }
        // Another branch of a condition may be for another version.
        let is_sure = source.is_plain || recipe.is_of_releases(source.at.start);
        if !is_sure || recipe.is_live() {
            let reason = format!("`{name}` is fetched under a condition");
            out.not_checked(source.at.start, "Manifest", reason);
            continue;
        }
        let message = format!("`{name}` is not in the Manifest");
        let fault = Fault::new("E0809", source.at, message).file(name);
        out.faults
            .push(fault.label("the file is fetched, but its checksum is not known"));
    }
}
