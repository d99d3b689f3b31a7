//! Writes the changes of a script into the text that the script was read from.

use crate::sites::printed;
use rocpkg_render::bash::{Piece, Script, Seen, Style, Word, visit};
use std::collections::BTreeMap;
use std::ops::Range;

/// Returns `old`, the text that `before` was read from, with changes of `after`, and true if these
/// are all changes. All other bytes stay, such as comments, blanks and line breaks.
///
/// A changed word is written in its place. If there are other changes, each changed item is printed
/// anew, where `old` contains the item as it is printed; the rest is left to a merge. No change is
/// made if the result has more `faults` than `old`.
pub fn in_place(
    old: &str,
    before: &Script,
    after: &Script,
    style: &Style,
    faults: impl Fn(&str) -> usize,
) -> (String, bool) {
    let is_sound = |text: &String| text == old || faults(text) <= faults(old);
    if let Some(text) = by_words(old, before, after, style).filter(is_sound) {
        return (text, true);
    }
    let text = Some(by_items(old, before, after, style)).filter(is_sound);
    (text.unwrap_or_else(|| old.to_owned()), false)
}

/// Returns `old` with the changed words of `after`. Returns `None` if the result would not read as
/// `after` does, since more changed than the texts of words.
fn by_words(old: &str, before: &Script, after: &Script, style: &Style) -> Option<String> {
    let (own, new) = (words(before), words(after));
    if own.len() != new.len() {
        return None;
    }
    let mut edits = BTreeMap::new();
    for (own, new) in own.iter().zip(&new).filter(|(own, new)| own != new) {
        let at = own.place().range()?;
        if let (Some(own), Some(new)) = (own.as_literal(), new.as_literal()) {
            let start = at.start + old.get(at)?.find(own)?;
            edits.insert((start, start + own.len()), new.to_owned());
        } else {
            let pieces = (own.pieces().collect(), new.pieces().collect());
            texts(old, at, pieces, &mut edits)?;
        }
    }
    let mut text = old.to_owned();
    for ((start, end), new) in edits.into_iter().rev() {
        text.replace_range(start..end, &new);
    }
    let read = Script::read(&text).ok()?;
    (read.print(style) == after.print(style)).then_some(text)
}

/// Returns `old` with the changed items of `after`. An item stays if `old` does not contain it as
/// it is printed.
fn by_items(old: &str, before: &Script, after: &Script, style: &Style) -> String {
    let mut text = old.to_owned();
    if before.items.len() != after.items.len() {
        return text;
    }
    for (own, new) in before.items.iter().zip(&after.items) {
        if own == new {
            continue;
        }
        let own = printed(own, style);
        let is_line = |at: &usize| *at == 0 || text.as_bytes()[at - 1] == b'\n';
        let all = text.match_indices(&own).map(|(at, _)| at);
        let all: Vec<usize> = all.filter(is_line).collect();
        if let [at] = all[..] {
            text.replace_range(at..at + own.len(), &printed(new, style));
        }
    }
    text
}

fn words(script: &Script) -> Vec<Word> {
    let mut out = Vec::new();
    visit(&script.items, &mut |seen| {
        if let Seen::Word(word) = seen {
            out.push(word.clone());
        }
    });
    out
}

/// Adds the changed texts of a word at the bytes `at` to `edits`, by their bytes. Words in
/// expansions and substitutions are visited by themselves.
fn texts(
    old: &str,
    at: Range<usize>,
    (own, new): (Vec<&Piece>, Vec<&Piece>),
    edits: &mut BTreeMap<(usize, usize), String>,
) -> Option<usize> {
    if own.len() != new.len() {
        return None;
    }
    let mut from = at.start;
    for (own, new) in own.into_iter().zip(new) {
        match (own, new) {
            (Piece::Double(own), Piece::Double(new)) | (Piece::Locale(own), Piece::Locale(new)) => {
                let pieces = (own.iter().collect(), new.iter().collect());
                from = texts(old, from..at.end, pieces, edits)?;
            }
            (Piece::Bare(own), Piece::Bare(new))
            | (Piece::Single(own), Piece::Single(new))
            | (Piece::Ansi(own), Piece::Ansi(new)) => {
                let start = from + old.get(from..at.end)?.find(own.as_str())?;
                from = start + own.len();
                if own != new {
                    edits.insert((start, from), new.clone());
                }
            }
            _ => {}
        }
    }
    Some(from)
}
